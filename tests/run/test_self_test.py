import numpy as np

from wordrbm.run import self_test
from wordrbm.run.self_test import made_up_windows, run_self_test


def test_all_checks_pass_here():
    checks = run_self_test()
    assert [check.name for check in checks] == ["compile", "exact", "same bits", "learning"]
    assert all(check.passed for check in checks), checks


def test_words_of_a_window_are_of_one_kind():
    v = made_up_windows(100)
    kind = (v - 1) // self_test.KIND_SIZE
    assert (kind == kind[:, :1]).all()
    assert v.min() > 0


def test_a_model_that_learnt_nothing_fails(monkeypatch):
    short = self_test.SETTINGS.model_copy(update={"windows": 128})
    monkeypatch.setattr(self_test, "SETTINGS", short)
    checks = {check.name: check.passed for check in run_self_test()}
    assert not checks["learning"]


def test_threads_that_change_the_bits_fail(monkeypatch):
    train = self_test.train_in_memory

    def other(v, settings, threads):
        return train(v, settings.model_copy(update={"seed": threads}), threads)

    monkeypatch.setattr(self_test, "train_in_memory", other)
    passed, detail = self_test._check_same_bits(made_up_windows(1000))
    assert not passed
    assert "differ" in detail
    assert np.isfinite(self_test.word_frequency(made_up_windows(10))).all()
