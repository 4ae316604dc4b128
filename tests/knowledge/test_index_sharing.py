from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from knowledge.contract import Contract
from knowledge.index import Record, VectorIndex

CONTRACT = Contract("words", 2, "1")
ROUNDS = 40
THREADS = 4


def test_threads_that_open_and_close_one_folder_disturb_no_other(tmp_path: Path) -> None:
    """As a search and an ingest of one process do."""
    vector = np.array([1.0, 0.0], np.float32)
    with VectorIndex(tmp_path, "acme", CONTRACT) as index:
        index.upsert("latin", [Record("a", "tea.txt", vector)])

    def look(_: int) -> int:
        with VectorIndex(tmp_path, "acme", CONTRACT) as index:
            return index.count()

    with ThreadPoolExecutor(THREADS) as pool:
        assert set(pool.map(look, range(ROUNDS))) == {1}
