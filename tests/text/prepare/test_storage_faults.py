"""A disk that fails anywhere in a prepare: one sentence, and the right bytes after --resume."""

import errno
import os
import resource
import subprocess
import sys
from collections import Counter
from contextlib import contextmanager

import numpy as np
import pytest

from tests.failing_storage import failing
from wordrbm.errors import WordRBMError
from wordrbm.storage import write_errors
from wordrbm.text.prepare import PrepareSettings, jobs
from wordrbm.text.prepare.pipeline import prepare_corpus
from wordrbm.text.prepare.segments import SegmentWriter, list_segments, write_ids, write_spans
from wordrbm.text.vocabulary import Vocabulary


@pytest.fixture
def texts(tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "JOB_BYTES", 1)
    folder = tmp_path / "texts"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text("The cat sat. " * 9)
    return folder


def run_prepare(texts, out, resume):
    for _ in prepare_corpus([texts], out, PrepareSettings(), 1, resume):
        pass


def files(out):
    return {path.name: path.read_bytes() for path in out.iterdir()}


def test_a_fault_at_any_call_is_one_sentence_and_can_be_resumed(tmp_path, texts, tally):
    with failing() as calls:
        run_prepare(texts, tmp_path / "fresh", False)
    expected, seen = files(tmp_path / "fresh"), Counter()
    for number in range(1, calls.count + 1):
        out = tmp_path / f"deep/out{number}"
        with failing(number, [errno.ENOSPC, errno.EROFS][number % 2]) as failed:
            seen[outcome(texts, out)] += 1
        assert failed.failed, "the call was made"
        run_prepare(texts, out, True)
        assert files(out) == expected, f"call {number}, {failed.failed}"
        assert sorted(os.listdir(out.parent)) == sorted(
            f"out{done}" for done in range(1, number + 1)
        ), f"call {number}, {failed.failed}, left something"
    tally(f"prepare with a fault at each of {calls.count} calls: {dict(seen)}")
    assert seen["refused, work kept"] > 20
    assert seen["refused, nothing left"] > 5


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "free some space or"),
        (errno.EDQUOT, "free some space or"),
        (errno.EFBIG, "free some space or"),
        (errno.EACCES, "check who may write there or"),
        (errno.EROFS, "check who may write there or"),
    ],
)
def test_the_advice_fits_the_fault(tmp_path, number, remedy):
    expected = f"; {remedy} choose another folder, what was there before is untouched"
    with pytest.raises(WordRBMError, match=expected), write_errors(tmp_path):
        raise OSError(number, os.strerror(number))


def outcome(texts, out):
    """How a prepare ends whose disk fails."""
    try:
        run_prepare(texts, out, False)
    except WordRBMError as refused:
        sentence = str(refused)
        assert "Could not" in sentence
        assert sentence.endswith(".")
        assert "\n" not in sentence
        kept = list(out.parent.glob(f".{out.name}.partial/00*"))
        assert ("--resume continues" in sentence) == bool(kept) or out.exists()
        return "refused, work kept" if kept else "refused, nothing left"
    return "done all the same"


LIMITED = """
import sys
from pathlib import Path
from wordrbm.text.prepare import jobs
from wordrbm.text.prepare.pipeline import prepare_corpus
from wordrbm.text.prepare import PrepareSettings
from wordrbm.text.prepare import jobs
from wordrbm.errors import WordRBMError
jobs.JOB_BYTES = 1
try:
    list(prepare_corpus([sys.argv[1]], Path(sys.argv[2]), PrepareSettings(), 2))
except WordRBMError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits are a POSIX matter")
@pytest.mark.parametrize("limit", [100, 300])  # the segment of the long file, or the stream of all
def test_a_file_that_cannot_grow_is_an_error_that_can_be_resumed(tmp_path, texts, limit):
    (texts / "2.txt").write_text("The cat sat. " * 15)
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(texts), str(tmp_path / "out")],
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Could not write" in done.stdout
    assert (done.stdout.count("\n"), done.stderr) == (1, "")
    assert not (tmp_path / "out").exists()
    run_prepare(texts, tmp_path / "out", True)
    run_prepare(texts, tmp_path / "fresh", False)
    assert files(tmp_path / "out") == files(tmp_path / "fresh")


@contextmanager
def no_file_above(limit):
    """Let no file of this process grow beyond so many bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def segment_of(folder, documents, words):
    """A segment of documents of the same word."""
    writer = SegmentWriter(folder)
    for _ in range(documents):
        writer.add(["a"] * words, ends_document=True)
    writer.flush()
    return list_segments(folder)


# The end of a file waits in a buffer until it is closed; the limit is inside that end.
@pytest.mark.parametrize(("documents", "words"), [(1, 500), (250, 1)])  # ids or ends are longer
@pytest.mark.parametrize("limit", [1_999, 1_100])
def test_a_failed_last_write_of_a_segment_is_not_lost(tmp_path, documents, words, limit):
    with no_file_above(limit), pytest.raises(OSError, match="File too large"):
        segment_of(tmp_path, documents, words)


@pytest.mark.parametrize("limit", [1_999, 100])
def test_a_failed_last_write_of_the_stream_is_not_lost(tmp_path, limit):
    segments, vocabulary = segment_of(tmp_path, 1, 500), Vocabulary.build([("a", 500)], 0)
    with no_file_above(limit), pytest.raises(OSError, match="File too large"):
        list(write_ids(segments, vocabulary, tmp_path / "ids"))


@pytest.mark.parametrize("limit", [2_399, 100])
def test_a_failed_last_write_of_the_spans_is_not_lost(tmp_path, limit):
    segments = segment_of(tmp_path, 100, 1)
    with no_file_above(limit), pytest.raises(OSError, match="File too large"):
        write_spans(segments, 0.0, tmp_path / "runs")


def test_files_are_the_bytes_of_their_numbers(tmp_path):
    (segment,) = segment_of(tmp_path, 3, 2)
    list(write_ids([segment], Vocabulary.build([("a", 6)], 0), tmp_path / "ids"))
    write_spans([segment], 0.0, tmp_path / "runs")
    assert (tmp_path / "ids").read_bytes() == np.ones(6, "<i4").tobytes()
    spans = np.array([[0, 2, 0], [2, 4, 0], [4, 6, 0]], "<i8")
    assert (tmp_path / "runs").read_bytes() == spans.tobytes()
