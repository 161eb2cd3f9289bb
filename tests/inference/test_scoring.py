import numpy as np
import pytest

from tests import reference
from tests.inference.test_fill import joint, text_mass
from wordrbm.errors import WordRBMError
from wordrbm.inference import scoring

SENTENCE = "The cat said the zebra on"
IDS = [1, 2, 3, 1, 0, 4]


def test_scores_and_surprisals_are_the_referees(trained):
    (found,) = trained.score([SENTENCE], top_words=6)
    windows = [IDS[s : s + 3] for s in range(4)]
    energies = [-np.log(reference.mass(trained.rbm, v)) for v in windows]
    assert found.tokens == ["the", "cat", "said", "the", "<unk>", "on"]
    assert found.windows == 4
    assert found.free_energy == pytest.approx(np.mean(energies), rel=1e-12)
    assert found.total == pytest.approx(-np.log(text_mass(trained, IDS)), rel=1e-12)
    nats = {t: -np.log(joint(trained, IDS, (t,))[IDS[t]]) for t in range(6)}
    expected = sorted(nats, key=lambda t: -nats[t])
    assert [(c.position, c.word) for c in found.surprising] == [
        (t, found.tokens[t]) for t in expected
    ]
    np.testing.assert_allclose([c.nats for c in found.surprising], sorted(nats.values())[::-1])


@pytest.mark.parametrize("length", [3, 4, 5, 6])
def test_a_surprisal_is_what_fill_gives(trained, length, monkeypatch):
    monkeypatch.setattr(scoring, "WORDS_PER_BLOCK", 2)
    words = [trained.vocabulary.words[k] for k in IDS[:length]]
    (found,) = trained.score([words], top_words=length)
    for place, word, nats in found.surprising:
        blank = trained.fill([*words[:place], None, *words[place + 1 :]]).blanks[0]
        probability = {"<unk>": blank.unknown, **dict(blank.words)}[word]
        assert nats == pytest.approx(-np.log(probability), rel=1e-9)


def test_in_one_window_surprisals_are_exact_cloze_scores(trained):
    (found,) = trained.score(["the cat said"], top_words=3)
    assert found.total == found.free_energy
    for place, _, nats in found.surprising:
        p = reference.cloze(trained.rbm, IDS[:3], place)[IDS[place]]
        assert nats == pytest.approx(-np.log(p), rel=1e-12)


def test_a_short_sentence_has_no_score(trained):
    assert list(trained.score(["the cat"])) == [(["the", "cat"], 0, None, 0.0, [])]


def test_without_surprisals_nothing_is_summed_over_words(trained, monkeypatch):
    monkeypatch.delattr(scoring, "word_surprisals")
    (found,) = trained.score([SENTENCE], top_words=0)
    assert found.surprising == []


def test_sentences_are_read_lazily(trained):
    def endless():
        while True:
            yield SENTENCE

    scores = trained.score(endless(), top_words=1)
    assert next(scores) == next(scores)


def test_what_cannot_be_scored_is_refused_at_once(trained):
    with pytest.raises(WordRBMError, match="put it in a list"):
        trained.score(SENTENCE)
    with pytest.raises(WordRBMError, match="0 or more"):
        trained.score([SENTENCE], top_words=-1)


def test_free_energy_is_the_referees(trained, rng):
    v = rng.integers(5, size=(30, 3))
    expected = [-np.log(reference.mass(trained.rbm, window)) for window in v]
    np.testing.assert_allclose(trained.free_energy(v), expected, rtol=1e-12)


def test_texts_and_ids_are_the_same_windows(trained):
    by_id = trained.free_energy(np.array([[1, 2, 3], [4, 0, 1]]))
    by_text = trained.free_energy(["The cat said", ["on", "zebra", "the"]])
    np.testing.assert_array_equal(by_text, by_id)


def test_no_window_gives_no_number(trained):
    assert trained.free_energy([]).shape == (0,)
    assert trained.free_energy(np.empty((0, 3), int)).shape == (0,)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (np.array([[0, 1, 5]]), "from 0 to 5"),
        (np.array([[-1, 1, 2]]), "from -1 to 2"),
        (np.array([0, 1, 2]), r"integer array \(N, 3\)"),
        (np.array([[0.0, 1.0, 2.0]]), "float64"),
        (np.array([[True, False, True]]), "bool"),
        (["the cat"], "Window 0 has 2 words"),
        ("the cat said", "put it in a list"),
        ([[0, 1, 2]], "integer array"),
        (["the ___ said"], "A blank was found"),
    ],
)
def test_what_is_no_window_is_refused(trained, wrong, sentence):
    with pytest.raises(WordRBMError, match=sentence):
        trained.free_energy(wrong)
