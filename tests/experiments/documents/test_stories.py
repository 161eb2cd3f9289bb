import gzip
import json

import pytest
from experiments.documents.stories import read_stories

from wordrbm.errors import WordRBMError


def test_the_last_file_is_the_test_and_words_are_those_of_the_others(tmp_path):
    texts = ["Oil rose; oil-rich Shell's shares rose."] * 20, ["Oil fell 3 percent, oil-rich"]
    for number, part in enumerate(texts):
        lines = "".join(json.dumps({"text": text}) + "\n" for text in part)
        (tmp_path / f"{number}.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    splits = read_stories(tmp_path, 3, 10)
    assert (splits.train.shape, splits.validation.shape) == ((18, 3), (2, 3))
    assert splits.test.shape == (1, 3)
    assert splits.test.sum() in (1, 2)  # "Oil", "oil-rich" if they are among the three words
    with pytest.raises(WordRBMError, match="at least 2"):
        read_stories(tmp_path / "none", 3, 10)
