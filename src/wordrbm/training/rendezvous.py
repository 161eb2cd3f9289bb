"""Processes that were started together agree on a name for this start.

The store of torchrun outlives a restart: what an earlier start has left there must not be taken for
an answer. Each process joins with a random number of its own. The first publishes a name together
with the numbers it has read; a process confirms a name that was published with its own number, and
the name holds once all have confirmed it. A process of an earlier start that still runs may write
over a number: it is written again.
"""

import json
import os
import time
from typing import Any

POLL_SECONDS = 0.05
NOTHING: dict[str, Any] = {"name": "", "numbers": []}  # is published yet


def agree_on_start(store: Any, rank: int, world: int, timeout: float) -> str:
    """A name that all ranks of this start have and no earlier start had."""
    deadline, number = time.monotonic() + timeout, os.urandom(8).hex()
    published: dict[str, Any] = {}
    while True:
        if not store.check([f"join/{rank}"]) or store.get(f"join/{rank}").decode() != number:
            store.set(f"join/{rank}", number)
        published = _publish(store, world, number, published) if rank == 0 else _read(store)
        is_in = rank < len(published["numbers"]) and published["numbers"][rank] == number
        if is_in:
            keys = [f"confirm/{published['name']}/{other}" for other in range(world)]
            store.set(keys[rank], " ")
            if store.check(keys):
                return str(published["name"])
        if time.monotonic() > deadline:
            keys = keys if is_in else [f"join/{other}" for other in range(world)]
            missing = [str(k) for k in range(world) if not store.check([keys[k]])] or ["0"]
            raise TimeoutError(f"rank {' and '.join(missing)} did not join within {timeout:g} s")
        time.sleep(POLL_SECONDS)


def _publish(store: Any, world: int, number: str, published: dict[str, Any]) -> dict[str, Any]:
    """Publish a new name if the numbers of the ranks are others than those published."""
    if not store.check([f"join/{rank}" for rank in range(world)]):
        return published or NOTHING
    numbers = [store.get(f"join/{rank}").decode() for rank in range(world)]
    if numbers != published.get("numbers") and numbers[0] == number:
        published = {"name": os.urandom(8).hex(), "numbers": numbers}
        store.set("start", json.dumps(published))
    return published or NOTHING


def _read(store: Any) -> dict[str, Any]:
    """What the first rank has published last."""
    return dict(json.loads(store.get("start"))) if store.check(["start"]) else NOTHING
