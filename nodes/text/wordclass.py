"""Guesses of what kind of word an English word is, from its form and its neighbours; no tagger."""

import re

from simplemma import lemmatize

_VERB_FORM = re.compile(r"[a-z]{3,}(?:ed|ing)$")
_COMPARATIVE = re.compile(r"(?:er|est)$")
_BEFORE_VERB = re.compile(
    r"\b(?:to|can|could|may|might|must|shall|should|will|would|do|does|did|cannot|n['’]t|not|never|"
    r"always|often|also|usually|only|then|still|already|i|you|he|she|it|we|they|who|let)\s+$",
    re.IGNORECASE,
)
_AFTER_VERB = re.compile(
    r"\s+(?:the|an?|its|his|her|their|our|your|no|any|each|every|all|this|these|that|"
    r"up|down|off|out|back|away)\b",
    re.IGNORECASE,
)
_AFTER_PLURAL = re.compile(
    r"\b[a-z]{2,}(?<!s)(?<!u)(?<!i)s\s+$|\b(?:people|children|men|women)\s+$", re.IGNORECASE
)
# Words that are verbs far more often than nouns, whatever their neighbours.
_COMMON_VERBS_TEXT = """
accept add affect allow appear apply arrive ask avoid become begin believe belong bring build buy
carry cause choose collect come compare complete connect consist contain cost continue convert
create cut decide define deliver depend describe destroy detect determine develop die differ draw
drive eat employ enable encourage enter establish exceed exist expand expect explain extend fail
fall feed find follow form gain gather generate get give go grow handle happen help hold improve
include increase indicate introduce invent involve join keep know lead learn leave let lie live
locate lose maintain make manage measure meet move need obtain occur offer open operate organize
own pass pay perform place prevent produce protect prove provide publish pull push put raise
reach read receive recognize recommend reduce refer reject rely remain remove replace require
rest result return rise run save say see seek sell send separate serve set show solve spread
stand start stay stop store suffer supply support take tell think travel treat turn use visit
wait want win work write
"""
_COMMON_VERBS = frozenset(_COMMON_VERBS_TEXT.split())
_GERUND_NOUN = re.compile(r"\b(?:by|of|in|for|on|with|from|to|and)\s+$", re.IGNORECASE)
_OBJECT = re.compile(r"\s+[A-Za-z]")
_COUNT_BEFORE = re.compile(r"(?:\d\s|\s{3})$")  # also where the number is blanked out
_NOUN_BEFORE = re.compile(
    r"\b(?:the|an?|his|her|its|their|our|this|that|these|those|of)\s+$", re.IGNORECASE
)
# Plurals that no "s" makes, and are no verbs.
_IRREGULAR_PLURAL = frozenset(
    ("men", "women", "children", "people", "feet", "teeth", "mice", "geese")
)


def is_english_verb(text: str, start: int, end: int) -> bool:
    """Whether the word at `start`:`end` is rather a verb than a noun or an adjective."""
    word = text[start:end].lower()
    if text[start].isupper() and start > 0:
        return False
    if not word.isascii() or _COMPARATIVE.search(word) or word in _IRREGULAR_PLURAL:
        return False
    if _NOUN_BEFORE.search(text, max(0, start - 8), start) or _COUNT_BEFORE.search(
        text, max(0, start - 8), start
    ):
        return False
    lemma = lemmatize(word, "en").lower()
    if word.endswith("ing") and _GERUND_NOUN.search(text, max(0, start - 12), start):
        return bool(_OBJECT.match(text, end))
    if (_VERB_FORM.search(word) and lemma != word) or _BEFORE_VERB.search(
        text, max(0, start - 12), start
    ):
        return True
    if lemma in _COMMON_VERBS:
        return True
    if word.endswith(("men", "ae", "ives", "ices")):
        return False
    if word.endswith("s"):
        return bool(_AFTER_VERB.match(text, end))
    return lemma != word or bool(_AFTER_PLURAL.search(text, max(0, start - 20), start))


_BARE_PARTICIPLES_TEXT = "put cut set hit let shut hurt spread come become run cast read"
_BARE_PARTICIPLES = frozenset(_BARE_PARTICIPLES_TEXT.split())


def is_participle(word: str) -> bool:
    """Whether an English verb form may be a past participle: designed, built, laid, put."""
    word = word.lower()
    if word in _BARE_PARTICIPLES or word.endswith(("ed", "en")):
        return True
    return not word.endswith(("ing", "s")) and lemmatize(word, "en").lower() != word


def is_english_adverb(word: str) -> bool:
    return word.lower().endswith("ly") and len(word) > 4
