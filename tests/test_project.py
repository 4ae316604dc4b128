"""The project's own promises about its shape."""

import ast
import re
import subprocess
from pathlib import Path

import pytest

from graph.build import build_graph
from serving.settings import Settings
from tests.fakes import make_deps
from tests.picture import mermaid

ROOT = Path(__file__).parents[1]
PACKAGES = ("graph", "nodes", "knowledge", "serving", "evals")
MODULES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]
TESTS = sorted((ROOT / "tests").rglob("*.py"))
README = (ROOT / "README.md").read_text("utf-8")
OPERATIONS = (ROOT / "docs" / "operations.md").read_text("utf-8")
MAX_LINES = 300


def block(text: str, marker: str) -> str:
    """The code block that follows `<!-- marker -->`."""
    found = re.search(rf"<!-- {marker} -->\n```\w*\n(.*?)```", text, re.DOTALL)
    assert found is not None, f"no block after <!-- {marker} -->"
    return found[1]


@pytest.mark.parametrize("path", [*MODULES, *TESTS], ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_can_be_read_in_one_go(path: Path) -> None:
    assert len(path.read_text("utf-8").splitlines()) <= MAX_LINES


def test_an_init_file_holds_a_docstring_and_nothing_else() -> None:
    for path in MODULES:
        if path.name == "__init__.py":
            body = ast.parse(path.read_text("utf-8")).body
            assert [type(node) for node in body] == [ast.Expr], path


def test_the_readme_shows_the_graph_that_the_code_builds() -> None:
    drawn = build_graph(make_deps()).compile().get_graph()
    assert block(README, "graph") == mermaid(drawn)


def test_the_readme_shows_the_tree_that_is_there() -> None:
    """Every line of the tree names a file or folder; every tracked one at the top, and every
    module of a package, stands in it."""
    listed: list[str] = []
    folders: list[str] = []
    for line in block(README, "tree").splitlines():
        depth = (len(line) - len(line.lstrip())) // 2
        names = line.split("  ")[0:] if not line.startswith(" ") else line.strip().split("  ")
        name = names[0].strip()
        folders = [*folders[:depth], name.rstrip("/")]
        listed.append("/".join(folders))
    missing = [name for name in listed if not (ROOT / name).exists()]
    assert missing == []
    tracked = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True, timeout=30
    ).stdout.split()
    tops = {path.split("/")[0] for path in tracked}
    assert tops - {name.split("/")[0] for name in listed} == set()
    inner = {
        "/".join(path.split("/")[:2])
        for path in tracked
        if path.split("/")[0] in PACKAGES and not path.endswith("__init__.py")
    }
    assert inner - set(listed) == set()


def test_every_setting_is_explained() -> None:
    for name, field in Settings.model_fields.items():
        variable = str(field.validation_alias or f"KA_{name.upper()}")
        assert f"`{variable}`" in OPERATIONS, variable


def test_pins_name_hashes_and_no_address() -> None:
    pinned = sorted((ROOT / "requirements").glob("*.txt"))
    assert len(pinned) >= 6
    for path in pinned:
        text = path.read_text("utf-8")
        assert "--hash=sha256:" in text, path
        assert "://" not in text, path
        assert "--index-url" not in text, path
        assert "--find-links" not in text, path
