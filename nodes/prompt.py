"""The prompt layout: one prefix for all calls of a task, the step's instruction last.

    [system: role and rules] [user: passages, question | instruction, results it reads]

Up to the bar every call of a task sends the same bytes, so the server computes them once and takes
them from its prefix cache afterwards. Nothing that differs between calls may stand before it.
"""

from collections.abc import Sequence
from functools import cache
from importlib import resources
from string import Template

from graph.evidence import Language, Passage
from graph.ports import Message

LANGUAGE_NAMES: dict[Language, str] = {"en": "English", "ko": "Korean (한국어)"}


@cache
def _template(name: str) -> Template:
    return Template(resources.files("nodes.prompts").joinpath(f"{name}.md").read_text("utf-8"))


for _entry in resources.files("nodes.prompts").iterdir():
    if _entry.name.endswith(".md"):
        _template(_entry.name.removesuffix(".md"))  # now: reading files would block the event loop


def instruction(name: str, language: Language, **values: str) -> str:
    """The text of `prompts/NAME.md` with its values; a missing value is a `KeyError`."""
    return _template(name).substitute(values, language=LANGUAGE_NAMES[language]).strip()


def wording(name: str) -> str:
    """The text of `prompts/NAME.md` as it stands in the file."""
    return _template(name).template


def numbered_text(number: int, passage: Passage) -> str:
    return f"[{number}] {passage.title}, page {passage.page}\n{passage.text.strip()}\n\n"


def shared_prefix(evidence: Sequence[Passage], query: str) -> str:
    """The user message up to the instruction."""
    passages = "".join(numbered_text(n, passage) for n, passage in enumerate(evidence, start=1))
    return f"Passages:\n\n{passages}Question: {query}\n\n"


def task_messages(evidence: Sequence[Passage], query: str, instruction: str) -> list[Message]:
    return [
        Message("system", wording("system").strip()),
        Message("user", shared_prefix(evidence, query) + instruction),
    ]
