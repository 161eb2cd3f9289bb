import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from wordrbm.errors import WordRBMError
from wordrbm.io.tensors import DTYPES, read_metadata, read_tensors, write_tensors

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).filter(
    lambda name: name != "__metadata__"
)
array = st.sampled_from(list(DTYPES.values())).flatmap(
    lambda dtype: arrays(dtype, array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
)
values = st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text()


@settings(deadline=None)  # a disk may be slow to sync
@given(st.dictionaries(names, array, max_size=4), st.dictionaries(st.text(), values, max_size=4))
def test_arrays_and_metadata_come_back_bit_for_bit(tmp_path_factory, tensors, metadata):
    metadata = {
        name: value for name, value in metadata.items() if name not in ("format", "version")
    }
    path = tmp_path_factory.mktemp("t") / "x.safetensors"
    write_tensors(path, tensors, metadata)
    back = read_tensors(path, {name: array.shape for name, array in tensors.items()})
    assert back.keys() == tensors.keys()
    for name, value in tensors.items():
        assert (back[name].dtype, back[name].shape) == (value.dtype, value.shape)
        assert back[name].tobytes() == value.tobytes()
    shapes = {name: list(value.shape) for name, value in tensors.items()}
    expected = json.loads(json.dumps(metadata)) | {
        "format": "wordrbm",
        "version": 1,
        "shapes": shapes,
    }
    assert read_metadata(path) == expected


def test_an_array_seen_from_the_side_is_written_as_it_looks(tmp_path, rng):
    table = rng.normal(size=(4, 6))
    write_tensors(tmp_path / "x", {"D": table.T[::2]}, {})
    np.testing.assert_array_equal(
        read_tensors(tmp_path / "x", {"D": table.T[::2].shape})["D"], table.T[::2]
    )


@pytest.mark.parametrize("version", [0, 2, None, "1", [1] * 9999, "x" * 9999])
def test_another_version_is_refused_in_a_short_sentence(tmp_path, version):
    write_tensors(tmp_path / "x", {}, {"version": version})
    with pytest.raises(WordRBMError, match=r"has version .*, this program reads 1") as caught:
        read_metadata(tmp_path / "x")
    assert len(str(caught.value)) < 600
