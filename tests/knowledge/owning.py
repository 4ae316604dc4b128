"""Another process that owns the Chroma files of an index."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CODE = (
    "import sys; from pathlib import Path; from knowledge.lock import owned\n"
    "with owned(Path(sys.argv[1])): print('owned', flush=True); sys.stdin.read()"
)


@contextmanager
def owned_elsewhere(folder: Path) -> Iterator[int]:
    """The process's id; killed at the end, as an owner may be."""
    with subprocess.Popen(
        [sys.executable, "-c", _CODE, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
    ) as owner:
        assert owner.stdout is not None
        assert owner.stdout.readline() == b"owned\n"
        yield owner.pid
        owner.kill()
