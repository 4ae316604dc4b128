"""A question made out of one sentence, and what of that sentence answers it."""

import re
from dataclasses import dataclass

from graph.evidence import Language
from nodes.text.sentences import is_complete

MIN_WORDS, MAX_WORDS = 6, 32
_UNCLEAR = re.compile(
    r"\b(?:previous|above|below|following|earlier)\b|(?:앞|위|아래|다음)(?:의|에서)|"
    r"[()\[\]{}|\"“”:;=→*`<>]|https?:|\d\s?[+×/]\s?\d"
)
_POINTS_BACK = re.compile(
    r"(?:this|that|these|those|it|its|they|their|he|she|his|her|such|so|thus|therefore|hence|"
    r"however|but|and|or|also|then|here|there|both|each|otherwise|instead|similarly|again|another|"
    r"the (?:former|latter|same|other|first|second|third|last))\b"
    r"|(?:이|그|저|이런|그런|이러한|그러한|(?:이|그|저)것[은이을의도]?|이는|이를|그래서|그러나|그런데|그리고|따라서|"
    r"또한?|하지만|반면|반대로|즉|곧|다만|그래도|그러면|이때|여기|거기|앞의|뒤의|위의|아래의|둘|두|"
    r"하나는|다른|나머지|둘[이을])(?=[\s,])|(?:이렇|그렇|여기|거기|그러|이러|앞|뒤)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Fact:
    """`answer` stands word for word in the sentence. `about` is the noun phrase that the question
    is about, or empty where it is not sure to be one."""

    language: Language
    question: str
    answer: str
    about: str
    sentence: str


def stands_alone(sentence: str) -> bool:
    """Whether the sentence can be understood without its neighbours, as far as its form tells."""
    return (
        MIN_WORDS <= len(sentence.split()) <= MAX_WORDS
        and is_complete(sentence)
        and not _UNCLEAR.search(sentence)
        and not _POINTS_BACK.match(sentence)
    )
