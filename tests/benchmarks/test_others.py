import pytest
from benchmarks import others
from benchmarks.one_update import STEPS, main, timed


def result(seconds, megabytes=100.0):
    return {"seconds": seconds, "megabytes": megabytes}


def test_the_ratio_is_to_ours_of_the_same_round():
    figure = others.told([result(4.0), result(9.0)], [result(2.0), result(3.0)])
    assert figure[:3] == (2.5, 2.0, 3.0)
    assert figure.note == "6,500.0 ms, 100 MB; ours 2,500.0 ms, 100 MB"


def test_a_fault_is_told_and_ends_the_climb(monkeypatch):
    tried = []

    def fake(name, K):
        tried.append((name, K))
        return {"fault": "too big"} if name == "rbms" and K > 10 else result(0.5)

    monkeypatch.setattr(others, "in_a_process", fake)
    found = others.measure(type("Tiny", (), {"other_sizes": (10, 20, 30), "processes": 2}))
    assert [K for name, K in tried if name == "rbms"] == [10, 10, 20]
    assert [K for name, K in tried if name == "wordrbm"] == [10, 10, 20, 20, 30, 30]
    assert found["Potts RBM of rbms, K = 20"].note == "too big"
    assert "Potts RBM of rbms, K = 30" not in found
    assert found["scikit-learn's BernoulliRBM, K = 30"].ratio == 1.0


@pytest.mark.parametrize(("seconds", "processes"), [(0.5, 3), (5.0, 1)])
def test_a_slow_update_is_measured_once(monkeypatch, seconds, processes):
    monkeypatch.setattr(others, "in_a_process", lambda name, K: result(seconds))
    found = others.results(["rbms"], 10, 3)
    assert (len(found["rbms"]), len(found["wordrbm"])) == (processes, 3)


def test_a_package_slower_than_patience_is_left_behind():
    assert others.fits([result(1.0)])
    assert not others.fits([result(100.0)])
    assert not others.fits([{"fault": "too big"}])


@pytest.mark.parametrize("name", STEPS)
def test_every_package_makes_an_update_or_is_not_installed(name):
    if name == "rbms":
        pytest.importorskip("rbms")
    assert timed(STEPS[name](20), 0.0) > 0.0


def test_a_process_tells_time_and_memory():
    found = others.in_a_process("wordrbm", 20)
    assert found["seconds"] > 0.0
    assert found["megabytes"] > 10.0


def test_a_package_that_is_not_there_is_a_fault(monkeypatch):
    def missing(K):
        raise ModuleNotFoundError(name="torch")

    monkeypatch.setitem(STEPS, "rbms", missing)
    monkeypatch.setattr("benchmarks.one_update.limit_memory", lambda: None)
    assert main("rbms", "20", "0") == {"fault": "torch is not installed"}


def test_a_package_without_memory_is_a_fault(monkeypatch):
    def hungry(K):
        raise MemoryError

    monkeypatch.setitem(STEPS, "rbms", hungry)
    monkeypatch.setattr("benchmarks.one_update.limit_memory", lambda: None)
    assert main("rbms", "20", "0") == {"fault": "needs more than 8 GB"}
