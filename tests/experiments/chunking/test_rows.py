"""The rows of the table by name, and inputs from which none can be made."""

import pytest
from experiments.chunking.rows import feature_rows, parse_features

from tests.tagging.sentences import write_model
from wordrbm.errors import WordRBMError


@pytest.fixture
def inputs(tmp_path):
    """Two models and a file of vectors."""
    (tmp_path / "v.txt").write_text("the 1 2\ncat 3 4\n")
    models = [write_model(tmp_path / name, seed) for seed, name in enumerate(("one", "two"))]
    return models, [tmp_path / "v.txt"]


def test_rows_of_all_features(inputs):
    features = parse_features("words, vectors,hidden,fine-tuned,ensemble,words")
    rows = feature_rows(*inputs, features, seed=3, spelling=True, iobes=True)
    assert list(rows) == [
        "words", "v.txt vectors",
        "one vectors", "one vectors + hidden", "one vectors + fine-tuned",
        "two vectors", "two vectors + hidden", "two vectors + fine-tuned", "ensemble of one, two",
    ]  # fmt: skip
    assert all(config.spelling for config in rows.values())
    assert [name for name, config in rows.items() if config.iobes] == [
        "one vectors + fine-tuned", "two vectors + fine-tuned", "ensemble of one, two",
    ]  # fmt: skip
    assert rows["one vectors + hidden"].finetune is None
    assert rows["one vectors + fine-tuned"].finetune.seed == 3
    assert len(rows["ensemble of one, two"].components) == 2


def test_rows_have_the_labels_of_the_data_by_default(inputs):
    rows = feature_rows(*inputs, ["hidden", "fine-tuned"])
    assert not any(config.iobes for config in rows.values())


@pytest.mark.parametrize(
    ("features", "models", "files", "message"),
    [
        (["vectors"], 0, 0, "No --model"),
        (["hidden"], 0, 1, "need a --model"),
        (["ensemble"], 1, 0, "1 were given; give two --model"),
    ],
)
def test_missing_inputs_are_refused(inputs, features, models, files, message):
    with pytest.raises(WordRBMError, match=message):
        feature_rows(inputs[0][:models], inputs[1][:files], features)


def test_names_must_differ(inputs):
    with pytest.raises(WordRBMError, match="same name"):
        feature_rows([], inputs[1] * 2, ["vectors"])


def test_vectors_that_cannot_be_scaled_are_refused(tmp_path):
    (tmp_path / "v.txt").write_text("the 1 1\ncat 1 1\n")
    with pytest.raises(WordRBMError, match="cannot be scaled"):
        feature_rows([], [tmp_path / "v.txt"], ["vectors"])
