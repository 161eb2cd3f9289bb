import os

import pytest

from wordrbm.kernels.stale import STAMP, forget_stale


@pytest.fixture
def room(tmp_path):
    """Two sources, compiled."""
    for name in ("one.py", "other.py"):
        (tmp_path / name).write_text("x = 1\n")
    forget_stale(tmp_path)
    (tmp_path / "__pycache__" / "one.f-1.py311.nbi").write_text("compiled")
    return tmp_path


def compiled(room):
    return [path.name for path in (room / "__pycache__").glob("*.nbi")]


def test_what_was_compiled_from_these_sources_is_kept(room):
    forget_stale(room)
    assert compiled(room) == ["one.f-1.py311.nbi"]


def test_a_change_in_another_file_makes_it_stale(room):
    """numba looks only at the file of the function itself."""
    (room / "other.py").write_text("x = 2\n")
    os.utime(room / "other.py", ns=(1, 1))
    forget_stale(room)
    assert compiled(room) == []
    forget_stale(room)
    assert (room / "__pycache__" / STAMP).is_file()


def test_a_folder_that_cannot_be_written_to_is_left_alone(room, monkeypatch):
    (room / "other.py").write_text("x = 22\n")
    (room / "__pycache__" / STAMP).unlink()
    (room / "__pycache__" / STAMP).mkdir()  # neither read nor written as a file
    forget_stale(room)
