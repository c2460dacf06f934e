"""scipy.stats."""

from mllint.semantics.vocabulary import Rows, statistics

@statistics
def zscore(a: Rows, axis=0, ddof=0, nan_policy="propagate") -> Rows: ...
