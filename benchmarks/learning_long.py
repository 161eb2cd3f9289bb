"""`learning.py` at length: on the large corpus as well, over many more windows. Takes an hour."""

from benchmarks import corpora
from benchmarks.effort import Effort
from benchmarks.learning import compared
from benchmarks.ratios import Figure


def measure(effort: Effort) -> dict[str, Figure]:
    """The ratio on both corpora; they may be one."""
    return compared(corpora.small(), effort) | compared(corpora.large(), effort)
