"""Several processes prepare one corpus over a shared folder: the bytes of one process."""

import pytest

from tests.corpora import story
from tests.ranks import Ranks, torch_zygote
from wordrbm.text.prepare import PrepareSettings, jobs
from wordrbm.text.prepare.jobs import Job, plan_jobs
from wordrbm.text.prepare.pipeline import prepare_corpus
from wordrbm.text.prepare.sharing import Share


class Member:
    """A rank of a group that only divides jobs."""

    def __init__(self, rank, world):
        self.rank, self.world, self.is_first = rank, world, rank == 0

    def share(self, text):
        return "0 2 3 5"


def test_every_pending_job_is_of_one_rank():
    every = [Job(number, (), 0) for number in range(6)]
    for world in (1, 2, 3, 7):
        shares = [Share(Member(rank, world)).divide((), every) for rank in range(world)]
        assert sorted(job.number for share in shares for job in share) == [0, 2, 3, 5]
    assert Share().divide(every[:2], every) == every[:2]


@pytest.fixture(scope="module")
def zygote():
    zygote = torch_zygote()
    yield zygote
    zygote.close()


@pytest.fixture
def text(tmp_path):
    """Files that are too large for one job: jobs of a file each."""
    folder = tmp_path / "text"
    folder.mkdir()
    line = story(1, 40) + "\n"
    for number in range(3):
        (folder / f"{number}.txt").write_text(line * (jobs.JOB_BYTES // len(line) + 1))
    assert len(plan_jobs(sorted(folder.iterdir()))) == 3
    return folder


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.slow
def test_three_ranks_prepare_the_bytes_of_one_process(zygote, text, tmp_path):
    for _ in prepare_corpus([text], tmp_path / "alone", PrepareSettings(), 2):
        pass
    ranks = Ranks(
        zygote, tmp_path, 3, "prepare", text, "--out", tmp_path / "corpus", "--workers", 1
    )
    assert ranks.wait() == [0, 0, 0], ranks.texts()
    assert contents(tmp_path / "corpus") == contents(tmp_path / "alone")


def test_ranks_prepare_a_small_corpus_and_refuse_another_setting(zygote, tmp_path):
    folder = tmp_path / "text"
    folder.mkdir()
    (folder / "a.txt").write_text(story(1))
    for _ in prepare_corpus([folder], tmp_path / "alone", PrepareSettings(), 1):
        pass
    command = ["prepare", folder, "--out", tmp_path / "corpus"]
    sizes = [10, 20]
    ranks = Ranks(
        zygote, tmp_path, 2, *command, each=lambda rank: ["--vocabulary-size", sizes[rank]]
    )
    assert ranks.wait() == [2, 2]
    assert "vocabulary_size is 10 and 20" in ranks.texts()
    ranks = Ranks(zygote, tmp_path, 2, *command)
    assert ranks.wait() == [0, 0], ranks.texts()
    assert contents(tmp_path / "corpus") == contents(tmp_path / "alone")
