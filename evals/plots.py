"""Plots of results as SVG that stands in a page as it is."""

from collections import defaultdict
from collections.abc import Sequence
from io import StringIO

import matplotlib as mpl
import numpy as np
from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.metrics import roc_curve

from evals.statistics import wilson
from evals.suite import Numbers, Reliability, Result, Separation

BINS = 10
MIN_SAMPLES = 10
CLOSE = 0.2
"""The share of false refusals up to which the second plot shows the curves larger."""


def draw(plot: Separation | Reliability, results: Sequence[Result]) -> list[Markup]:
    """One plot for each corpus and language that has enough results for it."""
    parts: defaultdict[str, list[Result]] = defaultdict(list)
    for result in results:
        if result.error is None:
            parts[f"{result.sample.corpus}, {result.sample.language}"].append(result)
    with mpl.rc_context(
        {"svg.fonttype": "none", "svg.hashsalt": "evals", "text.parse_math": False}
    ):
        drawn = [
            _separation(name, plot, part)
            if isinstance(plot, Separation)
            else _reliability(name, plot, part)
            for name, part in sorted(parts.items())
        ]
        return [_svg(figure) for figure in drawn if figure is not None]


def _separation(name: str, plot: Separation, results: Sequence[Result]) -> Figure | None:
    inside = _scores(plot.score, plot.inside, results)
    others = {kind: _scores(plot.score, kind, results) for kind in plot.outside}
    others = {kind: scores for kind, scores in others.items() if len(scores) >= MIN_SAMPLES}
    if len(inside) < MIN_SAMPLES or not others:
        return None
    figure = Figure(figsize=(9, 4), layout="constrained")
    whole, close = figure.subplots(1, 2)
    false_refusals = _rate(plot.decision, plot.inside, results)
    for kind, outside in others.items():
        labels = np.repeat([0, 1], [len(inside), len(outside)])
        falsely, rightly, _ = roc_curve(labels, -np.concatenate((inside, outside)))
        refused = _rate(plot.decision, kind, results)
        for axes in (whole, close):
            (line,) = axes.plot(falsely, rightly, label=f"{kind}, n {len(outside):,}")
            if false_refusals is not None and refused is not None:
                axes.plot(false_refusals, refused, "o", color=line.get_color())
    whole.plot([0, 1], [0, 1], ":", color="gray")
    whole.set(title=f"{name}: ROC of {plot.score}", xlim=(0, 1), ylim=(0, 1.01))
    close.set(title="the dot is what the product did", xlim=(0, CLOSE), ylim=(0, 1.01))
    for axes in (whole, close):
        _label(axes, f"{plot.inside} falsely refused, n {len(inside):,}", "refused")
    return figure


def _reliability(name: str, plot: Reliability, results: Sequence[Result]) -> Figure | None:
    pairs = [
        (float(told), float(happened))
        for result in results
        if (told := result.scores.get(plot.probability)) is not None
        and (happened := result.scores.get(plot.happened)) is not None
    ]
    if len(pairs) < BINS * MIN_SAMPLES:
        return None
    told, happened = np.array(sorted(pairs)).T
    share = happened.mean() if plot.even else 0.5
    if not 0 < share < 1:
        return None

    def weighed(rate: float) -> float:
        """The rate as it would be if both outcomes were as frequent."""
        return float(rate * (1 - share) / (rate * (1 - share) + (1 - rate) * share))

    figure = Figure(figsize=(4.5, 4), layout="constrained")
    axes = figure.subplots()
    bins = zip(np.array_split(told, BINS), np.array_split(happened, BINS), strict=True)
    for probabilities, outcomes in bins:
        rate = float(outcomes.mean())
        low, high = wilson(int(outcomes.sum()), len(outcomes))
        axes.vlines(probabilities.mean(), weighed(low), weighed(high), color="C0")
        axes.plot(probabilities.mean(), weighed(rate), "o", color="C0")
    axes.plot([0, 1], [0, 1], ":", color="gray")
    axes.set(title=f"{name}: reliability, n {len(pairs):,}", xlim=(0, 1), ylim=(0, 1))
    suffix = ", both weighed alike" if plot.even else ""
    _label(axes, f"{plot.probability} (mean of a tenth)", f"{plot.happened}{suffix}")
    return figure


def _label(axes: Axes, x: str, y: str) -> None:
    axes.set(xlabel=x, ylabel=y)
    axes.grid(visible=True, alpha=0.3)
    if axes.get_legend_handles_labels()[0]:
        axes.legend(loc="lower right")


def _scores(score: str, kind: str, results: Sequence[Result]) -> Numbers:
    found = [result.scores.get(score) for result in results if result.sample.kind == kind]
    return np.array([value for value in found if value is not None], dtype=np.float64)


def _rate(score: str, kind: str, results: Sequence[Result]) -> float | None:
    values = _scores(score, kind, results)
    return float(values.mean()) if len(values) else None


def _svg(figure: Figure) -> Markup:
    drawn = StringIO()
    figure.savefig(drawn, format="svg", metadata={"Date": None})
    text = drawn.getvalue()
    return Markup(text[text.index("<svg") :])  # matplotlib has escaped what is text in it
