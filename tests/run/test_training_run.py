from unittest.mock import patch

import numpy as np
import pytest

from tests.corpora import prepared
from wordrbm.errors import WordRBMError
from wordrbm.io.checkpoint import list_checkpoints
from wordrbm.models import init_wordrep
from wordrbm.run.training_run import Stopped, TrainingRun
from wordrbm.text.windows import ShuffledBatches
from wordrbm.trained_model import load
from wordrbm.training import check_settings
from wordrbm.training.spectral import spectral_vectors
from wordrbm.training.trainer import check_log_likelihood

SMALL = {
    "window": 3, "dimension": 4, "hidden": 6, "mh_steps": 5, "batch_size": 32, "chains": 32,
    "shards": 4, "windows": 32 * 60, "warmup": 5, "evaluations": 4, "heldout_windows": 50,
    "reservoir": 96,
    "candidates": 6,
}  # fmt: skip
SHORT = {"windows": 32 * 10, "evaluations": 2}  # ten updates, scored after the fifth and the last


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return prepared(tmp_path_factory.mktemp("made_up"))


def run(corpus, out, *, threads=2, checkpoint_seconds=1e9, **changes):
    return TrainingRun(corpus, out, check_settings(SMALL | changes), threads, checkpoint_seconds)


def finish(training, **options):
    for report in training.run(**options):
        last = report
    return last


def patch_save():
    """The process dies after the last checkpoint, before the model is written."""
    return patch("wordrbm.run.training_run.write_model", side_effect=KeyboardInterrupt)


def final_files(out):
    """All that a run leaves behind, but for its times."""
    return {path.name: path.read_bytes() for path in out.iterdir() if path.name != "times.jsonl"}


def test_a_run_writes_a_model_that_knows_the_text(corpus, tmp_path):
    changes = {"dimension": 10, "hidden": 20, "mh_steps": 20, "chains": 128, "word_rate": 0.1}
    last = finish(run(corpus, tmp_path / "model", windows=32 * 4000, **changes))
    assert last.scores.cloze_perplexity < 0.5 * last.scores.unigram_perplexity
    model = load(tmp_path / "model")
    assert model.vectors.similarity("monday", "tuesday") > model.vectors.similarity(
        "monday", "fish"
    )
    assert {path.name for path in (tmp_path / "model").iterdir()} == {
        "model.safetensors", "vocabulary.tsv", "metrics.jsonl", "times.jsonl",
    }  # fmt: skip
    assert len((tmp_path / "model" / "metrics.jsonl").read_text().splitlines()) == 4
    assert len((tmp_path / "model" / "times.jsonl").read_text().splitlines()) == 4


@pytest.mark.parametrize("initialization", ["spectral", "random"])
def test_the_first_vectors_are_those_of_the_setting(corpus, tmp_path, initialization, monkeypatch):
    """Before the first update: columns beyond the components stay random."""
    monkeypatch.setattr("wordrbm.training.spectral.MIN_WORDS", 0)
    training = run(corpus, tmp_path, initialization=initialization)
    state = training._initial_state()
    rng, q = np.random.default_rng(training.settings.seed), corpus.vocabulary.probability()
    sizes = {"n": 3, "H": 6, "d": 4}
    expected = init_wordrep(rng, **sizes, word_probability=q, hidden_bias=-2.0).D
    if initialization == "spectral":
        windows = corpus.windows(3, "train")
        batches = ShuffledBatches(windows, training.settings.seed)
        vectors = spectral_vectors(rng, batches, len(windows), 3, q, 4)
        expected[:, : vectors.shape[1]] = vectors
    np.testing.assert_array_equal(state.rbm.D, expected)


def test_a_small_vocabulary_starts_at_random(corpus, tmp_path):
    starts = (
        run(corpus, tmp_path, initialization=initialization)._initial_state().rbm.D
        for initialization in ("spectral", "random")
    )
    np.testing.assert_array_equal(*starts)


@pytest.mark.parametrize("seed", range(10))
def test_same_files_for_any_number_of_threads(corpus, tmp_path, seed):
    for threads in (1, 2, 4):
        finish(run(corpus, tmp_path / str(threads), threads=threads, seed=seed))
    one, two, four = (final_files(tmp_path / str(threads)) for threads in (1, 2, 4))
    assert one == two == four


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
    assert final_files(cut) == final_files(whole)


def test_checkpoints_are_taken_by_time_and_two_are_kept(corpus, tmp_path):
    training = run(corpus, tmp_path, checkpoint_seconds=0.0)
    reports = training.run()
    for _ in range(10):
        next(reports)
    assert [int(path.stem) for path in list_checkpoints(tmp_path)] == [8, 9]


def test_a_damaged_newest_checkpoint_gives_way_to_the_one_before(corpus, tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    finish(run(corpus, whole, **SHORT))
    reports = run(corpus, cut, checkpoint_seconds=0.0, **SHORT).run()
    for _ in range(6):  # the score after update 5 is noted, its checkpoint will be lost
        next(reports)
    reports.close()
    newest = list_checkpoints(cut)[-1]
    newest.write_bytes(newest.read_bytes()[:-7])
    finish(run(corpus, cut, **SHORT), resume=True)
    assert final_files(cut) == final_files(whole)


def test_unreadable_checkpoints_of_later_updates_do_not_push_out_a_good_one(corpus, tmp_path):
    with pytest.raises(Stopped):
        finish(run(corpus, tmp_path), stop=lambda: True)
    for number in (998, 999):
        (tmp_path / "checkpoints" / f"{number:012d}.safetensors").write_text("half")
    with pytest.raises(Stopped):
        finish(run(corpus, tmp_path), resume=True, stop=lambda: True)
    assert [int(path.stem) for path in list_checkpoints(tmp_path)] == [1, 2]


def test_a_finished_run_that_was_damaged_is_not_called_finished(corpus, tmp_path):
    finish(run(corpus, tmp_path))
    (tmp_path / "vocabulary.tsv").unlink()
    assert list(run(corpus, tmp_path).run(resume=True)) == []
    path = tmp_path / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-8] + b"\xff" * 8)
    with pytest.raises(WordRBMError, match="not finite"):
        finish(run(corpus, tmp_path), resume=True)


def test_a_resume_with_other_settings_names_the_difference(corpus, tmp_path):
    with pytest.raises(Stopped):
        finish(run(corpus, tmp_path), stop=lambda: True)
    with pytest.raises(WordRBMError, match=r"word_rate was 0\.04 and is now 0\.01"):
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
        finish(run(corpus, tmp_path / "model"))


def test_a_finished_run_is_resumed_by_doing_nothing(corpus, tmp_path):
    finish(run(corpus, tmp_path))
    before = final_files(tmp_path)
    assert list(run(corpus, tmp_path).run(resume=True)) == []
    assert final_files(tmp_path) == before
    with pytest.raises(WordRBMError, match="seed was 1 and is now 2"):
        finish(run(corpus, tmp_path, seed=2), resume=True)


def test_two_processes_do_not_share_a_folder(corpus, tmp_path):
    reports = run(corpus, tmp_path).run()
    next(reports)
    with pytest.raises(WordRBMError, match="Another process is working"):
        finish(run(corpus, tmp_path), resume=True)
    for _ in reports:
        pass
    load(tmp_path)


def test_what_a_killed_process_left_half_written_is_cleared_away(corpus, tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    finish(run(corpus, whole))
    with pytest.raises(Stopped):
        finish(run(corpus, cut), stop=lambda: True)
    ours = (".vocabulary.tsv.123.part", "checkpoints/.000000000001.safetensors.77.part")
    for name in (*ours, ".tmp9eJCKR", "checkpoints/.tmpVxwy18"):  # safetensors has its own
        (cut / name).write_text("half")
    with (cut / "metrics.jsonl").open("a") as file:
        file.write('{"step": 1, "wind')
    finish(run(corpus, cut), resume=True)
    assert final_files(cut) == final_files(whole)


def test_a_resume_without_one_readable_checkpoint_is_refused(corpus, tmp_path):
    reports = run(corpus, tmp_path, checkpoint_seconds=0.0).run()
    for _ in range(5):
        next(reports)
    reports.close()
    for path in list_checkpoints(tmp_path):
        path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(WordRBMError, match="None of the 2 checkpoints"):
        finish(run(corpus, tmp_path), resume=True)


def test_a_score_that_was_given_up_is_taken_first_on_resuming(corpus, tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    finish(run(corpus, whole, **SHORT))
    asked = []

    def in_the_score():
        asked.append(1)
        return len(asked) > 4 + 1  # asked once after each of 4 updates, then in the score

    with pytest.raises(Stopped):
        finish(run(corpus, cut, threads=1, **SHORT), stop=in_the_score)
    assert [path.stem for path in list_checkpoints(cut)] == [f"{5:012d}"]
    assert (cut / "metrics.jsonl").read_text() == ""
    resumed = run(corpus, cut, **SHORT).run(resume=True)
    first = next(resumed)
    assert (first.step, first.scores is None) == (5, False)
    for _ in resumed:
        pass
    assert final_files(cut) == final_files(whole)


def test_a_folder_that_holds_no_run_is_not_resumed(corpus, tmp_path):
    other = prepared(tmp_path / "other", stories=8)
    before = {path.name: path.read_bytes() for path in other.path.iterdir()}
    with pytest.raises(WordRBMError, match="which no training run wrote"):
        finish(run(corpus, other.path), resume=True)
    assert {path.name: path.read_bytes() for path in other.path.iterdir()} == before


def test_a_stop_after_the_last_score_just_ends(corpus, tmp_path):
    heard = []
    training = run(corpus, tmp_path / "model", windows=32, evaluations=1)
    for _ in training.run(stop=lambda: bool(heard)):
        heard.append(1)
    assert (tmp_path / "model" / "model.safetensors").exists()


def test_a_stop_in_the_last_score_is_resumed(corpus, tmp_path):
    training = run(corpus, tmp_path, windows=32, evaluations=1)
    with pytest.raises(Stopped):
        finish(training, stop=lambda: True)
    assert finish(training, resume=True).scores is not None
    load(tmp_path)


def test_a_resume_with_nothing_left_to_read_writes_the_model(corpus, tmp_path):
    training = run(corpus, tmp_path, windows=64, evaluations=1, checkpoint_seconds=0.0)
    reports = training.run()
    next(reports), next(reports)
    with pytest.raises(KeyboardInterrupt), patch_save():
        next(reports)
    reports.close()
    assert list(training.run(resume=True)) == []
    assert (tmp_path / "model.safetensors").exists()


def test_lost_word_vectors_are_never_saved(tmp_path):
    corpus = prepared(tmp_path, heldout=0.0)
    with pytest.raises(WordRBMError, match=r"the largest number in [Db]"):
        finish(run(corpus, tmp_path / "model", objective="sml", word_rate=1e3, hidden_rate=1e-9))
    assert not (tmp_path / "model" / "model.safetensors").exists()


def test_divergence_keeps_the_last_good_checkpoint(corpus, tmp_path):
    training = run(
        corpus, tmp_path, checkpoint_seconds=0.0, hidden_rate=2e4, warmup=60, warmup_share=1.0
    )
    with pytest.raises(WordRBMError, match="diverged"):
        finish(training)
    assert list_checkpoints(tmp_path)
    assert not (tmp_path / "model.safetensors").exists()


def test_without_held_out_text_there_is_no_score(tmp_path):
    corpus = prepared(tmp_path, heldout=0.0)
    assert finish(run(corpus, tmp_path / "model")).scores is None


def test_windows_longer_than_every_story_are_refused(tmp_path):
    short = prepared(tmp_path, sentences=2)
    with pytest.raises(WordRBMError, match="No document holds 50 words in a row"):
        finish(run(short, tmp_path / "model", window=50))


def test_float_is_single_precision(corpus, tmp_path):
    finish(run(corpus, tmp_path / "model"))
    assert load(tmp_path / "model").rbm.D.dtype == np.float32


def test_windows_of_one_word_are_learnt(corpus, tmp_path):
    """Word frequencies are then the best there is: not to beat them is no divergence."""
    assert finish(run(corpus, tmp_path / "model", window=1)).scores is not None


def test_a_joint_far_worse_than_word_frequencies_is_divergence():
    chosen = check_settings(SMALL)
    check_log_likelihood(-25.0, -20.0, 7, chosen)  # overfitting may cost some nats
    with pytest.raises(WordRBMError, match=r"at most -40\.00 nats a window"):
        check_log_likelihood(-40.0, -20.0, 7, chosen)
    check_log_likelihood(-40.0, -20.0, 7, check_settings({**SMALL, "jumps": 0}))
