import numpy as np
import pytest
from benchmarks import running

from tests.corpora import prepared
from wordrbm.run.training_run import TrainingRun
from wordrbm.training import TrainingSettings


def test_made_up_words_come_by_their_rank():
    text = running.made_up(10)
    v = text.batches(0, 100_000)
    assert v.shape == (100_000, 3)
    assert text.q[0] == pytest.approx(10 * text.q[9])
    np.testing.assert_allclose(np.bincount(v.ravel()) / v.size, text.q, atol=0.005)


def test_made_up_text_has_no_end():
    text = running.made_up(10)
    np.testing.assert_array_equal(text.batches(running.WINDOWS, 5), text.batches(0, 5))


def test_a_corpus_is_read_as_a_run_reads_it(tmp_path):
    corpus, settings = prepared(tmp_path), TrainingSettings(windows=10_000, seed=3)
    text = running.of_corpus(corpus, settings)
    run = TrainingRun(corpus, tmp_path / "model", settings)
    np.testing.assert_array_equal(text.batches(7, 20), run._batches(7, 20))


def test_the_seconds_are_of_one_update(monkeypatch):
    made = []
    monkeypatch.setattr(running, "train", lambda *_, **__: (made.append(1) for _ in range(10**9)))
    monkeypatch.setattr(running, "seconds", lambda work: work() and 6.0)
    with running.updating(running.made_up(10)) as run:
        assert run(3) == 2.0
    assert len(made) == 1 + 3  # the first one compiles


def test_a_run_is_closed_with_its_threads(monkeypatch):
    closed = []

    def fake(*_, **__):
        try:
            while True:
                yield
        finally:
            closed.append(True)

    monkeypatch.setattr(running, "train", fake)
    with running.updating(running.made_up(10)):
        assert not closed
    assert closed
