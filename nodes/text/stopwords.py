"""Words that carry no content of their own, English and Korean."""

_ENGLISH = """
a about above across after again all almost already also although always am among an and another
any anyway are around as at away back be became because become becomes been before being below
between both but by can could did do does doing done down during each either else enough
especially even ever every few for from further gave get gets give given gives goes going had
has have having he hence her here him his how however i if in instead into is it its itself just
kind lets like made mainly make makes making many may me mean means meant might more most much
must my namely near need neither nor no nobody none nonetheless not nothing now of off often on
once one only onto or other others otherwise our out over own per perhaps quite rather really
same say says see seem seems several shall she should simply since so some such take takes than
that the their them themselves then there thereby therefore these they this those though through
thus to together too toward towards under until up upon us use used uses using usually very via
was way we well were what whatever when where whereas whether which while who whole whom whose
why will with within without would yes yet you your never cannot don didn doesn isn aren wasn
weren won hasn haven couldn shouldn wouldn ain less least fewer two three four five six seven
eight nine ten eleven twelve first second hundred thousand million billion
"""
_KOREAN = """
서로 모두 전부 각각 계속 지금 그대로 반드시 결국 오히려 훨씬 조금 약간 너무 입니다 이다 일 인
이 그 저 것 수 때 등 및 더 덜 각 또 즉 곧 잘 안 못 데 바 뿐 채 줄 중 내 위 점 간 후
전 뒤 번 개 그것 이것 저것 여기 거기 그리고 그러나 하지만 그런데 따라서 그래서 또한 또는 혹은
이런 그런 저런 이러한 그러한 이렇게 그렇게 어떤 모든 여러 다른 같은 같이 함께 위해 위한 대해
대한 통해 통한 따라 따른 의해 의한 관한 관해 때문 경우 정도 매우 아주 가장 거의 이미 아직 다시
바로 특히 주로 보통 대개 항상 자주 오직 단지 만약 만일 비록 물론 예를 들어 무엇 무슨 어느 누구
언제 어디 왜 어떻게 얼마 얼마나 우리 자신 스스로 하나 둘 셋 넷 한 두 세 네 다섯 여섯 일곱
여덟 아홉 열 스물 건 회 대 명 가지 초당 분당 시간당 이상 이하 이내 미만 초과 않 없 아니 아닌
있 말
"""

STOP_ENGLISH = frozenset(_ENGLISH.split())
STOP_KOREAN = frozenset(_KOREAN.split())
STOP_WORDS = STOP_ENGLISH | STOP_KOREAN
