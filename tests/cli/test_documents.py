"""`wordrbm documents` as a user runs it: train, topics, transform, similar, likelihood."""

import json
import sys

import numpy as np
import pytest
from scipy import sparse
from typer.testing import CliRunner

from tests.corpora import prepared
from wordrbm.cli.app import app, main
from wordrbm.io.document_file import read_topics

COOKING = ["salt", "pepper", "onion", "butter", "oven", "recipe", "sauce", "garlic"]
SAILING = ["boat", "sail", "wind", "harbour", "rope", "anchor", "captain", "wave"]
SMALL = (
    "--topics", 4, "--updates", 1000, "--batch-size", 32, "--chains", 32, "--rate", 0.03,
    "--max-share", 1, "--quiet", "--threads", 1,
)  # fmt: skip


def run(*arguments, **options):
    command = ["documents", *map(str, arguments)]
    return CliRunner().invoke(app, command, catch_exceptions=False, **options)


def write_texts(path, count, seed=0):
    rng = np.random.default_rng(seed)
    topics = [(COOKING, SAILING)[k % 2] for k in range(count)]
    texts = [" ".join(rng.choice(words, rng.integers(6, 12))) for words in topics]
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return path


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    return write_texts(tmp_path_factory.mktemp("texts") / "texts.jsonl", 120)


@pytest.fixture(scope="module")
def trained(texts, tmp_path_factory):
    out = tmp_path_factory.mktemp("models") / "topics"
    return out, run("train", texts, "--out", out, *SMALL)


def test_training_says_what_it_found(trained):
    out, done = trained
    assert done.exit_code == 0, done.output
    lines = done.stdout.splitlines()
    assert lines[0].startswith(f"{out}: 114 documents, 16 words, 1,000 updates (")
    assert lines[1].startswith("held-out documents, second half given the first: perplexity ")
    assert lines[2].startswith("first ten words of the topics: mean coherence (NPMI) ")
    assert lines[-1] == f"next: wordrbm documents topics {out}"
    record = json.loads((out / "training.json").read_text())
    assert record["documents"] == 114
    assert record["scores"]["completion_perplexity"] < record["scores"]["frequency_perplexity"]
    assert len(record["coherence"]["lift"]) == 4


def test_a_finished_run_is_reported_again(trained, texts):
    out, _ = trained
    done = run("train", texts, "--out", out, *SMALL, "--resume", "--json")
    assert json.loads(done.stdout)["seconds"] is None
    assert json.loads(done.stdout)["documents"] == 114


def test_the_words_of_topics(trained, texts, tmp_path):
    out, _ = trained
    lines = run("topics", out, "--top", 3).stdout.splitlines()
    assert len(lines) == 4
    assert all(len(line.split()) == 6 for line in lines)
    records = json.loads(run("topics", out, "--json", "--by", "lift").stdout)
    values = [record["coherence"] for record in records]
    assert values == sorted(values, reverse=True)
    assert set(records[0]["words"]) <= set(COOKING + SAILING)
    other = json.loads(run("topics", out, "--json", "--by", "lift", "--reference", texts).stdout)
    assert {x["topic"] for x in other} == {0, 1, 2, 3}
    shown = run("topics", out, "--json", "--by", "documents", "--reference", texts)
    assert {x["topic"] for x in json.loads(shown.stdout)} == {0, 1, 2, 3}
    done = run("topics", out, "--plot", tmp_path / "a.png")
    assert done.stdout.splitlines()[-1] == f"plot: {tmp_path / 'a.png'}"
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_the_export_for_pyldavis(trained, texts, tmp_path):
    path = tmp_path / "topics.npz"
    assert run("topics", trained[0], "--reference", texts, "--pyldavis", path).exit_code == 0
    arguments = np.load(path, allow_pickle=False)
    assert set(arguments["vocab"]) == set(COOKING + SAILING)
    assert arguments["topic_term_dists"].shape == (4, 16)
    assert arguments["doc_topic_dists"].shape == (120, 4)


def test_topics_of_new_documents(trained, tmp_path):
    out, _ = trained
    done = run("transform", out, input="boat wind wave\nsalt onion oven\n")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert [row[0] for row in rows] == ["line 1", "line 2"]
    texts = write_texts(tmp_path / "new.jsonl", 3, seed=4)
    saved = tmp_path / "topics.npy"
    done = run("transform", out, texts, "--json", "--out", saved)
    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert [record["document"] for record in records] == [f"{texts}:{k}" for k in (1, 2, 3)]
    np.testing.assert_allclose(np.load(saved), [r["topics"] for r in records], rtol=1e-5)


def test_of_documents_without_a_known_word_nothing_is_told(trained, texts, tmp_path):
    lines = {"input": "quux quuux\nboat wind wave rope\n"}
    assert run("transform", trained[0], **lines).stdout.startswith("line 1\tno word of the model\n")
    records = [
        json.loads(x)
        for x in run("transform", trained[0], "--json", **lines).stdout.split("\n")[:-1]
    ]
    assert [record["words"] for record in records] == [0, 4]
    assert set(records[0]["topics"]) == {0.5}
    shown = run("similar", trained[0], texts, "--top", 1, **lines).stdout.splitlines()
    assert shown[0] == "line 1: no word of the model"
    assert shown[1].startswith("line 2: boat")
    with texts.open() as file, (tmp_path / "more.jsonl").open("w") as more:
        more.write(json.dumps({"text": "quux"}) + "\n" + "".join(file))
    shown = run("similar", trained[0], tmp_path / "more.jsonl", "--top", 1000, input="boat wind\n")
    assert len(shown.stdout.splitlines()) == 121


def test_similar_documents(trained, texts):
    done = run("similar", trained[0], texts, "--top", 5, "--json", input="boat wind wave rope\n")
    (record,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert record["query"] == "line 1"
    numbers = [int(row["document"].rsplit(":", 1)[1]) for row in record["similar"]]
    assert all(number % 2 == 0 for number in numbers)  # sailing; counted from 1
    lines = run("similar", trained[0], texts, "--query", texts, "--top", 1).stdout.splitlines()
    assert len(lines) == 240
    assert float(lines[1].split()[0]) == pytest.approx(1.0)


def test_likelihood_by_length(trained, texts, tmp_path):
    held_out = write_texts(tmp_path / "new.jsonl", 60, seed=8)
    common = (trained[0], held_out, "--reference", texts, "--quiet", "--threads", 1)
    record = json.loads(run("likelihood", *common, "--json").stdout)
    assert record["documents"] == record["of"] == 60
    assert 1 < record["perplexity"] < 16
    assert len(record["log_Z"]) == 6
    for row in record["log_Z"]:
        assert row["bound"] < row["forward"] + 0.5
    lines = run("likelihood", *common, "--documents", 10).stdout.splitlines()
    assert lines[0].startswith("perplexity per word of 10 of 60 documents: ")


def test_counts_and_a_prepared_corpus(tmp_path):
    rng = np.random.default_rng(0)
    sparse.save_npz(tmp_path / "counts.npz", sparse.csr_matrix(rng.poisson(0.6, (50, 9))))
    (tmp_path / "words.txt").write_text("".join(f"word{k}\n" for k in range(9)))
    small = (*SMALL, "--updates", 5)
    done = run("train", tmp_path / "counts.npz", "--words", tmp_path / "words.txt",
               "--out", tmp_path / "a", *small)  # fmt: skip
    assert done.exit_code == 0, done.output
    assert read_topics(tmp_path / "a").words[0] == "word0"
    done = run("transform", tmp_path / "a", tmp_path / "counts.npz")
    assert done.stdout.startswith(f"{tmp_path / 'counts.npz'}, row 0\t")
    corpus = prepared(tmp_path / "text").path
    assert run("train", corpus, "--out", tmp_path / "b", *small).exit_code == 0
    rows = run("transform", tmp_path / "b", corpus).stdout.splitlines()
    assert rows[0].startswith(f"{corpus}, document 0\t")


def test_info_knows_the_folder(trained):
    done = CliRunner().invoke(app, ["info", str(trained[0]), "--json"])
    record = json.loads(done.stdout)
    assert record["kind"] == "documents"
    assert record["command"] == f"wordrbm documents topics {trained[0]}"
    assert record["documents"] == 114
    assert record["last_metrics"]["step"] == 1000
    assert "coherence" not in record


@pytest.fixture
def fault(monkeypatch, capfd):
    """Standard error of a command that must end with one sentence and exit code 2."""

    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["wordrbm", "documents", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        assert end.value.code == 2
        error = capfd.readouterr().err
        assert error.count("\n") == 1
        return error

    return call


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--topics", "0"], "--topics: "),
        (["--rate", "-1"], "--rate: "),
        (["--updates", "0"], "--updates: "),
        (["--chains", "0", "--batch-size", "0"], "--batch-size: "),
        (["--min-count", "100000"], "0 occur 100000 times or more"),
        (["--max-share", "0"], "--max-share: "),
        (["--heldout", "1"], "--heldout"),
        (["--field", "body"], "has no field 'body'"),
        (["--words", "nowhere"], "--words names the columns"),
        (["--freeze-vectors"], "give a model as --vectors"),
        (["--vectors", "nowhere"], "nowhere"),
        (["--encoding-errors", "ignore"], "--encoding-errors is 'ignore'"),
    ],
)
def test_a_fault_of_training_is_one_sentence(fault, texts, tmp_path, arguments, message):
    out = tmp_path / "out"
    assert message in fault("train", texts, "--out", out, *SMALL, *arguments)
    assert not out.exists()


def test_other_faults_are_one_sentence(fault, trained, texts, tmp_path):
    out, _ = trained
    assert "already holds a trained model" in fault("train", texts, "--out", out, *SMALL)
    assert "topics was 4 and is now 5" in fault(
        "train", texts, "--out", out, *SMALL, "--topics", 5, "--resume"
    )
    assert "nowhere" in fault("train", "nowhere", "--out", tmp_path / "a", *SMALL)
    (tmp_path / "other.txt").write_text("quux quuux")
    assert "has a word of the model" in fault("transform", out, tmp_path / "other.txt")
    assert "ordered by 'rank'" in fault("topics", out, "--by", "rank")
    assert "give some as --reference" in fault("topics", out, "--by", "documents")
    assert "neither .png nor .svg" in fault("topics", out, "--plot", tmp_path / "a.gif")
    assert "give some as --reference" in fault("topics", out, "--pyldavis", tmp_path / "a.npz")
    named = fault("transform", out, texts, "--out", tmp_path / "a.txt")
    assert f"--out is {tmp_path / 'a.txt'}" in named
    assert "ends in .npy" in named
    pyldavis = "--reference", texts, "--pyldavis"
    assert "ends in .npz" in fault("topics", out, *pyldavis, tmp_path / "a.txt")
    assert not (tmp_path / "a.txt").exists()
    assert "was not found" in fault("topics", tmp_path)
    short = fault("likelihood", out, texts, "--max-length", 1, "--quiet")
    assert "larger --max-length" in short
    counts = tmp_path / "counts.npz"
    sparse.save_npz(counts, sparse.csr_matrix((2, 3)))
    assert "3 columns where the model has 16 words" in fault("transform", out, counts)
    assert "give it alone" in fault("train", texts, counts, "--out", tmp_path / "a", *SMALL)
