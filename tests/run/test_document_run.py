"""A training run of a topic model: killed and resumed, the final bytes are the same."""

import os
import random
import signal
import time

import numpy as np
import pytest
from scipy import sparse

from tests.run.test_killed import interrupted
from tests.zygote import command_zygote
from wordrbm.errors import Stopped, WordRBMError
from wordrbm.io.model_folder import METRICS, MODEL, read_metrics
from wordrbm.run.document_run import DocumentRun, split_documents
from wordrbm.run.evaluation import is_score_due
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.training.document_trainer import DocumentSettings

SETTINGS = DocumentSettings(hidden=3, batch_size=8, chains=8, shards=2, updates=40, seed=2)
COUNTS = sparse.csr_matrix(np.random.default_rng(0).poisson(0.7, (60, 12)).astype(float))
WORDS = Vocabulary.build([(f"w{k}", 1) for k in range(12)], 0)
FILES = ("model.safetensors", "vocabulary.tsv", "metrics.jsonl")


def make_run(out, settings=SETTINGS, counts=COUNTS, **options):
    counting = {"text": True, "log_counts": False}
    common = {"counting": counting, "heldout": 0.2, "evaluations": 4, "checkpoint_seconds": 1e9}
    return DocumentRun.build(counts, WORDS, settings, out, **common | options)


def contents(out):
    return {name: (out / name).read_bytes() for name in FILES}


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "whole"
    assert [report.step for report in make_run(out).run()] == list(range(1, 41))
    assert {path.name for path in out.iterdir()} == set(FILES)
    return contents(out)


def run_until(run, step):
    """Resume a run and ask it to stop after an update."""
    done = [0]
    for report in run.run(resume=True, stop=lambda: done[-1] >= step):
        done.append(report.step)


@pytest.mark.parametrize("stops", [(1,), (7, 8, 30), (39,)])
def test_a_stopped_run_goes_on_to_the_same_bytes(whole, tmp_path, stops):
    out = tmp_path / "model"
    for number in stops:
        with pytest.raises(Stopped, match="--resume"):
            run_until(make_run(out, threads=2), number)
    list(make_run(out).run(resume=True))
    assert contents(out) == whole


def test_without_a_stop_checkpoints_are_taken_by_time(tmp_path):
    reports = make_run(tmp_path / "model", checkpoint_seconds=0.0).run()
    assert [next(reports).step for _ in range(5)][-1] == 5
    reports.close()
    assert {path.stem for path in (tmp_path / "model" / "checkpoints").iterdir()} == {
        f"{step:012d}" for step in (3, 4)
    }


def test_a_finished_run_is_not_replaced(whole, tmp_path):
    out = tmp_path / "model"
    list(make_run(out).run())
    with pytest.raises(WordRBMError, match="already holds a trained model"):
        next(make_run(out).run())
    assert list(make_run(out).run(resume=True)) == []
    with pytest.raises(WordRBMError, match=r"rate was 0\.02 and is now 0\.1"):
        next(make_run(out, SETTINGS.model_copy(update={"rate": 0.1})).run(resume=True))
    with pytest.raises(WordRBMError, match="documents are others"):
        next(make_run(out, counts=COUNTS * 2).run(resume=True))
    assert contents(out) == whole
    (out / "notes.txt").write_text("mine")
    with pytest.raises(WordRBMError, match=r"notes\.txt"):
        next(make_run(out).run(resume=True))


def test_scores_are_evenly_spread_and_beside_word_frequencies(whole, tmp_path):
    (tmp_path / METRICS).write_bytes(whole[METRICS])
    records = read_metrics(tmp_path / METRICS)
    assert [record["step"] for record in records] == [10, 20, 30, 40]
    assert all(record["completion_perplexity"] > 1 for record in records)
    assert len({record["frequency_perplexity"] for record in records}) == 1
    assert [step for step in range(1, 8) if is_score_due(step, 7, 3)] == [3, 5, 7]


def test_without_held_out_documents_there_are_no_scores(tmp_path):
    reports = list(make_run(tmp_path / "model", heldout=0.0).run())
    assert all(report.scores is None for report in reports)
    assert (tmp_path / "model" / MODEL).exists()


def test_empty_documents_are_left_out():
    counts = sparse.csr_matrix(np.diag([1.0, 0, 2, 3, 0, 1]))
    rows = split_documents(counts, 0.25, seed=1)
    assert sorted([*rows.train, *rows.heldout]) == [0, 2, 3, 5]
    assert len(rows.heldout) == 1
    with pytest.raises(WordRBMError, match="0 documents"):
        split_documents(sparse.csr_matrix((3, 2)), 0.0, seed=1)


@pytest.fixture(scope="module")
def zygote():
    return command_zygote()


@pytest.fixture(scope="module")
def collection(tmp_path_factory):
    rng = np.random.default_rng(5)
    words = [f"word{a}{b}" for a in "abcdefgh" for b in "ijklmnop"]
    path = tmp_path_factory.mktemp("collection") / "texts.jsonl"
    lines = [" ".join(rng.choice(words[8 * (n % 8) :][:24], 20)) for n in range(120)]
    path.write_text("".join(f'{{"text": "{line}"}}\n' for line in lines))
    return path


def command(collection, out, threads=1, minutes=0.0):
    return [
        "documents", "train", collection, "--out", out, "--topics", 6, "--updates", 80,
        "--batch-size", 16, "--chains", 16, "--max-share", 1, "--min-count", 1, "--quiet",
        "--threads", threads, "--checkpoint-minutes", minutes, "--resume",
    ]  # fmt: skip


def test_a_run_killed_at_random_ends_with_the_same_bytes(zygote, collection, tmp_path, tally):
    """By SIGKILL at any moment, checkpoints after every update; report and metrics included."""
    began = time.monotonic()
    assert zygote.run(*command(collection, tmp_path / "whole"), log=tmp_path / "log") == 0
    seconds, kills = time.monotonic() - began, 0
    names = (*FILES, "training.json")
    expected = {name: (tmp_path / "whole" / name).read_bytes() for name in names}
    for seed in range(2):
        choose, out = random.Random(seed), tmp_path / str(seed)
        arguments = command(collection, out, choose.choice([1, 2]), choose.choice([0.0, 0.001]))
        for _ in range(4):
            wait = choose.uniform(0.05, 0.4) * seconds
            code, _ = interrupted(zygote, arguments, tmp_path / "log", signal.SIGKILL, wait)
            kills += code != 0
        assert zygote.run(*arguments, log=tmp_path / "log") == 0, (tmp_path / "log").read_text()
        assert {name: (out / name).read_bytes() for name in names} == expected, seed
    tally(f"{kills} kill -9 in 2 trainings of topics, resumed: final files byte-identical")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_saves_a_checkpoint(zygote, collection, tmp_path, number):
    arguments = command(collection, tmp_path / "model", minutes=5)
    arguments[arguments.index("--updates") + 1] = 100_000
    child = zygote.start(*arguments, log=tmp_path / "log")
    while not (tmp_path / "model" / "vocabulary.tsv").exists():
        time.sleep(0.02)
    time.sleep(0.3)
    os.kill(child, number)
    assert zygote.wait(child) == 128 + number
    log = (tmp_path / "log").read_text()
    assert "go on with --resume" in log or "nothing is lost" in log
