import os
from pathlib import Path

import pytest

from wordrbm.errors import WordRBMError
from wordrbm.storage import read_limited
from wordrbm.text import manifest
from wordrbm.text.begun import refuse_other_work
from wordrbm.text.jobfolder import Job, is_finished
from wordrbm.text.manifest import Manifest
from wordrbm.text.settings import PrepareSettings


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


def test_a_manifest_that_is_a_pipe_or_huge_is_refused_at_once(tmp_path):
    path = tmp_path / manifest.NAME
    os.mkfifo(path)
    with pytest.raises(WordRBMError, match=r"manifest\.json is no file"):
        Manifest.read(tmp_path)
    path.unlink()
    path.touch()
    os.truncate(path, 1 << 40)  # with nothing in it
    with pytest.raises(WordRBMError, match=r"manifest\.json has 1,099,511,627,776 bytes where"):
        Manifest.read(tmp_path)


def test_work_that_is_told_by_a_pipe_is_refused_and_such_a_job_not_finished(tmp_path):
    os.mkfifo(tmp_path / "work.json")
    with pytest.raises(WordRBMError, match=r"work\.json is no file"):
        refuse_other_work(tmp_path, {})
    (tmp_path / "000000").mkdir()
    os.mkfifo(tmp_path / "000000/job.json")
    assert not is_finished(tmp_path, Job(0, (), 0), PrepareSettings())
