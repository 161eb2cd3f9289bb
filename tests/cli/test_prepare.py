import json
import os
import signal
import subprocess
import sys
import time

import pytest

from wordrbm.cli.app import main
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.text.prepare import jobs

# A process started in the background of a shell is born deaf to Ctrl-C; this one must hear it.
HEARING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
OFTEN = "from wordrbm.cli import progress; progress.SECONDS_BETWEEN_LINES = 0.1; "
MAIN = "from wordrbm.cli.app import main; main()"
COMMAND = [sys.executable, "-c", HEARING + OFTEN + MAIN, "prepare"]


@pytest.fixture
def wordrbm(monkeypatch, capfd):
    """The command as a user meets it, but in this process: exit code, output and errors."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["wordrbm", "prepare", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit:
            main()
        return exit.value.code, *capfd.readouterr()

    before = signal.getsignal(signal.SIGTERM)
    yield run
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("The cat sat. The dog didn't.\n\nThe U.S. cat won.")
    return path


def test_a_corpus_is_prepared_and_summed_up(wordrbm, text, tmp_path):
    code, output, errors = wordrbm(text, "--out", tmp_path / "out", "--heldout", 0)
    assert code == 0
    assert "1 documents, 14 tokens, 9 types" in output
    assert "vocabulary: 10 words, 100.00%" in output
    assert "reading" in errors
    assert "a second" not in errors.splitlines()[0]
    assert PreparedCorpus.open(tmp_path / "out").vocabulary.words[1:4] == (".", "the", "cat")


def test_json_and_quiet_are_for_programs(wordrbm, text, tmp_path):
    options = ["--json", "--quiet", "--vocabulary-size", 3, "--workers", 2]
    code, output, errors = wordrbm(text, "--out", tmp_path / "out", *options)
    assert (code, errors) == (0, "")
    result = json.loads(output)
    assert result["vocabulary"] == 4
    assert result["unknown"] == 6
    assert result["tokens_per_second"] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere.txt"], "nowhere.txt is neither a file nor a folder"),
        (["bad.jsonl"], "bad.jsonl, line 1 is not valid JSON"),
        (
            ["a.txt", "--heldout", "0.7", "--min-count", "0"],
            "heldout: Input should be less than 0.5",
        ),
        (["a.txt", "--workers", "0"], "at least 1 (found 0)"),
        (["a.txt", "--encoding-errors", "ignore"], "should be 'strict' or 'replace'"),
        (["a.zip"], "a.zip is a .zip file, which cannot be read"),
        (["a.txt", "--out", "a.txt"], "a.txt exists already"),
    ],
)
def test_a_fault_is_one_sentence_and_exit_code_two(
    wordrbm, text, tmp_path, monkeypatch, arguments, message
):
    (tmp_path / "bad.jsonl").write_text("{\n")
    (tmp_path / "a.zip").write_text("PK")
    monkeypatch.chdir(tmp_path)
    before = sorted(os.listdir(tmp_path))
    code, output, errors = wordrbm("--out", "out", *arguments, "--quiet")
    assert (code, output) == (2, "")
    assert message in errors
    assert errors.count("\n") == 1, "one sentence, no traceback"
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.skipif(sys.platform == "win32", reason="process groups are a POSIX matter")
@pytest.mark.parametrize(
    ("stop", "code", "workers"), [("SIGINT", 130, 1), ("SIGINT", 130, 2), ("SIGTERM", 143, 2)]
)
def test_ctrl_c_or_an_order_to_end_keeps_the_work(tmp_path, stop, code, workers):
    for number in range(2):
        line = json.dumps({"text": "It is a long story of the U.S. and Mr. Smith. " * 200})
        (tmp_path / f"{number}.jsonl").write_text(f"{line}\n" * 2_000)
    command = [*COMMAND, str(tmp_path), "--out", str(tmp_path / "out"), "--workers", str(workers)]
    with subprocess.Popen(command, start_new_session=True, stderr=subprocess.PIPE) as process:
        assert process.stderr
        while b"a second" not in process.stderr.readline():  # until the reading has begun
            assert process.poll() is None
        # A terminal's Ctrl-C is heard by the whole group, an order to end by the one process.
        target = os.killpg if stop == "SIGINT" else os.kill
        target(process.pid, signal.Signals[stop])
        began = time.monotonic()
        assert process.wait(timeout=20) == code
        said = process.stderr.read()  # to the end, which comes when the last worker is gone
        assert time.monotonic() - began < 5
        assert said.endswith(b"Stopped; continue with --resume.\n")
        assert b"Traceback" not in said
    assert sorted(os.listdir(tmp_path)) == [".out.partial", "0.jsonl", "1.jsonl"]


def test_resume_continues_after_mending_and_succeeds_when_complete(
    wordrbm, text, tmp_path, monkeypatch
):
    monkeypatch.setattr(jobs, "JOB_BYTES", 1)
    bad, out = tmp_path / "b.txt", tmp_path / "out"
    bad.write_bytes(b"More \0 text.")
    code, _, errors = wordrbm(text, bad, "--out", out, "--quiet", "--workers", 1)
    assert code == 2
    assert "b.txt, line 1: the byte at offset 5 is NUL" in errors
    assert "--resume continues from there.\n" in errors
    bad.write_bytes(b"More text.")
    for _ in range(2):
        code, output, errors = wordrbm(text, bad, "--out", out, "--quiet", "--resume")
        assert (code, errors) == (0, "")
        assert "2 documents, 17 tokens" in output
    assert wordrbm(text, "--out", out, "--resume")[0] == 2


def test_replaced_characters_are_counted_and_reported(wordrbm, tmp_path):
    (tmp_path / "a.txt").write_bytes(b"The \xff cat\0s \xe2\x82 sat.")
    options = [tmp_path / "a.txt", "--out", tmp_path / "out", "--encoding-errors", "replace"]
    assert "replaced characters (no UTF-8, or NUL): 3" in wordrbm(*options)[1]
    assert json.loads(wordrbm(*options, "--resume", "--json")[1])["replaced"] == 3
    assert PreparedCorpus.open(tmp_path / "out").manifest.settings.encoding_errors == "replace"


def test_the_advice_for_a_nul_in_json_lines_can_be_followed(wordrbm, text, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "JOB_BYTES", 1)
    bad = tmp_path / "b.jsonl"
    bad.write_text('{"text": "a\\u0000b"}\n')
    command = [text, bad, "--out", tmp_path / "out", "--quiet", "--workers", 1]
    code, _, errors = wordrbm(*command)
    assert code == 2
    assert "use --encoding-errors replace; what was read is kept, --resume continues" in errors
    code, output, errors = wordrbm(*command, "--encoding-errors", "replace", "--resume")
    assert (code, errors) == (0, "")
    assert "replaced characters (no UTF-8, or NUL): 1" in output


def test_help_shows_an_example_and_loads_nothing_heavy(wordrbm):
    code = (
        "import sys, wordrbm; before = set(sys.modules); import wordrbm.cli.prepare; "
        "print(*{'numpy', 'nltk', 'numba', 'rich.progress'} & (set(sys.modules) - before))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert loaded.stdout.strip() == ""
    assert "wordrbm prepare news/ books.txt.gz --out corpus" in wordrbm("--help")[1]
