"""Whether a number is a least or a greatest one: at least 5, more than 5, 5 이하, 5 미만."""

import re
from typing import Literal

Bound = Literal["", "at least", "more", "at most", "less"]

_MORE = r"(?:more|greater|longer|later|higher|faster|larger|older|further|heavier|warmer|bigger)"
_LESS = r"(?:less|fewer|shorter|earlier|lower|slower|smaller|younger|lighter|colder|cooler)"
_NOT = r"(?P<not>\bnot\b|\bnever\b|\bcannot\b|n['’]t)(?:\s+\w+){0,4}?\s+"
# Anchored at the number: what ends where it begins, and what begins where it ends.
_AHEAD: tuple[tuple[str, Bound], ...] = (
    (rf"\bno\s+{_MORE}\s+than|{_NOT}(?P<than>{_MORE}\s+than|above|over|exceed)", "at most"),
    (rf"\bno\s+{_LESS}\s+than|{_NOT}(?P<than>{_LESS}\s+than|below|under)", "at least"),
    (r"\bat\s+least|\bsince|\ba\s+minimum\s+of|\bat\s+minimum|최소(?:한|로)?|적어도", "at least"),
    (
        r"\bat\s+most|(?<!heat\s)(?<!heats\s)(?<!heated\s)(?<!cool\s)(?<!rise\s)(?<!rises\s)(?<!rose\s)\bup\s+to|\bwithin|\buntil|\btill|\ba\s+maximum\s+of|최대(?:로)?|많아야|길어야|기껏해야|한도(?:는|가|로)?",
        "at most",
    ),
    (rf"\b{_MORE}\s+than|\bover|\babove|\bexceed(?:s|ed|ing)?|\bbeyond|\bafter", "more"),
    (rf"\b{_LESS}\s+than|\bunder|\bbelow|\bbefore", "less"),
)
_COMPARED_MORE = r"(?:높|크|큰|커|많|길|긴|오래|빠르|빠른|무겁|무거|늦|뜨겁|따뜻)"
_COMPARED_LESS = r"(?:낮|작|적|짧|느리|느린|가볍|가벼|이르|이른|차갑|차가)"
_BEHIND: tuple[tuple[str, Bound], ...] = (
    (r"(?:을|를|도)?\s?(?:넘|초과하)지\s?(?:않|못|말)[가-힣]*", "at most"),
    (rf"보다\s?{_COMPARED_MORE}지\s?않[가-힣]*", "at most"),
    (rf"보다\s?{_COMPARED_LESS}지\s?않[가-힣]*", "at least"),
    (r"\s+on(?:wards?)?(?=[,.]|$)", "at least"),
    (r"\s+(?:or|and)\s+(?:more|longer|older|later|above|over)\b", "at least"),
    (r"\s+or\s+(?:less|fewer|shorter|younger|below|under)\b", "at most"),
    (r"\s?이상(?!하|한|해)|부터", "at least"),
    (r"\s?(?:이하|이내|안에|내에|내로|까지)(?![가-힣]{2})", "at most"),
    (r"(?:을|를|이|가)?\s?(?:초과|넘[가-힣]*|지나|지난)", "more"),
    (rf"\s?이후|\s?(?:뒤|후)(?=[에부의 ,.])|보다\s?(?:더\s)?{_COMPARED_MORE}", "more"),
    (r"\s?미만|(?:가|이)?\s?되기\s?전|\s?이전|\s?전(?=[에까 ,.])|도\s?(?:안|채)\s", "less"),
    (rf"보다\s?(?:더\s)?{_COMPARED_LESS}", "less"),
)  # fmt: skip
_BETWEEN = (
    r"(?:\s+the\s+age\s+of"
    r"|\s+(?:an?|the|some|about|around|roughly|approximately|약|대략|[가-힣]+의))?\s*"
)
_AHEAD_OF = [
    (re.compile(rf"(?:{form}|(?P<not>(?!))(?P<than>)){_BETWEEN}$", re.IGNORECASE), bound)
    if "<not>" not in form
    else (re.compile(rf"(?:{form}){_BETWEEN}$", re.IGNORECASE), bound)
    for form, bound in _AHEAD
]
_BEHIND_OF = [(re.compile(form, re.IGNORECASE), bound) for form, bound in _BEHIND]
_ABOUT = re.compile(r"(?:쯤|가량|정도)?")
_REACH = 60  # characters before a number in which its bound may begin


def read_bound(text: str, start: int, end: int) -> tuple[Bound, tuple[tuple[int, int], ...]]:
    """The bound of the number at `start`:`end`, and where its words stand."""
    for form, bound in _AHEAD_OF:
        if found := form.search(text, max(0, start - _REACH), start):
            if found["not"]:  # what stands between "not" and "more than" stays
                return bound, (found.span("not"), (found.start("than"), start))
            return bound, (found.span(),)
    about = _ABOUT.match(text, end)
    behind = about.end() if about else end
    for form, bound in _BEHIND_OF:
        if found := form.match(text, behind):
            return bound, (found.span(),)
    return "", ()
