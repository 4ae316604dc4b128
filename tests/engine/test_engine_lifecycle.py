"""What the product relies on in the real server, which is started if it is not up."""

import json
import subprocess
import time

import httpx
import pytest

from evals.load.cancels import running
from serving.engine.command import venv_python
from serving.engine.profiles import NEEDS, load_profile
from serving.engine.state import EngineState
from serving.settings import load_settings
from tests.engine.metrics import finished, nothing_is_generated
from tests.waiting import until

pytestmark = pytest.mark.engine

TIMEOUT_S = 120.0
PARSE_PROFILES = """
import json, sys
from vllm.entrypoints.launchers.cli_args import make_arg_parser
from vllm.utils.argparse_utils import FlexibleArgumentParser
for path in sys.argv[1:]:
    parser = make_arg_parser(FlexibleArgumentParser())
    parsed = parser.parse_args(["--config", path, "--model", "m"])
    print(json.dumps([parsed.enable_prefix_caching, parsed.enable_chunked_prefill,
                      parsed.enable_prompt_tokens_details]))
"""


def ask(engine: EngineState, question: str, **options: object) -> dict[str, object]:
    body = {"model": engine.model, "messages": [{"role": "user", "content": question}], **options}
    reply = httpx.post(engine.base_url + "/chat/completions", json=body, timeout=TIMEOUT_S)
    return dict(reply.raise_for_status().json())


def test_a_repeated_prompt_is_read_from_the_prefix_cache(engine: EngineState) -> None:
    question = f"{time.time_ns()} " + "The prefix cache keeps what was computed. " * 40
    cached = []
    for _ in range(2):
        usage = ask(engine, question, max_tokens=1)["usage"]
        assert isinstance(usage, dict)
        cached.append(usage["prompt_tokens_details"]["cached_tokens"])
    assert cached[0] < 64
    assert cached[1] > 256


@pytest.mark.parametrize("question", ["Describe Paris.", "서울을 설명해 주세요."])
def test_an_answer_under_a_schema_is_valid(engine: EngineState, question: str) -> None:
    schema = {
        "type": "object",
        "properties": {"kind": {"enum": ["city", "river"]}},
        "required": ["kind"],
        "additionalProperties": False,
    }
    wanted = {"type": "json_schema", "json_schema": {"name": "place", "schema": schema}}
    reply = ask(engine, question, max_tokens=40, response_format=wanted)
    choices = reply["choices"]
    assert isinstance(choices, list)
    assert json.loads(choices[0]["message"]["content"])["kind"] in ("city", "river")


async def test_a_client_that_leaves_frees_the_engine(engine: EngineState) -> None:
    body = {
        "model": engine.model,
        "messages": [{"role": "user", "content": "Write a long story."}],
        "max_tokens": 4000,
        "ignore_eos": True,
        "stream": True,
    }
    url = engine.base_url + "/chat/completions"
    before = finished(engine.root_url)
    async with (
        httpx.AsyncClient(timeout=TIMEOUT_S) as client,
        client.stream("POST", url, json=body),
    ):
        await until(lambda: running(engine.root_url) == 1)
    await until(lambda: running(engine.root_url) == 0)
    await nothing_is_generated(engine.root_url)
    assert finished(engine.root_url) == before


def test_vllm_itself_reads_every_profile() -> None:
    paths = [str(load_profile(name).path) for name in NEEDS]
    done = subprocess.run(
        [str(venv_python(load_settings())), "-c", PARSE_PROFILES, *paths],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=True,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("[")]
    assert lines == ["[true, true, true]"] * len(paths)
