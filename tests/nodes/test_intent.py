"""What a question asks for: look-ups that look like orders, things compared, separate questions."""

import pytest

from nodes.question.intent import READ_CHARS, read_intent

LOOK_UPS = (
    "What is hedging?",
    "Why does the tail grow in a chain?",
    "What does the analysis step cost?",
    "What is the analysis layer?",
    "What is compare-and-swap?",
    "Which plan does the scheduler run first?",
    "Show the plan of the migration",
    "How do nodes summarize and analyze passages?",
    "How does the planner compare two plans?",
    "Which nodes summarize and analyze passages?",
    "How to summarize a long log?",
    "What do the summary statistics of the load test show?",
    "Show the summary statistics of the load test",
    "Where is the summary cache stored?",
    "Who owns the comparison tool?",
    "what is a recommendation engine",
    "What does the handbook recommend for timeouts?",
    "what failed and why?",
    "explain hedging",
    "Please tell me about admission control",
    "Could you explain the KV cache?",
    "tail latency of a chain",
    "The pilot ended in May. What failed?",
    "According to the handbook, why can percentiles not be added?",
    "In a chain, why does the tail grow?",
    "List the stages of the pipeline",
    "What happens when the queue is full and the deadline has passed?",
    "Do tasks need more than one call?",
    "Does a task ever take more than five minutes?",
    "What happens in step 2, when a node fails or a task is late?",
    "How do nodes and planners compare two plans?",
    "What failed? Explain why.",
    "What is 접두사 캐시?",
    "요약 캐시란 무엇인가?",
    "분석 단계는 비용이 얼마나 들어?",
    "분석 계층이 뭐야",
    "비교 교환 연산이 뭐야",
    "사슬에서 꼬리 지연은 왜 늘어나나요?",
    "왜 파일럿이 실패했어?",
    "왜 파일럿이 실패했어",
    "헤징을 설명해 줘",
    "꼬리 지연 알려줘",
    "승인 제어에 대해 알려 주시겠어요?",
    "요약하는 노드는 어떤 모델을 쓰나요?",
    "요약하고 분석하는 노드는 무엇인가?",
    "요약은 어떻게 동작해?",
    "요약 통계를 보여 줘",
    "분석한 결과는 어디에 저장돼?",
    "비교 결과는 몇 쪽에 있어?",
    "추천 시스템이란 무엇인가요?",
    "권장 타임아웃은 몇 초인가?",
    "파일럿은 5월에 끝났다. 무엇이 실패했어?",
    "리틀의 법칙",
    "계획은 누가 만드나",
    "열린 루프와 닫힌 루프는 몇 쪽에 나와?",
    "무엇이 실패했어? 왜?",
    "prefix cache가 뭐예요?",
    "A와 B를 비교하는 노드는 무엇인가요?",
    "결과가 하나만 맞는지 어떻게 확인해?",
    "대기열이 가득 차면 어떻게 되나요",
)

COMPARED = (
    ("Compare open loops and closed loops", ("open loops", "closed loops")),
    ("Show the comparison of A and B", ("A", "B")),
    ("compare vLLM with SGLang in terms of cost", ("vLLM", "SGLang")),
    ("Compare the cost and speed of hedging and retrying", ("hedging", "retrying")),
    ("What is the difference between a router and a planner?", ("router", "planner")),
    ("How does hedging differ from retrying?", ("hedging", "retrying")),
    ("How do routers and planners differ?", ("routers", "planners")),
    ("hedging vs. retrying", ("hedging", "retrying")),
    ("Which is cheaper, hedging or retrying?", ("hedging", "retrying")),
    ("Is hedging cheaper than retrying?", ("hedging", "retrying")),
    ("Compare time to first token with throughput", ("time to first token", "throughput")),
    ("Compare Redis, SQLite and PostgreSQL", ("Redis", "SQLite", "PostgreSQL")),
    ("A와 B를 비교해 주세요", ("A", "B")),
    ("열린 루프랑 닫힌 루프 비교해줘", ("열린 루프", "닫힌 루프")),
    ("헤징과 재시도의 차이가 뭐야", ("헤징", "재시도")),
    ("헤징과 재시도는 서로 어떻게 달라?", ("헤징", "재시도")),
    ("효과와 결과를 비교해라", ("효과", "결과")),
    ("A와 B의 비용을 비교해줘", ("A", "B")),
    ("헤징하고 재시도 중 뭐가 더 싸?", ("헤징", "재시도")),
    ("헤징은 재시도보다 싼가?", ("헤징", "재시도")),
    ("헤징 대 재시도", ("헤징", "재시도")),
    ("레디스, 스큐라이트, 포스트그레스를 비교해 줘", ("레디스", "스큐라이트", "포스트그레스")),
    ("KV cache와 prefix cache의 차이를 설명해줘", ("KV cache", "prefix cache")),
    ("compare 헤징 and 재시도", ("헤징", "재시도")),
)

SEPARATE = (
    (
        "What is hedging and how does retrying work?",
        ("What is hedging", "how does retrying work?"),
    ),
    ("What is hedging? Who owns it?", ("What is hedging?", "Who owns it?")),
    ("what failed? analyze it", ("what failed?",)),
    ("헤징은 무엇이고 재시도는 어떻게 동작해?", ("헤징은 무엇이고", "재시도는 어떻게 동작해?")),
    ("헤징이 뭐야? 누가 만들었어?", ("헤징이 뭐야?", "누가 만들었어?")),
    ("무엇이 실패했어? 분석해줘", ("무엇이 실패했어?",)),
)


@pytest.mark.parametrize("question", LOOK_UPS)
def test_a_plain_question_is_a_look_up_whatever_nouns_it_holds(question: str) -> None:
    intent = read_intent(question)
    assert intent.is_look_up, intent
    assert intent.required == ()


@pytest.mark.parametrize(("question", "things"), COMPARED)
def test_a_comparison_names_its_things(question: str, things: tuple[str, ...]) -> None:
    intent = read_intent(question)
    assert tuple(thing for ask in intent.asks for thing in ask.compared) == things
    assert intent.required == ("analyze",)


@pytest.mark.parametrize(("question", "questions"), SEPARATE)
def test_separate_questions_are_told_apart(question: str, questions: tuple[str, ...]) -> None:
    intent = read_intent(question)
    assert tuple(ask.text for ask in intent.asks if ask.action == "answer") == questions
    assert not intent.is_look_up


@pytest.mark.parametrize(
    ("question", "actions"),
    [
        ("Analyze the outage, then summarize it", ("analyze", "summarize")),
        ("Summarize the outage, then analyze it", ("summarize", "analyze")),
        ("장애를 분석하고 요약해 줘", ("analyze", "summarize")),
        ("장애를 요약한 다음 분석해 줘", ("summarize", "analyze")),
        (
            "What failed? Analyze it and recommend a fix for my team",
            ("answer", "analyze", "personalize"),
        ),
        (
            "뭐가 실패했어? 분석하고 우리 팀에 맞는 대책을 추천해 줘",
            ("answer", "analyze", "personalize"),
        ),
    ],
)
def test_actions_stand_in_the_order_of_the_words(question: str, actions: tuple[str, ...]) -> None:
    assert read_intent(question).actions == actions


def test_a_long_paste_does_not_hide_the_order_at_its_end() -> None:
    intent = read_intent("The queue was full. " * READ_CHARS + "Summarize this.")
    assert intent.actions == ("summarize",)


def test_a_text_that_asks_nothing_is_a_look_up() -> None:
    assert read_intent("").is_look_up
    assert read_intent("...").is_look_up
