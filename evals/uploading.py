"""A run's samples and results as LangSmith's datasets and experiments, one for each corpus."""

from collections import defaultdict
from collections.abc import Iterator

from evals.report import Report
from evals.suite import Result
from serving.experiments import Case, Uploaded, upload_experiment
from serving.settings import Settings


def upload_run(settings: Settings, report: Report) -> Iterator[Uploaded]:
    """Raises `UploadFailed`; corpora before it are there."""
    parts: defaultdict[str, list[Result]] = defaultdict(list)
    for result in report.run.results:
        parts[result.sample.corpus].append(result)
    for corpus, results in sorted(parts.items()):
        yield upload_experiment(
            settings,
            dataset=f"{report.suite.name} {corpus}",
            experiment=f"{report.suite.name} {corpus} {report.run.target_version}",
            cases=[_case(result) for result in results],
            metadata={
                "suite": report.suite.name,
                "corpus": corpus,
                "target_version": report.run.target_version,
                "passed": report.verdict.passed,
                "problems": list(report.verdict.problems),
                "started": report.started,
                **report.asked_for,
            },
        )


def _case(result: Result) -> Case:
    sample = result.sample
    return Case(
        id=sample.id,
        inputs={"question": sample.question, **sample.given},
        reference=sample.gold,
        metadata={"language": sample.language, "kind": sample.kind},
        outputs=None if result.error else result.outcome,
        error=result.error,
        scores=result.scores,
    )
