import json
from unittest.mock import patch

import numpy as np
import pytest

from tests.corpora import prepared
from wordrbm.artifacts import load
from wordrbm.artifacts.checkpoint import list_checkpoints
from wordrbm.errors import WordRBMError
from wordrbm.tasks.epochs import settings_for
from wordrbm.tasks.training_run import Stopped, TrainingRun
from wordrbm.training import check_settings

SMALL = {
    "window": 3, "dimension": 4, "hidden": 6, "mh_steps": 5, "batch_size": 32, "chains": 32,
    "shards": 4, "ngrams": 32 * 60, "warmup": 5, "evaluations": 4, "heldout_windows": 50,
}  # fmt: skip


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return prepared(tmp_path_factory.mktemp("made_up"))


def run(corpus, out, *, threads=2, checkpoint_seconds=1e9, **changes):
    return TrainingRun(corpus, out, check_settings(SMALL | changes), threads, checkpoint_seconds)


def finish(training, **options):
    for report in training.reports(**options):
        last = report
    return last


def patch_save():
    """The process dies after the last checkpoint, before the model is written."""
    return patch("wordrbm.tasks.training_run.save", side_effect=KeyboardInterrupt)


def records(out):
    """The metrics without the times, which differ from run to run."""
    lines = (out / "metrics.jsonl").read_text().splitlines()
    timed = ("seconds", "windows_per_second")
    return [{k: v for k, v in json.loads(line).items() if k not in timed} for line in lines]


def test_a_run_writes_a_model_that_knows_the_text(corpus, tmp_path):
    changes = {"dimension": 10, "hidden": 20, "mh_steps": 20, "chains": 128, "word_rate": 0.1}
    last = finish(run(corpus, tmp_path / "model", ngrams=32 * 4000, **changes))
    assert last.scores.cloze_perplexity < 0.5 * last.scores.unigram_perplexity
    model = load(tmp_path / "model")
    assert model.vectors.similarity("monday", "tuesday") > model.vectors.similarity(
        "monday", "fish"
    )
    assert {path.name for path in (tmp_path / "model").iterdir()} == {
        "model.safetensors", "vocabulary.tsv", "metrics.jsonl",
    }  # fmt: skip
    assert len(records(tmp_path / "model")) == 4


@pytest.mark.parametrize("stops", [[1], [13, 14], [30, 59]])
def test_a_stopped_and_resumed_run_ends_with_the_same_bytes(corpus, tmp_path, stops):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    finish(run(corpus, whole, threads=1))
    for number, step in enumerate(stops):
        done = 0 if number == 0 else stops[number - 1]
        calls = iter(range(done + 1, 10_000))
        with pytest.raises(Stopped):
            finish(run(corpus, cut), resume=number > 0, stop=lambda: next(calls) >= step)  # noqa: B023
    finish(run(corpus, cut), resume=True)
    assert (cut / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()
    assert records(cut) == records(whole)


def test_checkpoints_are_taken_by_time_and_two_are_kept(corpus, tmp_path):
    training = run(corpus, tmp_path, checkpoint_seconds=0.0)
    reports = training.reports()
    for _ in range(10):
        next(reports)
    assert [int(path.stem) for path in list_checkpoints(tmp_path)] == [8, 9]


def test_a_damaged_newest_checkpoint_gives_way_to_the_one_before(corpus, tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    finish(run(corpus, whole))
    reports = run(corpus, cut, checkpoint_seconds=0.0).reports()
    for _ in range(10):
        next(reports)
    newest = list_checkpoints(cut)[-1]
    newest.write_bytes(newest.read_bytes()[:-7])
    finish(run(corpus, cut), resume=True)
    assert (cut / "model.safetensors").read_bytes() == (whole / "model.safetensors").read_bytes()


def test_a_resume_with_other_settings_names_the_difference(corpus, tmp_path):
    with pytest.raises(Stopped):
        finish(run(corpus, tmp_path), stop=lambda: True)
    with pytest.raises(WordRBMError, match=r"word_rate was 0\.02 and is now 0\.01"):
        finish(run(corpus, tmp_path, word_rate=0.01), resume=True)


def test_a_resume_with_another_corpus_is_refused(corpus, tmp_path):
    with pytest.raises(Stopped):
        finish(run(corpus, tmp_path / "run"), stop=lambda: True)
    other = prepared(tmp_path / "other", stories=61)
    with pytest.raises(WordRBMError, match="the corpus is another"):
        finish(run(other, tmp_path / "run"), resume=True)


def test_a_folder_in_use_is_not_written_over(corpus, tmp_path):
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(WordRBMError, match="is not empty"):
        finish(run(corpus, tmp_path))
    finish(run(corpus, tmp_path / "model"))
    with pytest.raises(WordRBMError, match="already holds a trained model"):
        finish(run(corpus, tmp_path / "model"), resume=True)


def test_a_folder_that_holds_no_run_is_not_resumed(corpus, tmp_path):
    other = prepared(tmp_path / "other", stories=8)
    before = {path.name: path.read_bytes() for path in other.path.iterdir()}
    with pytest.raises(WordRBMError, match="which no training run wrote"):
        finish(run(corpus, other.path), resume=True)
    assert {path.name: path.read_bytes() for path in other.path.iterdir()} == before


def test_a_stop_at_the_last_update_just_ends(corpus, tmp_path):
    finish(run(corpus, tmp_path / "model", ngrams=32, evaluations=1), stop=lambda: True)
    assert (tmp_path / "model" / "model.safetensors").exists()


def test_a_resume_with_nothing_left_to_read_writes_the_model(corpus, tmp_path):
    training = run(corpus, tmp_path, ngrams=64, evaluations=1, checkpoint_seconds=0.0)
    reports = training.reports()
    next(reports), next(reports)
    with pytest.raises(KeyboardInterrupt), patch_save():
        next(reports)
    assert list(training.reports(resume=True)) == []
    assert (tmp_path / "model.safetensors").exists()


def test_lost_word_vectors_are_never_saved(tmp_path):
    corpus = prepared(tmp_path, heldout=0.0)
    with pytest.raises(WordRBMError, match=r"the largest number in [Db]"):
        finish(run(corpus, tmp_path / "model", word_rate=1e3, hidden_rate=1e-9, l2=0.0))
    assert not (tmp_path / "model" / "model.safetensors").exists()


def test_epochs_are_passes_over_the_training_windows(corpus):
    windows = len(corpus.windows(3, "train"))
    assert settings_for(corpus, {"epochs": 2}).ngrams == 2 * windows
    for epochs in (float("nan"), float("inf"), 0, -1, "two"):
        with pytest.raises(WordRBMError, match="above zero"):
            settings_for(corpus, {"epochs": epochs})


def test_divergence_keeps_the_last_good_checkpoint(corpus, tmp_path):
    training = run(corpus, tmp_path, checkpoint_seconds=0.0, hidden_rate=2e4, warmup=60)
    with pytest.raises(WordRBMError, match="diverged"):
        finish(training)
    assert list_checkpoints(tmp_path)
    assert not (tmp_path / "model.safetensors").exists()


def test_without_held_out_text_there_is_no_score(tmp_path):
    corpus = prepared(tmp_path, heldout=0.0)
    assert finish(run(corpus, tmp_path / "model")).scores is None


def test_windows_longer_than_every_story_are_refused(tmp_path):
    short = prepared(tmp_path, sentences=2)
    with pytest.raises(WordRBMError, match="No story holds 50 words in a row"):
        finish(run(short, tmp_path / "model", window=50))


def test_float_is_single_precision(corpus, tmp_path):
    finish(run(corpus, tmp_path / "model"))
    assert load(tmp_path / "model").rbm.D.dtype == np.float32
