"""Taggers on disk: what is saved tags as before, what is damaged is refused."""

import shutil
from dataclasses import replace

import numpy as np
import pytest

from tests.tagging.sentences import letter_task, scores, write_task
from wordrbm.errors import WordRBMError
from wordrbm.io import Vectors
from wordrbm.io.tensors import read_metadata, write_tensors
from wordrbm.tagging.conll import Splits, read_splits
from wordrbm.tagging.features import EncodedSentences, FeatureConfig, FinetuneSettings
from wordrbm.tagging.tagger import train_tagger
from wordrbm.tagging.tagger_file import (
    FILE,
    load_tagger,
    save_tagger,
    saved_digest,
    training_digest,
)

WORDS = ("<unk>", "the", "new", "cat", "dog", "bank", "sees", "buys", ".")


@pytest.fixture(scope="module")
def splits(tmp_path_factory):
    return read_splits(write_task(tmp_path_factory.mktemp("task")))


@pytest.fixture(scope="module")
def folder(splits, tmp_path_factory):
    """A tagger with vectors, on disk."""
    rng = np.random.default_rng(4)
    vectors = Vectors(WORDS, rng.normal(size=(len(WORDS), 3)).astype(np.float32))
    encoded = EncodedSentences.build(splits.train)
    folder = tmp_path_factory.mktemp("tagger")
    save_tagger(folder, train_tagger(encoded, FeatureConfig(vectors), 0.1), "mark")
    return folder


def test_a_saved_tagger_tags_as_before(splits, folder):
    tagger = load_tagger(folder)
    assert tagger.tag([one.columns[:-1] for one in splits.test]) == [
        list(one.labels) for one in splits.test
    ]
    assert tagger.tag([]) == []
    assert tagger.attributes.columns == 2
    assert saved_digest(folder) == "mark"
    assert not {"spelling", "iobes"} & set(read_metadata(folder / FILE))


def test_spelling_is_part_of_the_file(splits, tmp_path):
    encoded = EncodedSentences.build(splits.train, spelling=True)
    tagger = train_tagger(encoded, FeatureConfig(spelling=True), 0.1)
    save_tagger(tmp_path, tagger, "mark")
    loaded = load_tagger(tmp_path)
    assert loaded.attributes.spelling
    assert loaded.features.spelling
    assert any("suffix=" in name for name in loaded.attributes.row)
    np.testing.assert_array_equal(scores(loaded, splits.test), scores(tagger, splits.test))


def test_the_label_scheme_is_part_of_the_file(splits, tmp_path):
    tagger = train_tagger(EncodedSentences.build(splits.train), FeatureConfig(iobes=True), 0.1)
    save_tagger(tmp_path, tagger, "mark")
    loaded = load_tagger(tmp_path)
    assert loaded.features.iobes
    assert {"S-VP", "E-NP"} <= set(loaded.labels)
    assert loaded.tag([one.columns[:-1] for one in splits.test]) == [
        list(one.labels) for one in splits.test
    ]


def test_an_ensemble_is_saved_with_its_members(tmp_path):
    model, sentences = letter_task()
    members = tuple(
        FeatureConfig(None, model, finetune=FinetuneSettings(epochs=1, seed=k)) for k in (1, 2)
    )
    encoded = EncodedSentences.build(sentences[:30])
    tagger = train_tagger(encoded, FeatureConfig(ensemble=members), 0.1)
    save_tagger(tmp_path, tagger, "mark")
    np.testing.assert_array_equal(
        scores(load_tagger(tmp_path), sentences[30:]), scores(tagger, sentences[30:])
    )
    (tmp_path / "member2" / "model" / "model.safetensors").unlink()
    with pytest.raises(WordRBMError):
        load_tagger(tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [("attributes.txt", b"a\nb"), ("attributes.txt", b"\xff"), ("words.txt", b"a")],
)
def test_a_damaged_tagger_is_refused(folder, tmp_path, name, text):
    copy = shutil.copytree(folder, tmp_path / "tagger")
    (copy / name).write_bytes(text)
    with pytest.raises(WordRBMError, match="damaged"):
        load_tagger(copy)


@pytest.mark.parametrize(
    "change",
    [
        {"labels": None}, {"labels": 7}, {"labels": ["a"] * 4}, {"labels": [1, 2, 3, 4]},
        {"vectors": None}, {"vectors": 3}, {"members": 7}, {"members": [1]},
        {"scale": "x"}, {"dense": None}, {"attributes": "a"},
    ],
    ids=str,
)  # fmt: skip
def test_a_damaged_header_is_refused(folder, tmp_path, change):
    copy = shutil.copytree(folder, tmp_path / "tagger")
    header, crf = read_metadata(copy / FILE), load_tagger(copy).crf
    header = {name: value for name, value in (header | change).items() if name != "shapes"}
    write_tensors(copy / FILE, {"W": crf.W, "V": crf.V, "A": crf.A}, header)
    with pytest.raises(WordRBMError):
        load_tagger(copy)


def test_weights_that_are_not_finite_are_refused(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "tagger")
    header, crf = read_metadata(copy / FILE), load_tagger(copy).crf
    tensors = {"W": crf.W * np.nan, "V": crf.V, "A": crf.A}
    write_tensors(copy / FILE, tensors, {k: v for k, v in header.items() if k != "shapes"})
    with pytest.raises(WordRBMError, match="not finite"):
        load_tagger(copy)


def test_a_folder_without_a_tagger_is_refused(tmp_path):
    with pytest.raises(WordRBMError, match="There is no"):
        load_tagger(tmp_path)
    assert saved_digest(tmp_path) is None


def test_digests_differ_where_features_or_finetuning_do():
    model, sentences = letter_task()
    other = replace(model, rbm=replace(model.rbm, c=model.rbm.c + 1))
    splits = Splits(sentences, [], [])
    one, changed = (FeatureConfig(None, x, finetune=FinetuneSettings()) for x in (model, other))
    configs = [
        one, one._replace(finetune=None), one._replace(finetune=FinetuneSettings(seed=1)),
        one._replace(spelling=True), one._replace(iobes=True),
        FeatureConfig(ensemble=(one,)), FeatureConfig(ensemble=(one, one)),
        FeatureConfig(ensemble=(one, changed)), FeatureConfig(ensemble=(changed, one)),
    ]  # fmt: skip
    assert len({training_digest(splits, config) for config in configs}) == len(configs)
    # Settings are in the digests of taggers on disk in this form.
    settings = "FinetuneSettings(epochs=10, rate=0.3, hidden_rate=0.2, seed=0)"
    assert repr(FinetuneSettings()) == settings
