"""What made an index: its embedder, chunker and layout, recorded and compared on open."""

from dataclasses import asdict, dataclass

from graph.errors import IndexMismatch

INDEX_VERSION = 3
"""Of the files' layout; a change of it asks for a rebuild."""


@dataclass(frozen=True, slots=True)
class Contract:
    """What made the vectors of a collection; vectors of two contracts must not meet."""

    embedder: str
    dimension: int
    chunker: str
    version: int = INDEX_VERSION

    def check(self, recorded: "Contract") -> None:
        """Raise `IndexMismatch` where `recorded`, the index's own contract, differs."""
        mine, theirs = asdict(self), asdict(recorded)
        differing = [name for name in mine if mine[name] != theirs[name]]
        if differing:
            what = ", ".join(f"{name} {theirs[name]}, now {mine[name]}" for name in differing)
            raise mismatch(what)


def mismatch(what: str) -> IndexMismatch:
    return IndexMismatch(
        f"the index was made in another way ({what}); "
        "make it anew with: knowledge-agent ingest DIR --rebuild"
    )
