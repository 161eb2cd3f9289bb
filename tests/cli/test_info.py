import json
import subprocess
import sys

import pytest

from wordrbm.cli.app import main

RECORDS = [
    {"step": 10, "windows": 5120, "word_rate": 0.01, "hidden_rate": 0.02, "acceptance": 0.61,
     "cloze_perplexity": 812.25, "unigram_perplexity": 1070.5, "free_energy_gap": -0.125},
    {"step": 20, "windows": 10240, "word_rate": 0.002, "hidden_rate": 0.004, "acceptance": 0.25,
     "cloze_perplexity": 164.5, "unigram_perplexity": 1070.5, "free_energy_gap": 0.5},
]  # fmt: skip
TIMES = [{"step": 20, "seconds": 1.5, "windows_per_second": 70123.0}]


@pytest.fixture
def wordrbm(monkeypatch, capfd):
    """The command in this process: exit code, output and errors."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["wordrbm", "metrics", *map(str, arguments)])
        with pytest.raises(SystemExit) as exit:
            main()
        return exit.value.code, *capfd.readouterr()

    return run


def made(folder, records=RECORDS, times=TIMES):
    """A run's folder with these lines."""
    folder.mkdir(parents=True)
    for name, lines in (("metrics", records), ("times", times)):
        if lines:
            text = "".join(json.dumps(line) + "\n" for line in lines)
            (folder / f"{name}.jsonl").write_text(text)
    return folder


def test_the_table_has_a_line_for_every_score(wordrbm, tmp_path):
    code, output, errors = wordrbm(made(tmp_path / "mine"))
    name, head, first, last, *rest = output.splitlines()
    assert (code, errors, name, rest) == (0, "", "mine", [""])
    assert head.split("  ")[-1] == "windows/s"
    assert " ".join(first.split()) == "10 5,120 812.25 1,070.50 -0.125 0.610 0.01 0.02 -"
    assert " ".join(last.split()) == "20 10,240 164.50 1,070.50 +0.500 0.250 0.002 0.004 70,123"
    assert len(head) == len(first) == len(last)


def test_json_is_one_list_of_all_runs(wordrbm, tmp_path):
    runs = [made(tmp_path / "a"), made(tmp_path / "b", times=[])]
    code, output, _ = wordrbm(*runs, "--json")
    assert code == 0
    with_times = [{"run": "a", **RECORDS[0]}, {"run": "a", **RECORDS[1], **TIMES[0]}]
    assert json.loads(output) == [*with_times, *({"run": "b", **record} for record in RECORDS)]


def test_json_stays_json_when_a_number_is_lost(wordrbm, tmp_path):
    run = made(tmp_path / "a", [RECORDS[0] | {"cloze_perplexity": float("inf")}])
    found = json.loads(wordrbm(run, "--json")[1], parse_constant=pytest.fail)
    assert found[0]["cloze_perplexity"] is None


def test_runs_of_the_same_name_are_called_by_their_paths(wordrbm, tmp_path):
    runs = [made(tmp_path / name / "model") for name in ("a", "b")]
    output = wordrbm(*runs, made(tmp_path / "other"))[1]
    assert all(f"{run}\n" in output for run in runs)
    assert "\nother\n" in output


@pytest.mark.parametrize(("name", "first"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml")])
def test_a_plot_is_drawn_by_its_suffix(wordrbm, tmp_path, name, first):
    pytest.importorskip("matplotlib")
    code, output, errors = wordrbm(made(tmp_path / "mine"), "--out", tmp_path / name)
    assert (code, errors) == (0, "")
    assert f"plot: {tmp_path / name}" in output
    assert (tmp_path / name).read_bytes().startswith(first)


def test_a_line_cut_short_by_a_crash_is_left_out(wordrbm, tmp_path):
    run = made(tmp_path / "mine")
    with (run / "metrics.jsonl").open("a") as file:
        file.write('{"step": 30, "win')
    code, output, _ = wordrbm(run)
    assert code == 0
    assert len(output.splitlines()) == 5


BAD = {
    "holds no metrics": ["EMPTY"],
    "absent holds no metrics": ["MINE", "absent"],
    "neither .png nor .svg": ["MINE", "--out", "picture.gif"],
    "in a folder that does not exist": ["MINE", "--out", "absent/picture.png"],
}


@pytest.mark.parametrize("sentence", BAD)
def test_a_fault_is_one_sentence_and_exit_code_two(wordrbm, tmp_path, monkeypatch, sentence):
    monkeypatch.chdir(tmp_path)
    places = {"MINE": made(tmp_path / "mine"), "EMPTY": made(tmp_path / "empty", [], [])}
    code, output, errors = wordrbm(*(places.get(word, word) for word in BAD[sentence]))
    assert (code, output) == (2, "")
    assert sentence in errors
    assert errors.count("\n") == 1


@pytest.mark.parametrize("name", ["absent", "empty", "notes.txt"])
def test_info_lists_what_it_reads(run_command, tmp_path, name):
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("mine")
    code, output, errors = run_command("wordrbm", "info", tmp_path / name)
    assert (code, output, errors.count("\n")) == (2, "", 1)
    assert ("does not exist" in errors) == (name == "absent")
    assert "give a prepared corpus, the folder of a model, a training run, a classifier" in errors


def test_no_plot_requested_loads_no_matplotlib(tmp_path):
    code = "import sys, wordrbm.cli.app as a; sys.argv[0] = 'wordrbm'\ntry: a.main()\n"
    code += "except SystemExit: print('matplotlib' in sys.modules)"
    command = [sys.executable, "-c", code, "metrics", str(made(tmp_path / "mine"))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "False"
