"""Pairs of opposite words, English and Korean: more and less, faster and slower, 높다 and 낮다."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

CONVERSE = frozenset({"sale", "loan", "gift", "teaching", "contest"})
"""Axes whose two poles say the same of exchanged parties: A sells to B, B buys from A."""
NOUN_AXES = frozenset({"season", "ns", "ew", "hand", "sex"})
"""Axes of names for things, of which a sentence may well speak of both."""
BINARY = frozenset({"permission", "switch", "part", "movement", "access"})
"""Axes on which "not one" means "the other"."""

# axis: (forms of one pole, forms of the other)
_ENGLISH: dict[str, tuple[str, ...]] = {
    "amount": (
        "more most high higher highest large larger largest great greater greatest big bigger"
        " biggest increase increases increased increasing rise rises rising rose risen grow grows"
        " growing grew grown raise raises raised raising exceed exceeds exceeded exceeding"
        " maximum",
        "less least low lower lowest lowers lowered lowering small smaller smallest fewer fewest"
        " decrease decreases decreased decreasing falls fell fallen falling shrink shrinks shrank"
        " shrinking reduce reduces reduced reducing decline"
        " declines declined minimum",
    ),
    "doubling": ("double doubles doubled", "halve halves halved"),
    "position": ("above over", "below under beneath"),
    "speed": (
        "fast faster fastest quick quicker quickest quickly accelerate accelerates accelerated",
        "slow slower slowest slowly slows slowed slowing",
    ),
    "length": ("long longer longest lengthen lengthens", "short shorter shortest shorten shortens"),
    "order": (
        "before earlier earliest first previous prior preceding",
        "after later latest last following next subsequent",
    ),
    "age": ("new newer newest young younger youngest", "old older oldest"),
    "quality": (
        "better best improve improves improved improving",
        "worse worst worsen worsens degrade degrades degraded",
    ),
    "heading": ("away", "towards toward"),
    "grain": ("fine finer finest", "coarse coarser coarsest"),
    "price": ("cheap cheaper cheapest", "expensive dear dearer dearest costlier"),
    "permission": (
        "allow allows allowed accept accepts accepted permit permits permitted",
        "reject rejects rejected refuse refuses refused deny denies denied",
    ),
    "switch": ("enable enables enabled enabling", "disable disables disabled disabling"),
    "part": ("include includes included including", "exclude excludes excluded excluding"),
    "outcome": ("succeed succeeds succeeded success successful", "fail fails failed failure"),
    "effort": ("easy easier easiest easily", "hard harder hardest difficult"),
    "warmth": ("warm warmer warmest hot hotter hottest", "cold colder coldest cool cooler coolest"),
    "light": ("bright brighter brightest brighten brightens lighter", "dark darker darkest darken"
              " darkens darkened"),
    "depth": ("deep deeper deepest", "shallow shallower shallowest"),
    "width": ("wide wider widest broad broader", "narrow narrower narrowest"),
    "thickness": ("thick thicker thickest", "thin thinner thinnest"),
    "strength": ("strong stronger strongest", "weak weaker weakest"),
    "weight": ("heavy heavier heaviest", "lightweight lighter lightest"),
    "access": ("open opens opened opening", "close closes closed closing shut"),
    "course": (
        "begin begins began begun start starts started",
        "end ends ended stop stops stopped",
    ),
    "side": ("inside inner internal", "outside outer external"),
    "hand": ("left", "right"),
    "trade": ("import imports imported", "export exports exported"),
    "season": ("summer", "winter", "autumn fall", "spring"),
    "ns": ("north northern northward", "south southern southward"),
    "ew": ("east eastern eastward", "west western westward"),
    "share": ("majority", "minority"),
    "opinion": ("agree agrees agreed support supports supported", "oppose opposes opposed"),
    "sex": ("male males man men boy boys father son brother", "female females woman women girl"
            " girls mother daughter sister"),
    "movement": (
        "enter enters entered arrive arrives arrived stay stays stayed remain remains remained",
        "leave leaves left depart departs",
    ),
    "frequency": ("always often frequently", "rarely seldom"),
    "sale": ("sell sells sold", "buy buys bought purchase purchases purchased"),
    "loan": ("lend lends lent", "borrow borrows borrowed"),
    "gift": ("give gives gave given", "receive receives received"),
    "teaching": ("teach teaches taught", "learn learns learned"),
    "contest": ("win wins won defeat defeats defeated beat beats beaten", "lose loses lost"),
}  # fmt: skip
_ANY = "[가-힣]*"
# Korean stems with what may follow, where the bare syllable begins other words too:
# 적다 (few) is not 적용 (to apply), 줄다 (to shrink) is not 줄 (line)
_KOREAN: dict[str, tuple[str, ...]] = {
    "amount": (
        rf"높[가-힣]+|많[가-힣]+|늘[어려렸린리었면고릴립]{_ANY}|증가{_ANY}|커[지진질져졌]?{_ANY}|큰|컸{_ANY}"
        rf"|크(?:다|게|고|면|지|므|며){_ANY}|올(?:라|랐|리|린|려|릴|렸){_ANY}|오[르른]{_ANY}|최대(?:로|한)?",
        rf"낮[가-힣]+|적(?:다|은|게|고|으|을|지|어[지진졌질]|었|습){_ANY}|줄[어여였인었면고일이]{_ANY}|감소{_ANY}"
        rf"|작(?:다|은|게|고|아|았|을|으|지|습){_ANY}|내(?:려|렸|리|린|릴){_ANY}|떨어{_ANY}|최소(?:로|한)?",
    ),
    "degree": (r"더|더욱", r"덜"),
    "speed": (rf"빠[르른]{_ANY}|빨[라랐리]{_ANY}", rf"느[리린려릴]{_ANY}"),
    "length": (rf"길(?:다|어|게|고|면|수|지){_ANY}|긴", r"짧[가-힣]+"),
    "order": (
        rf"앞(?!당|서){_ANY}|먼저|이전{_ANY}|전에(?:는|도)?|(?<=기\s)전|처음{_ANY}|첫|앞서{_ANY}|지난해|전날",
        rf"뒤(?:에|로|의)?|나중{_ANY}|이후{_ANY}|후에?|마지막{_ANY}|다음(?!과){_ANY}|이듬해|뒤늦{_ANY}",
        r"중에(?![서는])|도중{_ANY}|동시{_ANY}",
    ),
    "schedule": (
        rf"앞당{_ANY}",
        rf"미[루룬뤄뤘]{_ANY}|늦[추춘춰]{_ANY}|연기(?:하|한|했|되|된|됐){_ANY}",
    ),
    "quality": (rf"좋[가-힣]+|나[아은]지{_ANY}|개선{_ANY}", rf"나[쁘쁜빠빴]{_ANY}|악화{_ANY}"),
    "price": (
        rf"싸(?:다|게|고|지|면|진){_ANY}|싼|쌉니다|쌌{_ANY}|저렴{_ANY}",
        rf"비[싸싼쌌]{_ANY}",
    ),
    "permission": (
        rf"허용{_ANY}|수락{_ANY}|받아들[가-힣]+|허가{_ANY}|승인{_ANY}",
        rf"거절{_ANY}|거부{_ANY}",
    ),
    "switch": (
        rf"[켜켠켤킨]{_ANY}|활성화{_ANY}",
        rf"끄(?:다|고|면|지){_ANY}|끈다?|꺼[지진져]?{_ANY}|비활성화{_ANY}",
    ),
    "part": (rf"포함{_ANY}", rf"제외{_ANY}"),
    "outcome": (rf"성공{_ANY}", rf"실패{_ANY}"),
    "effort": (rf"쉽[가-힣]+|쉬[운워]{_ANY}", rf"어렵[가-힣]+|어려[운워웠]{_ANY}"),
    "warmth": (rf"따뜻{_ANY}|덥[가-힣]+|더[운워웠]{_ANY}|뜨거{_ANY}|뜨겁{_ANY}",
               rf"춥[가-힣]+|추[운워웠]{_ANY}|차[가갑]{_ANY}|서늘{_ANY}|시원{_ANY}"),
    "light": (r"밝[가-힣]+", rf"어둡[가-힣]+|어두{_ANY}"),
    "depth": (r"깊[가-힣]+", r"얕[가-힣]+"),
    "width": (r"넓[가-힣]+", r"좁[가-힣]+"),
    "thickness": (rf"두껍[가-힣]+|두꺼{_ANY}|굵[가-힣]+", rf"얇[가-힣]+|가늘{_ANY}|가는(?=\s)"),
    "strength": (rf"강(?:하|한|해|했){_ANY}|세[져진지]{_ANY}", rf"약(?:하|한|해|했){_ANY}"),
    "weight": (rf"무겁[가-힣]+|무거{_ANY}", rf"가볍[가-힣]+|가벼{_ANY}"),
    "access": (rf"개방{_ANY}|개장{_ANY}|개통{_ANY}|열(?:었|렸|린|려|리){_ANY}",
               rf"폐쇄{_ANY}|폐장{_ANY}|닫[가-힣]+"),
    "course": (rf"시작{_ANY}|개시{_ANY}", rf"끝[가-힣]+|종료{_ANY}|마치{_ANY}|마쳤{_ANY}"),
    "halfday": (r"오전", r"오후"),
    "stream": (rf"상류{_ANY}", rf"하류{_ANY}"),
    "third": (rf"상순{_ANY}|초순{_ANY}", rf"하순{_ANY}", rf"중순{_ANY}"),
    "ns": (rf"북(?:쪽|부|문|단|상){_ANY}", rf"남(?:쪽|부|문|단){_ANY}"),
    "ew": (rf"동(?:쪽|부|문|단){_ANY}", rf"서(?:쪽|부|문|단){_ANY}"),
    "hand": (rf"왼{_ANY}|좌측{_ANY}", rf"오른{_ANY}|우측{_ANY}"),
    "height": (r"위(?:쪽|에|로|층)?", r"아래(?:쪽|에|로|층)?"),
    "charge": (rf"무상{_ANY}|무료{_ANY}", rf"유상{_ANY}|유료{_ANY}"),
    "trade": (rf"수입(?:하|한|했|되|품){_ANY}", rf"수출{_ANY}"),
    "opinion": (rf"찬성{_ANY}|동의{_ANY}", rf"반대(?:하|한|했){_ANY}"),
    "season": (rf"여름{_ANY}", rf"겨울{_ANY}", rf"가을{_ANY}", r"봄(?:에|은|이|부터|까지)?"),
    "sale": (
        rf"팔(?:다|았|고|며|면|지|아|린|렸){_ANY}|판다|팝니다|판매{_ANY}",
        rf"샀{_ANY}|산다|사(?:고|서|들)(?=[\s,였]){_ANY}|구입{_ANY}|구매{_ANY}",
    ),
    "loan": (
        rf"빌려(?:주(?:다|었|고|며|는|면|지|기|어)|준다|준|줬|줍니다){_ANY}",
        rf"빌(?:리|린|렸|릴){_ANY}",
    ),
    "gift": (
        rf"(?:물려|돌려|나눠|건네|넘겨)?(?:주(?:다|었|고|며|는|면|지|기|어)|준다|준|줬|줍니다){_ANY}"
        rf"|제공(?!받){_ANY}",
        r"(?:물려|돌려|넘겨|제공|공급|선물)?받[가-힣]+",
    ),
    "teaching": (rf"가르[치친쳤]{_ANY}", rf"배[우웠운]{_ANY}"),
    "contest": (
        rf"이[기긴겼]{_ANY}|승리{_ANY}|꺾{_ANY}",
        rf"졌{_ANY}|패배{_ANY}|패(?:했|하){_ANY}",
    ),
}  # fmt: skip

_POLE_OF = {
    form: (axis, pole)
    for axis, poles in _ENGLISH.items()
    for pole, forms in enumerate(poles)
    for form in forms.split()
} | {"at least": ("amount", 0), "at most": ("amount", 1)}
_BOUNDS = {
    "no less than": "at least",
    "no fewer than": "at least",
    "no more than": "at most",
    "no longer than": "at most",
    "no later than": "at most",
    "up to": "at most",
}
_ENGLISH_WORD = re.compile(
    r"\b(?:at (?:least|most)|up to|no (?:less|fewer|more|longer|later) than"
    r"|f[ae]lls?\s+back|a\s+few|hand(?:s|ed|ing)? over|over (?:time|the|a)|close to|right to"
    r"|[a-z]+)\b",
    re.IGNORECASE,
)
_CHANGE = re.compile(
    r"\bdrop(?:s|ped|ping)?(?=\s+(?:by|from|to|below|\s))|"
    r"\b(?:go|goes|going|gone|went)\s+(?:up|down)\b|\b(?:up|down)(?=\s+(?:by\s+|about\s+)?(?:[\d$€£]|\s))",
    re.IGNORECASE,
)
_KOREAN_WORD = re.compile(
    "|".join(
        rf"(?P<{axis}_{pole}>(?<![가-힣])(?:{forms})(?![가-힣]))"
        for axis, poles in _KOREAN.items()
        for pole, forms in enumerate(poles)
    )
)


@dataclass(frozen=True, slots=True)
class PoleMark:
    """A word of a pair; `pole` says which of the two (of three where there is a between)."""

    axis: str
    pole: int
    start: int
    end: int


def pole_marks(text: str) -> Iterator[PoleMark]:
    """Every word of `text` that has an opposite in the table."""
    for match in _ENGLISH_WORD.finditer(text):
        form = match[0].lower()
        if found := _POLE_OF.get(_BOUNDS.get(form, form)):
            yield PoleMark(*found, match.start(), match.end())
    for match in _CHANGE.finditer(text):
        yield PoleMark("amount", int(not match[0].lower().endswith("up")), *match.span())
    for match in _KOREAN_WORD.finditer(text):
        axis, _, pole = (match.lastgroup or "").rpartition("_")
        yield PoleMark(axis, int(pole), match.start(), match.end())
