"""Labelled documents on disk become training and test data."""

import numpy as np
import pytest

from tests.reviews import write_reviews
from wordrbm.classification.labelled_files import read_labelled
from wordrbm.errors import WordRBMError


def test_training_and_test_documents_by_class(tmp_path):
    sets = read_labelled(write_reviews(tmp_path, count=20, test=8, unlabelled=4))
    assert sets.classes == ("animals", "money")
    assert sets.train.class_counts(sets.classes) == {"animals": 6, "money": 6}
    assert sets.test.label.tolist() == [0] * 4 + [1] * 4
    tokens = list(sets.train.tokenized.tokens())
    assert len(tokens) == 12
    assert {"bank", "fund", "trader", "firm"} & set(tokens[-1])
    data = sets.encode(3, 1, 2)
    np.testing.assert_array_equal(data.label, sets.train.label)
    assert len(data.documents) == 12


def test_a_test_folder_of_its_own(tmp_path):
    write_reviews(tmp_path / "mine", count=20, test=8, unlabelled=0)
    train, test = tmp_path / "mine" / "train", tmp_path / "mine" / "test"
    assert read_labelled(train).test is None
    assert len(read_labelled(train, test).test.label) == 8
    assert len(read_labelled(train, tmp_path / "mine").test.label) == 8
    (test / "weather").mkdir()
    (test / "weather" / "1.txt").write_text("rain")
    with pytest.raises(WordRBMError, match="name them alike"):
        read_labelled(train, test)


def test_too_few_documents_or_words_are_refused(tmp_path):
    sets = read_labelled(write_reviews(tmp_path, count=20, test=8, unlabelled=0))
    with pytest.raises(WordRBMError, match="Class animals has 6 documents with words where 7"):
        sets.encode(3, 1, 7)
    with pytest.raises(WordRBMError, match="No word occurs 1000 times"):
        sets.encode(3, 1000, 2)
    with pytest.raises(WordRBMError, match="--encoding-errors is 'ignore'"):
        read_labelled(tmp_path, encoding_errors="ignore")
