"""An English question from a sentence: the answer is taken out, and the verb is turned around."""

import re

from simplemma import is_known, lemmatize

from evals.starter.fact import Fact, stands_alone
from nodes.text.wordclass import is_english_verb, is_participle

_CONDITION = re.compile(
    r"(?P<word>When|If) (?P<condition>[^,]{8,80}), (?:then )?(?P<result>[^,].{8,})\.$"
)
_REASON = re.compile(r"(?P<main>[^,]{8,90}?),? because (?P<reason>[^,]{8,})\.$")
_AUXILIARY = r"is|are|was|were|can|could|may|might|must|should|will|would|has|have|had"
_VERB = re.compile(rf"(?P<aux>{_AUXILIARY})(?= )|(?P<verb>[a-z]+(?:s|ed))(?= )")
_NEXT = re.compile(r"(?:the|an?|its|their|all|every|each|only|no|whole|\d[\d,.]*%?)\s")
_PREPOSITION = re.compile(r"(?P<preposition>on|for|to|from|with|by|in|at|of|into|as)\s(?!once\b)")
_NUMBER = re.compile(
    r"(?:at most |at least |about |up to |exactly |only )?"
    r"(?P<number>\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty) "
    r"(?P<counted>(?:[a-z-]+ )?[a-z-]+s)\b(?P<rest>.*)$"
)
_ARTICLE = re.compile(r"(?:an?|the) [a-z]")
_STARTS_NO_SUBJECT = re.compile(
    r"(?:in|on|at|with|without|for|from|by|to|of|as|if|when|while|since|because|before|after|under|"
    r"over|per|what|how|why|which|who|where|whether|not|no|nothing|only|even|once|because|although|"
    r"though|until|unless|during|between|among|one|some|many|most|few|there|suppose|let|assume|"
    r"consider|note|see|use|exactly)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r",|\b(?:that|which|who|whose|if|when|because|where|and|or|but|not|while)\b")
_TAIL = re.compile(
    r"(?:,| (?:because|so that|when|if|which|while|unless|whereas|but|and then)\b).*$"
)
_ENDS_NO_SUBJECT = re.compile(
    r"\b(?:\w+ly|it|they|he|she|you|we|this|these|that|also|then|thus|therefore|first|often|never|"
    r"always|still|even|the two)$",
    re.IGNORECASE,
)
# Their object alone is no answer: "turns a question into an answer".
_BEARS_MORE_TEXT = "let make turn put keep help become have double map differ"
_BEARS_MORE = frozenset(_BEARS_MORE_TEXT.split())
_DANGLES = re.compile(r"(?:\s+(?:at|in|on|for|to|from|with|by|of|and|or|even))?\s*$")
_NO_VERB_TEXT = "this its as was has does thus less always perhaps besides towards"
_NO_VERB = frozenset(_NO_VERB_TEXT.split())
MAX_SUBJECT_WORDS = 7


def english_fact(sentence: str) -> Fact | None:
    """None where no pattern fits, which is the case for most sentences."""
    if not stands_alone(sentence):
        return None
    for pattern in (_conditional, _reasoned, _plain):
        if fact := pattern(sentence):
            return fact
    return None


def _conditional(sentence: str) -> Fact | None:
    found = _CONDITION.match(sentence)
    if not found or re.match(r"(?:it|they|this|he|she)\b", found["condition"]):
        return None
    subject = _split(f"{found['condition']} ")
    if subject is None:
        return None
    question = f"What happens {found['word'].lower()} {found['condition']}?"
    return Fact("en", question, found["result"], _inside(subject[0]), sentence)


def _reasoned(sentence: str) -> Fact | None:
    found = _REASON.match(sentence)
    parts = _split(found["main"]) if found else None
    if not found or parts is None or re.match(r"(?:it|they|this)\b", found["reason"]):
        return None
    subject, aux, base, rest = parts
    if base and re.search(r"\band [a-z]+s\b", rest):  # a second verb, which would have to turn too
        return None
    asked = " ".join(part for part in ("Why", aux, _inside(subject), base, rest) if part)
    return Fact("en", f"{asked}?", found["reason"], _inside(subject), sentence)


def _plain(sentence: str) -> Fact | None:
    parts = _split(sentence.rstrip("."))
    if parts is None:
        return None
    subject, aux, base, rest = parts
    about = _inside(subject)
    answer = _DANGLES.sub("", _TAIL.sub("", rest))
    if not answer:
        return None
    if aux in ("is", "was", "are", "were") and not base:
        defined = _ARTICLE.match(answer) or re.match(r"\d", answer)
        if not defined or len(answer.split()) < 2:
            return None
        return Fact("en", f"What {aux} {_inside(subject)}?", answer, about, sentence)
    if not base:
        return None
    if count := _NUMBER.match(answer):
        asked = f"How many {count['counted']} {aux} {_inside(subject)} {base}{count['rest']}?"
        return Fact("en", asked, count["number"], about, sentence)
    preposition = _PREPOSITION.match(answer)
    if preposition:
        base, answer = f"{base} {preposition['preposition']}", answer[preposition.end() :]
    elif base in _BEARS_MORE or not _NEXT.match(f"{answer} "):
        return None
    if len(answer.split()) < 2:
        return None
    return Fact("en", f"What {aux} {_inside(subject)} {base}?", answer, about, sentence)


def _split(clause: str) -> tuple[str, str, str, str] | None:
    """Subject, auxiliary, base form of a full verb that follows it or '', and the rest. A plain
    verb gets 'does' or 'did' for its auxiliary."""
    for found in _VERB.finditer(clause):
        subject, rest = clause[: found.start()].strip(), clause[found.end() :].strip()
        if not _is_subject(subject):
            return None
        if aux := found["aux"]:
            return _after_auxiliary(subject, aux, rest)
        word = found["verb"]
        if word in _NO_VERB or word.endswith(("ss", "us", "is")) or subject.endswith("s"):
            continue
        follows = _NEXT.match(f"{rest} ") or _PREPOSITION.match(f"{rest} ")
        if follows and is_english_verb(clause, found.start(), found.end()):
            base = lemmatize(word, "en")
            if word.endswith("ed"):
                return (subject, "did", base, rest) if _NEXT.match(rest) else None
            return subject, "does", base.removesuffix("s") if base == word else base, rest
    return None


def _after_auxiliary(subject: str, aux: str, rest: str) -> tuple[str, str, str, str] | None:
    if re.match(r"(?:not|never|also|always|often|usually|only|therefore|then)\b", rest):
        return None
    if aux in ("has", "have", "had"):
        if not rest or rest.startswith("to ") or is_participle(rest.split()[0]):
            return None
        return subject, {"has": "does", "have": "do", "had": "did"}[aux], "have", rest
    if aux in ("is", "are", "was", "were"):
        return subject, aux, "", rest
    base, _, rest = rest.partition(" ")
    return (subject, aux, base, rest) if base.isalpha() and base != "be" else None


def _is_subject(subject: str) -> bool:
    words = subject.split()
    return (
        0 < len(words) <= MAX_SUBJECT_WORDS
        and not _STARTS_NO_SUBJECT.match(subject)
        and not _CLAUSE.search(subject)
        and not _ENDS_NO_SUBJECT.search(subject)
    )


def _inside(subject: str) -> str:
    """As it stands inside a sentence: only a name keeps its capital."""
    first, _, rest = subject.partition(" ")
    article = first.lower() in ("the", "a", "an")
    is_name = not first.istitle() or rest[:1].isupper() or not is_known(first.lower(), "en")
    return subject if is_name and not article else f"{first.lower()} {rest}".strip()
