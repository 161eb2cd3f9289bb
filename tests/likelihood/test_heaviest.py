"""The heaviest windows of a text and their bound on log Z, against plain loops."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tests import reference
from tests.corpora import prepared
from wordrbm.errors import Stopped, WordRBMError
from wordrbm.likelihood.heaviest import (
    PART,
    DistinctWindows,
    log_masses,
    log_sum,
    share_of_model,
)
from wordrbm.models.exact import all_windows, log_Z_over_v


def heaviest_of(v, model, threads=1):
    text = DistinctWindows.of(v)
    return text.heaviest(log_masses(model, text.windows, threads=threads))


def text_of(model, rng, count=40):
    return all_windows(model)[rng.integers(0, len(all_windows(model)), count)]


def test_bound_and_shares_are_the_referees(model, rng):
    v = text_of(model, rng)
    counts = Counter(tuple(window) for window in v.tolist())
    masses = {window: reference.mass(model, window) for window in counts}
    order = sorted(masses, key=masses.get, reverse=True)
    heaviest = heaviest_of(v, model)
    assert heaviest.log_bound == pytest.approx(math.log(sum(masses.values())), abs=1e-12)
    assert [tuple(window) for window in heaviest.windows.tolist()] == order[:10]
    shares = [masses[window] / sum(masses.values()) for window in order]
    assert heaviest.shares == pytest.approx(shares[:10], rel=1e-10)
    assert heaviest.share_of_ten == pytest.approx(sum(shares[:10]), rel=1e-10)
    assert heaviest.text_shares == pytest.approx([counts[w] / len(v) for w in order[:10]])
    assert heaviest.text_share_of_ten == pytest.approx(sum(counts[w] for w in order[:10]) / len(v))


def test_with_every_window_the_bound_is_log_z(model):
    twice = np.concatenate([all_windows(model)] * 2)
    heaviest = heaviest_of(twice, model)
    assert heaviest.log_bound == pytest.approx(log_Z_over_v(model), abs=1e-12)


def test_a_planted_spike_holds_the_mass(wordrep, rng):
    """A bias that one window alone collects."""
    spike = replace(wordrep, b=wordrep.b + np.where(np.arange(5) == 3, 20.0, 0.0))
    v = np.concatenate([text_of(wordrep, rng, 999), [[3, 3]]])
    heaviest = heaviest_of(v, spike)
    assert heaviest.windows[0].tolist() == [3, 3]
    assert heaviest.shares[0] > 0.99
    assert heaviest.text_shares[0] < 0.1


def test_same_digits_for_any_number_of_threads(rng, wordrep):
    single = replace(
        wordrep,
        D=rng.normal(0, 1, (3000, 7)).astype(np.float32),
        U=wordrep.U.astype(np.float32),
        b=rng.normal(0, 1, 3000).astype(np.float32),
        c=wordrep.c.astype(np.float32),
    )
    v = rng.integers(0, 3000, (3 * PART + 5, 2))
    one, two = (heaviest_of(v, single, threads) for threads in (1, 2))
    assert one.log_bound == two.log_bound
    assert np.array_equal(one.windows, two.windows)
    assert np.array_equal(one.shares, two.shares)


def test_windows_of_a_corpus_are_spread_evenly(tmp_path):
    corpus = prepared(tmp_path, stories=5)
    windows = corpus.windows(3, "train")
    few = DistinctWindows.sample(windows, 50)
    assert few.counts.sum() == 50
    every = DistinctWindows.sample(windows, 10**9)
    assert every.counts.sum() == len(windows)
    assert len(every) == len(np.unique(windows.take(np.arange(len(windows))), axis=0))


def test_a_stop_is_heard(wordrep, rng):
    with pytest.raises(Stopped):
        log_masses(wordrep, text_of(wordrep, rng), stop=lambda: True)


def test_no_windows_are_refused():
    with pytest.raises(WordRBMError, match="no windows"):
        DistinctWindows.of(np.empty((0, 3), np.int32))


def test_log_sum_of_extremes():
    assert log_sum(np.empty(0)) == -math.inf
    assert log_sum(np.array([-math.inf, -math.inf])) == -math.inf
    assert log_sum(np.array([1000.0, 1000.0])) == pytest.approx(1000 + math.log(2))


def test_the_share_of_the_model_is_exact_where_the_model_is_right():
    """With 2 % of the text on ten windows, and 25 % of held-out text among the text's windows."""
    assert share_of_model(0.02 / 0.25, 0.02, 0.25) == pytest.approx(0.02)
    assert share_of_model(1.0, 0.02, 0.25) == 1.0
    assert share_of_model(0.3, 0.02, 0.0) == 0.3  # nothing is known: the bound is returned


def test_coverage_is_the_share_of_windows_that_are_there(rng):
    v = rng.integers(4, size=(30, 3))
    others = rng.integers(4, size=(50, 3))
    known = {tuple(window) for window in v.tolist()}
    expected = sum(tuple(window) in known for window in others.tolist()) / 50
    assert DistinctWindows.of(v).coverage(others) == pytest.approx(expected)
