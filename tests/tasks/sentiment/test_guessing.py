"""Classes guessed for unlabelled documents, and what is learnt with them."""

import json
import sys

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.tasks.sentiment.reviews import SMALL, write_reviews
from wordrbm.cli.app import main
from wordrbm.tasks.sentiment.baselines import bags_of
from wordrbm.tasks.sentiment.data import Part, read_data
from wordrbm.tasks.sentiment.experiment import Asked, train_cells, train_guesses
from wordrbm.tasks.sentiment.fitting import nb_svm
from wordrbm.tasks.sentiment.guess_rows import learnt_with_guesses
from wordrbm.tasks.sentiment.guesses import STUDENT_PENALTY, guess_of
from wordrbm.tasks.sentiment.guessing import guessed, ngram_scores
from wordrbm.tasks.sentiment.variant import Cell, Variant

TINY = Variant(3, 6, 5, 1, background=6000, windows=6000, apart=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_reviews(tmp_path_factory.mktemp("reviews"), unlabelled=60)


def run(data, out):
    """Cells and guesses of one seed."""
    asked, bags = Asked({"tiny": TINY}, [1], 2, guess=True), bags_of(data, guess=True)
    train_cells(asked, data, out, lambda *_: None, lambda: False)
    train_guesses(asked, data, bags, out, lambda *_: None, lambda: False)
    return bags


def test_guesses_by_a_loop():
    rng = np.random.default_rng(1)
    scores = [rng.normal(size=(50, 3)), 100 * rng.normal(size=(50, 3))]
    found = guessed(scores)
    margin, best = [], []
    for one, other in zip(*scores, strict=True):
        total = one / scores[0].std() + other / scores[1].std()
        margin.append(sorted(total)[2] - sorted(total)[1])
        best.append(int(total.argmax()))
    least_sure = sorted(margin)[:5]
    assert found.tolist() == [
        -1 if m in least_sure else k for m, k in zip(margin, best, strict=True)
    ]


def test_scores_that_say_nothing_are_not_heard():
    rng = np.random.default_rng(2)
    score = rng.normal(size=(30, 2))
    np.testing.assert_array_equal(guessed([score, np.zeros((30, 2))]), guessed([score]))


def test_ngram_scores_know_only_what_they_may_see(folder):
    data = read_data(folder, unlabelled=True)
    bags, seen = bags_of(data, guess=True), np.flatnonzero(data.fold != 0)
    found = ngram_scores(bags.ngrams.train, bags.more, data.train.label, seen)
    other = np.where(data.fold == 0, 1 - data.train.label, data.train.label)
    np.testing.assert_array_equal(found, ngram_scores(bags.ngrams.train, bags.more, other, seen))
    np.testing.assert_array_equal(found[:, 0], -found[:, 1])


def test_a_fold_is_guessed_for_and_scored_without_its_labels(folder, tmp_path):
    data = read_data(folder, unlabelled=True)
    label = np.where(data.fold == 0, 1 - data.train.label, data.train.label)
    other = data._replace(train=Part(data.train.read, label))
    found = []
    for number, one in enumerate((data, other)):
        bags = run(one, tmp_path / str(number))
        cells = tmp_path / str(number) / "cells"
        learnt = learnt_with_guesses(TINY, 1, one, bags, cells)
        own = [side.train[data.fold == 0] for side in learnt]
        found.append([guess_of(Cell(TINY, 1, 0), one, cells), *own])
    for same, as_well in zip(*found, strict=True):
        np.testing.assert_array_equal(same, as_well)


def test_what_is_learnt_with_guesses(folder, tmp_path):
    data = read_data(folder, unlabelled=True)
    bags, cells = run(data, tmp_path), tmp_path / "cells"
    learnt = learnt_with_guesses(TINY, 1, data, bags, cells)
    assert np.mean((learnt.energies.test[:, 0] > 0) == data.test.label) > 0.9
    guess, seen = guess_of(Cell(TINY, 1, 1), data, cells), data.fold != 1
    assert np.count_nonzero(guess < 0) == 6
    x = np.vstack([bags.ngrams.train[seen].toarray(), bags.more[guess >= 0].toarray()])
    label = [*data.train.label[seen], *guess[guess >= 0]]
    machine = nb_svm(STUDENT_PENALTY).fit(x, label)
    np.testing.assert_allclose(
        learnt.ngrams.train[~seen, 0],
        machine.decision_function(bags.ngrams.train[~seen].toarray()),
        atol=1e-4,
    )


def command(*arguments):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["wordrbm", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
    return end.value.code


def test_rows_of_guesses_and_the_same_again(folder, tmp_path, capfd):
    given = ["sentiment", "--data", folder, "--out", tmp_path, *SMALL, "--guess", "--json"]
    assert command(*given) == 0
    first = json.loads(capfd.readouterr().out)["rows"]
    names = [row["model"] for row in first]
    assert "WRRBM 3-grams, classes guessed, threshold" in names
    assert "NB trigrams, classes guessed by WRRBM 3-grams" in names
    assert "WRRBM 3-grams, classes guessed + NB trigrams" in names
    assert names[-1] == "all, unlabelled too, + bnc + NB trigrams"
    kept = sorted((tmp_path / "cells").glob("*-guesses.safetensors"))
    before = kept[1].read_bytes()
    kept[1].unlink()
    assert command(*given) == 0
    assert json.loads(capfd.readouterr().out)["rows"] == first
    assert kept[1].read_bytes() == before
    assert len(kept) == 4


def test_labelled_rows_do_not_know_of_guesses(folder, tmp_path, capfd):
    given = ["sentiment", "--data", folder, "--out", tmp_path, *SMALL, "--json"]
    assert command(*given, "--guess") == 0
    rows = {row["model"]: row for row in json.loads(capfd.readouterr().out)["rows"]}
    assert command(*given) == 0
    plain = json.loads(capfd.readouterr().out)["rows"]
    assert plain == [rows[row["model"]] for row in plain]
    assert len(rows) == len(plain) + 4


def test_guesses_of_other_documents_are_refused(folder, tmp_path, capfd):
    given = ["sentiment", "--data", folder, "--out", tmp_path / "out", *SMALL, "--guess", "--quiet"]
    assert command(*given) == 0
    path = sorted((tmp_path / "out" / "cells").glob("*-guesses.safetensors"))[0]
    assert load_file(path)["guess"].dtype == np.int32
    other = write_reviews(tmp_path / "other", unlabelled=59)
    given[2] = other
    capfd.readouterr()
    assert command(*given) == 2
    assert "is of other documents" in capfd.readouterr().err


def test_guesses_without_telling_apart_are_refused(folder, tmp_path, capfd):
    given = ["sentiment", "--data", folder, "--out", tmp_path / "out", *SMALL, "--guess"]
    assert command(*given, "--apart", "0") == 2
    told = capfd.readouterr().err
    assert "--apart 0" in told
    assert told.count("\n") == 1
    assert not (tmp_path / "out").exists()
