import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import psutil
import pytest

from graph.errors import ConfigError, KnowledgeError
from knowledge.load.document import PLAIN, Loaded, LoadOptions, Unreadable
from knowledge.reader import FILE_MEMORY_BYTES, WINDOW, Reader, read_all
from tests.knowledge.stubs import write_pdf

ROOT = Path(__file__).parents[2]


@pytest.fixture
def note(tmp_path: Path) -> Path:
    path = tmp_path / "차.md"
    path.write_text("녹차는 2분 우린다.", "utf-8")
    return path


@pytest.fixture
def endless(tmp_path: Path) -> Path:
    """A file that has no end until somebody opens it for writing, and closes it."""
    path = tmp_path / "endless.txt"
    os.mkfifo(path)
    return path


def processes(parent: int | None = None) -> list[psutil.Process]:
    children = psutil.Process(parent).children(recursive=True)
    return [child for child in children if "knowledge.reader" in " ".join(child.cmdline())]


def test_results_come_in_order_and_a_file_without_end_fails_alone(
    note: Path, endless: Path
) -> None:
    paths = [note, endless, note, note]
    results = list(read_all(paths, PLAIN, readers=2, timeout_s=2))
    assert [path for path, _ in results] == paths
    assert results[1][1] == Unreadable("failed", "was given up after 2 s")
    assert [isinstance(result, Loaded) for _, result in results] == [True, False, True, True]


def test_files_are_read_at_the_same_time(tmp_path: Path) -> None:
    paths = [tmp_path / "하나.txt", tmp_path / "둘.txt"]
    for path in paths:
        os.mkfifo(path)

    def write_when_both_are_open() -> None:
        with paths[0].open("w", encoding="utf-8") as one, paths[1].open("w") as two:
            one.write("녹차")
            two.write("coffee")

    Thread(target=write_when_both_are_open, daemon=True).start()
    results = [result for _, result in read_all(paths, PLAIN, readers=2, timeout_s=20)]
    assert [r.pages[0].text for r in results if isinstance(r, Loaded)] == ["녹차", "coffee"]


def test_a_process_that_is_killed_fails_its_file_alone(note: Path, endless: Path) -> None:
    def kill() -> None:
        with endless.open("w"):
            for process in processes():
                process.kill()

    Thread(target=kill, daemon=True).start()
    (_, killed), (_, read) = read_all([endless, note], PLAIN, readers=1, timeout_s=20)
    assert killed == Unreadable("failed", "broke the process that reads files (Killed)")
    assert isinstance(read, Loaded)


def test_a_process_that_dies_idle_is_no_fault_of_the_next_file(note: Path) -> None:
    with Reader() as reader:
        reader.read(note)
        for process in processes():
            process.kill()
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        assert isinstance(reader.read(note), Loaded)


def test_without_files_no_process_starts(note: Path) -> None:
    not_begun = read_all([note], PLAIN)
    assert list(read_all([], PLAIN)) == []
    assert processes() == []
    not_begun.close()


def test_paths_are_drawn_from_only_a_little_ahead(note: Path) -> None:
    drawn = []

    def draw() -> Iterator[Path]:
        for number in range(10 * WINDOW):
            drawn.append(number)
            yield note

    results = read_all(draw(), PLAIN, readers=2)
    for taken in range(1, 20):
        next(results)
        assert len(drawn) < taken + WINDOW
    results.close()


def test_a_reading_that_is_given_up_leaves_no_process(note: Path, endless: Path) -> None:
    results = read_all([note, endless, endless], PLAIN, readers=2)
    next(results)
    assert processes()
    del results
    assert processes() == []


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_processes_in_the_middle_of_a_file_end_with_their_parent(endless: Path, name: str) -> None:
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from knowledge.load.document import PLAIN\n"
        "from knowledge.reader import read_all\n"
        "list(read_all([Path(sys.argv[1])], PLAIN))\n"
    )
    with (
        subprocess.Popen(
            [sys.executable, "-c", script, str(endless)], cwd=ROOT, stderr=subprocess.DEVNULL
        ) as parent,
        endless.open("w"),
    ):
        children = processes(parent.pid)
        parent.send_signal(signal.Signals[name])
        parent.wait(20)
        _, alive = psutil.wait_procs(children, timeout=20)
    assert children
    assert alive == []


def test_a_file_has_a_limit_of_memory(endless: Path) -> None:
    limits: list[tuple[int, int]] = []

    def look() -> None:
        with endless.open("w") as file:
            limits.extend(process.rlimit(psutil.RLIMIT_AS) for process in processes())
            file.write("text")

    Thread(target=look, daemon=True).start()
    assert len(list(read_all([endless], PLAIN, timeout_s=20))) == 1
    assert limits == [(FILE_MEMORY_BYTES, FILE_MEMORY_BYTES)]


def test_what_a_process_writes_does_not_reach_the_terminal(
    note: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    # Every import is a line on stderr: more than a pipe holds.
    monkeypatch.setenv("PYTHONVERBOSE", "2")
    [(_, result)] = read_all([note], PLAIN)
    assert isinstance(result, Loaded)
    assert capfd.readouterr() == ("", "")


def test_a_process_that_does_not_start_is_no_fault_of_the_file(
    note: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for executable in (shutil.which("false"), str(tmp_path / "none")):
        monkeypatch.setattr(sys, "executable", executable)
        with pytest.raises(KnowledgeError, match=r"can import knowledge"):
            list(read_all([note], PLAIN))


def test_a_script_from_stdin_that_went_to_another_folder_can_read(note: Path) -> None:
    script = (
        "import os, sys\n"
        "from pathlib import Path\n"
        "from knowledge.load.document import PLAIN\n"
        "from knowledge.reader import read_all\n"
        "os.chdir(sys.argv[1])\n"
        # Stands for an environment that this package is not installed in: no .pth file leads to it.
        "sys.executable = sys._base_executable\n"
        "for _, result in read_all([Path('차.md')], PLAIN):\n"
        "    print(result.title)\n"
    )
    done = subprocess.run(
        [sys.executable, "-", str(note.parent)],
        input=script,
        capture_output=True,
        encoding="utf-8",
        cwd=ROOT,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("차\n", "")


def test_missing_ocr_ends_the_reading_and_fails_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tesserocr.py").write_text("raise ImportError(name='tesserocr')", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    scans = [write_pdf(tmp_path / name, [[], []]) for name in ("a.pdf", "b.pdf")]
    with pytest.raises(ConfigError, match="tesserocr is missing"):
        list(read_all(scans, LoadOptions(ocr=True)))
