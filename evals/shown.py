"""What an outcome of the whole agent shows to its user, and the passages that it stands on."""

from typing import Any

from evals.suite import Outcome
from graph.evidence import Passage


def shown_text(outcome: Outcome) -> str:
    """The sentences without citation marks, or the words of the refusal."""
    return " ".join(each["text"] for each in _sentences(outcome)) or str(outcome["text"])


def all_quoted(outcome: Outcome) -> bool | None:
    """Whether nothing that the model wrote is shown, but quotes; None for a refusal."""
    sentences = _sentences(outcome)
    return all(each["quoted"] for each in sentences) if sentences else None


def passages_by_id(outcome: Outcome) -> dict[str, Passage]:
    """The evidence, and what further searches of the plan found."""
    found = [*outcome["passages"], *(p for step in outcome["steps"] for p in step["passages"])]
    return {each["id"]: _passage(each) for each in found}


def cited_passages(outcome: Outcome) -> list[tuple[dict[str, Any], list[Passage]]]:
    """Each sentence with the passages that it cites; one that the agent did not have is none."""
    known = passages_by_id(outcome)
    ids = {each["number"]: each["passage_id"] for each in outcome.get("citations", ())}
    return [
        (sentence, [known[ids[n]] for n in sentence["citations"] if ids.get(n) in known])
        for sentence in _sentences(outcome)
    ]


def own_sources(outcome: Outcome) -> bool:
    """Whether each citation is of a passage that the agent was given, by the number that it has,
    and each sentence cites these alone."""
    known, citations = passages_by_id(outcome), outcome.get("citations", ())
    numbers = {each["number"]: each["id"] for each in outcome["passages"]}
    cited = {number for each in outcome.get("sentences", ()) for number in each["citations"]}
    return cited <= {each["number"] for each in citations} and all(
        (passage := known.get(each["passage_id"])) is not None
        and (passage.document, passage.page) == (each["document"], each["page"])
        and numbers.get(each["number"], passage.id) == passage.id
        for each in citations
    )


def folded(text: str) -> str:
    """Without case and line breaks."""
    return " ".join(text.split()).casefold()


def _sentences(outcome: Outcome) -> list[dict[str, Any]]:
    return list(outcome.get("sentences", ()))


def _passage(found: dict[str, Any]) -> Passage:
    return Passage.model_validate({name: found[name] for name in found if name != "number"})
