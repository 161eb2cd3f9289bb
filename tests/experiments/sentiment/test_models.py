"""Cross-fitted class models: what is scored, what stays on disk, what is refused."""

import shutil

import numpy as np
import pytest
from experiments.cache import ResultCache
from experiments.sentiment.command import RESULTS
from experiments.sentiment.config import FINETUNED, GENERATIVE, ModelConfig, fold_jobs
from experiments.sentiment.features import MEAN
from experiments.sentiment.models import build_vocabulary, load_class_models, load_energies
from safetensors.numpy import load_file

from tests.experiments.sentiment.small import run_sentiment
from wordrbm.errors import WordRBMError
from wordrbm.io.model_folder import MODEL
from wordrbm.io.tensors import write_tensors

# Of the experiment that all tests share.
CONFIG = ModelConfig(3, 6, 5, 1, 3000, 3000, finetune_epochs=5)


@pytest.fixture
def out(done, tmp_path):
    return shutil.copytree(done, tmp_path / "out")


def test_energies_are_under_models_of_other_folds(done, data):
    cache = ResultCache(done / RESULTS)
    energies = load_energies(CONFIG, 1, data, cache)
    documents = data.train.encode(build_vocabulary(CONFIG, data), 3)
    for stage, name in (GENERATIVE, MEAN), (FINETUNED, FINETUNED):
        for job in fold_jobs(CONFIG, 1):
            expected = load_class_models(job, stage, data, cache).energies(documents)
            kind = energies.in_sample if job.fold is None else energies.out_of_fold
            scored = data.scored(job.fold)
            np.testing.assert_allclose(kind[name].train[scored], expected[scored], rtol=1e-9)


def test_per_unit_contrasts_add_up_to_those_of_the_energies(done, data):
    energies = load_energies(CONFIG, 1, data, ResultCache(done / RESULTS))
    for fold, units in enumerate(energies.units):
        mean = energies.out_of_fold[MEAN].train[data.scored(fold)]
        assert units.train.shape == (len(mean), 7)
        np.testing.assert_allclose(units.train.sum(axis=1), mean[:, 0] - mean[:, 1], atol=1e-5)
        assert units.test.shape == (len(data.test), 7)


def test_damaged_results_are_refused(out, arguments, capfd):
    path = sorted((out / RESULTS).glob("*without1-energies*.safetensors"))[0]
    arrays = load_file(path)
    arrays["test.units"][0, 0] = np.nan
    write_tensors(path, arrays, {})
    assert run_sentiment(*arguments, "--out", out) == 2
    assert f"{path.with_suffix('.json')} is damaged; remove it" in capfd.readouterr().err


def test_initial_models_of_other_settings_are_refused(out, arguments, capfd):
    first, second = sorted((out / RESULTS).glob("n3-h6-d5-min1-seed*-pretrained-*"))
    (first / MODEL).write_bytes((second / MODEL).read_bytes())
    next((out / RESULTS).glob("*min1-seed1-all-energies*.json")).unlink()
    assert run_sentiment(*arguments, "--out", out) == 2
    assert "is of other documents or settings" in capfd.readouterr().err


def test_lost_models_are_trained_again(out, arguments):
    lost = sorted((out / RESULTS).glob("*-all-energies*/generative/class-0"))[0]
    content = (lost / MODEL).read_bytes()
    shutil.rmtree(lost)
    assert run_sentiment(*arguments, "--out", out) == 0
    assert (lost / MODEL).read_bytes() == content


def test_an_empty_vocabulary_is_refused(data):
    with pytest.raises(WordRBMError, match="No word was seen 100000 times"):
        build_vocabulary(CONFIG._replace(min_count=100_000), data)
