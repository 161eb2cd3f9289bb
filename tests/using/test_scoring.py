import numpy as np
import pytest

from tests import reference
from wordrbm.errors import WordRBMError
from wordrbm.using import scoring

SENTENCE = "The cat said the zebra on"
IDS = [1, 2, 3, 1, 0, 4]


def test_scores_and_costs_are_the_referees(trained):
    (found,) = trained.score([SENTENCE], costly=6)
    windows = [IDS[s : s + 3] for s in range(4)]
    energies = [-np.log(reference.mass(trained.rbm, v)) for v in windows]
    assert found.tokens == ["the", "cat", "said", "the", "<unk>", "on"]
    assert found.windows == 4
    assert found.free_energy == pytest.approx(np.mean(energies), rel=1e-12)
    assert found.total == pytest.approx(np.sum(energies), rel=1e-12)
    costs = {}
    for t in range(6):
        held = [(windows[s], t - s) for s in range(4) if 0 <= t - s < 3]
        costs[t] = np.mean([-np.log(reference.cloze(trained.rbm, v, i)[v[i]]) for v, i in held])
    expected = sorted(costs, key=lambda t: -costs[t])
    assert [(c.position, c.word) for c in found.costly] == [(t, found.tokens[t]) for t in expected]
    np.testing.assert_allclose([c.nats for c in found.costly], sorted(costs.values())[::-1])


def test_a_short_sentence_has_no_score(trained):
    assert list(trained.score(["the cat"])) == [(["the", "cat"], 0, None, 0.0, [])]


def test_without_costs_nothing_is_summed_over_words(trained, monkeypatch):
    monkeypatch.delattr(scoring, "cloze_log_probability")
    (found,) = trained.score([SENTENCE], costly=0)
    assert found.costly == []


def test_sentences_are_read_as_scores_are_asked_for(trained):
    def endless():
        while True:
            yield SENTENCE

    scores = trained.score(endless(), costly=1)
    assert next(scores) == next(scores)


def test_what_cannot_be_scored_is_refused_at_once(trained):
    with pytest.raises(WordRBMError, match="put it in a list"):
        trained.score(SENTENCE)
    with pytest.raises(WordRBMError, match="0 or more"):
        trained.score([SENTENCE], costly=-1)
