"""What conjugation leaves of a Korean verb or adjective."""

import unicodedata
from functools import lru_cache

_FINALS = {"ㄴ": "ᆫ", "ㄷ": "ᆮ", "ㄹ": "ᆯ", "ㅁ": "ᆷ", "ㅂ": "ᆸ", "ㅅ": "ᆺ", "ㅆ": "ᆻ"}
_FINAL_NAMES = {code: name for name, code in _FINALS.items()}
# What may follow a consonant that belongs to the ending, as in 쉰다 and 갑니다, not 건너뛴다.
_BEGINS_AFTER = {
    "ㄴ": ("", *"다데지가대"),
    "ㄹ": ("", *"지까게거수때만"),
    "ㅁ": ("", *"이은을에과도만의"),
    "ㅂ": ("", *"니시디"),
    "ㅆ": ("", *"다습던으고지는어기네을음"),
}
_UNCONTRACTED = str.maketrans({"ᅪ": "ᅩ", "ᅯ": "ᅮ", "ᅧ": "ᅵ", "ᅫ": "ᅬ"})


@lru_cache(maxsize=20_000)
def verb_roots(word: str) -> tuple[str, ...]:
    """What conjugation may have left of a Korean verb, in jamo, the likeliest reading first.

    A closed first syllable carries the stem (만든다, 만들어: 만); an open one needs the next
    consonant and vowel (보낸다, 보내고, 보냈다: ㅂㅗㄴㅐ), unless it is the stem (쉬는, 쉰다).
    Further readings undo contraction and the irregular classes: 언 and 얼어, 추운 and 춥다, 지은
    and 짓다, 흘러 and 흐르다. Those with "+" hold two syllables and are surer than the others.
    """
    letters = unicodedata.normalize("NFD", word).translate(_UNCONTRACTED)
    opening, final = letters[:2], final_of(word[0])
    following = letters[3:5] if final else letters[2:4]
    long = [f"+{letters[:3] if final else opening}{following}"] if len(word) > 1 else []
    if not final:
        roots = [letters[:4], f"{opening}|", *long] if len(word) > 1 else [f"{opening}|"]
        if following[:1] == "ᄋ":
            roots += [opening + _FINALS["ㅂ"], opening + _FINALS["ㅅ"]]
        return tuple(roots)
    roots = [letters[:3], *long]
    if final in _BEGINS_AFTER and word[1:2] in _BEGINS_AFTER[final]:
        roots += [f"{opening}|", opening + _FINALS["ㄹ"]]
    if final == "ㄹ":
        roots += [opening + _FINALS["ㄷ"], f"{opening}르"]
    return tuple(roots)


def final_of(syllable: str) -> str:
    """The final consonant: its letter where endings make one, '-' for another, '' for none."""
    letters = unicodedata.normalize("NFD", syllable)
    return "" if len(letters) < 3 else _FINAL_NAMES.get(letters[2], "-")
