"""A model folder from anywhere: read soundly or refused in a sentence, in bounded memory."""

import json
import struct
import subprocess
import sys
import textwrap

import pytest

from tests.fuzz.model_reader import answer, findings, fuzz
from wordrbm.errors import WordRBMError
from wordrbm.io.tensors import MAX_HEADER_BYTES, read_metadata
from wordrbm.text.vocabulary import MAX_FILE_BYTES, Vocabulary


def told(answers):
    """The counts, for whoever reads the output of the run."""
    counts = ", ".join(f"{name} {count:,}" for name, count in sorted(answers.items()))
    return f"{answers.total():,} damaged files of a model: {counts}"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_damaged_files_are_read_soundly_or_refused_in_a_sentence(tmp_path, seed, tally):
    answers = fuzz(1_000, seed, tmp_path)
    tally(told(answers))
    assert not findings(answers)
    for name in ("model.safetensors", "vocabulary.tsv", "metrics.jsonl"):
        assert answers[f"{name} read"], "some damage is harmless, else nothing was tried"
    assert answers["model.safetensors refused"] > 200


@pytest.mark.slow
def test_a_hundred_thousand_damaged_files_hold_no_finding(tmp_path, tally):
    answers = fuzz(100_000, 2012, tmp_path)
    tally(told(answers))
    assert not findings(answers)


def raising(error):
    """A reader that ends so."""

    def read():
        raise error

    return read


def test_the_judge_knows_a_finding():
    assert answer(lambda: None, "no damage") == "read"
    assert answer(raising(WordRBMError("One is here; two was expected.")), "") == "refused"
    for error in (KeyError("D"), AssertionError(), SystemExit(1)):
        assert "finding" in answer(raising(error), "")
    for sentence in ("Two\nlines.", "A page" + "." * 3000, "\x1b[2J.", "no end"):
        assert "finding" in answer(raising(WordRBMError(sentence)), "")


PROMISES = {
    "10**15 numbers": {"D": {"dtype": "F32", "shape": [10**15], "data_offsets": [0, 4 * 10**15]}},
    "2**63 numbers": {"D": {"dtype": "F32", "shape": [2**63], "data_offsets": [0, 2**63]}},
    "overflow": {"D": {"dtype": "F32", "shape": [2**40, 2**40], "data_offsets": [0, 0]}},
}


@pytest.mark.parametrize("promise", PROMISES)
def test_a_promise_of_too_many_numbers_is_refused(tmp_path, promise):
    header = json.dumps(PROMISES[promise]).encode()
    path = tmp_path / "model.safetensors"
    path.write_bytes(struct.pack("<Q", len(header)) + header)
    with pytest.raises(WordRBMError, match="cannot be read"):
        read_metadata(path)


def test_files_of_gigabytes_are_refused_unread(tmp_path):
    with (tmp_path / "vocabulary.tsv").open("wb") as file:
        file.truncate(MAX_FILE_BYTES * 8)
    with (tmp_path / "model.safetensors").open("wb") as file:
        file.write(struct.pack("<Q", 10**8 - 8))  # the most that safetensors itself would parse
        file.truncate(10**8)
    code = """
    import resource, sys
    from pathlib import Path
    from wordrbm.io.tensors import read_metadata
    from wordrbm.errors import WordRBMError
    from wordrbm.text.vocabulary import Vocabulary
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for read, name in ((Vocabulary.read, "vocabulary.tsv"), (read_metadata, "model.safetensors")):
        try:
            read(Path(sys.argv[1]) / name)
        except WordRBMError as error:
            print("refused")
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """
    command = [sys.executable, "-c", textwrap.dedent(code), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    *refused, grown = done.stdout.split()
    assert refused == ["refused", "refused"]
    assert int(grown) < 20_000, "kilobytes"


def test_the_limits_leave_room_for_what_we_write():
    assert MAX_HEADER_BYTES > 100 * 2_000, "a header of ours takes about two thousand bytes"
    assert MAX_FILE_BYTES > 14_000_000 * 20, "the words of a text of 10**12 words"


def test_a_vocabulary_that_is_a_folder_is_refused(tmp_path):
    with pytest.raises(WordRBMError, match="a file of at most"):
        Vocabulary.read(tmp_path)
