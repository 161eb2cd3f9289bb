import errno
import json
import os
from pathlib import Path

import pytest

import wordrbm
from wordrbm.errors import WordRBMError
from wordrbm.text.files import as_paths, find_files


def test_folders_are_walked_in_order_without_hidden_names(tmp_path):
    for name in ["b.txt", "a/z.txt", "a/c.jsonl", ".hidden.txt", ".git/x.txt", "a/.y"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps({"text": name}))
    files = find_files([tmp_path / "b.txt", tmp_path])
    names = [path.relative_to(tmp_path).as_posix() for path in files]
    assert names == ["b.txt", "b.txt", "a/c.jsonl", "a/z.txt"]


def test_a_missing_path_and_an_empty_folder_are_refused(tmp_path):
    with pytest.raises(WordRBMError, match="nowhere is neither a file nor a folder"):
        find_files([tmp_path / "nowhere"])
    with pytest.raises(WordRBMError, match="No file was found"):
        find_files([tmp_path])


def test_a_path_that_cannot_be_stat_is_refused(tmp_path, monkeypatch):
    with pytest.raises(WordRBMError, match=r"Could not read .*aaa: File name too long; check"):
        find_files([tmp_path / ("a" * 300)])
    (tmp_path / "a.txt").write_text("a")
    deny(monkeypatch, tmp_path / "a.txt")
    for path in (tmp_path, tmp_path / "a.txt"):
        with pytest.raises(WordRBMError, match=r"Could not read .*a\.txt: Permission denied"):
            find_files([path])


@pytest.mark.parametrize("link", ["nowhere", "odd"])
def test_a_link_to_nothing_or_to_itself_is_refused_by_name(tmp_path, link):
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "odd").symlink_to(tmp_path / link)
    for path in (tmp_path, tmp_path / "odd"):
        with pytest.raises(WordRBMError, match="odd is neither a file nor a folder"):
            find_files([path])


def test_a_pipe_is_refused_by_name(tmp_path):
    (tmp_path / "a.txt").write_text("a")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WordRBMError, match="pipe is neither a file nor a folder"):
        find_files([tmp_path])


def test_a_link_to_a_file_or_a_folder_is_what_it_leads_to(tmp_path):
    texts, other = tmp_path / "texts", tmp_path / "other"
    for folder in (texts, other):
        folder.mkdir()
    (other / "b.txt").write_text("b")
    (texts / "a.txt").symlink_to(other / "b.txt")
    (texts / "linked").symlink_to(other)
    assert find_files([texts]) == [texts / "a.txt", texts / "linked/b.txt"]


@pytest.mark.parametrize("links", [{"a/up": "."}, {"a/up": "a"}, {"a/to": "b", "b/to": "a"}])
def test_links_in_a_circle_are_refused_by_name(tmp_path, links):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    for link, target in links.items():
        (tmp_path / link).symlink_to(tmp_path / target)
    with pytest.raises(WordRBMError, match=r"a/\w+(/to)? is a link to a folder that contains it"):
        find_files([tmp_path])


def test_the_output_folder_is_no_input(tmp_path):
    for name in ("a.txt", "out/vocabulary.tsv", "out2/b.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a")
    (tmp_path / "same").symlink_to(tmp_path / "out")
    assert find_files([tmp_path], tmp_path / "out") == [tmp_path / "a.txt", tmp_path / "out2/b.txt"]
    assert find_files([tmp_path / "out"], tmp_path / "out") == [tmp_path / "out/vocabulary.tsv"]


@pytest.mark.parametrize(
    "value",
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
def test_a_value_that_is_no_path_is_refused_in_a_short_sentence(value):
    with pytest.raises(WordRBMError, match="no path; write the text to a file") as refused:
        as_paths(value)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 200


def test_paths_may_come_from_a_generator(tmp_path):
    (tmp_path / "a.txt").write_text("The cat sat.")
    corpus = wordrbm.prepare((path for path in [tmp_path / "a.txt"]), tmp_path / "out", workers=1)
    assert corpus.manifest.counts.files == 1
    assert corpus.manifest.counts.bytes == 12
    again = wordrbm.prepare(str(tmp_path / "a.txt"), tmp_path / "out", workers=1, resume=True)
    assert again.manifest == corpus.manifest


def test_one_path_alone_is_a_list_of_one():
    assert as_paths("a") == as_paths(Path("a")) == as_paths(["a"]) == [Path("a")]


def test_a_file_may_have_a_line_end_in_its_name(tmp_path):
    path = tmp_path / "a\nb"
    path.write_text("The cat sat.")
    assert as_paths(str(path)) == [path]


def deny(monkeypatch, denied):
    """Let one path be as in a folder that may not be searched, which root would not notice."""
    stat = Path.stat

    def refuse(path, **options):
        if path == denied:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return stat(path, **options)

    monkeypatch.setattr(Path, "stat", refuse)
