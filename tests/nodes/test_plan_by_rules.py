"""The plans that rules make; each row says what a person would plan."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.plan import ACTIONS, Action, Plan, validate_plan
from nodes.plan_by_rules import rule_plan
from nodes.question.intent import read_intent

COMPARE_2 = "retrieve retrieve analyze(1,2)"
COMPARE_3 = "retrieve retrieve retrieve analyze(1,2,3)"

PLANS = (
    ("What is hedging?", "answer"),
    ("Why does the tail grow in a chain?", "answer"),
    ("What does the analysis step cost?", "answer"),
    ("Show the summary statistics of the load test", "answer"),
    ("Somehow summarize this", "summarize"),
    ("Summarize the chapter on tails", "summarize"),
    ("Could you summarize the handbook, please?", "summarize"),
    ("Give me a summary of the chapter on tails", "summarize"),
    ("I'd like an overview of the serving layers", "summarize"),
    ("tl;dr of chapter 3", "summarize"),
    ("In three bullets, summarize the pilot report", "summarize"),
    ("Analyze why the pilot failed", "analyze"),
    ("Give me an analysis of the outage", "analyze"),
    ("find the root cause of the outage", "analyze"),
    ("Show the comparison of A and B", COMPARE_2),
    ("Compare open loops and closed loops", COMPARE_2),
    ("Please compare vLLM with SGLang", COMPARE_2),
    ("What is the difference between a router and a planner?", COMPARE_2),
    ("hedging vs retrying", COMPARE_2),
    ("Which is cheaper, hedging or retrying?", COMPARE_2),
    ("compare Redis, SQLite and PostgreSQL", COMPARE_3),
    ("Compare Redis, SQLite, PostgreSQL and Chroma", COMPARE_3),
    ("what failed? analyze it", "answer analyze(1)"),
    ("what failed analyze it", "answer analyze(1)"),
    ("What failed and analyze it", "answer analyze(1)"),
    ("What failed in May, and then analyze the cause", "answer analyze(1)"),
    ("What is hedging and how does retrying work?", "answer answer"),
    ("What is hedging? What is admission control?", "answer answer"),
    ("What is the KV cache, why does it matter, and when is it evicted?", "answer answer answer"),
    ("What is hedging? Summarize in one sentence.", "answer summarize(1)"),
    ("Tell me what hedging is, then summarize it.", "answer summarize(1)"),
    ("Summarize the chapter on tails and analyze it", "summarize analyze(1)"),
    ("Summarize the chapter on caches and analyze the outage in May", "summarize analyze"),
    ("Summarize and analyze the outage report", "summarize analyze"),
    ("What failed? Analyze the cause and then summarize.", "answer analyze(1) summarize(2)"),
    ("What is a router? What is a planner? Compare them.", "answer answer analyze(1,2)"),
    ("Compare A and B and summarize the differences", COMPARE_2 + " summarize(3)"),
    ("Summarize the differences between A and B", COMPARE_2 + " summarize(3)"),
    ("Which engine should I choose?", "personalize"),
    ("Recommend an engine for our team", "personalize"),
    ("Explain the KV cache for a beginner", "personalize"),
    ("What is hedging and should I use it?", "answer personalize(1)"),
    ("Summarize the handbook for a beginner", "summarize personalize(1)"),
    ("Compare A and B and recommend one for my team", COMPARE_2 + " personalize(3)"),
    ("Can you walk me through the admission control steps?", "answer"),
    ("Who approves a release and who can roll it back?", "answer answer"),
    ("Give me the pros and cons of hedging", "analyze"),
    ("Summarise section 2 and section 5", "summarize"),
    (
        "Compare the retry policy to the hedging policy, then tell me which suits a small team",
        COMPARE_2 + " personalize(3)",
    ),
    ("What went wrong last Tuesday? Assess the impact.", "answer analyze(1)"),
    ("In what way is a router different from a planner?", COMPARE_2),
    ("How are open and closed loop tests similar?", COMPARE_2),
    ("What's the gist of the migration guide?", "summarize"),
    ("Is there a limit on the number of retrievals?", "answer"),
    ("should we switch to SGLang", "personalize"),
    ("Does the handbook analyze the outage of May?", "answer"),
    ("Analyze the trade-off between cost and latency", COMPARE_2),
    ("Where do we store summaries, and how long are they kept?", "answer answer"),
    (
        "list the failure modes, analyze each, and summarize everything",
        "answer analyze(1) summarize(2)",
    ),
    ("I have five minutes. Sum up the operations guide for me.", "summarize"),
    ("Explain how prefix caching works and why it saves time", "answer answer"),
    ("Which of Redis and SQLite is faster for one machine?", COMPARE_2),
    ("Tell me the difference: hedging or retries?", COMPARE_2),
    ("why did the canary fail and how do we prevent it", "answer answer"),
    ("Does retrying cost more than hedging?", COMPARE_2),
    ("Write a brief summary of what the handbook says about SLOs", "summarize"),
    ("What are the main differences between TTFT and TPOT?", COMPARE_2),
    (
        "Could you please analyze the May incident and give me a short summary?",
        "analyze summarize(1)",
    ),
    ("Who wrote the incident report? Summarize it in two lines.", "answer summarize(1)"),
    ("I'm new here. What should I read first?", "personalize"),
    ("How much memory does the KV cache need per token?", "answer"),
    ("Contrast open-loop with closed-loop load generation", COMPARE_2),
    ("Is it the router or the planner that picks the model?", "answer"),
    (
        "Explain the difference between p95 and p99, and why percentiles cannot be averaged",
        COMPARE_2 + " answer",
    ),
    ("Evaluate the rollout plan", "analyze"),
    ("Summarize the paragraphs that compare Redis and SQLite", "summarize"),
    ("what is admission control, please answer in Korean", "answer"),
    ("Recap the pilot: what worked, what failed", "summarize"),
    ("Does a plan ever hold more than five steps, and what happens then?", "answer answer"),
    ("Condense the security chapter for my manager", "summarize personalize(1)"),
    ("Tell me what hedging does, what it costs and when to avoid it", "answer answer answer"),
    ("I want a comparison of SQLite and PostgreSQL", COMPARE_2),
    ("Break down why the load test failed", "analyze"),
    ("How is quota checked, and where is it configured?", "answer answer"),
    ("Give an overview and an analysis of the incident", "summarize analyze"),
    ("What's new in release 3? Keep it short.", "answer"),
    ("Are retries worse than hedges", COMPARE_2),
    ("Which engine fits a single GPU?", "answer"),
    ("Summarize chapter 2, chapter 3 and chapter 4", "summarize"),
    ("Why is p99 higher than p95?", "answer"),
    ("헤징이 뭐야?", "answer"),
    ("사슬에서 꼬리 지연은 왜 늘어나나요?", "answer"),
    ("분석 단계는 비용이 얼마나 들어?", "answer"),
    ("요약 캐시란 무엇인가?", "answer"),
    ("요약 통계를 보여 줘", "answer"),
    ("어떻게든 이걸 요약해줘", "summarize"),
    ("꼬리 지연 장을 요약해 줘", "summarize"),
    ("핸드북을 정리해 주실 수 있나요?", "summarize"),
    ("꼬리 지연 장의 요약을 부탁드립니다", "summarize"),
    ("서빙 계층을 세 줄로 간추려 주세요", "summarize"),
    ("3장 요약", "summarize"),
    ("이 문서 summarize 해줘", "summarize"),
    ("파일럿이 왜 실패했는지 분석해라", "analyze"),
    ("장애 분석 부탁해", "analyze"),
    ("장애의 근본 원인을 분석해 주십시오", "analyze"),
    ("A와 B의 비교를 보여줘", COMPARE_2),
    ("열린 루프와 닫힌 루프를 비교해 주세요", COMPARE_2),
    ("vLLM이랑 SGLang 비교해줘", COMPARE_2),
    ("라우터와 플래너의 차이가 뭐야", COMPARE_2),
    ("헤징 vs 재시도", COMPARE_2),
    ("헤징과 재시도 중 어느 것이 더 싼가요?", COMPARE_2),
    ("레디스, SQLite, PostgreSQL을 비교해 줘", COMPARE_3),
    ("레디스와 SQLite와 PostgreSQL과 Chroma를 비교해 줘", COMPARE_3),
    ("뭐가 실패했어? 분석해줘", "answer analyze(1)"),
    ("뭐가 실패했어 분석해줘", "answer analyze(1)"),
    ("뭐가 실패했는지 알려주고 분석해줘", "answer analyze(1)"),
    ("5월에 뭐가 실패했어? 그다음 원인을 분석해줘", "answer analyze(1)"),
    ("헤징은 무엇이고 재시도는 어떻게 동작해?", "answer answer"),
    ("헤징이 뭐야? 승인 제어는 뭐야?", "answer answer"),
    ("KV 캐시가 뭐고 왜 중요하며 언제 비워지나요?", "answer answer answer"),
    ("헤징이 뭐야? 한 문장으로 요약해 줘.", "answer summarize(1)"),
    ("헤징을 설명하고 요약해 줘", "answer summarize(1)"),
    ("꼬리 지연 장을 요약하고 그것을 분석해 줘", "summarize analyze(1)"),
    ("캐시 장을 요약하고 5월 장애를 분석해 줘", "summarize analyze"),
    ("캐시 장을 요약해서 알려줘", "summarize"),
    ("뭐가 실패했어? 원인을 분석한 다음 요약해.", "answer analyze(1) summarize(2)"),
    ("라우터가 뭐야? 플래너는 뭐야? 둘을 비교해 줘.", "answer answer analyze(1,2)"),
    ("A와 B를 비교하고 차이를 요약해 줘", COMPARE_2 + " summarize(3)"),
    ("A와 B의 차이를 요약해 줘", COMPARE_2 + " summarize(3)"),
    ("어떤 엔진을 골라야 할까?", "personalize"),
    ("우리 팀에 맞는 엔진을 추천해 줘", "personalize"),
    ("KV 캐시를 초보자에게 설명해 줘", "personalize"),
    ("헤징이 뭐고 내가 써야 할까?", "answer personalize(1)"),
    ("핸드북을 초보자도 알 수 있게 요약해 줘", "summarize personalize(1)"),
    ("A와 B를 비교하고 우리 팀에 맞는 걸 추천해 줘", COMPARE_2 + " personalize(3)"),
    ("뭐가 실패했어? 분석해 주세요", "answer analyze(1)"),
    ("릴리스는 누가 승인하고 누가 되돌릴 수 있어?", "answer answer"),
    ("승인 제어 절차를 단계별로 알려 주세요", "answer"),
    ("헤징의 장단점을 알려줘", "analyze"),
    ("2장과 5장을 요약해 주세요", "summarize"),
    ("재시도 정책을 헤징 정책과 비교해줘", COMPARE_2),
    ("지난 화요일에 무슨 일이 있었어? 영향을 평가해 줘", "answer analyze(1)"),
    ("라우터는 플래너와 뭐가 달라?", COMPARE_2),
    ("마이그레이션 가이드의 핵심만 정리해 줘", "summarize"),
    ("검색 횟수에 제한이 있나요?", "answer"),
    ("우리도 SGLang으로 바꿔야 할까?", "personalize"),
    ("핸드북에 5월 장애를 분석한 내용이 있어?", "answer"),
    ("비용과 지연 사이의 상충 관계를 분석해 줘", COMPARE_2),
    ("요약은 어디에 저장하고 얼마나 보관하나요?", "answer answer"),
    ("실패 유형을 나열하고 각각 분석한 뒤 전체를 요약해 줘", "answer analyze(1) summarize(2)"),
    ("운영 가이드 짧게 요약 좀", "summarize"),
    ("접두사 캐싱이 어떻게 동작하는지, 왜 시간을 아끼는지 설명해 줘", "answer answer"),
    ("레디스와 SQLite 가운데 한 대짜리 서버에는 무엇이 더 빨라?", COMPARE_2),
    ("p99랑 p95의 차이점 좀 알려줄래", COMPARE_2),
    ("이 문서가 말하는 꼬리 지연의 원인은?", "answer"),
    ("입문자용으로 KV 캐시를 설명해줘", "personalize"),
    ("카나리가 왜 실패했고 어떻게 막을 수 있어", "answer answer"),
    ("재시도가 헤징보다 비싼가요?", COMPARE_2),
    ("핸드북이 SLO에 대해 뭐라고 하는지 짧게 요약해 주세요", "summarize"),
    ("TTFT와 TPOT의 주요 차이점은?", COMPARE_2),
    ("5월 장애를 분석해 주시고 짧은 요약도 부탁드려요", "analyze summarize(1)"),
    ("장애 보고서는 누가 썼어? 두 줄로 요약해 줘.", "answer summarize(1)"),
    ("저는 신입인데 뭘 먼저 읽어야 하나요?", "personalize"),
    ("토큰 하나에 KV 캐시 메모리가 얼마나 필요해?", "answer"),
    ("열린 루프 부하와 닫힌 루프 부하를 대조해 줘", COMPARE_2),
    ("모델을 고르는 건 라우터야 플래너야?", "answer"),
    ("p95와 p99의 차이를 설명하고 왜 평균 내면 안 되는지 알려줘", COMPARE_2 + " answer"),
    ("출시 계획을 평가해 주세요", "analyze"),
    ("레디스와 SQLite를 비교한 문단을 요약해 줘", "summarize"),
    ("승인 제어가 뭐야? 영어로 답해 줘", "answer"),
    ("파일럿에서 잘된 것과 실패한 것을 정리해줘", "summarize"),
    ("계획이 다섯 단계를 넘을 수 있어? 넘으면 어떻게 돼?", "answer answer"),
    ("보안 장을 팀장님께 맞게 줄여 줘", "summarize personalize(1)"),
    ("헤징이 무엇을 하는지, 비용은 얼마인지, 언제 피해야 하는지 알려줘", "answer answer answer"),
    ("SQLite하고 PostgreSQL 비교 좀 해줘", COMPARE_2),
    ("부하 시험이 실패한 이유를 분석해줄래?", "analyze"),
    ("쿼터는 어떻게 확인하고 어디서 설정해?", "answer answer"),
    ("장애를 개략적으로 요약하고 분석도 해줘", "summarize analyze(1)"),
    ("릴리스 3에서 뭐가 바뀌었어? 짧게 말해줘", "answer"),
    ("재시도는 헤지보다 나빠?", COMPARE_2),
    ("GPU 하나짜리 서버에 맞는 엔진은?", "answer"),
    ("2장, 3장, 4장을 요약해줘", "summarize"),
    ("p99는 왜 p95보다 높아?", "answer"),
)


def shape(plan: Plan) -> str:
    """The plan as 'action(after) ...'."""
    return " ".join(
        step.action + (f"({','.join(map(str, step.after))})" if step.after else "")
        for step in plan.steps
    )


@pytest.mark.parametrize(("question", "expected"), PLANS)
def test_a_question_gets_the_plan_that_a_person_would_make(question: str, expected: str) -> None:
    assert shape(rule_plan(question, has_profile=False)) == expected
    assert read_intent(question).is_look_up == (expected == "answer")


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is hedging?", "answer personalize(1)"),
        ("헤징이 뭐야?", "answer personalize(1)"),
        ("what failed? analyze it", "answer analyze(1) personalize(1,2)"),
        ("뭐가 실패했어? 분석해줘", "answer analyze(1) personalize(1,2)"),
        ("Compare A and B", COMPARE_2 + " personalize(3)"),
        ("A와 B를 비교해줘", COMPARE_2 + " personalize(3)"),
        ("Which engine should I choose?", "personalize"),
        ("어떤 엔진을 골라야 할까?", "personalize"),
    ],
)
def test_with_a_profile_the_reader_is_written_for_last(question: str, expected: str) -> None:
    assert shape(rule_plan(question, has_profile=True)) == expected


@pytest.mark.parametrize(
    ("question", "allowed", "expected"),
    [
        ("what failed? analyze it", ("answer",), "answer answer(1)"),
        ("Compare A and B", ("answer", "retrieve"), "retrieve retrieve answer(1,2)"),
        ("A와 B를 비교해줘", ("answer", "analyze"), "analyze"),
        ("이 문서를 요약해 줘", ("answer",), "answer"),
        ("Which engine should I choose?", ("answer",), "answer"),
        ("초보자에게 맞게 요약해 줘", ("answer", "summarize"), "summarize"),
    ],
)
def test_answer_stands_in_for_an_action_that_is_not_open(
    question: str, allowed: tuple[Action, ...], expected: str
) -> None:
    assert shape(rule_plan(question, has_profile=True, allowed=allowed)) == expected


def test_more_asks_than_steps_are_joined_by_action_and_none_is_dropped() -> None:
    question = " ".join(f"What is part {n}?" for n in range(6)) + " Then compare A, B and C."
    plan = rule_plan(question, has_profile=True)
    assert shape(plan) == "answer retrieve retrieve analyze(2,3) personalize(1,4)"
    first = plan.steps[0]
    assert first.action == "answer"
    assert first.focus.count("What is part") == 6
    assert [step.query for step in plan.steps if step.action == "retrieve"] == ["A", "B, C"]


def test_a_long_question_is_cut_between_words() -> None:
    step = rule_plan("What is " + "tail latency " * 40 + "?", has_profile=False).steps[0]
    assert step.action == "answer"
    assert 180 < len(step.focus) <= 200
    assert step.focus.endswith((" tail", " latency"))


SCRAPS = st.sampled_from(
    [question for question, _ in PLANS] + [" ", ", ", " and ", "?", "그리고 ", "하고 ", "vs ", "\n"]
)
TEXTS = st.one_of(
    st.text(st.characters()),
    st.lists(SCRAPS, max_size=12).map("".join),
    st.builds(lambda text, times: text * times, st.text(min_size=1), st.integers(1, 400)),
)
ALLOWED = st.sets(st.sampled_from([action for action in ACTIONS if action != "answer"]))


@given(TEXTS, st.booleans(), ALLOWED)
def test_any_text_gets_a_plan_that_holds_the_contract(
    text: str, has_profile: bool, others: set[Action]
) -> None:
    allowed: set[Action] = {"answer", *others}
    plan = rule_plan(text, has_profile=has_profile, allowed=allowed)
    required = set(read_intent(text).required) & allowed
    assert validate_plan(plan.model_dump_json(), allowed=allowed, required=required) == plan
