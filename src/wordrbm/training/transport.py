"""Messages between the processes of a run: what exchanges need, and a `ProcessGroup` does."""

from collections.abc import Sequence
from typing import Protocol

from wordrbm.shapes import Array


class Transport(Protocol):
    """Messages between the processes of a run."""

    @property
    def rank(self) -> int: ...

    @property
    def world(self) -> int: ...

    def meet(self) -> None:
        """Wait until every rank is here, however long the slowest takes."""
        ...

    def all_gather(self, block: Array) -> Array:
        """The blocks of all ranks, which have the same size, on a new first axis."""
        ...

    def all_to_all(self, blocks: Sequence[Array], sizes: Sequence[int]) -> list[Array]:
        """Send block p to rank p; what each rank sent here, of at most these sizes.

        A block may be followed by numbers that were not sent, up to its size.
        """
        ...
