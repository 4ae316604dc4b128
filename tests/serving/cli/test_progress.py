"""What long work says where there is no terminal."""

import pytest

from knowledge.report import Progress
from serving.cli.progress import LINE_EVERY_S, progress_lines


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_work_that_is_shorter_than_a_pause_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    show = progress_lines(clock)
    for done in range(10):
        clock.now = done * LINE_EVERY_S / 11
        show(Progress("read", done, 10))
    assert capsys.readouterr() == ("", "")


def test_long_work_says_now_and_then_how_much_is_done_and_left(
    capsys: pytest.CaptureFixture[str],
) -> None:
    clock = Clock()
    show = progress_lines(clock)
    show(Progress("read", 1, 1))
    for done in range(0, 1_201, 4):  # four passages a second
        clock.now = done / 4
        show(Progress("embed", done, 2_400))
    out, err = capsys.readouterr()
    lines = err.splitlines()
    assert (out, len(lines)) == ("", 300 / LINE_EVERY_S)
    assert lines[0] == "[  10 s] embedding: 40 of 2,400, 0:09:50 left"
    assert lines[-1] == "[ 300 s] embedding: 1,200 of 2,400, 0:05:00 left"


def test_each_phase_has_an_estimate_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    show = progress_lines(clock)
    for done in (0, 50, 100):
        show(Progress("read", done, 100))
        clock.now += 1
    clock.now = LINE_EVERY_S
    show(Progress("calibrate", 0, 80))
    assert capsys.readouterr().err == "[  10 s] calibrating the gate: 0 of 80\n"
