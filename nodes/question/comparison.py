"""The things that a clause compares, if it compares any."""

import re

from nodes.question.orders import EN_LEAD

CLAUSE_CHARS = 300  # beyond that a clause is a paste; the patterns are quadratic in its length

_ASPECT = (
    r"(?:cost|price|speed|latency|throughput|performance|memory|accuracy|quality|reliability"
    r"|pros|cons|strengths|weaknesses|advantages|disadvantages)"
)
_KO_ASPECT = r"(?:비용|가격|속도|지연|처리량|성능|메모리|정확도|품질|장단점|장점|단점|특징)"
_NUMBER = r"(?:\d|(?:an?|one|two|three|four|five|six|seven|eight|nine|ten)\b)"
_KO_FILLER = r"(?:어떻게|어떤|점[이에]서?|서로|무엇이|뭐가|뭘|왜|얼마나|주요|가장|큰)"
_KO_DIFFERS = (
    r"(?:비교(?!하는|한\s(?!뒤|다음|후))|compare(?=\s?[해하])|대조|차이|다른\s?점|다른가|다른지|다르|달라|공통점|비슷"
    r"|구별|구분|상충)"
)
_POINTS_BACK = re.compile(r"it|them|this|that|these|those|both|그것|이것|이들|둘", re.IGNORECASE)

# Each pattern holds the things in its groups.
_EN_COMPARES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^{EN_LEAD}(?:compare(?: and contrast)?|contrast)\s+(.+)",
        r"\b(?:comparison|differences?|distinctions?|trade-?offs?|similarit(?:y|ies)|contrast|choose"
        r"|choice)\s+(?:of|between|among)\s+(.+)",
        r"\b(?:do|does|did|is|are) (.+?) (?:differ(?:ent)?|compare|similar) (?:from|to|with) (.+)",
        r"\b(?:do|are) (.+? and .+?) (?:differ(?:ent)?|compare|similar|alike)(?: in .*)?\W*$",
        r"\bdistinguish(?:es)? (.+?) from (.+)",
        r"\bwhich of (.+? (?:and|or) .+?) (?:is|are|has|does|do|should|would|can)\b",
        r"\bbetween (.+? and .+?),? which\b",
        r"\bwhat do (.+? and .+?) have in common",
        r"\b(?:which|what|differences?)\b[^,:]*[,:]\s*+(?!(?:when|while|where|if|in|for|because|and)\b)"
        r"([^,]+ or [^,]+)$",
        rf"^(?:is|are|was|were) (.+?) (?:(?:more|less) \w+|\w+er|worse) than (?!{_NUMBER})(.+)",
        r"^(?:do|does|did) (.+?) (?:cost|take|use|need|last|scale) (?:more|less|\w+er|worse)"
        rf"(?: \w+)? than (?!{_NUMBER})(.+)",
        rf"^{EN_LEAD}(?:(?:explain|show|describe|what is|which is \w+|how is)\s+)?(.+?)\s+"
        r"(?:vs|versus)\s+(.+)",
    )
)
_KO_COMPARES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(.+?)\s(?:중|가운데)(?:에서|에선|에|엔)?\s(?=.*(?:어느|어떤|뭐|뭘|뭔|무엇|누가|더|가장|제일|나은|맞는))",
        rf"^(.+?)[을를은는이가]\s(.+?)(?:와|과|이랑|랑|하고)(?:\s{_KO_FILLER})*\s?{_KO_DIFFERS}",
        rf"^(.+?)\s*{_KO_DIFFERS}",
        r"^(?!.*왜)(.+?)[은는이가]\s(?!.*[은는이가]\s.*보다)(?!\d)(\S.*?)보다\s",
        r"^(?!.*왜)(.+?)보다\s(.+?)[은는이가]\s.*더\s",
        r"^(.+?\s(?:vs|versus|대)\s.+?)(?:[은는이가]\s|[\s.?!]*$)",
    )
)
_EN_STOP = re.compile(
    r"\s+(?:in terms of|with respect to|with regard to|regarding|based on|for|by|when|if|because|as"
    rf"|that|please|in (?:the )?(?:\w+ )?{_ASPECT})\b.*",
    re.IGNORECASE,
)
_EN_ASPECT_OF = re.compile(rf"^(?:the )?{_ASPECT}(?:(?:,| and|, and) {_ASPECT})* of ", re.I)
_KO_TAIL = re.compile(
    r"(?:[을를은는이가의]|간의?|사이의?|끼리)?"
    rf"(?:\s+(?:{_KO_FILLER}|{_KO_ASPECT}[을를은는이가]?))*\s*$"
)
_KO_ASPECT_TAIL = re.compile(r"(?<=\S)(?:[을를의]|간의|사이의)\s.*$|\s사이의?$")
_OPPOSED = re.compile(r"\s+(?:vs|versus|against|대|with)\s+", re.IGNORECASE)
_LISTED = re.compile(
    r"\s*,\s*(?:and\s|or\s|그리고\s)?\s*|\s+(?:and|or|및|그리고|혹은|또는)\s+"
    r"|(?<=\S)(?:이랑|랑|와|(?<![효결성초통경])과|하고)\s+",
    re.IGNORECASE,
)
_EN_TO = re.compile(r"\s+to\s+", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|an?|both|either|문서에서|본문에서)\s+", re.IGNORECASE)


def things_compared(clause: str) -> tuple[str, ...]:
    """The things that `clause` compares, as it names them; empty if it compares none.

    A word that points to an earlier result ('it', 그것) is no thing of its own and is left out.
    """
    clause = clause[:CLAUSE_CHARS]
    for pattern in _EN_COMPARES:
        if found := pattern.search(clause):
            stretch = " vs ".join(found.groups())
            things = _split(_EN_STOP.sub("", stretch)) or _split(stretch)
            if things:
                return _named(things)
    for pattern in _KO_COMPARES:
        if (found := pattern.search(clause)) and (things := _split(" vs ".join(found.groups()))):
            return _named(things)
    return ()


def _split(stretch: str) -> list[str]:
    """The things in `stretch`; empty if there are not two of them."""
    stretch = _KO_TAIL.sub("", stretch.strip(" .?!"))
    without_aspect = _EN_ASPECT_OF.sub("", stretch)
    parts = [thing for part in _OPPOSED.split(without_aspect) for thing in _LISTED.split(part)]
    if len(parts) < 2:
        parts = _EN_TO.split(without_aspect)
    if not any(_KO_ASPECT_TAIL.search(part) for part in parts[:-1]):
        parts[-1] = _KO_ASPECT_TAIL.sub("", parts[-1])
    things = [_ARTICLE.sub("", part.strip(" .,:;?!\"'“”‘’()")) for part in parts]
    things = [thing for thing in things if thing]
    return things if len(things) > 1 else []


def _named(things: list[str]) -> tuple[str, ...]:
    different = {thing.casefold(): thing for thing in reversed(things)}
    return tuple(
        thing for thing in reversed(different.values()) if not _POINTS_BACK.fullmatch(thing)
    )
