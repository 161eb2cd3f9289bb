from pathlib import Path

import numpy as np
import pytest

from wordrbm.errors import WordRBMError
from wordrbm.io import model_folder
from wordrbm.io.model_folder import (
    MODEL,
    VOCABULARY,
    append_metrics,
    check_parameters,
    read_metrics,
    read_model_metadata,
    truncate_metrics,
)
from wordrbm.io.tensors import write_tensors
from wordrbm.text.vocabulary import Vocabulary


@pytest.fixture
def vocabulary(tmp_path):
    vocabulary = Vocabulary.build([("the", 50), ("cat", 20)], 3)
    vocabulary.write(tmp_path / VOCABULARY)
    return vocabulary


def test_metadata_and_vocabulary_belong_together(tmp_path, vocabulary):
    write_tensors(tmp_path / MODEL, {}, {"kind": "wordrep", "vocabulary": vocabulary.digest()})
    metadata, words = read_model_metadata(tmp_path)
    assert (metadata["kind"], words.words) == ("wordrep", vocabulary.words)


@pytest.mark.parametrize(
    ("kind", "message"), [("checkpoint", "not a word model"), ("wordrep", "not the vocabulary")]
)
def test_files_of_another_kind_or_vocabulary_are_refused(tmp_path, vocabulary, kind, message):
    write_tensors(tmp_path / MODEL, {}, {"kind": kind, "vocabulary": "0" * 64})
    with pytest.raises(WordRBMError, match=message):
        read_model_metadata(tmp_path)


def test_parameters_are_finite_and_of_one_floating_point_type():
    single = np.ones(2, np.float32)
    check_parameters(Path("x"), [single, single])
    for arrays in ([single, np.ones(2)], [np.ones(2, np.int32)]):
        with pytest.raises(WordRBMError, match="one kind of float"):
            check_parameters(Path("x"), arrays)
    with pytest.raises(WordRBMError, match="not finite"):
        check_parameters(Path("x"), [single, single * np.nan])


def test_every_file_of_a_model_folder_is_described():
    names = [getattr(model_folder, x) for x in ("MODEL", "VOCABULARY", "METRICS", "TIMES")]
    assert all(name in model_folder.__doc__ for name in [*names, model_folder.LIKELIHOOD])


def test_lines_come_back_in_order(tmp_path):
    path = tmp_path / "metrics.jsonl"
    assert read_metrics(path) == []
    for step in (5, 10):
        append_metrics(path, {"step": step, "cloze_perplexity": 12.5})
    assert [record["step"] for record in read_metrics(path)] == [5, 10]


def test_a_line_cut_short_is_skipped(tmp_path):
    path = tmp_path / "metrics.jsonl"
    path.write_text('{"step": 5}\n{"step": -1}\n[1]\n{"ste')
    assert read_metrics(path) == [{"step": 5}]


def test_truncation_keeps_the_bytes_of_earlier_steps(tmp_path):
    path = tmp_path / "metrics.jsonl"
    append_metrics(path, {"step": 5, "x": 0.1})
    earlier = path.read_bytes()
    append_metrics(path, {"step": 10, "x": 0.2})
    truncate_metrics(path, 5)
    assert path.read_bytes() == earlier
