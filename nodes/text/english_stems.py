"""One form for the forms of an English word."""

import re
from functools import lru_cache

from simplemma import lemmatize

# Nouns of measure and irregular forms that the lemmatizer reads as words of their own.
_ALIASES = {
    "length": "long", "width": "wide", "height": "high", "depth": "deep", "strength": "strong",
    "weight": "weigh", "growth": "grow", "loss": "lose", "sale": "sell", "choice": "choose",
    "birth": "born", "death": "die", "dead": "die", "heat": "hot", "rose": "rise", "left": "leave",
    "permit": "allow", "admit": "allow", "daily": "day", "weekly": "week", "monthly": "month",
    "yearly": "year", "annual": "year", "annually": "year", "hourly": "hour",
    "european": "europe", "asian": "asia", "african": "africa", "american": "america",
    "german": "germany", "french": "france", "italian": "italy", "spanish": "spain",
    "korean": "korea", "chinese": "china", "japanese": "japan", "british": "britain",
    "russian": "russia", "indian": "india", "dutch": "netherlands", "swedish": "sweden",
    "canadian": "canada", "greek": "greece", "turkish": "turkey", "swiss": "switzerland",
    "speech": "speak", "expensive": "cost", "costly": "cost",
    "retention": "retain", "decision": "decide", "expansion": "expand",
    "reduction": "reduce", "production": "produce", "description": "describe",
    "flight": "fly", "thought": "think", "proof": "prove", "belief": "believe",
}  # fmt: skip


@lru_cache(maxsize=20_000)
def stem_english(word: str) -> str:
    """A light stem of the lemma: "fed" meets "feed", and "compute" meets "computation".

    It is used on both sides of a comparison, so it need not be a word.
    """
    word = re.sub(r"['’]s?$", "", word)
    word = re.sub(r"['’].*", "", word)
    if not word.isalpha():
        return word
    word = lemmatize(word, "en").lower()
    word = _ALIASES.get(word, word)
    if len(word) <= 3:
        return word
    if word.endswith("ies") and len(word) > 4:
        word = word[:-3] + "y"
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ations", "ation", "ating", "ated", "ates", "ate", "ing", "edly", "ed", "ion"):
        kept = word.removesuffix(ending)
        if kept != word and len(kept) >= 3 and re.search(r"[aeiouy]", kept):
            word = kept
            break
    word = word.removesuffix("ly") if len(word) > 5 else word
    word = re.sub(r"([bdgklmnprt])\1$", r"\1", word)
    word = word.removesuffix("e") if len(word) > 3 else word
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 else word


_DERIVED = re.compile(
    r"(?:er|or|r|ment|ness|ance|ence|al|iv|ist|ian|iti|ic|ical|ship|hood|ful|th|i|y|ur|t|d|n)$"
)


@lru_cache(maxsize=20_000)
def related(one: str, other: str) -> bool:
    """Whether an English stem is the other with the ending of a derived word: own, owner."""
    short, long = sorted((one, other), key=len)
    return len(short) >= 3 and long.startswith(short) and bool(_DERIVED.fullmatch(long, len(short)))
