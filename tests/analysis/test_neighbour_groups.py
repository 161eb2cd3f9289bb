import numpy as np

from wordrbm.analysis.neighbour_groups import GROUPS, neighbour_purity
from wordrbm.io import Vectors


def test_neighbours_inside_the_group_are_counted(rng):
    days, others = GROUPS["days"], [f"word{k}" for k in range(20)]
    matrix = rng.normal(size=(1 + 7 + 20, 8))
    matrix[1:8] = [1.0] * 8 + rng.normal(0, 0.01, (7, 8))
    found = neighbour_purity(Vectors(("<unk>", *days, *others), matrix), days)
    assert found.inside == 5.0
    assert found.missing == ()


def test_missing_words_are_named():
    vectors = Vectors(("<unk>", "monday", "sunday"), np.eye(3))
    assert len(neighbour_purity(vectors, GROUPS["days"]).missing) == 5
