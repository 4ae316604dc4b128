"""The service, put together: on its real parts, or on others that a test gives."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from pydantic import SecretStr

from nodes.select import INSTRUCTION_TOKENS
from serving.api.admission import Admission
from serving.api.chores import Chore
from serving.api.documents import Documents, IndexedAgents
from serving.api.engine import Engine
from serving.api.identity import Identity, KeyIdentity, KeyOrTokenIdentity, NoIdentity
from serving.api.job_runner import JobRunner
from serving.api.observation import Telemetry
from serving.api.ports import Agents
from serving.api.rates import RateLimits, rate_limits
from serving.api.readiness import Parts
from serving.api.retention import Retention
from serving.api.runner import TaskRunner
from serving.api.service import Health, Service
from serving.api.tokens import TokenIdentity, token_identity
from serving.api.uploads import Receiver
from serving.gateway.quota_ledger import QuotaLedger
from serving.gateway.tenancy import CacheSalts
from serving.settings import Settings
from serving.store.audit import AuditStore
from serving.store.database import Database, open_database
from serving.store.events import EventStore
from serving.store.instances import InstanceStore
from serving.store.jobs import JobStore
from serving.store.keys import KeyStore
from serving.store.quotas import QuotaStore
from serving.store.retention import RetentionStore
from serving.store.reviews import ReviewStore
from serving.store.secrets import SecretStore
from serving.store.tasks import TaskStore
from serving.store.tenants import Allowance, TenantStore
from serving.store.threads import ThreadStore
from serving.store.uploads import Bounds, UploadStore
from serving.telemetry.traces import open_traces
from serving.wiring.indexing import Indexing
from serving.wiring.pages import PageViews
from serving.wiring.tenants import tenant_agents

RETENTION_S = 60.0
"""How often it is looked for what is too old."""


@asynccontextmanager
async def open_service(settings: Settings) -> AsyncIterator[Service]:
    """The service on its real parts. Raises `ConfigError` and `StoreUnavailable`."""
    async with AsyncExitStack() as opened:
        telemetry = Telemetry(await opened.enter_async_context(open_traces(settings)))
        database = await opened.enter_async_context(
            open_database(settings.database_address, settings.home)
        )
        tenants = TenantStore(database, _default_allowance(settings))
        if not settings.api_auth:
            await tenants.add(settings.tenant)
        ledger = QuotaLedger(QuotaStore(database, tenants))
        salts = CacheSalts(await SecretStore(database).get("cache_salt"))
        agents, server = await opened.enter_async_context(
            tenant_agents(settings, ledger, salts, telemetry.traces)
        )
        tokens = await opened.enter_async_context(token_identity(settings, tenants))
        rates = await opened.enter_async_context(rate_limits(settings.redis_url, tenants))
        indexing = Indexing(settings)
        health = Parts(
            {
                "database": database.answer,
                "engine": server.answer,
                "index": lambda: asyncio.to_thread(indexing.answer),
                "limits": rates.answer,
            }
        )
        service = await opened.enter_async_context(
            assembled(
                settings,
                database,
                tenants,
                ledger,
                agents,
                agents.model,
                indexing,
                identity=_identity(settings, KeyStore(database, tenants), tokens),
                rates=rates,
                health=health,
                telemetry=telemetry,
                instance_name=settings.instance_name,
                first_tokens=settings.evidence_tokens + INSTRUCTION_TOKENS + settings.output_tokens,
            )
        )
        yield service


@asynccontextmanager
async def assembled(
    settings: Settings,
    database: Database,
    tenants: TenantStore,
    ledger: QuotaLedger,
    agents: Agents,
    engine: Engine,
    indexing: Indexing,
    *,
    identity: Identity,
    rates: RateLimits,
    health: Health,
    telemetry: Telemetry,
    instance_name: str,
    first_tokens: int,
) -> AsyncIterator[Service]:
    """While the block runs, tasks and jobs run."""
    quotas = QuotaStore(database, tenants)
    instance = InstanceStore(database, quotas, instance_name)
    jobs = JobStore(database, instance.id)
    agents = IndexedAgents(agents, jobs)
    tasks = TaskStore(database, quotas, instance.id, audits_questions=settings.audit_questions)
    events = EventStore(database)
    reviews = ReviewStore(database, quotas, instance.id)
    retention = Retention(
        RetentionStore(database),
        reviews,
        days=settings.retention_days,
        review_days=settings.review_days,
    )
    admission = Admission(
        tenants,
        running=settings.running_tasks,
        queued=settings.queued_tasks,
        wait_s=settings.deadline_s,
    )
    runner = TaskRunner(
        agents,
        ledger,
        tasks,
        events,
        instance,
        first_tokens,
        reviews,
        admission,
        telemetry,
        [Chore(retention.tend, RETENTION_S)],
    )
    files = UploadStore(settings.documents_dir, _bounds(settings))
    async with (
        runner.serving(),
        _documents(files, indexing, jobs, tenants, settings.index_jobs) as documents,
    ):
        yield Service(
            identity=identity,
            tasks=tasks,
            events=events,
            quotas=quotas,
            rates=rates,
            agents=agents,
            runner=runner,
            health=health,
            threads=ThreadStore(database),
            reviews=reviews,
            retention=retention,
            receiver=Receiver(documents.bounds),
            documents=documents,
            jobs=jobs,
            audit=AuditStore(database),
            telemetry=telemetry,
            engine=engine,
            limits=settings.limits,
            metrics_token=_secret(settings.metrics_token),
        )


@asynccontextmanager
async def _documents(
    files: UploadStore,
    indexing: Indexing,
    jobs: JobStore,
    tenants: TenantStore,
    jobs_at_once: int,
) -> AsyncIterator[Documents]:
    """While the block runs, what is uploaded is indexed."""
    runner = JobRunner(
        jobs,
        lambda tenant, on_progress: indexing.ingest(tenant, files.folder(tenant), on_progress),
        jobs_at_once,
    )
    views = PageViews()
    documents = Documents(files, indexing, views, runner)
    known = [name for name, _ in await tenants.known()]
    async with runner.serving():
        catching_up = asyncio.create_task(documents.catch_up(known))
        try:
            yield documents
        finally:
            catching_up.cancel()
            await asyncio.wait([catching_up])
            await views.aclose()


def _bounds(settings: Settings) -> Bounds:
    return Bounds(
        file_bytes=settings.upload_file_bytes,
        files=settings.upload_files,
        request_bytes=settings.upload_bytes,
        stored_bytes=settings.stored_bytes,
        stored_documents=settings.stored_documents,
    )


def _identity(settings: Settings, keys: KeyStore, tokens: TokenIdentity | None) -> Identity:
    if not settings.api_auth:
        return NoIdentity(settings.tenant)
    by_key = KeyIdentity(keys)
    return by_key if tokens is None else KeyOrTokenIdentity(by_key, tokens)


def _secret(setting: SecretStr | None) -> str | None:
    return setting.get_secret_value() if setting else None


def _default_allowance(settings: Settings) -> Allowance:
    return Allowance(
        tokens_per_day=settings.tokens_per_day,
        tokens_per_month=settings.tokens_per_month,
        requests_per_minute=settings.requests_per_minute,
        concurrent_tasks=settings.concurrent_tasks,
    )
