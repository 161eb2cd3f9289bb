"""Topic models on disk: every number comes back, and every damage is one sentence."""

import json

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file
from scipy import sparse

from wordrbm.errors import WordRBMError
from wordrbm.io.document_file import (
    DocumentRunIdentity,
    StoredTopics,
    check_same_documents,
    counts_digest,
    latest_document_checkpoint,
    read_topics,
    save_document_checkpoint,
    write_topics,
)
from wordrbm.io.model_folder import MODEL, VOCABULARY
from wordrbm.models import ReplicatedSoftmaxRBM
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training.document_state import state_arrays
from wordrbm.training.document_trainer import DocumentSettings, DocumentTrainer

K, H, d = 5, 3, 2
SETTINGS = DocumentSettings(hidden=H, dimension=d, batch_size=4, chains=4, shards=2, updates=6)
COUNTS = sparse.csr_matrix(np.random.default_rng(0).poisson(1.0, (12, K)) + 1.0)


@pytest.fixture
def model():
    rng = np.random.default_rng(1)
    shapes = (K, d), (H, d), (K,), (H,)
    rbm = ReplicatedSoftmaxRBM(*(rng.normal(size=x).astype(np.float32) for x in shapes))
    vocabulary = Vocabulary.build([(f"w{k}", 9 - k) for k in range(K)], 3)
    counting = {"text": True, "log_counts": False}
    identity = DocumentRunIdentity(SETTINGS, vocabulary, counts_digest(COUNTS), counting)
    return StoredTopics(rbm, np.full(K, 1 / K), identity)


def test_every_number_comes_back(model, tmp_path):
    write_topics(tmp_path / "m", model)
    found = read_topics(tmp_path / "m")
    for name in "DUbc":
        np.testing.assert_array_equal(getattr(found.rbm, name), getattr(model.rbm, name))
    np.testing.assert_array_equal(found.frequency, model.frequency)
    assert found.words == ("w0", "w1", "w2", "w3", "w4")
    assert found.identity.metadata() == model.identity.metadata()
    with safe_open(tmp_path / "m" / MODEL, "numpy") as file:
        assert set(file.keys()) == {"D", "U", "b", "c", "frequency"}
        metadata = json.loads(file.metadata()["wordrbm"])
    assert metadata["kind"] == "documents"
    assert metadata["sizes"] == {"H": H, "d": d, "K": K}


def change_metadata(path, **changes):
    with safe_open(path, "numpy") as file:
        metadata = json.loads(file.metadata()["wordrbm"])
    save_file(load_file(path), path, {"wordrbm": json.dumps(metadata | changes)})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "wordrep"}, "not a topic model"),
        ({"settings": None}, "damaged"),
        ({"settings": {"hidden": 0}}, "damaged"),
        ({"settings": {"hidden": 4}}, "was expected"),
        ({"counting": {"text": 1, "log_counts": False}}, "how words are counted"),
        ({"counting": []}, "how words are counted"),
        ({"vocabulary": "0"}, "not the vocabulary"),
    ],
)
def test_metadata_that_do_not_fit_are_refused(model, tmp_path, changes, message):
    write_topics(tmp_path, model)
    change_metadata(tmp_path / MODEL, **changes)
    with pytest.raises(WordRBMError, match=message):
        read_topics(tmp_path)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("b", np.full(K, np.nan, np.float32), "not finite"),
        ("b", np.zeros(K + 1, np.float32), "was expected"),
        ("b", np.zeros(K), "one kind of float"),
        ("frequency", np.zeros(K), "no word frequencies"),
        ("frequency", np.full(K, 1 / K, np.float32), "no word frequencies"),
        ("more", np.zeros(1), "were expected"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(model, tmp_path, name, value, message):
    write_topics(tmp_path, model)
    path = tmp_path / MODEL
    with safe_open(path, "numpy") as file:
        metadata = file.metadata()
    save_file({**load_file(path), name: value}, path, metadata)
    with pytest.raises(WordRBMError, match=message):
        read_topics(tmp_path)


def test_another_vocabulary_is_refused(model, tmp_path):
    write_topics(tmp_path, model)
    (tmp_path / VOCABULARY).write_text("<unk>\t3\nw0\t9\n")
    with pytest.raises(WordRBMError, match="not the vocabulary"):
        read_topics(tmp_path)


def trained(step):
    trainer = DocumentTrainer.start(COUNTS, SETTINGS)
    for state in trainer.train(COUNTS):
        if state.step == step:
            return state
    raise AssertionError


def test_a_checkpoint_comes_back_and_a_damaged_one_gives_way(model, tmp_path):
    for step in (2, 3, 5):
        save_document_checkpoint(tmp_path, trained(step), model.identity)
    files = sorted((tmp_path / "checkpoints").iterdir())
    assert [int(path.stem) for path in files] == [3, 5]
    fresh = DocumentTrainer.start(COUNTS, SETTINGS)
    found = latest_document_checkpoint(tmp_path, fresh, model.identity)
    assert found.step == 5
    for name, array in state_arrays(trained(5)).items():
        np.testing.assert_array_equal(state_arrays(found)[name], array)
    files[1].write_bytes(files[1].read_bytes()[:-9])
    assert latest_document_checkpoint(tmp_path, fresh, model.identity).step == 3
    files[0].write_bytes(b"")
    with pytest.raises(WordRBMError, match="None of the 2 checkpoints"):
        latest_document_checkpoint(tmp_path, fresh, model.identity)


def test_every_difference_of_a_run_is_named(model, tmp_path):
    write_topics(tmp_path, model)
    identity = model.identity._replace(
        settings=SETTINGS.model_copy(update={"rate": 0.5}), corpus="1", vectors="2",
        counting={"text": True, "log_counts": True},
    )  # fmt: skip
    metadata = {"kind": "documents", **model.identity.metadata()}
    check_same_documents(tmp_path, metadata, model.identity)
    with pytest.raises(WordRBMError) as found:
        check_same_documents(tmp_path, metadata, identity)
    for words in ("rate was 0.02 and is now 0.5", "documents are others", "log_counts", "vectors"):
        assert words in str(found.value)
    with pytest.raises(WordRBMError, match="no topic model"):
        check_same_documents(tmp_path, {}, identity)


def test_the_digest_is_of_the_numbers():
    other = COUNTS.astype(np.float32)
    assert counts_digest(COUNTS) == counts_digest(other)
    other[0, 0] += 1
    assert counts_digest(COUNTS) != counts_digest(other)
