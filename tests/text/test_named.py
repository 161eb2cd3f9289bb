from pathlib import Path

import pytest

import wordrbm
from wordrbm.errors import WordRBMError
from wordrbm.text.named import paths_of


@pytest.mark.parametrize(
    "given",
    [
        "The cat sat.\nThe dog did not.\n",
        ["The cat sat. " * 1_000],
        "a\0b",
        b"bytes",
        7,
        [7],
        [b"a.txt"],
        None,
    ],
)
def test_what_is_no_path_is_told_in_a_short_sentence(given):
    with pytest.raises(WordRBMError, match="no path; write the text to a file") as refused:
        paths_of(given)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 200


def test_paths_may_come_once_only(tmp_path):
    (tmp_path / "a.txt").write_text("The cat sat.")
    found = wordrbm.prepare((path for path in [tmp_path / "a.txt"]), tmp_path / "out", workers=1)
    assert found.manifest.counts.files == 1
    assert found.manifest.counts.bytes == 12
    again = wordrbm.prepare(str(tmp_path / "a.txt"), tmp_path / "out", workers=1, resume=True)
    assert again.manifest == found.manifest


def test_one_path_alone_is_a_list_of_one():
    assert paths_of("a") == paths_of(Path("a")) == paths_of(["a"]) == [Path("a")]


def test_a_file_may_have_a_line_end_in_its_name(tmp_path):
    path = tmp_path / "a\nb"
    path.write_text("The cat sat.")
    assert paths_of(str(path)) == [path]
