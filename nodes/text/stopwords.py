"""Words that carry no content of their own, English and Korean."""

_ENGLISH = """
a about above across apart except exception after again all almost already also although always am
among an and another
any anyway are around as at away back be became because become becomes been before being below
between both but by can could did do does doing done down during each either else enough
especially even ever every few for from further gave get gets give go given gives goes going had
has have having he hence her here him his how however i if in instead into is it its itself just
kind lets like made mainly make makes making many may me mean means meant might more most much
must my namely near need neither nor no nobody none nonetheless not nothing now of off often on
once one only onto or other others otherwise our out over per perhaps quite rather really
same say says see seem seems several shall she should simply since so some such take takes than
taken taking took gone went that the their them themselves then there thereby therefore these they
this those though through
thus to together too toward towards under until up upon us use used uses using usually very via
was way we well were what whatever when where whereas whether which while who whole whom whose
why will with within without would yes yet you your never cannot don didn doesn isn aren wasn
weren won hasn haven couldn shouldn wouldn ain less least fewer two three four five six seven
eight nine ten eleven twelve first second hundred thousand million billion
"""
_KOREAN = """
서로 모두 전부 각각 계속 지금 그대로 반드시 결국 오히려 훨씬 조금 약간 너무 입니다 이다 일
인 이 그 저 것 수 때 등 및 더 덜 각 또 즉 곧 잘 안 못 데 바 뿐 채 줄 중 내 위 점
간 후 전 뒤 번 개 그것 이것 저것 여기 거기 그리고 그러나 하지만 그런데 따라서 그래서 또한
또는 혹은 이런 그런 저런 이러한 그러한 이렇게 그렇게 어떤 모든 여러 다른 같은 같이 함께 위해
위한 대해 대한 통해 통한 따라 따른 의해 의한 관한 관해 때문 경우 정도 매우 아주 가장 거의
이미 아직 다시 바로 특히 주로 보통 대개 항상 자주 오직 단지 만약 만일 비록 물론 예를 들어
무엇 무슨 어느 누구 언제 어디 왜 어떻게 얼마 얼마나 우리 자신 스스로 하나 둘 셋 넷 한 두
세 네 다섯 여섯 일곱 여덟 아홉 열 스물 건 회 대 명 가지 초당 분당 시간당 이상 이하 이내
미만 초과 않 없 아니 아닌 있 말 매달 매월 매년 매일 매주 월 연 월간 연간 데 당 면 으면
마다 이후 이전 난 온 된 준 낸 비해 가량 쯤 초속 시속 분속 것입니다 것이다 합니다 하였다
하였습니다 따르면 의하면 데서 나서 누구나 빼고 빼고는 제외한 제외하고 제외하면 외의 외에 외에는
말고 길어야 적어도 많아야 약
"""

# So general that an answer may add them without saying more than its source.
_LIGHT = """
able according account act age allow allowed additionally area fee approximately aspect available
based basic basis
belong benefit call case category cause certain characteristic clearly come common comprise
concern condition consider consist contain correspond current describe despite detail determine
different document due duration effect ensure entire equal essentially example exist experience
explain fact factor feature find fixed follow form function furthermore general generally help
importance important indicate individual information instance involve item keep kind know lead
likewise lie list locate main manner matter means measure mention method moreover namely
impossible necessary need normally note number occur order ought overall own particular permission
permit permitted stay passage people
perform point possible present process provide purpose reason receive refer regard relate remain
report represent require respective respectively result role roughly same section serve set
several show similarly simple single situation source specific specifically stage state step
subject suffer sum task term text thing time topic total type typical typically unable usage
value various way whole
가능 가리 거리 경우 길이 깊이 너비 높이 두께 무게 크기 면적 그날 당일 미리 사전 추가 추가로
이미 아직 바로 곧 역시 즉시 결과적 과정 관련 구성 금지 기간 기능 기본 기준 나타나 나머지 내용 단계
당시 대상 대신 동안 동일 마련 목적 문서 문장 발생 방법 방식 방침 부분 비롯 비해 사람 사실
사용 사항 상태 상황 설명 수행 수준 시기 시점 시작 실시 역할 영향 예시 속도 동시 동시에 외 시간
허용 허락
요소 요약 원인 위치 유형 의미 이용 이유 일부 일종 일치 입장 자료 작업 전체 정도 정보 제공
조건 존재 종류 주요 주의 중요 지금 진행 차지 처리 측면 특성 특정 특징 포함 필요 하나 한편
해당 행위 현재 형태 확인 활용 효과
"""

STOP_ENGLISH = frozenset(_ENGLISH.split())
STOP_KOREAN = frozenset(_KOREAN.split())
LIGHT_WORDS = frozenset(_LIGHT.split())
STOP_WORDS = STOP_ENGLISH | STOP_KOREAN
