"""The map of words: exact neighbours, the same bits for a seed, words kept in the plane."""

import numpy as np
import pytest

from wordrbm.analysis.embedding_map import (
    PCA,
    centre_of_closest,
    compute_map,
    directions,
    nearest_embedded,
)
from wordrbm.io.vectors import Vectors


@pytest.fixture(scope="module")
def vectors():
    rng = np.random.default_rng(1)
    centres = 4 * rng.normal(size=(3, 8))
    matrix = np.concatenate([centre + rng.normal(size=(40, 8)) for centre in centres])
    return Vectors(tuple(f"w{k}" for k in range(120)), matrix.astype(np.float32))


def test_neighbours_are_those_of_most_similar(vectors):
    near = nearest_embedded(directions(vectors.matrix), 120, 5)
    for word, row in zip(vectors.words[1:], near.ids[1:], strict=True):
        assert [vectors.words[k] for k in row] == [x for x, _ in vectors.most_similar(word, 5)]


@pytest.mark.parametrize("method", [PCA, "t-SNE"])
def test_a_seed_gives_one_map_in_which_groups_stay_together(vectors, method):
    pytest.importorskip("openTSNE")
    q = np.full(120, 1 / 120)
    first, second = (compute_map(vectors, q, embedded=90, method=method) for _ in range(2))
    np.testing.assert_array_equal(first.xy, second.xy)
    assert np.abs(first.xy).max() == 1.0
    group = np.arange(120) // 40
    distance = np.linalg.norm(first.xy[:, None] - first.xy[None], axis=2) + 9 * np.eye(120)
    assert (group[distance.argmin(axis=1)] == group).mean() > 0.9
    assert first.neighbours.max() < 90


def test_a_word_lies_amid_its_closest_neighbours():
    """Two groups of neighbours: the larger one counts, and no coordinate by itself."""
    places = np.array([[[0, 0], [1, 0], [0, 1], [9, 9], [1, 1]]], np.float32)
    x, y = centre_of_closest(places)[0]
    assert 0 <= x <= 1
    assert 0 <= y <= 1
    three = places[:, [3, 0, 2]]
    np.testing.assert_allclose(centre_of_closest(three), [[0, 0.5]])
