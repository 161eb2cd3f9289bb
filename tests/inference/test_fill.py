"""Filling blanks against plain enumeration: every pattern of blanks, every length."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import wordrbm.inference.fill as filling
from tests import reference
from wordrbm.errors import WordRBMError
from wordrbm.inference.fill import (
    blank_groups,
    coordinate_ascent,
    exact_marginals,
    fill,
    map_probabilities,
)
from wordrbm.inference.text_model import TextModel
from wordrbm.models import WordRepRBM

K, n = 5, 3
TEXT = [1, 2, 0, 3, 4, 1]
PATTERNS = [
    (length, blanks)
    for length in (3, 4, 6)
    for count in (1, 2, 3)
    for blanks in itertools.combinations(range(length), count)
]


def joint(trained, text, blanks):
    """P of every joint assignment: all windows of the text, less all their overlaps."""
    weights = np.empty((K,) * len(blanks))
    for assignment in np.ndindex(weights.shape):
        tried = list(text)
        for place, word in zip(blanks, assignment, strict=True):
            tried[place] = word
        weights[assignment] = text_mass(trained, tried)
    return weights / weights.sum()


def text_mass(trained, text):
    """The product of the masses of the windows, over that of their overlaps: words n - 1 in a row
    that two windows share, with the mean word before or after them."""
    windows = [tuple(text[s : s + n]) for s in range(len(text) - n + 1)]
    shared = [window[1:] for window in windows[:-1]]
    ends = [MASS(trained, (K, *words)) * MASS(trained, (*words, K)) for words in shared]
    return np.prod([MASS(trained, window) for window in windows]) / np.sqrt(np.prod(ends))


def with_mean_word(trained):
    """The model with one more word, K, that has the mean of all vectors by frequency."""
    rbm, counts = trained.rbm, trained.vocabulary.counts
    mean = sum(count * row for count, row in zip(counts, rbm.D, strict=True)) / counts.sum()
    return replace(rbm, D=np.vstack([rbm.D, mean]), b=np.append(rbm.b, 0.0))


class Masses(dict):
    """The referee's mass of every window, reckoned once."""

    def __call__(self, trained, window):
        if window not in self:
            self[window] = reference.mass(with_mean_word(trained), window)
        return self[window]


MASS = Masses()  # the fixture always makes the same model


@pytest.fixture
def texts(trained):
    return TextModel.from_rbm(trained.rbm, trained.vocabulary)


def with_blanks(trained, length, blanks):
    words = [trained.vocabulary.words[k] for k in TEXT[:length]]
    return [None if place in blanks else word for place, word in enumerate(words)]


@pytest.mark.parametrize(("length", "blanks"), PATTERNS)
def test_every_pattern_of_blanks_is_filled_as_by_enumeration(trained, length, blanks):
    text = with_blanks(trained, length, blanks)
    found = trained.fill(text, count=K)
    expected = joint(trained, TEXT[:length], blanks)
    assert found.method == "marginal"
    for place, blank in enumerate(found.blanks):
        others = tuple(axis for axis in range(len(blanks)) if axis != place)
        p = expected.sum(axis=others)
        assert blank.position == blanks[place]
        assert blank.unknown == pytest.approx(p[0], abs=1e-10)
        got = {trained.vocabulary.index[word]: x for word, x in blank.words}
        assert set(got) == set(range(1, K))
        np.testing.assert_allclose([got[k] for k in range(1, K)], p[1:], atol=1e-10)
        assert [x for _, x in blank.words] == sorted(p[1:], reverse=True) or np.allclose(
            [x for _, x in blank.words], sorted(p[1:], reverse=True), atol=1e-10
        )
    best = np.unravel_index(expected.argmax(), expected.shape)
    for place, word in zip(blanks, best, strict=True):
        text[place] = trained.vocabulary.words[word]
    assert found.text == " ".join(text)


@pytest.mark.parametrize(("length", "blanks"), PATTERNS)
def test_map_probabilities_are_exact_given_the_map_words(trained, texts, length, blanks):
    ids = np.array(TEXT[:length])
    ids[list(blanks)] = -1
    found = map_probabilities(texts, ids, list(blanks))
    expected = joint(trained, TEXT[:length], blanks)
    for place in range(len(blanks)):
        given = tuple(slice(None) if j == place else w for j, w in enumerate(found.best))
        conditional = expected[given] / expected[given].sum()
        np.testing.assert_allclose(found.probability[place], conditional, atol=1e-10)
        assert found.best[place] == conditional.argmax()  # no single change is better


def test_on_tiny_models_coordinate_ascent_reaches_the_maximum(trained, texts):
    for length, blanks in PATTERNS:
        ids = np.array(TEXT[:length])
        ids[list(blanks)] = -1
        filled = coordinate_ascent(texts, ids, list(blanks))
        expected = joint(trained, TEXT[:length], blanks)
        assert expected[tuple(filled[list(blanks)])] == expected.max()


def test_the_sum_is_the_same_in_small_blocks(texts, monkeypatch):
    ids = np.array([1, -1, -1, -1, 2])
    whole = exact_marginals(texts, ids, [1, 2, 3])
    monkeypatch.setattr(filling, "MAX_ARRAY_SIZE", 3 * K)
    parts = exact_marginals(texts, ids, [1, 2, 3])
    np.testing.assert_allclose(parts.probability, whole.probability, rtol=1e-12)
    np.testing.assert_array_equal(parts.best, whole.best)


def test_too_many_assignments_are_sought_by_ascent_and_the_answer_says_so(trained, monkeypatch):
    monkeypatch.setattr(filling, "MAX_ASSIGNMENTS", K)
    assert trained.fill("the ___ said ___").method == "map"
    assert trained.fill("the ___ said").method == "marginal"


def test_blanks_that_share_no_window_are_apart():
    assert blank_groups([0, 3, 5, 7, 10], 3) == [[0], [3, 5, 7], [10]]


def test_a_model_in_single_precision_gives_the_same_to_rounding(trained, single):
    exact, rough = (m.fill("on ___ said ___", K) for m in (trained, single))
    for a, b in zip(exact.blanks, rough.blanks, strict=True):
        assert [w for w, _ in a.words] == [w for w, _ in b.words]
        np.testing.assert_allclose([p for _, p in a.words], [p for _, p in b.words], rtol=1e-5)


def test_single_precision_is_only_how_the_numbers_are_stored(single):
    """The same numbers held as doubles give the same answers, far beyond single precision."""
    wide = WordRepRBM(**{k: x.astype(np.float64) for k, x in single.rbm.parameters().items()})
    double = replace(single, rbm=wide)
    for text in ("on ___ said", "on ___ said ___ the"):
        a, b = (model.fill(text, K).blanks for model in (single, double))
        np.testing.assert_allclose(
            [p for blank in a for _, p in blank.words],
            [p for blank in b for _, p in blank.words],
            rtol=1e-12,
        )
    a, b = (next(model.score(["on the cat said on"])).surprising for model in (single, double))
    np.testing.assert_allclose([c.nats for c in a], [c.nats for c in b], rtol=1e-12)


def test_too_many_neighbouring_blanks_are_refused_at_once(trained, monkeypatch):
    monkeypatch.setattr(filling, "MAX_ASSIGNMENTS", K)
    assert trained.fill([None] * 6, 1).method == "map"
    monkeypatch.setattr(filling, "MAX_ASCENT_COST", 36 * K - 1)
    assert trained.fill([None] * 5, 1).method == "map"
    with pytest.raises(WordRBMError, match="6 blanks stand next to each other"):
        trained.fill([None] * 6, 1)


def test_a_filled_text_keeps_its_known_words(trained):
    assert trained.fill("Zebra ___ said").text.split()[::2] == ["zebra", "said"]


@pytest.mark.parametrize(
    ("text", "count", "sentence"),
    [
        ("the cat said", 1, "no blank"),
        ("the ___", 1, "2 words, blanks included, and a window of this model has 3"),
        ("", 1, "no blank"),
        ("the ___ said", 0, "1 or more"),
        (b"the ___ said", 1, "where a text was expected"),
    ],
)
def test_what_cannot_be_filled_is_refused(trained, text, count, sentence):
    with pytest.raises(WordRBMError, match=sentence):
        fill(trained.rbm, trained.vocabulary, text, count)
