import gzip
import json

import pytest

from wordrbm.errors import WordRBMError
from wordrbm.text.formats import iter_documents
from wordrbm.text.labelled import find_labelled, find_test_set


def write(folder, name, text="a text"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_folders_of_files(tmp_path):
    for part in ("train", "test"):
        for name in ("pos", "neg"):
            for number in range(3):
                write(tmp_path, f"{part}/{name}/{number}.txt", f"{name} {number}\nof {part}")
    write(tmp_path, "train/unsup/0.txt")
    write(tmp_path, "README")
    files = find_labelled(tmp_path)
    assert list(files.train) == list(files.test) == ["neg", "pos"]
    assert list(iter_documents(files.train["pos"]))[1] == "pos 1\nof train"
    assert len(files.unlabelled) == 1


def test_files_of_lines(tmp_path):
    for part in ("train_pos", "train_neg", "train_unsup", "test_pos", "test_neg", "train_urls"):
        with gzip.open(tmp_path / f"{part}.jsonl.gz", "wt") as file:
            file.writelines(json.dumps({"text": f"{part} {k}"}) + "\n" for k in range(2))
    (tmp_path / "train_urls.jsonl.gz").rename(tmp_path / "train_urls_pos.txt.gz")
    files = find_labelled(tmp_path)
    assert list(files.train) == ["neg", "pos"]
    assert list(iter_documents(files.test["neg"])) == ["test_neg 0", "test_neg 1"]
    assert len(list(iter_documents(files.unlabelled))) == 2


def test_folders_without_a_test_set(tmp_path):
    for name in ("sport", "trade", "art"):
        write(tmp_path, f"{name}/one.txt")
    files = find_labelled(tmp_path)
    assert list(files.train) == ["art", "sport", "trade"]
    assert files.test == {}


def test_bad_layouts_are_refused(tmp_path):
    with pytest.raises(WordRBMError, match="is no folder"):
        find_labelled(tmp_path / "nowhere")
    with pytest.raises(WordRBMError, match="no folder of a class"):
        find_labelled(tmp_path)
    write(tmp_path, "train/pos/one.txt")
    with pytest.raises(WordRBMError, match="only the class pos"):
        find_labelled(tmp_path)
    write(tmp_path, "train/neg/one.txt")
    write(tmp_path, "test/pos/one.txt")
    with pytest.raises(WordRBMError, match="classes neg, pos for training and pos for testing"):
        find_labelled(tmp_path)


def test_a_folder_of_test_documents(tmp_path):
    write(tmp_path, "pos/one.txt")
    with pytest.raises(WordRBMError, match=r"has test documents of pos, and .* are neg, pos; give"):
        find_test_set(tmp_path, {"neg", "pos"})
    write(tmp_path, "neg/one.txt")
    write(tmp_path, "unsup/one.txt")
    assert set(find_test_set(tmp_path, {"neg", "pos"})) == {"neg", "pos"}
    write(tmp_path, "test/neg/two.txt")
    write(tmp_path, "test/pos/two.txt")
    assert find_test_set(tmp_path, {"neg", "pos"})["neg"] == [tmp_path / "test" / "neg" / "two.txt"]
    with pytest.raises(WordRBMError, match="is no folder"):
        find_test_set(tmp_path / "nowhere", {"neg"})
    (tmp_path / "empty").mkdir()
    with pytest.raises(WordRBMError, match="has test documents of no class"):
        find_test_set(tmp_path / "empty", {"neg", "pos"})


def test_a_damaged_file_is_refused(tmp_path):
    for name in ("pos", "neg"):
        (tmp_path / f"train_{name}.jsonl").write_text('{"text": "a"}\nnonsense\n')
    files = find_labelled(tmp_path)
    with pytest.raises(WordRBMError, match=r"train_pos\.jsonl, line 2"):
        list(iter_documents(files.train["pos"]))


def test_no_file_is_skipped_silently(tmp_path):
    for name in ("train_a.x.jsonl", "train_a.y.jsonl", "train_b.jsonl", "train_b.jsonl.gz"):
        (tmp_path / name).write_text("")
    (tmp_path / "train_b.jsonl.bak").write_text("")
    files = find_labelled(tmp_path)
    assert list(files.train) == ["a.x", "a.y", "b"]
    assert len(files.train["b"]) == 2
    (tmp_path / "train").mkdir()
    with pytest.raises(WordRBMError, match=r"both the folder train and train_a\.x\.jsonl"):
        find_labelled(tmp_path)
