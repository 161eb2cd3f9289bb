import hashlib
import json
import os

import pytest

from wordrbm.errors import WordRBMError
from wordrbm.text.prepare import PrepareSettings, jobs
from wordrbm.text.prepare.jobs import Job, Stage, combined_hash, file_hashes, is_committed
from wordrbm.text.prepare.pipeline import prepare_corpus


def test_many_small_files_are_few_jobs_and_a_big_file_is_its_own(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "JOB_BYTES", 100)
    sizes = [10] * 25 + [500] + [60, 60] + [0] * 9
    for number, size in enumerate(sizes):
        (tmp_path / f"{number:02}").write_bytes(b"x" * size)
    files = sorted(tmp_path.iterdir())
    groups = jobs.plan_jobs(files)
    assert [len(job.files) for job in groups] == [10, 10, 5, 1, 1, 10]
    assert [path for job in groups for path in job.files] == files
    assert [job.number for job in groups] == list(range(6))
    assert sum(job.size for job in groups) == sum(sizes)


def test_a_job_says_when_only_the_rename_is_left(tmp_path):
    (tmp_path / "a.txt").write_text("The cat sat.")
    (job,) = jobs.plan_jobs([tmp_path / "a.txt"])
    steps = []
    for progress in jobs.run_job(job, tmp_path, PrepareSettings()):
        steps.append((progress.stage, (tmp_path / "000000").exists()))
    assert steps[-2:] == [(Stage.COMMITTING, False), (Stage.COMMITTED, True)]
    assert {stage for stage, _ in steps[:-2]} == {Stage.READING}
    assert (progress.bytes, progress.tokens) == (12, 4)


def test_a_file_written_to_while_it_is_read_is_refused(tmp_path):
    (tmp_path / "5.txt").write_text("The cat sat.")
    job = jobs.plan_jobs([tmp_path / "5.txt"])[0]
    run = jobs.run_job(job, tmp_path, PrepareSettings())
    next(run)
    with (tmp_path / "5.txt").open("a") as file:
        file.write("more")
    with pytest.raises(WordRBMError, match=r"5\.txt was changed while it was read"):
        list(run)
    assert os.listdir(tmp_path) == ["5.txt"], "its folder is gone"


def test_a_job_whose_record_is_a_pipe_is_not_committed(tmp_path):
    (tmp_path / "000000").mkdir()
    os.mkfifo(tmp_path / "000000/job.json")
    assert not is_committed(tmp_path, Job(0, (), 0), PrepareSettings())


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, text in {"a.txt": "The cat.", "b.txt": "", "c.txt": "The dog."}.items():
        (folder / name).write_text(text)
    return folder


def inputs(texts, out):
    list(prepare_corpus([texts], out, PrepareSettings(), 1))
    return json.loads((out / "manifest.json").read_text())["inputs"]


def test_the_combined_hash_is_that_of_the_hashes(texts):
    lines = "".join(
        hashlib.sha256(text).hexdigest() + "\n" for text in (b"The cat.", b"", b"The dog.")
    )
    combined = combined_hash(file_hashes(sorted(texts.iterdir())))
    assert combined == hashlib.sha256(lines.encode()).hexdigest()


def test_the_manifest_has_the_combined_hash_whatever_the_jobs_and_names(
    tmp_path, texts, monkeypatch
):
    hashes = {inputs(texts, tmp_path / "one job")}
    monkeypatch.setattr(jobs, "JOB_BYTES", 1)
    hashes.add(inputs(texts, tmp_path / "many jobs"))
    (texts / "c.txt").rename(texts / "d.txt")
    hashes.add(inputs(texts, tmp_path / "other names"))
    assert hashes == {combined_hash(file_hashes(sorted(texts.iterdir())))}


def test_other_bytes_order_or_files_give_another_hash(tmp_path, texts):
    hashes = file_hashes(sorted(texts.iterdir()))
    others = [hashes[::-1], hashes[1:], [*hashes, hashes[0]], []]
    assert len({combined_hash(some) for some in [hashes, *others]}) == 5


def test_a_file_that_cannot_be_hashed_is_refused(tmp_path):
    with pytest.raises(WordRBMError, match=r"Could not read .*a\.txt: No such file"):
        file_hashes([tmp_path / "a.txt"])
