"""Passages about serving language models, English and Korean, for the tests of text judgement."""

from graph.evidence import Passage


def passage(name: str, text: str, *heading: str, page: int = 1, start: int = 0) -> Passage:
    return Passage(
        id=name,
        document=f"{name}.pdf",
        title="Serving notes",
        page=page,
        start=start,
        end=start + len(text),
        heading=heading,
        text=text,
    )


CACHE_EN = passage(
    "cache-en",
    "The engine keeps the keys and values of finished tokens in blocks of 16 tokens. A prefix "
    "cache reuses full blocks only, so a prompt that differs in its first token reuses nothing. "
    "With 32 layers the cache takes 128 KiB per token, and a prompt of 4,000 tokens therefore "
    "holds 500 MiB. Blocks are evicted in the order of their last use. The cache salt keeps the "
    "blocks of two tenants apart.",
)
LATENCY_EN = passage(
    "latency-en",
    "Prefill is bound by arithmetic, whereas decode is bound by memory bandwidth. On the H100 a "
    "call with 900 prompt tokens took 0.35 seconds until the first token and 18 ms for each token "
    "after it. Larger batches raise the throughput of the system and lower the speed of each "
    "stream. Speculative decoding is never used for requests with a JSON schema. A warm replica "
    "answers faster than a cold one.",
)
OPERATIONS_EN = passage(
    "operations-en",
    "KubeRay starts a second cluster before it stops the first one, so an upgrade needs twice the "
    "GPUs. The gateway refuses a request without a tenant. Ray Serve adds a replica when the "
    "ongoing requests per replica exceed five. A failed call is tried again at most two times, "
    "and errors of status 400 are not retried. Renting the node costs 2.50 dollars an hour.",
)
CACHE_KO = passage(
    "cache-ko",
    "엔진은 끝난 토큰의 키와 값을 토큰 16개짜리 블록에 보관한다. 접두사 캐시는 가득 찬 블록만 "
    "다시 쓰므로 첫 토큰이 다른 프롬프트는 아무것도 재사용하지 못한다. 층이 32개면 캐시는 토큰당 "
    "128KiB를 차지하고, 4,000토큰짜리 프롬프트는 500MiB를 쓴다. 블록은 마지막으로 쓴 순서대로 "
    "비운다. 캐시 솔트는 두 테넌트의 블록을 서로 나눈다.",
)
LATENCY_KO = passage(
    "latency-ko",
    "프리필은 연산에 묶이고 디코드는 메모리 대역폭에 묶인다. H100에서 프롬프트가 900토큰인 "
    "호출은 첫 토큰까지 0.35초가 걸렸고 그 뒤로는 토큰마다 18ms가 걸렸다. 배치를 키우면 "
    "시스템의 처리량은 높아지고 스트림 하나의 속도는 느려진다. JSON 스키마가 있는 요청에는 "
    "추측 디코딩을 쓰지 않는다. 데워진 복제본은 차가운 복제본보다 빠르게 답한다.",
)
OPERATIONS_KO = passage(
    "operations-ko",
    "KubeRay는 첫 클러스터를 멈추기 전에 두 번째 클러스터를 띄우므로 업그레이드에는 GPU가 두 배 "
    "필요하다. 게이트웨이는 테넌트가 없는 요청을 거절한다. Ray Serve는 복제본당 진행 중인 요청이 "
    "다섯 개를 넘으면 복제본을 늘린다. 실패한 호출은 최대 두 번 다시 시도하고, 상태가 400인 오류는 "
    "재시도하지 않는다. 노드를 빌리는 값은 시간당 2.50달러다.",
)
ENGLISH = (CACHE_EN, LATENCY_EN, OPERATIONS_EN)
KOREAN = (CACHE_KO, LATENCY_KO, OPERATIONS_KO)
