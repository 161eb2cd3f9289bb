import errno
import json
import os
from pathlib import Path

import pytest

from wordrbm.errors import WordRBMError
from wordrbm.text.finding import find_files


def test_folders_are_walked_in_order_without_hidden_names(tmp_path):
    for name in ["b.txt", "a/z.txt", "a/c.jsonl", ".hidden.txt", ".git/x.txt", "a/.y"]:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps({"text": name}))
    found = find_files([tmp_path / "b.txt", tmp_path])
    names = [path.relative_to(tmp_path).as_posix() for path in found]
    assert names == ["b.txt", "b.txt", "a/c.jsonl", "a/z.txt"]


def test_a_missing_path_and_an_empty_folder_are_refused(tmp_path):
    with pytest.raises(WordRBMError, match="nowhere is neither a file nor a folder"):
        find_files([tmp_path / "nowhere"])
    with pytest.raises(WordRBMError, match="No file was found"):
        find_files([tmp_path])


def test_a_path_that_may_not_be_looked_at_is_refused(tmp_path, monkeypatch):
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
    with pytest.raises(WordRBMError, match=r"a/\w+(/to)? is a link to a folder that it stands in"):
        find_files([tmp_path])


def test_the_corpus_to_be_made_is_no_input(tmp_path):
    for name in ("a.txt", "out/vocabulary.tsv", "out2/b.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("a")
    (tmp_path / "same").symlink_to(tmp_path / "out")
    assert find_files([tmp_path], tmp_path / "out") == [tmp_path / "a.txt", tmp_path / "out2/b.txt"]
    assert find_files([tmp_path / "out"], tmp_path / "out") == [tmp_path / "out/vocabulary.tsv"]


def deny(monkeypatch, denied):
    """Let one path be as in a folder that may not be searched, which root would not notice."""
    stat = Path.stat

    def refuse(path, **options):
        if path == denied:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return stat(path, **options)

    monkeypatch.setattr(Path, "stat", refuse)
