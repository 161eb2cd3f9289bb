from itertools import chain

import numpy as np
import pytest

from wordrbm.errors import WordRBMError
from wordrbm.inference import features
from wordrbm.inference.features import window_features

SENTENCES = ["The cat said the cat.", "on", "", ["the", "zebra", "said"], "cat on the cat on the"]


def test_hidden_means_are_the_models_window_by_window(trained):
    found = trained.hidden(SENTENCES)
    assert [len(part) for part in found] == [4, 0, 0, 1, 4]
    for part, v in [(found[0], [1, 2, 3]), (found[3], [1, 0, 3])]:
        assert part.dtype == np.float32
        expected = trained.rbm.hidden_mean(np.array([v]))[0]
        np.testing.assert_allclose(part[0], expected, rtol=1e-6)


def test_every_window_is_there_once_and_in_order(trained, monkeypatch):
    monkeypatch.setattr(
        features, "WINDOWS_PER_BLOCK", 3
    )  # sentences longer than a block, and shorter
    blocks = list(window_features(trained.rbm, trained.vocabulary, SENTENCES))
    assert all(len(block.hidden) <= 3 for block in blocks)
    found = [pair for b in blocks for pair in zip(*map(np.ndarray.tolist, b.windows), strict=True)]
    starts = [(sentence, start) for sentence, start, _ in found]
    assert starts == [(0, s) for s in range(4)] + [(3, 0)] + [(4, s) for s in range(4)]
    assert found[-1][2] == [2, 4, 1]


def test_short_lines_are_gathered_in_proportion_to_their_number():
    """Every piece is looked at a bounded number of times while others are held."""
    looks = 0

    class Windows(np.ndarray):
        def __len__(self):
            nonlocal looks
            looks += 1
            return self.shape[0]

    def piece(number):
        return features.LocatedWindows(
            np.array([number]), np.array([0]), np.ones((1, 3)).view(Windows)
        )

    blocks = list(features._merge_short(piece(number) for number in range(3000)))
    assert sum(block.v.shape[0] for block in blocks) == 3000
    assert looks < 10 * 3000


def test_a_window_has_the_same_bits_in_any_company(single, rng):
    words = single.vocabulary.words
    sentences = [[words[k] for k in rng.integers(5, size=size)] for size in range(40)]
    together = single.hidden(sentences)
    for alone, part in zip(map(single.hidden, zip(sentences, strict=True)), together, strict=True):
        np.testing.assert_array_equal(alone[0], part)
    joined = single.hidden([list(chain(*sentences))])[0]
    np.testing.assert_array_equal(joined[-37:], together[-1])


def test_sentences_may_come_from_a_generator(trained):
    once = trained.hidden(sentence for sentence in SENTENCES)
    for part, again in zip(once, trained.hidden(SENTENCES), strict=True):
        np.testing.assert_array_equal(part, again)
    assert trained.hidden([]) == []


def test_a_single_text_is_refused(trained):
    with pytest.raises(WordRBMError, match="put it in a list"):
        trained.hidden("the cat said")
