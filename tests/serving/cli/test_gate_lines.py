"""What `status` and `calibrate` say about the gate."""

from dataclasses import replace

import pytest

from knowledge.domain import Calibration, Expected, Rate
from serving.cli.status import gate_lines
from tests.knowledge.test_domain import CALIBRATION

CAUTIOUS = Calibration(method="cautious", corpus="abc", passages=19, changes=19)


def test_the_rates_to_expect_are_shown_with_their_intervals_by_kind_script_and_language() -> None:
    expected = Expected(
        own=Rate(0.025, 0.014, 0.044, 400),
        own_by_kind={"full": Rate(0.02, 0.01, 0.04, 300), "cross": Rate(0.04, 0.02, 0.09, 100)},
        own_by_script={"latin": Rate(0.02, 0.01, 0.04, 300), "hangul": Rate(0.03, 0.01, 0.07, 100)},
        foreign={"en": Rate(0.96, 0.93, 0.98, 290), "ko": Rate(0.91, 0.87, 0.94, 280)},
    )
    told = list(gate_lines(replace(CALIBRATION, expected=expected)))
    assert told[1:] == [
        "gate, expected to refuse of questions made from the documents: 2.5% (1.4% to 4.4%); "
        "full 2.0% (1.0% to 4.0%), cross 4.0% (2.0% to 9.0%); "
        "latin 2.0% (1.0% to 4.0%), hangul 3.0% (1.0% to 7.0%)",
        "gate, expected to refuse of foreign questions: "
        "en 96.0% (93.0% to 98.0%), ko 91.0% (87.0% to 94.0%)",
    ]


@pytest.mark.parametrize(
    ("passages", "why"),
    [(19, "fewer than 20 passages"), (20, "too few questions can be made of these passages")],
)
def test_the_cautious_rule_says_why_it_stands_in(passages: int, why: str) -> None:
    (told,) = gate_lines(replace(CAUTIOUS, passages=passages))
    assert "cautious rule" in told
    assert why in told
