"""Runs whose proposals come by clusters: clustered anew between legs, with the same bits always."""

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.corpora import prepared
from tests.tasks.test_training_run import final_files, finish, run
from wordrbm.artifacts.checkpoint import list_checkpoints
from wordrbm.artifacts.tensors import read_head, write_tensors
from wordrbm.errors import WordRBMError
from wordrbm.sampling import find_clusters
from wordrbm.tasks.training_run import Stopped
from wordrbm.training import legs
from wordrbm.training.legs import end_of_leg

CLUSTERS = {"operator": "clusters", "single_words": 5, "word_groups": 7}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return prepared(tmp_path_factory.mktemp("made_up"))


@pytest.fixture(autouse=True)
def short_legs(monkeypatch):
    monkeypatch.setattr(legs, "FIRST_LEG", 7)  # so that the 60 updates have legs that end at 7, 14


def test_each_leg_is_as_long_as_all_before_it():
    assert [end_of_leg(step) for step in (0, 6, 7, 13, 14, 27, 28)] == [7, 7, 14, 14, 28, 28, 56]


def test_a_run_learns_and_is_the_same_for_any_number_of_threads(corpus, tmp_path):
    changes = {
        "dimension": 10,
        "hidden": 20,
        "chains": 128,
        "word_rate": 0.1,
        "cluster_steps": 20,
        **CLUSTERS,
    }
    files = []
    for threads in (1, 2, 4):
        out = tmp_path / str(threads)
        last = finish(run(corpus, out, threads=threads, ngrams=32 * 2000, **changes))
        assert last.scores.cloze_perplexity < 0.6 * last.scores.unigram_perplexity
        files.append(final_files(out))
    assert files[0] == files[1] == files[2]


@pytest.mark.parametrize("stops", [[1], [6, 7], [8, 14], [13, 15], [28, 59]])
def test_a_stopped_and_resumed_run_ends_with_the_same_bytes(corpus, tmp_path, stops):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    finish(run(corpus, whole, threads=1, **CLUSTERS))
    stop_at(corpus, cut, stops)
    finish(run(corpus, cut, **CLUSTERS), resume=True)
    assert final_files(cut) == final_files(whole)


def stop_at(corpus, out, stops):
    for number, step in enumerate(stops):
        calls = iter(range((stops[number - 1] if number else 0) + 1, 10_000))
        training = run(corpus, out, **CLUSTERS)
        with pytest.raises(Stopped):
            finish(training, resume=number > 0, stop=lambda: next(calls) >= step)  # noqa: B023


def test_both_kinds_of_proposals_are_resumed_too(corpus, tmp_path):
    changes = CLUSTERS | {"operator": "both"}
    finish(run(corpus, tmp_path / "whole", threads=1, **changes))
    calls = iter(range(10_000))
    with pytest.raises(Stopped):
        finish(run(corpus, tmp_path / "cut", **changes), stop=lambda: next(calls) >= 17)
    finish(run(corpus, tmp_path / "cut", **changes), resume=True)
    assert final_files(tmp_path / "cut") == final_files(tmp_path / "whole")


def test_words_are_clustered_only_between_legs(corpus, tmp_path, monkeypatch):
    found = []

    def find(*given, **options):
        found.append(given)
        return find_clusters(*given, **options)

    monkeypatch.setattr(legs, "find_clusters", find)
    finish(run(corpus, tmp_path / "model", **CLUSTERS))
    assert len(found) == 5  # at 0, 7, 14, 28, 56 of 60


@pytest.mark.parametrize("damage", ["label", "negative", "nan", "weightless", "missing"])
def test_clusters_that_do_not_fit_are_never_read(corpus, tmp_path, damage):
    stop_at(corpus, tmp_path / "model", [9])
    (path,) = list_checkpoints(tmp_path / "model")
    arrays, head = load_file(path), read_head(path)
    if damage == "label":
        arrays["clusters.label"][3] = 10**6
    elif damage == "negative":
        arrays["clusters.label"][3] = -1
    elif damage == "nan":
        arrays["clusters.centroid"][0, 0] = np.nan
    elif damage == "weightless":
        arrays["clusters.weight"][:] = 0
    else:
        del arrays["clusters.weight"]
    write_tensors(path, arrays, head)
    with pytest.raises(WordRBMError, match="can be read"):
        finish(run(corpus, tmp_path / "model", **CLUSTERS), resume=True)


def test_another_operator_is_another_run(corpus, tmp_path):
    stop_at(corpus, tmp_path / "model", [9])
    with pytest.raises(WordRBMError, match="operator was 'clusters' and is now 'unigram'"):
        finish(run(corpus, tmp_path / "model"), resume=True)
