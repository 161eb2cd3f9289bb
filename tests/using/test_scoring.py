import numpy as np
import pytest

from tests import reference
from tests.using.test_fill import joint, text_mass
from wordrbm.errors import WordRBMError
from wordrbm.using import scoring, surprisal

SENTENCE = "The cat said the zebra on"
IDS = [1, 2, 3, 1, 0, 4]


def test_scores_and_costs_are_the_referees(trained):
    (found,) = trained.score([SENTENCE], costly=6)
    windows = [IDS[s : s + 3] for s in range(4)]
    energies = [-np.log(reference.mass(trained.rbm, v)) for v in windows]
    assert found.tokens == ["the", "cat", "said", "the", "<unk>", "on"]
    assert found.windows == 4
    assert found.free_energy == pytest.approx(np.mean(energies), rel=1e-12)
    assert found.total == pytest.approx(-np.log(text_mass(trained, IDS)), rel=1e-12)
    costs = {t: -np.log(joint(trained, IDS, (t,))[IDS[t]]) for t in range(6)}
    expected = sorted(costs, key=lambda t: -costs[t])
    assert [(c.position, c.word) for c in found.costly] == [(t, found.tokens[t]) for t in expected]
    np.testing.assert_allclose([c.nats for c in found.costly], sorted(costs.values())[::-1])


@pytest.mark.parametrize("length", [3, 4, 5, 6])
def test_a_cost_is_what_fill_gives(trained, length, monkeypatch):
    monkeypatch.setattr(surprisal, "PART", 2)
    words = [trained.vocabulary.words[k] for k in IDS[:length]]
    (found,) = trained.score([words], costly=length)
    for place, word, nats in found.costly:
        blank = trained.fill([*words[:place], None, *words[place + 1 :]]).blanks[0]
        probability = {"<unk>": blank.unknown, **dict(blank.words)}[word]
        assert nats == pytest.approx(-np.log(probability), rel=1e-9)


def test_in_one_window_costs_are_exact_cloze_scores(trained):
    (found,) = trained.score(["the cat said"], costly=3)
    assert found.total == found.free_energy
    for place, _, nats in found.costly:
        p = reference.cloze(trained.rbm, IDS[:3], place)[IDS[place]]
        assert nats == pytest.approx(-np.log(p), rel=1e-12)


def test_a_short_sentence_has_no_score(trained):
    assert list(trained.score(["the cat"])) == [(["the", "cat"], 0, None, 0.0, [])]


def test_without_costs_nothing_is_summed_over_words(trained, monkeypatch):
    monkeypatch.delattr(scoring, "word_surprisal")
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
