"""The documents' side: the index, its embedder and reranker, and how files are read."""

from pathlib import Path

from graph.errors import ConfigError
from knowledge.embed import Embedder, make_embedder
from knowledge.load.document import LoadOptions
from knowledge.rerank import Reranker, make_reranker
from knowledge.retriever import CorpusRetriever, open_retriever
from knowledge.store import IndexAddress
from serving.proxy import uses_proxy
from serving.settings import Settings

MAX_PASSWORDS = 100
MAX_PASSWORDS_BYTES = 100_000


def open_index(settings: Settings) -> CorpusRetriever:
    return open_retriever(
        index_address(settings),
        embedder(settings),
        reranker=reranker(settings),
        neighbours=settings.neighbours,
    )


def index_address(settings: Settings) -> IndexAddress:
    return IndexAddress(settings.index_dir, settings.tenant, settings.chroma_url)


def embedder(settings: Settings) -> Embedder:
    key = settings.embed_api_key
    secret = key.get_secret_value() if key else None
    url = settings.embed_url
    use_proxies = url is not None and uses_proxy(url)
    return make_embedder(url, settings.embed_model, secret, use_proxies=use_proxies)


def reranker(settings: Settings) -> Reranker | None:
    url, model, key = settings.rerank_url, settings.rerank_model, settings.rerank_api_key
    if not url:
        return make_reranker(None, model, None)
    secret = key.get_secret_value() if key else None
    return make_reranker(url, model, secret, use_proxies=uses_proxy(url))


def load_options(settings: Settings) -> LoadOptions:
    """Raises `ConfigError` where the file of passwords cannot be used."""
    path = settings.passwords_file
    return LoadOptions(passwords=_passwords(path) if path else (), ocr=settings.ocr)


def _passwords(path: Path) -> tuple[str, ...]:
    """One password a line, in UTF-8; empty lines, and those that begin with #, are none.

    No error carries anything of the file's content.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MAX_PASSWORDS_BYTES + 1)
    except OSError as error:
        raise ConfigError(
            f"the file of passwords {path} cannot be read: {error.strerror}; "
            "name another one with --passwords or KA_PASSWORDS_FILE"
        ) from error
    if len(content) > MAX_PASSWORDS_BYTES:
        raise ConfigError(f"the file of passwords {path} has more than {MAX_PASSWORDS_BYTES} bytes")
    text = _decoded(content)
    if text is None:
        raise ConfigError(f"the file of passwords {path} is not UTF-8; save it in that encoding")
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    passwords = tuple(line for line in lines if line and not line.startswith("#"))
    if len(passwords) > MAX_PASSWORDS:
        raise ConfigError(
            f"the file of passwords {path} has {len(passwords)} of them; "
            f"keep at most {MAX_PASSWORDS}, each is tried on each encrypted file"
        )
    return passwords


def _decoded(content: bytes) -> str | None:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:  # it carries the whole content
        return None
