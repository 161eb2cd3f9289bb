"""Resuming a prepare: what is kept, what is done again, what is refused."""

import json
import os
import shutil

import pytest

from wordrbm.errors import WordRBMError
from wordrbm.storage import folder_lock
from wordrbm.text.prepare import PrepareSettings, jobs, pipeline, segments
from wordrbm.text.prepare.pipeline import prepare_corpus
from wordrbm.text.prepare.staging import check_resume_key, remove_folder

BAD = b"The cat \xff sat."


@pytest.fixture(autouse=True)
def a_file_a_job(monkeypatch):
    monkeypatch.setattr(jobs, "JOB_BYTES", 1)


@pytest.fixture
def texts(tmp_path):
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(6):
        (folder / f"{number}.txt").write_text(f"The cat {'sat. ' * number}")
    return folder


@pytest.fixture
def read(monkeypatch):
    """The names of the files that are read, in order."""
    names, run = [], jobs.run_job

    def recording(job, work, settings):
        names.extend(path.name for path in job.files)
        return run(job, work, settings)

    monkeypatch.setattr(jobs, "run_job", recording)
    return names


def run_prepare(texts, out, resume=False, workers=1, **settings):
    for _ in prepare_corpus([texts], out, PrepareSettings(**settings), workers, resume):
        pass
    return {path.name: path.read_bytes() for path in out.iterdir()}


def stop_at(texts, out, bad, workers=1):
    """A prepare that finds a bad file, which is then mended; the error message."""
    path = texts / f"{bad}.txt"
    good = path.read_bytes()
    path.write_bytes(BAD)
    with pytest.raises(WordRBMError) as refused:
        run_prepare(texts, out, workers=workers)
    path.write_bytes(good)
    return str(refused.value)


def test_after_an_error_only_files_not_yet_read_are_read(tmp_path, texts, read):
    message = stop_at(texts, tmp_path / "out", 3)
    assert "3.txt, line 1: the byte at offset 8 is not UTF-8" in message
    assert message.endswith("; what was read is kept, --resume continues from there.")
    assert not (tmp_path / "out").exists()
    read.clear()
    again = run_prepare(texts, tmp_path / "out", resume=True)
    assert read == ["3.txt", "4.txt", "5.txt"]
    assert again == run_prepare(texts, tmp_path / "fresh")
    assert sorted(os.listdir(tmp_path)) == ["fresh", "out", "texts"]


def test_a_file_changed_since_is_read_again(tmp_path, texts, read):
    stop_at(texts, tmp_path / "out", 5)
    (texts / "1.txt").write_text("Another cat.")
    os.utime(texts / "2.txt", ns=(1, 1))
    read.clear()
    again = run_prepare(texts, tmp_path / "out", resume=True)
    assert read == ["1.txt", "2.txt", "5.txt"]
    assert again == run_prepare(texts, tmp_path / "fresh")


def test_a_file_that_is_gone_or_new_moves_the_jobs_after_it(tmp_path, texts):
    stop_at(texts, tmp_path / "out", 5)
    (texts / "1.txt").unlink()
    (texts / "00.txt").write_text("First of all.")
    again = run_prepare(texts, tmp_path / "out", resume=True)
    assert again == run_prepare(texts, tmp_path / "fresh")


def test_a_job_of_another_version_or_with_a_broken_record_is_done_again(tmp_path, texts, read):
    stop_at(texts, tmp_path / "out", 5)
    records = sorted((tmp_path / ".out.partial").glob("*/job.json"))
    records[1].write_text(records[1].read_text().replace("wordrbm ", "wordrbm 99"))
    records[2].write_text("{")
    records[3].unlink()
    read.clear()
    again = run_prepare(texts, tmp_path / "out", resume=True)
    assert read == ["1.txt", "2.txt", "3.txt", "5.txt"]
    assert again == run_prepare(texts, tmp_path / "fresh")


@pytest.mark.parametrize("suffix", ["ids", "ends", "counts"])
def test_a_job_whose_files_are_cut_missing_or_too_many_is_done_again(tmp_path, texts, read, suffix):
    stop_at(texts, tmp_path / "out", 5)
    work = tmp_path / ".out.partial"
    cut = work / f"000001/000000.{suffix}"
    cut.write_bytes(cut.read_bytes()[:-4])
    (work / f"000002/000000.{suffix}").unlink()
    for name in ("ids", "ends", "counts"):
        (work / f"000003/000001.{name}").write_bytes(b"")
    read.clear()
    again = run_prepare(texts, tmp_path / "out", resume=True)
    assert read == ["1.txt", "2.txt", "3.txt", "5.txt"]
    assert again == run_prepare(texts, tmp_path / "fresh")


@pytest.mark.parametrize(
    ("cut", "message"),
    [
        ("counts", r"partial has 41 counted tokens where 42 were expected; .* again\.$"),
        ("ids", r"partial has 164 bytes of ids where 168 were expected; .* again\.$"),
    ],
)
def test_words_lost_on_the_way_are_noticed(tmp_path, texts, cut, message):
    steps = prepare_corpus([texts], tmp_path / "out", PrepareSettings(), 1)
    next(step for step in steps if step.stage == "count")
    path = tmp_path / f".out.partial/000000/000000.{cut}"
    data = path.read_bytes()
    path.write_bytes(data[:-4] if cut == "ids" else data[: data.rfind(b"\n", 0, -1) + 1])
    with pytest.raises(WordRBMError, match=message):
        list(steps)
    assert run_prepare(texts, tmp_path / "out") == run_prepare(texts, tmp_path / "fresh")


def test_a_stream_that_lost_its_end_is_noticed(tmp_path, texts, monkeypatch):
    def losing(parts, vocabulary, path):
        yield from segments.write_ids(parts, vocabulary, path)
        os.truncate(path, 166)

    monkeypatch.setattr(pipeline, "write_ids", losing)
    with pytest.raises(WordRBMError, match=r"partial has 166 bytes of ids where 168 were expected"):
        run_prepare(texts, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_stopping_keeps_the_work_and_needs_an_explicit_resume(tmp_path, texts):
    steps = prepare_corpus([texts], tmp_path / "out", PrepareSettings(), 2)
    next(steps)
    steps.close()
    with pytest.raises(WordRBMError, match=r"\.out\.partial exists: .* continue with --resume, or"):
        run_prepare(texts, tmp_path / "out")
    assert run_prepare(texts, tmp_path / "out", resume=True) == run_prepare(
        texts, tmp_path / "fresh"
    )


def test_a_resume_with_nothing_to_resume_starts(tmp_path, texts):
    assert run_prepare(texts, tmp_path / "out", resume=True) == run_prepare(
        texts, tmp_path / "fresh"
    )


def test_other_settings_and_inputs_are_refused_by_name(tmp_path, texts):
    stop_at(texts, tmp_path / "out", 3)
    with pytest.raises(
        WordRBMError, match=r"vocabulary_size was 100000 and is now 7; field was text and is now b;"
    ):
        run_prepare(texts, tmp_path / "out", resume=True, vocabulary_size=7, field="b")
    with pytest.raises(WordRBMError, match=r"inputs was .*texts and is now .*texts/1\.txt; use"):
        run_prepare(texts / "1.txt", tmp_path / "out", resume=True)
    assert len(list((tmp_path / ".out.partial").glob("*/job.json"))) == 3, "nothing was lost"


def test_a_resume_may_replace_bytes_in_files_not_yet_read(tmp_path, texts, read):
    """The advice of the message, followed literally."""
    (texts / "3.txt").unlink()
    (texts / "3.jsonl").write_text('{"text": "The cat \\u0000 sat."}\n')
    with pytest.raises(WordRBMError, match=r"use --encoding-errors replace; .*--resume continues"):
        run_prepare(texts, tmp_path / "out")
    read.clear()
    again = run_prepare(texts, tmp_path / "out", resume=True, encoding_errors="replace")
    assert read == ["3.jsonl", "4.txt", "5.txt"]
    assert again == run_prepare(texts, tmp_path / "fresh", encoding_errors="replace")


def test_a_resume_may_not_be_stricter_than_what_was_read(tmp_path, texts):
    (texts / "3.txt").write_bytes(BAD)
    (texts / "4.jsonl").write_text("{")
    with pytest.raises(WordRBMError, match="not valid JSON"):
        run_prepare(texts, tmp_path / "out", encoding_errors="replace")
    with pytest.raises(WordRBMError, match="encoding_errors was replace and is now strict"):
        run_prepare(texts, tmp_path / "out", resume=True)


def test_a_loosened_resume_is_remembered(tmp_path, texts):
    (texts / "3.txt").write_bytes(BAD)
    (texts / "4.jsonl").write_text("{")
    for settings in ({}, {"encoding_errors": "replace"}):
        with pytest.raises(WordRBMError, match="--resume continues"):
            run_prepare(texts, tmp_path / "out", resume=True, **settings)
    with pytest.raises(WordRBMError, match="encoding_errors was replace and is now strict"):
        run_prepare(texts, tmp_path / "out", resume=True)


def test_a_complete_corpus_has_nothing_to_resume(tmp_path, texts, read):
    complete = run_prepare(texts, tmp_path / "out")
    (tmp_path / ".out.partial" / "000000").mkdir(parents=True)  # killed just before it was removed
    read.clear()
    assert run_prepare(texts, tmp_path / "out", resume=True) == complete
    assert read == []
    assert sorted(os.listdir(tmp_path)) == ["out", "texts"]


def test_a_corpus_may_be_in_its_input_folder(texts, read):
    stop_at(texts, texts / "out", 3)
    read.clear()
    complete = run_prepare(texts, texts / "out", resume=True)
    assert read == ["3.txt", "4.txt", "5.txt"]
    assert run_prepare(texts, texts / "out", resume=True) == complete


def test_a_complete_corpus_of_something_else_is_refused(tmp_path, texts):
    complete = run_prepare(texts, tmp_path / "out")
    with pytest.raises(WordRBMError, match="min_count was 1 and is now 2; choose another"):
        run_prepare(texts, tmp_path / "out", resume=True, min_count=2)
    (texts / "9.txt").write_text("One more.")
    with pytest.raises(WordRBMError, match="files was 6 and is now 7; bytes was 123 and is now"):
        run_prepare(texts, tmp_path / "out", resume=True)
    (tmp_path / "out" / "manifest.json").unlink()
    with pytest.raises(WordRBMError, match="out exists already"):
        run_prepare(texts, tmp_path / "out", resume=True)
    assert len(complete) == 4


def test_a_complete_corpus_of_another_text_of_the_same_size_is_refused(tmp_path, texts):
    complete = run_prepare(texts, tmp_path / "out")
    path = texts / "3.txt"
    text = path.read_text()
    path.write_text(text.replace("cat", "dog"))
    with pytest.raises(WordRBMError, match=r"the SHA-256 of the inputs was \w{64} and is now \w"):
        run_prepare(texts, tmp_path / "out", resume=True)
    path.write_text(text)  # at another time, which is no matter
    assert run_prepare(texts, tmp_path / "out", resume=True) == complete


def test_a_corpus_without_a_hash_of_its_inputs_is_taken_for_complete(tmp_path, texts):
    run_prepare(texts, tmp_path / "out")
    manifest = tmp_path / "out/manifest.json"
    head = json.loads(manifest.read_text())
    del head["inputs"]
    manifest.write_text(json.dumps(head))
    assert json.loads(run_prepare(texts, tmp_path / "out", resume=True)["manifest.json"]) == head


def test_one_process_at_a_time_works_there(tmp_path, texts):
    stop_at(texts, tmp_path / "out", 3)
    with (
        folder_lock(tmp_path / ".out.partial", "a prepare"),
        pytest.raises(WordRBMError, match=r"Another process is working in .*\.out\.partial \(a pr"),
    ):
        run_prepare(texts, tmp_path / "out", resume=True)
    run_prepare(texts, tmp_path / "out", resume=True)


@pytest.mark.parametrize("steps", [1, 2, 3])  # after the third only the rename is missing
def test_a_process_whose_parent_is_gone_can_do_no_harm(tmp_path, texts, steps):
    """It wakes in the middle of its job, when a resume is at work, and goes on to the end."""
    stop_at(texts, tmp_path / "out", 3)
    job = jobs.plan_jobs([texts / "4.txt"])[0]._replace(number=4)
    orphan = jobs.run_job(job, tmp_path / ".out.partial", PrepareSettings())
    for _ in range(steps):
        next(orphan)
    progress = prepare_corpus([texts], tmp_path / "out", PrepareSettings(), 1, True)
    next(progress)  # incomplete folders are removed
    with pytest.raises(OSError, match="No such file"):
        list(orphan)
    list(progress)
    files = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert files == run_prepare(texts, tmp_path / "fresh")


def test_parent_folders_stay_while_there_is_work_in_them(tmp_path, texts):
    stop_at(texts, tmp_path / "deep/er/out", 3)
    assert (tmp_path / "deep/er/.out.partial").is_dir()
    assert run_prepare(texts, tmp_path / "deep/er/out", resume=True) == run_prepare(
        texts, tmp_path / "fresh"
    )


def test_a_folder_that_vanishes_while_it_is_removed_is_no_error(tmp_path, monkeypatch):
    """A worker whose parent was killed tidies up after itself, at the same time as a resume."""
    part = tmp_path / "000007.4711.part"
    part.mkdir()
    (part / "000000.counts").write_text("a\t0\t1\n")
    replace = os.replace

    def just_before(source, target):
        shutil.rmtree(source)
        replace(source, target)

    monkeypatch.setattr(os, "replace", just_before)
    remove_folder(part)
    remove_folder(part)
    assert not list(tmp_path.iterdir())


def test_a_resume_key_that_is_a_pipe_is_refused(tmp_path):
    os.mkfifo(tmp_path / "work.json")
    with pytest.raises(WordRBMError, match=r"work\.json is no file"):
        check_resume_key(tmp_path, {})
