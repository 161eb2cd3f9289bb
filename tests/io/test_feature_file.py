from pathlib import Path

import numpy as np
import pytest

from wordrbm.errors import WordRBMError
from wordrbm.io.feature_file import open_feature_file
from wordrbm.storage import atomic_write


def write(path, rng, parts=(2, 0, 3)):
    rows = rng.random((sum(parts), 4)).astype(np.float32)
    with open_feature_file(path, 4) as target:
        for first, size in zip(np.cumsum((0, *parts)), parts, strict=False):
            number = np.arange(first, first + size)
            target.add(rows[first : first + size], number + 1, number * 2)
    return rows


def test_the_archive_is_read_by_numpy_without_pickle(tmp_path, rng):
    rows = write(tmp_path / "f.npz", rng)
    with np.load(tmp_path / "f.npz", allow_pickle=False) as found:
        assert set(found) == {"hidden", "line", "start"}
        np.testing.assert_array_equal(found["hidden"], rows)
        assert found["hidden"].dtype == np.float32
        assert found["line"].tolist() == [1, 2, 3, 4, 5]
        assert found["start"].tolist() == [0, 2, 4, 6, 8]


def test_no_windows_make_empty_arrays(tmp_path, rng):
    write(tmp_path / "f.npz", rng, parts=())
    with np.load(tmp_path / "f.npz") as found:
        assert found["hidden"].shape == (0, 4)
        assert found["line"].shape == (0,)


def test_the_same_rows_give_the_same_bytes(tmp_path):
    for name, parts in [("a.npz", (5,)), ("b.npz", (1, 4))]:
        write(tmp_path / name, np.random.default_rng(3), parts)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def write_badly(path):
    with open_feature_file(path, 4) as target:
        target.add(np.ones((2, 4), np.float32), np.arange(2), np.arange(2))
        raise ValueError("a fault")


def test_a_fault_on_the_way_leaves_what_was_there(tmp_path):
    (tmp_path / "f.npz").write_text("mine")
    with pytest.raises(ValueError, match="a fault"):
        write_badly(tmp_path / "f.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["f.npz"]
    assert (tmp_path / "f.npz").read_text() == "mine"


@pytest.mark.parametrize("name", [".", "", "/", "..", "folder"])
def test_a_folder_is_no_file_to_write(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with (
        pytest.raises(WordRBMError, match="is a folder where a file"),
        open_feature_file(Path(name), 4),
    ):
        pytest.fail("the work has begun")
    with pytest.raises(WordRBMError, match="is a folder where a file"), atomic_write(Path(name)):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_a_folder_that_is_not_there_is_told(tmp_path):
    with (
        pytest.raises(WordRBMError, match="Could not write"),
        open_feature_file(tmp_path / "no/f.npz", 4),
    ):
        pass
