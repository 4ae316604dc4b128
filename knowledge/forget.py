"""Take one document out of the index at once, whatever an ingest does at the same time."""

from contextlib import closing

from graph.errors import KnowledgeError
from knowledge.catalog import Catalog
from knowledge.store import IndexAddress

WAIT_S = 30.0
"""For an ingest to end what it is just writing: the largest document takes some seconds."""


def forget(address: IndexAddress, document: str) -> None:
    """No search that begins afterwards finds it. Its file has to be gone before: an ingest that has
    read it looks for it once more before it stores anything. Its vectors, which no search follows,
    stay until the next ingest. Raises `KnowledgeError` where the index cannot be written."""
    # A rebuild in progress has a generation of its own, which takes the place of the one in use.
    for path in sorted(address.home.glob("g*/catalog.sqlite3")):
        try:
            with closing(Catalog(path, wait_s=WAIT_S)) as catalog:
                catalog.remove_document(document)
        except KnowledgeError:
            if path.exists():
                raise
