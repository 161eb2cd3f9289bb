import json
import os
import signal
import subprocess
import sys
import time

import pytest

from wordrbm.text.prepared import Prepared

COMMAND = [sys.executable, "-c", "from wordrbm.cli.app import main; main()", "prepare"]


def wordrbm(*arguments, **options):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options
    )


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("The cat sat. The dog didn't.\n\nThe U.S. cat won.")
    return path


def test_a_corpus_is_prepared_and_summed_up(text, tmp_path):
    done = wordrbm(text, "--out", tmp_path / "out", "--heldout", 0)
    assert done.returncode == 0, done.stderr
    assert "1 stories, 14 tokens, 9 types" in done.stdout
    assert "vocabulary: 10 words, 100.00%" in done.stdout
    assert "reading" in done.stderr
    assert Prepared.open(tmp_path / "out").vocabulary.words[1:4] == (".", "the", "cat")


def test_json_and_quiet_are_for_programs(text, tmp_path):
    arguments = [text, "--out", tmp_path / "out", "--json", "--quiet", "--vocabulary-size", 3]
    done = wordrbm(*arguments, "--workers", 2)
    assert done.stderr == ""
    result = json.loads(done.stdout)
    assert result["vocabulary"] == 4
    assert result["unknown"] == 6
    assert result["tokens_per_second"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.txt"], "nowhere.txt is neither a file nor a folder"),
        (["bad.jsonl"], "bad.jsonl, line 1 is not valid JSON"),
        (["bad.jsonl", "--workers", "2"], "bad.jsonl, line 1 is not valid JSON"),
        (["a.txt", "--heldout", "0.7", "--min-count", "0"], "share is 0.7"),
        (["a.txt", "--workers", "0"], "at least 1 is needed"),
    ],
)
def test_a_fault_is_one_sentence_and_exit_code_two(text, tmp_path, arguments, message):
    (tmp_path / "bad.jsonl").write_text("{\n")
    before = sorted(os.listdir(tmp_path))
    done = wordrbm(*arguments, "--out", "out", "--quiet", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert message in done.stderr
    assert done.stderr.count("\n") == 1, "one sentence, no traceback"
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are a POSIX matter")
@pytest.mark.parametrize("workers", [1, 2])
def test_ctrl_c_stops_at_once_and_leaves_nothing(tmp_path, workers):
    for number in range(2):
        line = json.dumps({"text": "It is a long story of the U.S. and Mr. Smith. " * 200})
        (tmp_path / f"{number}.jsonl").write_text(f"{line}\n" * 2_000)
    before = sorted(os.listdir(tmp_path))
    command = [*COMMAND, str(tmp_path), "--out", str(tmp_path / "out"), "--workers", str(workers)]
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE) as process:
        assert process.stderr
        while b"a second" not in process.stderr.readline():  # until the reading has begun
            assert process.poll() is None
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the whole group hears it
        began = time.monotonic()
        assert process.wait(timeout=20) == 130
        assert time.monotonic() - began < 5
        assert b"Traceback" not in process.stderr.read()
    assert sorted(os.listdir(tmp_path)) == before


def test_help_shows_an_example_and_loads_nothing_heavy():
    code = (
        "import sys, wordrbm; before = set(sys.modules); import wordrbm.cli.prepare; "
        "print(*{'numpy', 'nltk', 'numba', 'rich.progress'} & (set(sys.modules) - before))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == ""
    assert "wordrbm prepare news/ books.txt.gz --out corpus" in wordrbm("--help").stdout
