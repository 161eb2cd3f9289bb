import builtins
import errno
import hashlib
import io
import json
import os
from pathlib import Path

import numpy as np
import pytest

from wordrbm.errors import WordRBMError
from wordrbm.text import corpus
from wordrbm.text.corpus import MANIFEST, Manifest, PreparedCorpus
from wordrbm.text.prepare import PrepareSettings
from wordrbm.text.prepare.pipeline import prepare_corpus


@pytest.fixture
def folder(tmp_path):
    text = tmp_path / "a.jsonl"
    text.write_text("".join(f'{{"text": "story {k} of the cat."}}\n' for k in range(9)))
    settings = PrepareSettings(vocabulary_size=4, heldout=0.3, field="text")
    list(prepare_corpus([text], tmp_path / "out", settings, 1))
    return tmp_path / "out"


def rewrite(folder, change):
    path = folder / "manifest.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))


def read_all(prepared):
    for part in ("train", "heldout"):
        windows = prepared.windows(1, part)
        windows.take(np.arange(len(windows)))


def test_a_prepared_corpus_opens_and_is_what_was_prepared(folder):
    prepared = PreparedCorpus.open(folder)
    prepared.verify()
    assert isinstance(prepared.ids, np.memmap)
    assert not prepared.ids.flags.writeable
    assert prepared.manifest.settings == PrepareSettings(vocabulary_size=4, heldout=0.3)
    assert prepared.manifest.counts.stories == 9
    assert len(prepared.windows(3, "train")) == 4 * 6
    assert len(prepared.windows(6, "heldout")) == 3


def test_the_manifest_contains_no_time_path_or_machine(folder, tmp_path):
    text = (folder / "manifest.json").read_text()
    assert str(tmp_path) not in text
    assert sorted(json.loads(text)) == [
        *("counts", "files", "format", "inputs", "settings", "version")
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda m: m.update(format="other"), "does not have the format"),
        (lambda m: m.update(version=1), "has version 1 where this program reads version 2"),
        (lambda m: m.pop("counts"), "counts: Field required"),
        (lambda m: m["counts"].pop("heldout"), "counts.heldout: Field required"),
        (lambda m: m["settings"].update(more=1), "settings.more: Extra inputs are not permitted"),
        (
            lambda m: m["counts"].update(tokens="9"),
            "counts.tokens: Input should be a valid integer .found '9'",
        ),
        (
            lambda m: m["counts"].update(tokens=-1),
            "counts.tokens: Input should be greater than or equal to 0",
        ),
        (lambda m: m["counts"].update(tokens=7), "does not hold the 7 tokens"),
        (lambda m: m["counts"].update(vocabulary=7), "holds 5 words"),
        (lambda m: m.update(inputs=7), "inputs: Input should be a valid string"),
        (lambda m: m["files"].pop("ids.int32"), "does not list exactly the files"),
        (
            lambda m: m["files"]["ids.int32"].update(size=True),
            "files.ids.int32.size: Input should be a valid integer",
        ),
    ],
)
def test_a_changed_manifest_is_refused(folder, change, message):
    rewrite(folder, change)
    with pytest.raises(WordRBMError, match=message):
        PreparedCorpus.open(folder)


@pytest.mark.parametrize("content", [b"[]", b"{", b"\xff", b"", b"[" * 100_000])
def test_a_manifest_that_is_no_json_object_is_refused(folder, content):
    (folder / "manifest.json").write_bytes(content)
    with pytest.raises(WordRBMError, match=r"manifest\.json"):
        PreparedCorpus.open(folder)


@pytest.mark.parametrize("name", ["ids.int32", "runs.int64", "vocabulary.tsv"])
def test_a_file_cut_missing_or_changed_is_refused(folder, name):
    path = folder / name
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    with pytest.raises(WordRBMError, match=rf"{name} has {len(data) - 1:,} bytes where"):
        PreparedCorpus.open(folder)
    path.unlink()
    with pytest.raises(WordRBMError, match=f"{name} is missing"):
        PreparedCorpus.open(folder)
    path.write_bytes(data.replace(b"\x01", b"\x00", 1).replace(b"cat", b"dog", 1))
    with pytest.raises(WordRBMError, match="SHA-256 differs"):
        PreparedCorpus.open(folder).verify()


@pytest.mark.parametrize("name", ["ids.int32", "runs.int64", "vocabulary.tsv"])
def test_a_file_that_may_not_be_read_is_refused(folder, name, monkeypatch):
    prepared = PreparedCorpus.open(folder)
    deny(monkeypatch, folder / name)
    with pytest.raises(WordRBMError, match=f"Could not read .*{name}: Permission denied; check"):
        PreparedCorpus.open(folder)
    with pytest.raises(WordRBMError, match=f"Could not read .*{name}: Permission denied; check"):
        prepared.verify()


@pytest.mark.parametrize("name", ["ids.int32", "runs.int64", "vocabulary.tsv"])
def test_a_file_that_cannot_be_stat_is_refused(folder, name):
    path = folder / name
    path.unlink()
    path.symlink_to("a" * 300)  # a stat of it fails with another fault than a missing file
    with pytest.raises(WordRBMError, match=f"Could not read .*{name}: File name too long; check"):
        PreparedCorpus.open(folder)


@pytest.mark.parametrize("wrong", [-1, 5, 2**31 - 1])
@pytest.mark.parametrize("at", [0, 3, -1])
def test_an_id_that_is_no_word_is_refused_though_its_digest_fits(folder, monkeypatch, wrong, at):
    monkeypatch.setattr(corpus, "IDS_PER_BLOCK", 4)
    ids = np.fromfile(folder / "ids.int32", "<i4")
    ids[at] = wrong
    (folder / "ids.int32").write_bytes(ids.tobytes())
    digest = hashlib.sha256(ids.tobytes()).hexdigest()
    rewrite(folder, lambda m: m["files"]["ids.int32"].update(sha256=digest))
    prepared = PreparedCorpus.open(folder)
    with pytest.raises(WordRBMError, match=f"has the word id {wrong} where the 5 words have"):
        prepared.verify()
    with pytest.raises(WordRBMError, match="not from 0 to 4"):
        read_all(prepared)


def test_spans_outside_the_text_are_refused(folder):
    spans = np.fromfile(folder / "runs.int64", "<i8")
    spans[1] = 10**6
    spans.tofile(folder / "runs.int64")
    with pytest.raises(WordRBMError, match=r"span outside the text \(number 0\)"):
        PreparedCorpus.open(folder)


def test_a_folder_that_is_no_corpus_is_refused(tmp_path):
    for path in (tmp_path, tmp_path / "nowhere", tmp_path / ("a" * 300)):
        with pytest.raises(WordRBMError, match="is not a prepared corpus"):
            PreparedCorpus.open(path)


def test_a_window_needs_a_word(folder):
    with pytest.raises(WordRBMError, match="window of 0 words"):
        PreparedCorpus.open(folder).windows(0, "train")


def test_a_manifest_that_is_a_pipe_or_huge_is_refused_at_once(tmp_path):
    path = tmp_path / MANIFEST
    os.mkfifo(path)
    with pytest.raises(WordRBMError, match=r"manifest\.json is no file"):
        Manifest.read(tmp_path)
    path.unlink()
    path.touch()
    os.truncate(path, 1 << 40)  # with nothing in it
    with pytest.raises(WordRBMError, match=r"manifest\.json has 1,099,511,627,776 bytes where"):
        Manifest.read(tmp_path)


def deny(monkeypatch, denied):
    """Let one file be unreadable, also for root; numpy opens files as builtins does."""

    def refuse(open):
        def opened(path, *arguments, **options):
            if isinstance(path, str | Path) and Path(path) == denied:
                raise PermissionError(errno.EACCES, "Permission denied", str(path))
            return open(path, *arguments, **options)

        return opened

    monkeypatch.setattr(builtins, "open", refuse(builtins.open))
    monkeypatch.setattr(io, "open", refuse(io.open))
