"""Threads inside compiled code: atomic flags, a spin barrier, and which thread owns what.

Waking a sleeping thread takes 50 to 200 microseconds, and taking Python's lock from another as
long; an update has only a few thousand. Threads that synchronise thousands of times a second
therefore spin on a flag. One that waits long lets other programs run.
"""

import os
import time
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic, overload

SCATTER = np.uint32(2654435769)  # 2^32 over the golden ratio: spreads frequent words evenly
SPINS_BEFORE_YIELD = 2_000  # reads of a flag before the thread yields: some ten microseconds


def atomic_load(flags: Any, place: Any) -> Any:
    """Load a flag (acquire): what was written before it was stored can be read after."""
    return flags[place]


def atomic_store(flags: Any, place: Any, value: Any) -> None:
    """Store a flag (release): after all that was written before."""
    flags[place] = value


def atomic_add(flags: Any, place: Any, value: Any) -> Any:
    """Add to a flag and return what it was before; atomic in compiled code."""
    flags[place] += value
    return flags[place] - value


def yield_cpu() -> None:
    """Give the processor to whoever waits for it, where the system has a call for that."""
    time.sleep(0)


def _address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Where in memory ``flags[place]`` is."""
    flags = context.make_array(signature.args[0])(context, builder, arguments[0])
    place = (context, builder, signature.args[0], flags, [arguments[1]])
    return cgutils.get_item_pointer(*place, wraparound=False)  # type: ignore[no-untyped-call]


@intrinsic
def _load(typing, flags, place):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.load_atomic(_address(context, builder, signature, arguments), "acquire", 8)

    return types.int64(flags, types.intp), code


@intrinsic
def _store(typing, flags, place, value):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        address = _address(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], address, "release", 8)
        return context.get_dummy_value()

    return types.void(flags, types.intp, types.int64), code


@intrinsic
def _add(typing, flags, place, value):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        address = _address(context, builder, signature, arguments)
        return builder.atomic_rmw("add", address, arguments[2], "seq_cst")

    return types.int64(flags, types.intp, types.int64), code


@intrinsic
def _yield(typing):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        if os.name == "posix":
            kind = ir.FunctionType(ir.IntType(32), [])
            call = cgutils.get_or_insert_function(builder.module, kind, "sched_yield")  # type: ignore[no-untyped-call]
            builder.call(call, [])
        return context.get_dummy_value()

    return types.void(), code


@overload(atomic_load)
def _compiled_load(flags, place):  # type: ignore[no-untyped-def]
    return lambda flags, place: _load(flags, place)  # type: ignore[call-arg]


@overload(atomic_store)
def _compiled_store(flags, place, value):  # type: ignore[no-untyped-def]
    return lambda flags, place, value: _store(flags, place, value)  # type: ignore[call-arg]


@overload(atomic_add)
def _compiled_add(flags, place, value):  # type: ignore[no-untyped-def]
    return lambda flags, place, value: _add(flags, place, value)  # type: ignore[call-arg]


@overload(yield_cpu)
def _compiled_yield():  # type: ignore[no-untyped-def]
    return lambda: _yield()  # type: ignore[call-arg]


@njit(nogil=True)
def spin_while(flags, place, value, patience):  # type: ignore[no-untyped-def]
    """Wait until a flag has another value, for at most so many reads; the value read last."""
    reads = 0
    while atomic_load(flags, place) == value and reads < patience:
        reads += 1
        if reads > SPINS_BEFORE_YIELD:
            yield_cpu()
    return atomic_load(flags, place)


@njit(nogil=True)
def barrier_wait(flags, arrived, generation, threads, aborted):  # type: ignore[no-untyped-def]
    """Wait until all threads arrive: one flag counts arrivals, another the generations so far.

    Returns whether all did: when the flag `aborted` is set, one of them never will.
    """
    current = atomic_load(flags, generation)
    if atomic_add(flags, arrived, 1) == threads - 1:
        atomic_store(flags, arrived, 0)
        atomic_store(flags, generation, current + 1)
    while atomic_load(flags, generation) == current:
        if atomic_load(flags, aborted) != 0:
            return False
        spin_while(flags, generation, current, 2 * SPINS_BEFORE_YIELD)
    return True


@njit(cache=True, nogil=True)
def owner_thread(w, parts):  # type: ignore[no-untyped-def]
    """The thread, of `parts`, that row w of a table belongs to; -1 where w is below 0."""
    if w < 0:
        return np.int64(-1)
    mixed = np.uint32(np.uint32(w) * SCATTER)
    return np.int64((np.uint64(mixed) * np.uint64(parts)) >> np.uint64(32))


@njit(cache=True, nogil=True)
def thread_slice(part, parts, size):  # type: ignore[no-untyped-def]
    """The share of this thread or shard in `size` consecutive numbers."""
    return slice(part * size // parts, (part + 1) * size // parts)
