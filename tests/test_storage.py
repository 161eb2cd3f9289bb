from pathlib import Path

import pytest

from wordrbm.errors import WordRBMError
from wordrbm.storage import make_folder, read_limited


def test_a_small_file_is_read(tmp_path):
    (tmp_path / "a").write_bytes(b"1234")
    assert read_limited(tmp_path / "a", 4) == b"1234"


def test_a_file_too_large_is_refused(tmp_path):
    (tmp_path / "a").write_bytes(b"12345")
    with pytest.raises(WordRBMError, match="a has 5 bytes where at most 4 were expected"):
        read_limited(tmp_path / "a", 4)


@pytest.mark.parametrize("path", [Path("/dev/zero"), Path("/")])
def test_what_is_no_file_is_refused(path):
    with pytest.raises(WordRBMError, match="is no file where one was expected"):
        read_limited(path, 4)


def test_no_folder_is_made_where_a_file_is(tmp_path):
    (tmp_path / "a").write_bytes(b"mine")
    with pytest.raises(WordRBMError, match="a is a file where a folder is to be made"):
        make_folder(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"mine"
