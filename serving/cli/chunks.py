"""`knowledge-agent chunks`: the passages of one file, as an ingest makes them."""

import json
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from graph.errors import InputError
from graph.evidence import Passage
from knowledge import chunk
from knowledge.load.document import Loaded, Unreadable
from knowledge.reader import read_all
from serving.cli.exit_codes import EXIT_ANSWERED, EXIT_ERROR
from serving.settings import Settings
from serving.wiring.documents import embedder, load_options


def chunks(settings: Settings, file: Path, as_json: bool, console: Console) -> int:
    if file.is_dir():
        raise InputError(f"{file} is a folder; name one file of it")
    ((_, loaded),) = read_all([file], load_options(settings))
    if isinstance(loaded, Unreadable):
        if as_json:
            _print_json(file, loaded.status, reason=loaded.reason, passages=[])
        else:
            console.print(escape(f"{file}: {loaded.status}, {loaded.reason}"), soft_wrap=True)
        return EXIT_ERROR
    count_tokens = embedder(settings).count_tokens
    passages = chunk.chunk(file.name, loaded, count_tokens)
    tokens = [count_tokens(passage.text) for passage in passages]
    if as_json:
        _print_json(
            file,
            "indexed",
            title=loaded.title,
            date=loaded.date,
            tags=loaded.tags,
            textless_pages=loaded.textless,
            chunker=chunk.VERSION,
            passages=[
                _as_json(number, passage, size)
                for number, (passage, size) in enumerate(zip(passages, tokens, strict=True), 1)
            ],
        )
    else:
        _show(loaded, passages, tokens, console)
    return EXIT_ANSWERED


def _show(loaded: Loaded, passages: list[Passage], tokens: list[int], console: Console) -> None:
    for number, (passage, size) in enumerate(zip(passages, tokens, strict=True), start=1):
        console.print(
            f"{number}. page {passage.page}, characters {passage.start:,} to {passage.end:,}, "
            f"{size} tokens",
            style="bold",
        )
        if passage.heading:
            console.print(escape(" > ".join(passage.heading)), style="cyan", soft_wrap=True)
        console.print(escape(passage.text), soft_wrap=True)
        console.print()
    console.print(
        escape(f"{loaded.title}: {len(passages)} passages, {sum(tokens):,} tokens ")
        + f"(chunker {chunk.VERSION})",
        soft_wrap=True,
    )
    if loaded.textless:
        pages = ", ".join(map(str, loaded.textless))
        console.print(f"no text on page {pages}", style="yellow", soft_wrap=True)


def _as_json(number: int, passage: Passage, tokens: int) -> dict[str, object]:
    return {
        "number": number,
        "page": passage.page,
        "heading": passage.heading,
        "start": passage.start,
        "end": passage.end,
        "tokens": tokens,
        "text": passage.text,
    }


def _print_json(file: Path, status: str, **more: object) -> None:
    told = {"file": str(file), "status": status, **more}
    print(json.dumps(told, ensure_ascii=False, indent=2))
