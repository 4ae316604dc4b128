"""Support on true sentences in other words, and on the same sentences with one thing changed."""

import pytest

from graph.evidence import Language, Passage
from nodes.judge.faults import Fault
from nodes.judge.support import Support, support
from nodes.text.sentences import detect_language, split_sentences
from tests.nodes.texts import (
    CACHE_EN,
    CACHE_KO,
    ENGLISH,
    KOREAN,
    LATENCY_EN,
    LATENCY_KO,
    OPERATIONS_EN,
    OPERATIONS_KO,
    passage,
)

PARAPHRASES = [
    (CACHE_EN, "The prefix cache can only reuse full blocks."),
    (CACHE_EN, "Each block holds the keys and values of 16 tokens."),
    (CACHE_EN, "The cache needs 128 KiB for each token when there are 32 layers."),
    (CACHE_EN, "A 4k-token prompt holds 500 MiB."),
    (CACHE_EN, "A cache salt keeps two tenants' blocks apart."),
    (CACHE_EN, "Evicting blocks follows the order of their last use."),
    (LATENCY_EN, "Decode is bound by memory bandwidth."),
    (LATENCY_EN, "The first token of a 900-token prompt took 350 ms on the H100."),
    (
        LATENCY_EN,
        "With larger batches the system's throughput rises and the speed of each stream falls.",
    ),
    (LATENCY_EN, "Requests with a JSON schema do not use speculative decoding."),
    (LATENCY_EN, "A cold replica is slower than a warm one."),
    (OPERATIONS_EN, "Ray Serve adds a replica when ongoing requests per replica exceed 5."),
    (OPERATIONS_EN, "An upgrade needs 2x the GPUs, since KubeRay starts a second cluster."),
    (OPERATIONS_EN, "Errors of status 400 are never retried."),
    (OPERATIONS_EN, "The node costs $2.50 per hour to rent."),
    (CACHE_KO, "접두사 캐시가 다시 쓰는 것은 가득 찬 블록뿐이다."),
    (CACHE_KO, "블록 하나에는 토큰 16개의 키와 값이 보관됩니다."),
    (CACHE_KO, "층이 32개일 때 캐시는 토큰당 128 KiB를 차지합니다."),
    (CACHE_KO, "4천 토큰 프롬프트는 500MiB를 쓴다."),
    (CACHE_KO, "두 테넌트의 블록은 캐시솔트로 나눈다."),
    (CACHE_KO, "블록을 비우는 순서는 마지막으로 쓴 순서다."),
    (LATENCY_KO, "디코드는 메모리 대역폭에 묶입니다."),
    (LATENCY_KO, "H100에서 900토큰 프롬프트의 첫 토큰까지 350밀리초가 걸렸다."),
    (LATENCY_KO, "배치를 키우면 시스템 처리량이 높아지지만 스트림 하나는 느려집니다."),
    (LATENCY_KO, "추측 디코딩은 JSON 스키마가 있는 요청에 쓰지 않습니다."),
    (LATENCY_KO, "차가운 복제본은 데워진 복제본보다 느리게 답한다."),
    (OPERATIONS_KO, "복제본당 진행 중인 요청이 5개를 넘으면 Ray Serve가 복제본을 늘립니다."),
    (OPERATIONS_KO, "KubeRay가 두 번째 클러스터를 띄우므로 업그레이드에는 GPU가 2배 필요하다."),
    (OPERATIONS_KO, "상태가 400인 오류는 재시도하지 않습니다."),
    (OPERATIONS_KO, "노드를 빌리는 값은 시간당 2.5달러입니다."),
]

MUTANTS = [
    # number
    (CACHE_EN, "number", "Each block holds the keys and values of 32 tokens."),
    (CACHE_EN, "number", "A prompt of 4,500 tokens therefore holds 500 MiB."),
    (CACHE_EN, "number", "The cache salt keeps the blocks of three tenants apart."),
    (LATENCY_EN, "number", "The first token of a 900-token prompt took 250 ms on the H100."),
    (
        LATENCY_EN,
        "number",
        "On the H100 it took 0.35 seconds until the first token and 81 ms after it.",
    ),
    (OPERATIONS_EN, "number", "A failed call is tried again at most three times."),
    (OPERATIONS_EN, "number", "Ray Serve adds a replica when the ongoing requests exceed 15."),
    (CACHE_KO, "number", "블록 하나에는 토큰 32개의 키와 값이 보관된다."),
    (CACHE_KO, "number", "4,500토큰짜리 프롬프트는 500MiB를 쓴다."),
    (CACHE_KO, "number", "캐시 솔트는 세 테넌트의 블록을 서로 나눈다."),
    (LATENCY_KO, "number", "H100에서 900토큰 프롬프트의 첫 토큰까지 250밀리초가 걸렸다."),
    (
        LATENCY_KO,
        "number",
        "H100에서 첫 토큰까지 0.35초가 걸렸고 그 뒤로는 토큰마다 81ms가 걸렸다.",
    ),
    (OPERATIONS_KO, "number", "실패한 호출은 최대 세 번 다시 시도한다."),
    (OPERATIONS_KO, "number", "복제본당 진행 중인 요청이 열 개를 넘으면 복제본을 늘린다."),
    # unit
    (CACHE_EN, "number", "The cache takes 128 MiB per token with 32 layers."),
    (CACHE_EN, "number", "A prompt of 4,000 tokens holds 500 GiB."),
    (LATENCY_EN, "number", "The call took 0.35 minutes until the first token."),
    (LATENCY_EN, "number", "The call took 18 seconds for each token after the first token."),
    (OPERATIONS_EN, "number", "Renting the node costs 2.50 dollars a day."),
    (OPERATIONS_EN, "number", "Renting the node costs 2.50 euros an hour."),
    (CACHE_KO, "number", "층이 32개면 캐시는 토큰당 128MiB를 차지한다."),
    (CACHE_KO, "number", "4,000토큰짜리 프롬프트는 500GiB를 쓴다."),
    (LATENCY_KO, "number", "첫 토큰까지 0.35분이 걸렸다."),
    (LATENCY_KO, "number", "그 뒤로는 토큰마다 18초가 걸렸다."),
    (OPERATIONS_KO, "number", "노드를 빌리는 값은 하루당 2.50달러다."),
    (OPERATIONS_KO, "number", "노드를 빌리는 값은 시간당 2.50유로다."),
    # name
    (LATENCY_EN, "name", "On the A100 a call with 900 prompt tokens took 0.35 seconds."),
    (LATENCY_EN, "name", "Speculative decoding is never used for requests with an XML schema."),
    (OPERATIONS_EN, "name", "An upgrade needs twice the TPUs."),
    (OPERATIONS_EN, "altered", "Knative starts a second cluster before it stops the first one."),
    (
        OPERATIONS_EN,
        "name",
        "Triton Server adds a replica when the requests per replica exceed five.",
    ),
    (LATENCY_KO, "name", "A100에서 프롬프트가 900토큰인 호출은 첫 토큰까지 0.35초가 걸렸다."),
    (LATENCY_KO, "name", "XML 스키마가 있는 요청에는 추측 디코딩을 쓰지 않는다."),
    (OPERATIONS_KO, "name", "업그레이드에는 TPU가 두 배 필요하다."),
    (OPERATIONS_KO, "name", "Knative는 첫 클러스터를 멈추기 전에 두 번째 클러스터를 띄운다."),
    (OPERATIONS_KO, "name", "Triton은 복제본당 진행 중인 요청이 다섯 개를 넘으면 복제본을 늘린다."),
    # negation
    (CACHE_EN, "negation", "A prompt that differs in its first token does not reuse nothing."),
    (CACHE_EN, "negation", "The cache salt does not keep the blocks of two tenants apart."),
    (LATENCY_EN, "negation", "Speculative decoding is used for requests with a JSON schema."),
    (LATENCY_EN, "negation", "Decode is not bound by memory bandwidth."),
    (OPERATIONS_EN, "negation", "Errors of status 400 are retried."),
    (OPERATIONS_EN, "negation", "The gateway never refuses a request without a tenant."),
    (OPERATIONS_EN, "negation", "The gateway refuses a request with a tenant."),
    (CACHE_KO, "negation", "첫 토큰이 다른 프롬프트는 재사용한다."),
    (CACHE_KO, "negation", "캐시 솔트는 두 테넌트의 블록을 서로 나누지 않는다."),
    (LATENCY_KO, "negation", "JSON 스키마가 있는 요청에는 추측 디코딩을 쓴다."),
    (LATENCY_KO, "negation", "디코드는 메모리 대역폭에 묶이지 않는다."),
    (OPERATIONS_KO, "negation", "상태가 400인 오류는 재시도한다."),
    (OPERATIONS_KO, "negation", "게이트웨이는 테넌트가 없는 요청을 거절하지 않는다."),
    (OPERATIONS_KO, "negation", "게이트웨이는 테넌트가 있는 요청을 거절한다."),
    # direction
    (LATENCY_EN, "direction", "Larger batches lower the throughput of the system."),
    (LATENCY_EN, "direction", "Smaller batches raise the throughput of the system."),
    (LATENCY_EN, "direction", "A warm replica answers slower than a cold one."),
    (LATENCY_EN, "direction", "A cold replica answers faster than a warm one."),
    (OPERATIONS_EN, "direction", "KubeRay starts a second cluster after it stops the first one."),
    (OPERATIONS_EN, "direction", "A failed call is tried again at least two times."),
    (OPERATIONS_EN, "direction", "The gateway accepts a request without a tenant."),
    (LATENCY_KO, "direction", "배치를 키우면 시스템의 처리량은 낮아진다."),
    (LATENCY_KO, "direction", "배치를 키우면 스트림 하나의 속도는 빨라진다."),
    (LATENCY_KO, "direction", "데워진 복제본은 차가운 복제본보다 느리게 답한다."),
    (LATENCY_KO, "direction", "차가운 복제본은 데워진 복제본보다 빠르게 답한다."),
    (OPERATIONS_KO, "direction", "진행 중인 요청이 다섯 개를 넘으면 복제본을 줄인다."),
    (OPERATIONS_KO, "direction", "실패한 호출은 최소 두 번 다시 시도한다."),
    (OPERATIONS_KO, "direction", "게이트웨이는 테넌트가 없는 요청을 허용한다."),
    # a word in the place of another
    (CACHE_EN, "altered", "Blocks are evicted in the order of their size."),
    (CACHE_EN, "altered", "The cache password keeps the blocks of two tenants apart."),
    (LATENCY_EN, "altered", "Prefill is bound by networking."),
    (CACHE_KO, "altered", "캐시 암호는 두 테넌트의 블록을 서로 나눈다."),
    (LATENCY_KO, "altered", "프리필은 네트워크에 묶이고 디코드는 메모리 대역폭에 묶인다."),
    (OPERATIONS_KO, "altered", "스케줄러는 테넌트가 없는 요청을 거절한다."),
]


@pytest.mark.parametrize(("source", "sentence"), PARAPHRASES)
def test_a_true_sentence_in_other_words_is_supported(source: Passage, sentence: str) -> None:
    judged = support(sentence, [source])
    assert judged.holds, judged


@pytest.mark.parametrize("source", [*ENGLISH, *KOREAN])
def test_every_sentence_of_a_passage_has_full_support(source: Passage) -> None:
    scores = {sentence: support(sentence, [source]) for sentence in split_sentences(source.text)}
    assert scores == dict.fromkeys(scores, Support(1.0))


@pytest.mark.parametrize(("source", "kind", "sentence"), MUTANTS)
def test_a_changed_sentence_is_not_supported(source: Passage, kind: str, sentence: str) -> None:
    judged = support(sentence, [source])
    assert not judged.holds, (kind, judged)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_tables_hold_as_many_rows_of_each_language(language: Language) -> None:
    assert 2 * sum(detect_language(row[1]) == language for row in PARAPHRASES) == len(PARAPHRASES)
    assert 2 * sum(detect_language(row[2]) == language for row in MUTANTS) == len(MUTANTS)
    assert len(MUTANTS) >= 60


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (CACHE_EN, "The keys of the salt are evicted in the order of 32 tenants."),
        (LATENCY_EN, "Prefill of a warm replica raises the memory bandwidth of the schema."),
        (CACHE_KO, "솔트의 키는 테넌트 32개의 순서대로 비운다."),
        (LATENCY_KO, "데워진 복제본의 프리필은 스키마의 메모리 대역폭을 높인다."),
    ],
)
def test_a_sentence_stitched_from_far_parts_is_not_supported(
    source: Passage, sentence: str
) -> None:
    assert not support(sentence, [source]).holds


@pytest.mark.parametrize(
    ("sources", "sentence"),
    [
        (
            (CACHE_EN, OPERATIONS_EN),
            "A prefix cache reuses full blocks only, and the gateway refuses a request without "
            "a tenant.",
        ),
        (
            (CACHE_KO, OPERATIONS_KO),
            "접두사 캐시는 가득 찬 블록만 다시 쓰고, 게이트웨이는 테넌트가 없는 요청을 거절한다.",
        ),
    ],
)
def test_clauses_may_stand_on_different_passages(
    sources: tuple[Passage, Passage], sentence: str
) -> None:
    assert support(sentence, sources).holds
    assert not support(sentence, sources[:1]).holds


@pytest.mark.parametrize(
    "sentence", ["Yes, it does.", "That is so.", "네, 그렇습니다.", "그것이다."]
)
def test_a_sentence_that_says_nothing_has_no_support(sentence: str) -> None:
    assert support(sentence, [*ENGLISH, *KOREAN]) == Support(0.0, (Fault("empty"),))


@pytest.mark.parametrize(
    ("sentence", "source"),
    [
        (
            "Layer 3 batches the requests at every step.",
            ("It batches the requests at every step.", "Layer 3"),
        ),
        ("3층은 단계마다 요청을 묶는다.", ("단계마다 요청을 묶는다.", "3층")),
    ],
)
def test_headings_lend_their_words_to_the_sentences_below(
    sentence: str, source: tuple[str, str]
) -> None:
    text, heading = source
    assert support(sentence, [passage("layers", text, heading)]).holds
    assert not support(sentence, [passage("layers", text)]).holds


def test_faults_are_told_in_both_languages() -> None:
    fault = support("The cache takes 128 TiB per token with 32 layers.", [CACHE_EN]).faults[0]
    assert fault.in_words("en") == "not in the passages as a number with its unit: 128 TiB"
    assert fault.in_words("ko") == "근거에 없는 수나 단위: 128 TiB"


def test_no_passage_gives_no_support() -> None:
    assert not support("A prefix cache reuses full blocks only.", []).holds
