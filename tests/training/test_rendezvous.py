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

    def work(rank):
        names[rank] = agree_on_start(store, rank, world, timeout)

    threads = [threading.Thread(target=work, args=(rank,)) for rank in ranks]
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


def join(store, ranks, world, timeout=0.4):
    """The sentences with which ranks of an incomplete start end."""
    sentences = {}

    def work(rank):
        with pytest.raises(TimeoutError) as caught:
            agree_on_start(store, rank, world, timeout)
        sentences[rank] = str(caught.value)

    threads = [threading.Thread(target=work, args=(rank,)) for rank in ranks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [sentences[rank] for rank in ranks]


def test_a_rank_that_does_not_join_is_named():
    assert join(Store(), [0, 1], 3) == ["rank 2 did not join within 0.4 s"] * 2
    assert join(Store(), [1, 2], 3) == ["rank 0 did not join within 0.4 s"] * 2


def test_a_rank_that_does_not_join_again_is_named():
    store = Store()
    start(store, (0, 1, 2), 3)
    assert "rank 1 did not join" in join(store, [0, 2], 3)[0]
    assert join(store, [1, 2], 3) == ["rank 0 did not join within 0.4 s"] * 2


def test_a_number_that_an_earlier_start_writes_over_is_written_again():
    store = Store()
    timer = threading.Timer(0.2, lambda: store.set("join/1", "of an earlier start"))
    timer.start()
    names = start(store, (1, 2, 0), 3)
    timer.join()
    assert len(set(names)) == 1
