"""Random folders of documents in four scripts, and what people do to them."""

import random
import unicodedata
from collections.abc import Sequence
from pathlib import Path

SECTIONS = 12
"""How many different sections `text` knows; each fills a passage or two."""

_SENTENCES = (
    "Boiler {0} of hall {1} is opened by the night shift and checked for leaks.",
    "{1}동의 보일러 {0}호는 야간 근무자가 열어서 새는 곳이 있는지 확인한다.",
    "夜班打开{1}号楼的第{0}号锅炉并检查有没有漏水。",
    "Ночная смена открывает котёл {0} в цехе {1} и проверяет, нет ли течи.",
)

UNREADABLE = (b"", b" \n\n", b"\xff\xfe\xfa broken")
"""Contents that give no passage."""


def text(sections: Sequence[int]) -> str:
    """Markdown with the given sections in their order, each in a script of its own."""
    return "\n\n".join(_section(number % SECTIONS) for number in sections) + "\n"


def _section(number: int) -> str:
    sentence = _SENTENCES[number % len(_SENTENCES)]
    body = " ".join(sentence.format(number, hall) for hall in range(1, 9))
    return f"## {number}\n\n{body}"


def write(path: Path, content: str | bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())


def decomposed(name: str) -> str:
    """The name as macOS writes it: Korean syllables in parts."""
    return unicodedata.normalize("NFD", name)


def documents(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def fill(folder: Path, rng: random.Random, count: int) -> None:
    """Make `count` documents, half of them with Korean names, in nested folders."""
    for number in range(count):
        name = rng.choice(("plan {}.md", "notes/{}.txt", "계획 {}.md", "보고서/{}년/요약.txt"))
        if rng.random() < 0.2:
            name = decomposed(name)
        write(folder / name.format(number), text(_some_sections(rng)))


def change(folder: Path, rng: random.Random) -> None:
    """Add, change, rename, move, remove and break documents, each a few times."""
    found = documents(folder)
    rng.shuffle(found)
    share = max(1, len(found) // 6)
    changed, renamed, moved, removed, broken = (
        found[at * share : (at + 1) * share] for at in range(5)
    )
    for path in changed:
        write(path, text(_some_sections(rng)))
    for path in renamed:
        path.rename(path.with_stem(path.stem + " 최종"))
    for path in moved:
        target = folder / "보관" / path.name
        target.parent.mkdir(exist_ok=True)
        path.rename(target)
    for path in removed:
        path.unlink()
    for path in broken[:2]:
        write(path, rng.choice(UNREADABLE))
    fill(folder / "new", rng, share)


def _some_sections(rng: random.Random) -> list[int]:
    return [rng.randrange(SECTIONS) for _ in range(rng.randint(1, 4))]
