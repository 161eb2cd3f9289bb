import os

import numpy as np
import pytest

from wordrbm.kernels import STAMP, drop_stale_cache, is_compiled
from wordrbm.kernels.alias import fill_alias


@pytest.fixture
def room(tmp_path):
    """Two sources, compiled."""
    for name in ("one.py", "other.py"):
        (tmp_path / name).write_text("x = 1\n")
    drop_stale_cache(tmp_path)
    (tmp_path / "__pycache__" / "one.f-1.py311.nbi").write_text("compiled")
    return tmp_path


def compiled(room):
    return [path.name for path in (room / "__pycache__").glob("*.nbi")]


def test_what_was_compiled_from_these_sources_is_kept(room):
    drop_stale_cache(room)
    assert compiled(room) == ["one.f-1.py311.nbi"]


def test_a_change_in_another_file_makes_it_stale(room):
    """numba looks only at the file of the function itself."""
    (room / "other.py").write_text("x = 2\n")
    os.utime(room / "other.py", ns=(1, 1))
    drop_stale_cache(room)
    assert compiled(room) == []
    drop_stale_cache(room)
    assert (room / "__pycache__" / STAMP).is_file()


def test_a_folder_that_cannot_be_written_to_is_left_alone(room, monkeypatch):
    (room / "other.py").write_text("x = 22\n")
    (room / "__pycache__" / STAMP).unlink()
    (room / "__pycache__" / STAMP).mkdir()  # neither read nor written as a file
    drop_stale_cache(room)


def test_what_numba_has_on_disk_is_known(monkeypatch, tmp_path):
    fill_alias(np.ones(4, np.uint64), np.ones(2), np.zeros(2, np.int32), np.empty(1, np.int32))
    assert is_compiled(fill_alias)
    monkeypatch.setattr(type(fill_alias._cache), "cache_path", str(tmp_path))
    assert not is_compiled(fill_alias)
