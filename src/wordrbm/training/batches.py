"""Where windows come from: any function of a place in the endless visit, compiled or not."""

from collections.abc import Callable
from typing import Protocol, TypeAlias, runtime_checkable

from wordrbm.kernels.shuffle import ShufflePlan
from wordrbm.shapes import Words

Batches: TypeAlias = Callable[[int, int], Words]  # (first, size) -> that many windows


@runtime_checkable
class HasShufflePlan(Protocol):
    """Batches that compiled code can read by itself."""

    @property
    def plan(self) -> ShufflePlan: ...
