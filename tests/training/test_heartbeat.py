"""A process whose heart no longer beats is told from one that only takes long."""

import threading
import time

from wordrbm.training.heartbeat import BEAT_SECONDS, Heartbeat, call_within


class Store:
    """The counters of a rendezvous store; it may go away."""

    def __init__(self):
        self.counts, self.lock, self.gone = {}, threading.Lock(), False

    def clone(self):
        return self

    def add(self, key, amount):
        with self.lock:
            if self.gone:
                raise RuntimeError("connection lost")
            self.counts[key] = self.counts.get(key, 0) + amount
            return self.counts[key]


def test_ranks_that_have_stopped_are_named():
    store = Store()
    living, stopped = Heartbeat(store, 0), Heartbeat(store, 1)
    time.sleep(2 * BEAT_SECONDS)
    stopped.stop()
    stopped.join()
    assert living.count(1) > 0
    assert living.silent_ranks(3) == [1, 2]  # the last one never began
    living.stop()


def test_a_store_that_is_gone_is_not_taken_for_silence():
    store = Store()
    beats = Heartbeat(store, 0)
    store.gone = True
    assert beats.count(0) == -1
    assert beats.silent_ranks(2) is None
    beats.stop()


def test_a_call_that_does_not_return_is_given_up():
    over = threading.Event()
    assert call_within(lambda: over.wait(60), "given up", 0.05) == "given up"
    over.set()
    assert call_within(lambda: 1, 2, 60) == 1
    assert call_within(lambda: 1 // 0, 2, 60) == 2
