"""The index of each tenant's uploaded documents."""

from pathlib import Path

from graph.errors import Conflict, IndexMismatch, InputError
from knowledge.chroma_server import check_server
from knowledge.disk import check_folder
from knowledge.embed import Embedder
from knowledge.forget import forget
from knowledge.ingest import OnProgress, ingest
from knowledge.report import IngestReport
from knowledge.status import DocumentStatus, document_names, page_text, statuses_of
from knowledge.store import IndexAddress
from serving.settings import Settings
from serving.wiring.documents import embedder, index_address, load_options


class Indexing:
    """Blocking: call it in a thread. Raises `KnowledgeError`."""

    def __init__(self, settings: Settings, own_embedder: Embedder | None = None) -> None:
        """Raises `ConfigError`."""
        self._settings = settings
        self._embedder = own_embedder or embedder(settings)
        self._options = load_options(settings)

    def answer(self) -> None:
        """Whether indexes can be opened, and their files written."""
        check_folder(self._settings.index_dir)
        if self._settings.chroma_url:
            check_server(self._settings.chroma_url)

    def claim(self, tenant: str) -> None:
        """The tenant's index follows its uploads from now on. Raises `Conflict` where it follows
        another folder."""
        if not self.follows_uploads(tenant):
            raise Conflict(
                "the documents of this tenant are kept in a folder of the server's owner, with "
                "knowledge-agent ingest: have the files added there, or deleted. To change to "
                "uploads, the owner runs: KA_TENANT="
                f"{tenant} knowledge-agent ingest KA_HOME/documents/{tenant} --replace"
            )
        mark_uploads(self._address(tenant))

    def follows_uploads(self, tenant: str) -> bool:
        address = self._address(tenant)
        return _mark(address).exists() or address.current() is None

    def ingest(self, tenant: str, folder: Path, on_progress: OnProgress) -> IngestReport:
        """Make the index equal to the folder; anew where it was made with another embedder."""
        folder.mkdir(parents=True, exist_ok=True)
        try:
            return self._ingest(tenant, folder, on_progress, rebuild=False)
        except IndexMismatch:
            return self._ingest(tenant, folder, on_progress, rebuild=True)

    def _ingest(
        self, tenant: str, folder: Path, on_progress: OnProgress, *, rebuild: bool
    ) -> IngestReport:
        return ingest(
            folder,
            self._address(tenant),
            self._embedder,
            rebuild=rebuild,
            replace_all=True,
            options=self._options,
            false_refusals=self._settings.false_refusals,
            on_progress=on_progress,
        )

    def forget(self, tenant: str, name: str) -> None:
        """At once; the file has to be gone before."""
        forget(self._address(tenant), name)

    def names(self, tenant: str) -> list[str]:
        """Of what the index holds, read or not."""
        return document_names(self._address(tenant))

    def statuses(self, tenant: str, names: list[str]) -> dict[str, DocumentStatus]:
        return statuses_of(self._address(tenant), names)

    def page_text(self, tenant: str, name: str, page: int) -> str:
        return page_text(self._address(tenant), name, page)

    def _address(self, tenant: str) -> IndexAddress:
        return index_address(self._settings.model_copy(update={"tenant": tenant}))


def hand_over(settings: Settings, folder: Path, *, replace_all: bool) -> None:
    """For an ingest of `folder` by hand: an index follows the uploads or another folder, never
    both. Raises `InputError` where uploads would be dropped and `replace_all` does not say so."""
    address = index_address(settings)
    mark = _mark(address)
    if folder.resolve() == (settings.documents_dir / settings.tenant).resolve():
        mark_uploads(address)
    elif mark.exists():
        if not replace_all:
            raise InputError(
                f"the documents of the tenant {settings.tenant} are uploaded over REST; upload "
                f"those of {folder} too, or add --replace to drop the others from the index"
            )
        mark.unlink()


def mark_uploads(address: IndexAddress) -> None:
    address.home.mkdir(parents=True, exist_ok=True)
    _mark(address).touch()


def _mark(address: IndexAddress) -> Path:
    return address.home / "uploads"
