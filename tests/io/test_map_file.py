"""A map on disk: read as written, made again for another model, refused when damaged."""

from dataclasses import replace

import numpy as np
import pytest

from wordrbm.errors import WordRBMError
from wordrbm.io.map_file import WordMap, read_map, write_map
from wordrbm.models import init_wordrep


@pytest.fixture
def rbm(rng):
    return init_wordrep(rng, n=3, H=4, d=5, word_probability=np.full(8, 1 / 8))


def example():
    near = np.array([[1, 2]] * 8, np.int32)
    labels = (("a", "b"), ("c",))
    return WordMap(
        np.zeros((8, 2), np.float32), np.arange(8, dtype=np.uint8) % 2, near, labels, 4, "PCA", 1
    )


def test_read_as_written_and_only_for_its_model(rbm, tmp_path):
    assert read_map(tmp_path, rbm) is None
    write_map(tmp_path, rbm, example())
    read = read_map(tmp_path, rbm)
    np.testing.assert_array_equal(read.neighbours, example().neighbours)
    assert read[3:] == example()[3:]
    assert read_map(tmp_path, replace(rbm, b=rbm.b + 1)) is None


@pytest.mark.parametrize(
    "fault", [{"embedded": 9}, {"labels": (("a",),)}, {"neighbours": np.full((8, 2), 5, np.int32)},
     {"xy": np.full((8, 2), 3, np.float32)}],
    ids=lambda x: next(iter(x)),
)  # fmt: skip
def test_damage_is_refused(rbm, tmp_path, fault):
    write_map(tmp_path, rbm, example()._replace(**fault))
    with pytest.raises(WordRBMError, match="damaged"):
        read_map(tmp_path, rbm)
