"""Threads that meet inside compiled code: shared cells, read and written whole, and a barrier.

Waking a sleeping thread takes 50 to 200 microseconds, and taking Python's lock from another as
long; an update has only a few thousand. Threads that meet thousands of times a second therefore
watch a cell. One that waits long lets other programs run.
"""

import os
import time
from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.core import cgutils
from numba.extending import intrinsic, overload

PATIENCE = 2_000  # looks at a cell before others are let run: some ten microseconds


def load(cells: Any, place: Any) -> Any:
    """What a cell holds now; all that was written before it was set can be read after."""
    return cells[place]


def store(cells: Any, place: Any, value: Any) -> None:
    """Set a cell, after all that was written before."""
    cells[place] = value


def add(cells: Any, place: Any, value: Any) -> Any:
    """Add to a cell; what it held before. In compiled code no other thread comes between."""
    cells[place] += value
    return cells[place] - value


def let_others_run() -> None:
    """Give the processor to whoever waits for it, where the system has a call for that."""
    time.sleep(0)


def _address(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
    """Where in memory ``cells[place]`` is."""
    cells = context.make_array(signature.args[0])(context, builder, arguments[0])
    place = (context, builder, signature.args[0], cells, [arguments[1]])
    return cgutils.get_item_pointer(*place, wraparound=False)  # type: ignore[no-untyped-call]


@intrinsic
def _load(typing, cells, place):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.load_atomic(_address(context, builder, signature, arguments), "acquire", 8)

    return types.int64(cells, types.intp), code


@intrinsic
def _store(typing, cells, place, value):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        address = _address(context, builder, signature, arguments)
        builder.store_atomic(arguments[2], address, "release", 8)
        return context.get_dummy_value()

    return types.void(cells, types.intp, types.int64), code


@intrinsic
def _add(typing, cells, place, value):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        address = _address(context, builder, signature, arguments)
        return builder.atomic_rmw("add", address, arguments[2], "seq_cst")

    return types.int64(cells, types.intp, types.int64), code


@intrinsic
def _yield(typing):  # type: ignore[no-untyped-def]
    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        if os.name == "posix":
            kind = ir.FunctionType(ir.IntType(32), [])
            call = cgutils.get_or_insert_function(builder.module, kind, "sched_yield")  # type: ignore[no-untyped-call]
            builder.call(call, [])
        return context.get_dummy_value()

    return types.void(), code


@overload(load)
def _compiled_load(cells, place):  # type: ignore[no-untyped-def]
    return lambda cells, place: _load(cells, place)  # type: ignore[call-arg]


@overload(store)
def _compiled_store(cells, place, value):  # type: ignore[no-untyped-def]
    return lambda cells, place, value: _store(cells, place, value)  # type: ignore[call-arg]


@overload(add)
def _compiled_add(cells, place, value):  # type: ignore[no-untyped-def]
    return lambda cells, place, value: _add(cells, place, value)  # type: ignore[call-arg]


@overload(let_others_run)
def _compiled_let_others_run():  # type: ignore[no-untyped-def]
    return lambda: _yield()  # type: ignore[call-arg]


@njit(nogil=True)
def wait_while(cells, place, value, patience):  # type: ignore[no-untyped-def]
    """Wait until the cell holds something else, at most so many looks; what it holds then."""
    looks = 0
    while load(cells, place) == value and looks < patience:
        looks += 1
        if looks > PATIENCE:
            let_others_run()
    return load(cells, place)


@njit(nogil=True)
def meet(cells, here, meetings, threads, given_up):  # type: ignore[no-untyped-def]
    """Wait until all threads are here: one cell counts arrivals, another the meetings so far.

    Says whether all came: when the cell `given_up` is set, one of them never will.
    """
    now = load(cells, meetings)
    if add(cells, here, 1) == threads - 1:
        store(cells, here, 0)
        store(cells, meetings, now + 1)
    while load(cells, meetings) == now:
        if load(cells, given_up) != 0:
            return False
        wait_while(cells, meetings, now, 2 * PATIENCE)
    return True
