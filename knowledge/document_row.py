"""What the catalog keeps of one file."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """`status` is 'indexed', or why the file gives no passages; then `reason` says more.

    `seen_ns` is the file's time of change, and 0 where it was too young to be told from a later
    change; `read_with` names the reader. Dates are ISO days, or empty. `tags` are the document's
    own and the folders on its path, as `knowledge.scope` compares them.
    """

    path: str
    sha256: str
    bytes: int
    seen_ns: int
    read_with: str
    status: str
    reason: str = ""
    title: str = ""
    own_date: str = ""
    modified: str = ""
    tags: tuple[str, ...] = ()

    @property
    def date(self) -> str:
        """The day that the document itself states, else the one on which its file was modified."""
        return self.own_date or self.modified

    @property
    def lacks_text(self) -> bool:
        """Whether pages gave no text, all or some."""
        return self.status in ("no_text", "garbled") or bool(self.reason)
