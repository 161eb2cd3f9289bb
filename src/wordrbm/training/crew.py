"""A few threads that share out numbered pieces of work, the calling thread among them.

Compiled loops and products let other threads run, so the pieces run at once. Which thread does
which piece is left to chance; the results come in the order of the pieces.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import TypeVar, final

T = TypeVar("T")


@final
class Crew:
    """So many threads; the caller is one of them, so with one thread nothing is handed over."""

    def __init__(self, threads: int) -> None:
        self._others = threads - 1
        self._pool = ThreadPoolExecutor(max(1, self._others))

    def __enter__(self) -> "Crew":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown()

    def each(self, pieces: int, work: Callable[[int], T]) -> list[T]:
        """``[work(0), .. work(pieces - 1)]``, shared out."""
        done: dict[int, T] = {}
        turn = count()

        def some() -> None:
            while (piece := next(turn)) < pieces:
                done[piece] = work(piece)

        others = [self._pool.submit(some) for _ in range(min(self._others, pieces - 1))]
        try:
            some()
        finally:
            for other in others:
                other.result()
        return [done[piece] for piece in range(pieces)]
