import json

import numpy as np
import pytest
from safetensors.numpy import save_file

from wordrbm.errors import WordRBMError
from wordrbm.io.tensors import read_metadata
from wordrbm.models import init_wordrep
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.trained_model import TrainedModel, load, save
from wordrbm.training import TrainingSettings


@pytest.fixture
def trained(rng):
    words = [("the", 50), ("cat", 20), ("sat", 7)]
    vocabulary = Vocabulary.build(words, 3)
    rbm = init_wordrep(rng, n=2, H=3, d=5, word_probability=vocabulary.probability())
    return TrainedModel(rbm, vocabulary, TrainingSettings(window=2, hidden=3, dimension=5))


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
