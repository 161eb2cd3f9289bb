"""Processes agree on a name for their start, whatever earlier starts have left in the store."""

import threading
import time

import pytest

from wordrbm.training.rendezvous import agree_on_start


class Store:
    """A store of texts that all threads see."""

    def __init__(self):
        self.values = {}

    def set(self, key, value):
        self.values[key] = value.encode()

    def get(self, key):
        return self.values[key]

    def check(self, keys):
        return all(key in self.values for key in keys)


def start(store, ranks, world, timeout=20.0):
    """Start some ranks, a while apart; the names they agree on."""
    names = {}

    def join(rank):
        names[rank] = agree_on_start(store, rank, world, timeout)

    threads = [threading.Thread(target=join, args=(rank,)) for rank in ranks]
    for thread in threads:
        thread.start()
        time.sleep(0.12)
    for thread in threads:
        thread.join()
    return [names[rank] for rank in range(world)]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_every_start_has_a_name_of_its_own(order):
    store = Store()
    first, second = start(store, order, 3), start(store, order, 3)
    smaller = start(store, [rank for rank in order if rank < 2], 2)
    for names in (first, second, smaller):
        assert len(set(names)) == 1
    assert len({first[0], second[0], smaller[0]}) == 3


def test_a_rank_that_does_not_join_is_named():
    store = Store()
    start(store, (0, 1), 2)
    store.set("join/1", "of an earlier start")
    with pytest.raises(TimeoutError, match="rank 1 did not join"):
        agree_on_start(store, 0, 2, timeout=0.3)
