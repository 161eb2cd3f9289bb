import errno
import gzip
import itertools
import json
import os
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from wordrbm.errors import WordRBMError
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.text.prepare import PrepareSettings, jobs, pipeline, segments
from wordrbm.text.prepare.pipeline import prepare_corpus
from wordrbm.text.tokenizer import tokenize

TEXT = "the a of cat dog U.S. 1,999 can't Corp. zebra <unk> over under <b> café"


@pytest.fixture
def corpus(tmp_path):
    """Files of every format, with documents of 0 to 9,000 words, and the documents in order."""
    rng = np.random.default_rng(20120626)
    sizes = [0, 1, 2, 9_000, 30, 0, 2_000, 2_001, *rng.integers(0, 80, 150).tolist()]
    texts = [" ".join(rng.choice(TEXT.split(), size)) + "." * min(size, 1) for size in sizes]
    folder = tmp_path / "texts"
    folder.mkdir()
    for number, text in enumerate(texts[:5]):
        (folder / f"{number}.txt").write_text(text)
    lines = "".join(json.dumps({"text": text}) + "\n" for text in texts[5:])
    (folder / "many.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    return folder, [tokens for text in texts if (tokens := tokenize(text))]


def run(inputs, out, workers=1, **settings):
    progress = list(prepare_corpus(inputs, out, PrepareSettings(**settings), workers))
    return progress, PreparedCorpus.open(out)


def small_parts(monkeypatch):
    """Segments and jobs so small that every way of dividing them happens."""
    monkeypatch.setattr(segments, "SEGMENT_TOKENS", 501)
    monkeypatch.setattr(jobs, "JOB_BYTES", 300)


def test_the_corpus_is_what_a_plain_loop_makes_of_the_text(tmp_path, corpus, monkeypatch):
    small_parts(monkeypatch)
    folder, documents = corpus
    _, prepared = run([folder], tmp_path / "out", vocabulary_size=7)
    total = Counter(token for document in documents for token in document)
    ranked = sorted(total.items(), key=lambda row: (-row[1], row[0]))[:7]
    index = {word: k for k, (word, _) in enumerate(ranked, start=1)}
    expected = [index.get(token, 0) for document in documents for token in document]
    assert prepared.vocabulary.words == ("<unk>", *[word for word, _ in ranked])
    assert prepared.ids.tolist() == expected
    assert prepared.vocabulary.counts.tolist() == [expected.count(k) for k in range(8)]
    ends = set(np.cumsum([len(document) for document in documents]).tolist())
    assert ends <= set(prepared.spans[:, 1].tolist()), "every document ends a span"
    counts = prepared.manifest.counts
    assert counts.stories == len(documents)
    assert counts.tokens == len(expected)
    assert counts.types == len(total)
    assert counts.unknown == expected.count(0)


@pytest.mark.parametrize("heldout", [0.0, 0.01, 0.2])
def test_training_and_heldout_windows_have_no_word_in_common(tmp_path, corpus, heldout):
    _, prepared = run([corpus[0]], tmp_path / "out", heldout=heldout)
    places = np.arange(prepared.ids.size, dtype=np.int32)  # each word is its own index
    seen = {}
    for part in ("train", "heldout"):
        windows = replace(prepared.windows(3, part), ids=places, K=places.size)
        seen[part] = set(windows.take(np.arange(len(windows))).ravel().tolist())
    assert not seen["train"] & seen["heldout"]
    assert seen["train"]
    assert bool(seen["heldout"]) == (heldout > 0)
    held = prepared.spans[prepared.spans[:, 2] == 1]
    assert prepared.manifest.counts.heldout == (held[:, 1] - held[:, 0]).sum()


def test_the_bytes_do_not_depend_on_the_number_of_workers(tmp_path, corpus, monkeypatch):
    monkeypatch.setattr(jobs, "JOB_BYTES", 3_000)
    files = {}
    for workers in (1, 2, 3):
        out = tmp_path / f"out{workers}"
        run([corpus[0]], out, workers, vocabulary_size=9)
        files[workers] = {path.name: path.read_bytes() for path in out.iterdir()}
    assert len(jobs.plan_jobs(sorted(corpus[0].iterdir()))) > 3
    assert files[1] == files[2] == files[3]
    assert sorted(files[1]) == ["ids.int32", "manifest.json", "runs.int64", "vocabulary.tsv"]


@pytest.mark.parametrize(("workers", "size"), [(1, 10**6), (1, 1), (2, 1)])
def test_input_and_replaced_characters_are_counted(tmp_path, monkeypatch, workers, size):
    monkeypatch.setattr(jobs, "JOB_BYTES", size)
    texts = tmp_path / "texts"
    texts.mkdir()
    for number in range(3):
        (texts / f"{number}.txt").write_bytes(b"one \xff two \0 " * (number + 1))
    counts = run([texts], tmp_path / "out", workers, encoding_errors="replace")[1].manifest.counts
    assert (counts.files, counts.bytes, counts.replaced) == (3, 72, 12)


def test_progress_goes_through_the_stages_to_the_end(tmp_path, corpus):
    progress, prepared = run([corpus[0]], tmp_path / "out", 2)
    assert list(dict.fromkeys(step.stage for step in progress)) == ["read", "count", "write"]
    for _, steps in itertools.groupby(progress, key=lambda step: step.stage):
        done = [step.done for step in steps]
        assert done == sorted(done)
    ends = {step.stage: step.total - step.done for step in progress}
    assert ends == {"read": 0, "count": 0, "write": 0}
    assert progress[-1].done == progress[-1].total == prepared.ids.size


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_before_any_job_is_committed_leaves_nothing(tmp_path, corpus, workers):
    (corpus[0] / "zz.jsonl").write_text('{"text": "fine"}\n{"text": 3}\n')
    before = sorted(tmp_path.iterdir())
    with pytest.raises(WordRBMError, match=r"zz\.jsonl, line 2 has int.*as a string\.$"):
        run([corpus[0]], tmp_path / "deep/er/out", workers)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("text", ["", " \n\n ", "\ufeff"])
def test_a_corpus_without_a_word_is_refused(tmp_path, text):
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(WordRBMError, match="not one word in"):
        run([tmp_path / "a.txt"], tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_an_output_that_exists_is_never_touched(tmp_path, corpus):
    out = tmp_path / "out"
    out.mkdir()
    run([corpus[0]], out)  # an empty folder may be filled
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    with pytest.raises(WordRBMError, match="out exists already"):
        run([corpus[0]], out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_an_output_that_cannot_be_replaced_is_refused_before_any_work(
    tmp_path, corpus, monkeypatch
):
    here, link, nowhere = tmp_path / "here", tmp_path / "link", tmp_path / "nowhere"
    here.mkdir()
    link.symlink_to(here)
    nowhere.symlink_to(tmp_path / "gone")
    monkeypatch.setattr(pipeline, "run_jobs", None)
    for path in (link, nowhere):
        with pytest.raises(WordRBMError, match=f"{path.name} is a link, which .* its target as"):
            run([corpus[0]], path)
    with pytest.raises(WordRBMError, match="/ is a mount point, which cannot be replaced"):
        run([corpus[0]], Path("/"))
    monkeypatch.chdir(here)
    for out in (Path("."), here, Path("../here")):
        with pytest.raises(WordRBMError, match="here is the current folder, which cannot"):
            run([corpus[0]], out)
    assert sorted(os.listdir(tmp_path)) == ["here", "link", "nowhere", "texts"]


def test_a_vocabulary_without_words_is_refused(tmp_path, corpus):
    with pytest.raises(WordRBMError, match="occurs 10000 times; lower --min-count"):
        run([corpus[0]], tmp_path / "out", min_count=10_000)


def test_a_number_of_workers_below_one_is_refused(tmp_path, corpus):
    with pytest.raises(WordRBMError, match=r"workers: .* at least 1 \(found 0\)"):
        run([corpus[0]], tmp_path / "out", workers=0)


@pytest.mark.parametrize("kind", [str, Path, lambda path: [str(path)]])
def test_one_path_alone_is_a_list_of_one(tmp_path, kind):
    path = tmp_path / "a.txt"
    path.write_text("The cat sat.")
    _, prepared = run(kind(path), tmp_path / "out")
    assert prepared.ids.size == 4


@pytest.mark.parametrize("name", ["a" * 300, "a" * 250])  # too long as it is, or while it is made
def test_an_output_that_cannot_be_made_is_refused(tmp_path, corpus, name):
    before = sorted(tmp_path.iterdir())
    with pytest.raises(WordRBMError, match=r"Could not write .*aaa: File name too long; "):
        run([corpus[0]], tmp_path / name)
    assert sorted(tmp_path.iterdir()) == before


def test_an_output_that_cannot_be_stat_is_refused(tmp_path, corpus, monkeypatch):
    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refuse)
    with pytest.raises(WordRBMError, match=r"Could not write .*out: Permission denied; "):
        run([corpus[0]], tmp_path / "out")
