"""`likelihood.json`: log Z beside its model, and only beside it."""

import json
from dataclasses import replace

import numpy as np
import pytest

from wordrbm.errors import WordRBMError
from wordrbm.io.likelihood_file import parameter_digest, write_likelihood
from wordrbm.io.model_folder import LIKELIHOOD
from wordrbm.models import init_wordrep
from wordrbm.models.exact import all_windows, log_Z_over_v
from wordrbm.run.folder import RUN_FILES
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.trained_model import TrainedModel, load, save
from wordrbm.training import TrainingSettings


@pytest.fixture
def folder(rng, tmp_path):
    vocabulary = Vocabulary.build([("the", 50), ("cat", 20), ("sat", 7)], 3)
    rbm = init_wordrep(rng, n=2, H=3, d=5, word_probability=vocabulary.probability())
    settings = TrainingSettings(window=2, hidden=3, dimension=5)
    save(tmp_path / "model", TrainedModel(rbm, vocabulary, settings))
    return tmp_path / "model"


def test_stored_log_z_makes_probabilities(folder):
    rbm = load(folder).rbm
    write_likelihood(folder, rbm, {"log_Z": log_Z_over_v(rbm), "method": "exact"})
    model = load(folder)
    log_p = model.log_likelihood(all_windows(rbm))
    assert np.exp(log_p).sum() == pytest.approx(1.0, abs=1e-5)
    assert model.log_likelihood(["the cat"])[0] == pytest.approx(
        -model.free_energy(["the cat"])[0] - model.log_Z
    )


def test_without_it_the_command_is_told(folder):
    with pytest.raises(WordRBMError, match=f"run `wordrbm likelihood {folder} CORPUS`"):
        load(folder).log_likelihood(["the cat"])
    with pytest.raises(WordRBMError, match="run `wordrbm likelihood MODEL CORPUS`"):
        replace(load(folder), folder=None).log_likelihood(["the cat"])


def test_a_file_of_another_model_is_noticed(folder):
    rbm = load(folder).rbm
    write_likelihood(folder, replace(rbm, c=rbm.c + 1), {"log_Z": 3.0})
    with pytest.raises(WordRBMError, match="another model"):
        load(folder).log_likelihood(["the cat"])


@pytest.mark.parametrize(
    "text", ["", "[1]", "{", '{"log_Z": 3}', "\udcff", '{"log_Z": 1' + "0" * 5000 + "}", "[" * 9999]
)
def test_a_damaged_file_is_refused_and_the_model_still_loads(folder, text):
    (folder / LIKELIHOOD).write_bytes(text.encode("utf-8", "surrogateescape"))
    model = load(folder)
    assert model.free_energy(["the cat"]).size == 1
    with pytest.raises(WordRBMError, match="does not hold a log Z"):
        model.log_likelihood(["the cat"])


@pytest.mark.parametrize("value", ["NaN", "Infinity", '"3"', "null", "true"])
def test_log_z_must_be_a_finite_number(folder, value):
    head = {"format": "wordrbm likelihood", "version": 1, "model": "x"}
    text = json.dumps(head)[:-1] + f', "log_Z": {value}}}'
    (folder / LIKELIHOOD).write_text(text)
    with pytest.raises(WordRBMError, match="does not hold a log Z"):
        load(folder).log_likelihood(["the cat"])


def test_the_digest_is_of_every_number(folder):
    rbm = load(folder).rbm
    assert parameter_digest(rbm) == parameter_digest(load(folder).rbm)
    for name, value in rbm.parameters().items():
        other = value.copy()
        other.flat[-1] += 1
        assert parameter_digest(replace(rbm, **{name: other})) != parameter_digest(rbm)


def test_a_run_folder_may_hold_it():
    assert LIKELIHOOD in RUN_FILES
