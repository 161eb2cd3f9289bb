"""Processes that wait for each other through memory they share: see `training/shared_memory.py`.

Each rank has a counter of the exchanges it has arrived at, on a cache line of its own.
"""

from numba import njit

from wordrbm.kernels.barrier import SPINS_BEFORE_YIELD, atomic_load, atomic_store, yield_cpu
from wordrbm.shapes import Array

LINE = 8  # numbers of 64 bits on a cache line


@njit(cache=True, nogil=True)
def arrive(counters: Array, rank: int, number: int) -> None:
    """Let all ranks know that this one is at exchange `number`, and has written its messages."""
    atomic_store(counters, rank * LINE, number)


@njit(cache=True, nogil=True)
def await_ranks(counters, number, patience):  # type: ignore[no-untyped-def]
    """Wait until all ranks have arrived at exchange `number`; whether they have.

    A rank is waited for during at most so many reads of its counter.
    """
    for place in range(0, counters.size, LINE):
        reads = 0
        while atomic_load(counters, place) < number:
            if reads == patience:
                return False
            reads += 1
            if reads > SPINS_BEFORE_YIELD:
                yield_cpu()
    return True
