"""The gate's bound for one corpus."""
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from graph.evidence import DomainSignal
@dataclass
class Calibration:
    corpus: str = ""
    @classmethod
    def read(cls, path: Path) -> Any: return None
    @classmethod
    def none(cls): return cls()
    def write(self, path): pass
    def signal(self, query, f):
        return DomainSignal(score=1, bound=0, dense_top=f.dense_top, coverage=f.coverage, method='cautious')
def calibrate(store, embedder, cb): return Calibration()
