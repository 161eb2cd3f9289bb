"""Processes that were started together agree on a name for this start.

The store of torchrun outlives a restart: what an earlier start has left there must not be taken for
an answer. Each process joins with a random number of its own. The first publishes a name together
with the numbers it has read; a process confirms a name that was published with its own number, and
the name holds once all have confirmed it.
"""

import json
import os
import time
from typing import Any

POLL_SECONDS = 0.05


def agree_on_start(store: Any, rank: int, world: int, timeout: float) -> str:
    """A name that all ranks of this start have and no earlier start had."""
    deadline, number = time.monotonic() + timeout, os.urandom(8).hex()
    store.set(f"join/{rank}", number)
    published: dict[str, Any] = {}
    while True:
        if rank == 0:
            published = _publish(store, world, published)
        elif store.check(["start"]):
            published = json.loads(store.get("start"))
        name, numbers = published.get("name", ""), published.get("numbers", [])
        if rank < len(numbers) and numbers[rank] == number:
            store.set(f"confirm/{name}/{rank}", " ")
            if store.check([f"confirm/{name}/{other}" for other in range(world)]):
                return str(name)
        if time.monotonic() > deadline:
            missing = [k for k in range(world) if not store.check([f"confirm/{name}/{k}"])]
            raise TimeoutError(f"rank {missing[0]} did not join within {timeout:g} s")
        time.sleep(POLL_SECONDS)


def _publish(store: Any, world: int, published: dict[str, Any]) -> dict[str, Any]:
    """Publish a new name if the numbers of the ranks are others than those published."""
    if not store.check([f"join/{rank}" for rank in range(world)]):
        return published
    numbers = [store.get(f"join/{rank}").decode() for rank in range(world)]
    if numbers != published.get("numbers"):
        published = {"name": os.urandom(8).hex(), "numbers": numbers}
        store.set("start", json.dumps(published))
    return published
