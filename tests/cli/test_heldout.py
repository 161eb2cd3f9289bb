"""The command `wordrbm likelihood`, from a corpus and a model to the stored log Z."""

import json
import shutil
import signal
from dataclasses import replace

import numpy as np
import pytest

import wordrbm
from tests.corpora import prepared
from tests.zygote import Process
from wordrbm.models import WordRepRBM
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.trained_model import load, save

FAST = ["--temperatures", 30, "--chains", 64, "--windows", 50, "--quiet"]


@pytest.fixture
def model(trained_folders, tmp_path):
    return shutil.copytree(trained_folders[0], tmp_path / "model")


@pytest.fixture
def likelihood(run_command, trained_folders):
    def call(model, *arguments, corpus=trained_folders[1]):
        return run_command("wordrbm", "likelihood", model, corpus, *FAST, *arguments)

    return call


def test_what_is_stored_answers_in_python(likelihood, model):
    with pytest.raises(wordrbm.WordRBMError, match="wordrbm likelihood"):
        load(model).log_likelihood(["the cat eats"])
    code, shown, _ = likelihood(model, "--json", "--trigrams")
    assert code == 0
    result = json.loads(shown)
    assert set(result["held_out"]) == {"model", "word frequencies", "trigram counts"}
    assert result["bound"] <= result["log_Z"] + 1e-9
    assert result["interval"][0] <= result["log_Z"] <= result["interval"][1]
    assert result["heaviest_windows"]["windows"][0]["share"] > 0
    trained = load(model)
    assert trained.log_Z == result["log_Z"]
    assert (trained.log_likelihood(["the cat eats", "gold in june"]) < 0).all()


def test_the_table(likelihood, model):
    code, shown, _ = likelihood(model)
    assert code == 0
    for line in (
        "log Z ",
        "annealing, forward",
        "annealing, reverse",
        "windows of the text",
        "word frequencies",
        "very rare windows",
        "ten heaviest windows",
    ):
        assert line in shown
    assert max(map(len, shown.splitlines())) < 200


def test_same_bytes_for_any_number_of_threads(likelihood, model):
    stored = []
    for threads in (1, 2):
        assert likelihood(model, "--threads", threads)[0] == 0
        stored.append((model / "likelihood.json").read_bytes())
    assert stored[0] == stored[1]


def test_a_seed_takes_other_windows(likelihood, model):
    evenly, one, two = (
        json.loads(likelihood(model, "--json", *seed)[1])["held_out"]["word frequencies"]
        for seed in ([], ["--seed", 5], ["--seed", 6])
    )
    assert len({row["log_likelihood"] for row in (evenly, one, two)}) == 3


def test_a_spike_is_warned_of_and_the_command_succeeds(likelihood, trained_folders, model):
    """Word frequencies, but for one window that one hidden unit calls by all its words."""
    trained = load(model)
    spike = PreparedCorpus.open(trained_folders[1]).windows(3, "train").take(np.array([7]))[0]
    D, U = np.zeros_like(trained.rbm.D), np.zeros_like(trained.rbm.U)
    c = np.zeros_like(trained.rbm.c)
    for i, word in enumerate(spike):
        D[word, i], U[i, 0, i] = 30, 1
    c[0] = -50
    b = np.log(trained.vocabulary.probability()).astype(np.float32)
    save(model, replace(trained, rbm=WordRepRBM(D=D, U=U, b=b, c=c)))
    code, shown, _ = likelihood(model)
    assert code == 0
    assert "warning: 100.0% of the model lies on ten windows" in shown


def test_a_plot_of_both_sides(likelihood, model, tmp_path):
    pytest.importorskip("matplotlib")
    assert likelihood(model, "--plot", tmp_path / "plot.png")[0] == 0
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_a_training_run_goes_on_beside_the_file(likelihood, model):
    assert likelihood(model)[0] == 0
    from wordrbm.run.run_folder import check_run_folder

    check_run_folder(model, resume=True)


def test_another_corpus_is_refused(likelihood, model, tmp_path):
    other = prepared(tmp_path / "other", stories=8).path
    code, _, message = likelihood(model, corpus=other)
    assert code == 2
    assert "another vocabulary" in message
    assert len(message.splitlines()) == 1


def test_a_plot_of_another_kind_is_refused_before_any_work(likelihood, model, tmp_path):
    pytest.importorskip("matplotlib")
    code, _, message = likelihood(model, "--plot", tmp_path / "plot.txt")
    assert code == 2
    assert "neither .png nor .svg" in message
    assert "annealing" not in message
    code, _, message = likelihood(model, "--plot", tmp_path / "absent" / "plot.png")
    assert code == 2
    assert "in a folder that does not exist; make the folder first" in message
    assert not (model / "likelihood.json").exists()


def test_a_signal_ends_it_with_a_sentence_and_no_file(trained_folders, model):
    options = ["--temperatures", 1_000_000, "--chains", 64]
    process = Process("likelihood", model, trained_folders[1], *options)
    process.stderr.readline()  # the first line of progress
    process.send_signal(signal.SIGINT)
    message = process.stderr.read()
    assert process.wait() == 130, message
    assert "nothing was written" in message
    assert not (model / "likelihood.json").exists()


def test_log_probabilities_are_finite(likelihood, model):
    assert likelihood(model)[0] == 0
    ids = np.zeros((2, 3), np.int32)
    assert np.isfinite(load(model).log_likelihood(ids)).all()
