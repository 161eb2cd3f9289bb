"""A model folder comes back bit for bit; log Z stands beside its model, and only beside it."""

import json
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save_file

from wordrbm.errors import WordRBMError
from wordrbm.io.model_file import current_settings, parameter_digest, write_likelihood
from wordrbm.io.model_folder import LIKELIHOOD
from wordrbm.io.tensors import read_metadata
from wordrbm.models.exact import all_windows, log_Z_over_v
from wordrbm.run.run_folder import RUN_FILES
from wordrbm.trained_model import load, save
from wordrbm.training import check_settings


def test_a_model_comes_back_bit_for_bit(tmp_path, trained):
    save(tmp_path / "model", trained)
    back = load(tmp_path / "model")
    for name, value in trained.rbm.parameters().items():
        np.testing.assert_array_equal(back.rbm.parameters()[name], value)
    assert back.settings == trained.settings
    assert back.vocabulary.words == trained.vocabulary.words


def test_the_file_has_the_same_bytes_every_time(tmp_path, trained):
    save(tmp_path / "one", trained)
    save(tmp_path / "two", trained)
    one, two = ((tmp_path / name / "model.safetensors").read_bytes() for name in ("one", "two"))
    assert one == two


def test_the_metadata_says_what_it_is(tmp_path, trained):
    save(tmp_path / "model", trained)
    metadata = read_metadata(tmp_path / "model" / "model.safetensors")
    assert metadata["sizes"] == {"n": 2, "H": 3, "d": 5, "K": 4}
    assert (metadata["format"], metadata["version"], metadata["kind"]) == ("wordrbm", 1, "wordrep")


def test_settings_that_an_older_model_does_not_have_are_those_it_was_trained_with():
    """Not the values that a model of its size would have today."""
    stored = check_settings({"window": 5}).model_dump()
    del stored["bigram_share"]
    assert check_settings(current_settings({**stored, "jumps": 1})).bigram_share == 0.0
    del stored["jumps"]
    assert check_settings(current_settings(stored)).jumps == 0


def rewritten(path, change):
    """The same file with other tensors or another metadata."""
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        metadata = json.loads(file.metadata()["wordrbm"])
    change(tensors, metadata)
    save_file(tensors, path, metadata={"wordrbm": json.dumps(metadata)})


FAULTS = {
    "version": lambda tensors, metadata: metadata.update(version=99),
    "not written by wordrbm": lambda tensors, metadata: metadata.update(format="other"),
    "kind|not a word model": lambda tensors, metadata: metadata.update(kind="checkpoint"),
    "were expected": lambda tensors, metadata: tensors.pop("c"),
    "holds D as": lambda tensors, metadata: tensors.update(D=tensors["D"][:, :4].copy()),
    "not finite": lambda tensors, metadata: tensors.update(b=tensors["b"] * np.nan),
    "not the vocabulary": lambda tensors, metadata: metadata.update(vocabulary="0" * 64),
}


@pytest.mark.parametrize("sentence", FAULTS)
def test_a_file_that_is_not_right_is_refused(tmp_path, trained, sentence):
    save(tmp_path, trained)
    rewritten(tmp_path / "model.safetensors", FAULTS[sentence])
    with pytest.raises(WordRBMError, match=sentence) as caught:
        load(tmp_path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kept", [0, 1, 7, 8, 100, 400])
def test_a_truncated_file_is_refused(tmp_path, trained, kept):
    save(tmp_path, trained)
    path = tmp_path / "model.safetensors"
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(WordRBMError, match="cannot be read"):
        load(tmp_path)


def test_a_model_whose_settings_have_an_older_name_opens(tmp_path, trained):
    save(tmp_path, trained)

    def rename(tensors, metadata):
        metadata["settings"]["ngrams"] = metadata["settings"].pop("windows")

    rewritten(tmp_path / "model.safetensors", rename)
    assert load(tmp_path).settings == trained.settings


def test_a_model_older_than_the_spectral_start_began_at_random(tmp_path, trained):
    save(tmp_path, trained)
    rewritten(
        tmp_path / "model.safetensors",
        lambda tensors, metadata: metadata["settings"].pop("initialization"),
    )
    assert load(tmp_path).settings.initialization == "random"


def test_a_folder_without_a_model_is_refused(tmp_path):
    with pytest.raises(WordRBMError, match="was not found"):
        load(tmp_path)


def test_a_failed_write_leaves_the_old_file(tmp_path, trained, monkeypatch):
    save(tmp_path, trained)
    before = (tmp_path / "model.safetensors").read_bytes()

    def full(*arguments, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("wordrbm.io.tensors.save_file", full)
    with pytest.raises(WordRBMError, match="No space left"):
        save(tmp_path, trained)
    assert (tmp_path / "model.safetensors").read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} == {"model.safetensors", "vocabulary.tsv"}


def test_stored_log_z_makes_probabilities(folder):
    rbm = load(folder).rbm
    write_likelihood(folder, rbm, {"log_Z": log_Z_over_v(rbm), "method": "exact"})
    model = load(folder)
    log_p = model.log_likelihood(all_windows(rbm))
    assert np.exp(log_p).sum() == pytest.approx(1.0, abs=1e-5)
    assert model.log_likelihood(["the cat"])[0] == pytest.approx(
        -model.free_energy(["the cat"])[0] - model.log_Z
    )


def test_without_log_z_the_error_names_the_command(folder):
    with pytest.raises(WordRBMError, match=f"run `wordrbm likelihood {folder} CORPUS`"):
        load(folder).log_likelihood(["the cat"])
    with pytest.raises(WordRBMError, match="run `wordrbm likelihood MODEL CORPUS`"):
        replace(load(folder), folder=None).log_likelihood(["the cat"])


def test_the_log_z_of_another_model_is_noticed(folder):
    rbm = load(folder).rbm
    write_likelihood(folder, replace(rbm, c=rbm.c + 1), {"log_Z": 3.0})
    with pytest.raises(WordRBMError, match="another model"):
        load(folder).log_likelihood(["the cat"])


@pytest.mark.parametrize(
    "text", ["", "[1]", "{", '{"log_Z": 3}', "\udcff", '{"log_Z": 1' + "0" * 5000 + "}", "[" * 9999]
)
def test_a_damaged_log_z_is_refused_and_the_model_still_loads(folder, text):
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


def test_a_run_folder_may_hold_log_z():
    assert LIKELIHOOD in RUN_FILES
