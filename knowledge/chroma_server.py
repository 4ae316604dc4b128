"""Whether a Chroma server is there, asked without Chroma, which takes a second to import."""

from graph.errors import KnowledgeError

CHECK_TIMEOUT_S = 3.0


def check_server(url: str, timeout_s: float = CHECK_TIMEOUT_S) -> None:
    """Raises `KnowledgeError` where no Chroma server answers."""
    import httpx  # a tenth of a second, which commands on files need not pay

    try:
        httpx.get(f"{url}/api/v2/heartbeat", timeout=timeout_s).raise_for_status()
    except httpx.HTTPError as error:
        raise KnowledgeError(
            f"the Chroma server at {url} does not answer ({type(error).__name__}); start it, or "
            "look at KA_CHROMA_URL"
        ) from error
