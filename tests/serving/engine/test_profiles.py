import pytest
import yaml

from graph.errors import ConfigError
from serving.engine.hardware import Gpu, parse_gpus
from serving.engine.profiles import NEEDS, PROFILES_DIR, all_profiles, choose_profile, load_profile

# As nvidia-smi reports them, in MiB.
CARD_12 = "12282, 12000"
CARD_24 = "24564, 24100"
CARD_40 = "40960, 40500"
CARD_80 = "81559, 81000"
CARD_8 = "8192, 8000"


@pytest.mark.parametrize(
    ("cards", "name"),
    [
        ([], "cpu-smollm2"),
        ([CARD_8], "cpu-smollm2"),
        ([CARD_8, CARD_8], "cpu-smollm2"),
        ([CARD_12], "gpu-qwen3-8b-awq"),
        ([CARD_24], "gpu-qwen3-8b-awq"),
        ([CARD_24, CARD_24], "gpu-qwen3-8b-awq"),
        ([CARD_80], "gpu-qwen3-8b-awq"),
        ([CARD_80, CARD_24], "gpu-qwen3-8b-awq"),
        ([CARD_40, CARD_40], "gpu-qwen3-30b"),
        ([CARD_80, CARD_80], "gpu-qwen3-30b"),
        ([CARD_80] * 8, "gpu-qwen3-30b"),
    ],
)
def test_a_machine_gets_the_largest_model_that_fits(cards: list[str], name: str) -> None:
    assert choose_profile(parse_gpus("\n".join(cards))).name == name


def test_a_gpu_without_a_memory_figure_is_left_out() -> None:
    assert parse_gpus("[N/A], [N/A]\n1024, 512\n") == [Gpu(total_gib=1.0, free_gib=0.5)]


@pytest.mark.parametrize("name", NEEDS)
def test_every_profile_reuses_prefixes_and_reports_it(name: str) -> None:
    flags = yaml.safe_load(load_profile(name).path.read_text())
    assert flags["enable-prefix-caching"] is True
    assert flags["enable-chunked-prefill"] is True
    assert flags["enable-prompt-tokens-details"] is True
    assert flags["max-model-len"] >= 8192
    assert not {"host", "port"} & flags.keys()


def test_every_file_is_a_profile_and_says_for_whom() -> None:
    assert {path.stem for path in PROFILES_DIR.glob("*.yaml")} == set(NEEDS)
    assert all(profile.for_whom.startswith("For ") for profile in all_profiles())


def test_tensor_parallelism_matches_the_number_of_gpus() -> None:
    for profile in all_profiles():
        flags = yaml.safe_load(profile.path.read_text())
        assert flags.get("tensor-parallel-size", 1) == max(profile.need.gpu_count, 1)


def test_an_unknown_profile_is_answered_with_the_known_ones() -> None:
    with pytest.raises(ConfigError, match="cpu-smollm2, cpu-qwen3"):
        load_profile("gpu-huge")
