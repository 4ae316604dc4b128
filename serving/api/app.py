"""The ASGI application."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from http import HTTPStatus
from importlib.metadata import version

from fastapi import FastAPI
from sse_starlette.sse import AppStatus

from serving.api.access import Access
from serving.api.bodies import BodyLimit
from serving.api.chat.errors import documented_errors
from serving.api.openapi import DocumentedApp
from serving.api.problems import add_problems, documented
from serving.api.rates import RateLimitHeaders
from serving.api.routes import (
    audit,
    chat,
    documents,
    health,
    jobs,
    metrics,
    models,
    page,
    search,
    tasks,
    threads,
    usage,
)
from serving.api.service import Service

ABOUT = (
    "Answers from your documents, with citations, or a refusal that says why. Every task tells its "
    "calls, tokens and seconds."
)

OpenService = Callable[[], AbstractAsyncContextManager[Service]]


def create_app(open_service: OpenService) -> FastAPI:
    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_service() as service:
            app.state.service = service
            yield

    # Streams end with their tasks, which a shutdown lets finish; see serving.api.server.
    AppStatus.enable_automatic_graceful_drain = False
    app = DocumentedApp(
        title="Knowledge Agent",
        description=ABOUT,
        version=version("knowledge-agent"),
        lifespan=lifespan,
        redoc_url=None,
    )
    add_problems(app)
    app.add_middleware(RateLimitHeaders)
    app.add_middleware(BodyLimit)
    app.add_middleware(Access)
    for router in (
        tasks.router,
        threads.router,
        documents.router,
        jobs.router,
        search.router,
        usage.router,
        audit.router,
    ):
        app.include_router(
            router,
            responses=documented(
                HTTPStatus.UNAUTHORIZED,
                HTTPStatus.FORBIDDEN,
                HTTPStatus.UNPROCESSABLE_ENTITY,
                HTTPStatus.TOO_MANY_REQUESTS,
                HTTPStatus.SERVICE_UNAVAILABLE,
            ),
        )
    for router in (chat.router, models.router):
        app.include_router(
            router,
            responses=documented_errors(
                HTTPStatus.BAD_REQUEST,
                HTTPStatus.UNAUTHORIZED,
                HTTPStatus.FORBIDDEN,
                HTTPStatus.NOT_FOUND,
                HTTPStatus.TOO_MANY_REQUESTS,
                HTTPStatus.SERVICE_UNAVAILABLE,
            ),
        )
    app.include_router(health.router)
    app.include_router(metrics.router)
    app.include_router(page.router)
    app.mount("/page", page.files)
    return app
