"""Classes guessed for unlabelled documents, and what is learnt with them."""

import json
import shutil
import sys

import numpy as np
import pytest
from safetensors.numpy import load_file

from tests.tasks.sentiment.reviews import SMALL, write_reviews
from wordrbm.cli.app import main
from wordrbm.tasks.sentiment.baselines import bags_of
from wordrbm.tasks.sentiment.data import Part, read_data
from wordrbm.tasks.sentiment.fitting import nb_svm
from wordrbm.tasks.sentiment.guess_rows import by_ngrams, learnt_with_guesses
from wordrbm.tasks.sentiment.guesses import STUDENT_PENALTY, guess_of
from wordrbm.tasks.sentiment.guessing import guessed, may_be_guessed, ngram_scores
from wordrbm.tasks.sentiment.running import run_cells, run_guesses
from wordrbm.tasks.sentiment.variant import Cell, Variant, cells_of

TINY = Variant(3, 6, 5, 1, background=6000, windows=6000, apart=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_reviews(tmp_path_factory.mktemp("reviews"), unlabelled=60)


def run(data, out, *cells):
    """Cells and guesses."""
    bags, shown = bags_of(data, guess=True), (2, lambda *_: None, lambda: False)
    run_cells(cells, data, out, *shown, models=True)
    run_guesses(cells, data, bags, out, *shown)
    return bags


def test_guesses_by_a_loop():
    rng = np.random.default_rng(1)
    scores = [rng.normal(size=(60, 3)), 100 * rng.normal(size=(60, 3))]
    asked = np.arange(60) > 9
    found = guessed(scores, asked)
    margin, best = [], []
    loud = []
    for score in scores:
        rows = [[x - sum(row) / 3 for x in row] for row in score]
        middle = [sum(column) / 60 for column in zip(*rows, strict=True)]
        squares = [(x - m) ** 2 for row in rows for x, m in zip(row, middle, strict=True)]
        loud.append([[x / (sum(squares) / 180) ** 0.5 for x in row] for row in rows])
    for one, other in zip(*loud, strict=True):
        total = [x + y for x, y in zip(one, other, strict=True)]
        margin.append(sorted(total)[2] - sorted(total)[1])
        best.append(total.index(max(total)))
    left_out = {*range(10), *sorted(range(10, 60), key=margin.__getitem__)[:5]}
    assert found.tolist() == [-1 if u in left_out else best[u] for u in range(60)]


def test_scores_that_say_nothing_are_not_heard():
    rng = np.random.default_rng(2)
    score, all_of_them = rng.normal(size=(30, 3)), np.ones(30, bool)
    expected = guessed([score], all_of_them)
    for silent in (np.zeros((30, 3)), np.tile([0.0, 0.0, 5.0], (30, 1))):
        np.testing.assert_array_equal(guessed([score, silent], all_of_them), expected)
    same_for_all_classes = 20 * rng.normal(size=(30, 1))
    np.testing.assert_array_equal(guessed([score + same_for_all_classes], all_of_them), expected)


def test_no_class_is_guessed_for_copies_and_for_nothing(tmp_path):
    folder = write_reviews(tmp_path, unlabelled=8)
    copied = [sorted((folder / part / "money").iterdir())[0] for part in ("train", "test")]
    for number, text in enumerate([*(path.read_text().upper() for path in copied), " "]):
        (folder / "train" / "unsup" / f"a{number}.txt").write_text(text)
    data = read_data(folder, unlabelled=True)
    asked = may_be_guessed(data)
    assert len(asked) == 11
    assert [u for u in range(11) if not asked[u]] == list(range(8, 11))
    assert (guessed([np.random.default_rng(3).normal(size=(11, 2))], asked)[8:] == -1).all()
    assert (guessed([np.ones((11, 2))], np.zeros(11, bool)) == -1).all()


def test_ngram_scores_know_only_what_they_may_see(folder):
    data = read_data(folder, unlabelled=True)
    bags, seen = bags_of(data, guess=True), np.flatnonzero(data.fold != 0)
    found = ngram_scores(bags.ngrams.train, bags.more, data.train.label, seen)
    other = np.where(data.fold == 0, 1 - data.train.label, data.train.label)
    np.testing.assert_array_equal(found, ngram_scores(bags.ngrams.train, bags.more, other, seen))
    np.testing.assert_array_equal(found[:, 0], -found[:, 1])


def test_a_fold_is_guessed_for_and_scored_without_its_labels(folder, tmp_path):
    data, cell = read_data(folder, unlabelled=True), Cell(TINY, 1, 0)
    label = np.where(data.fold == 0, 1 - data.train.label, data.train.label)
    found = []
    for out, own in (tmp_path / "a", data.train.label), (tmp_path / "b", label):
        one = data._replace(train=Part(data.train.read, own))
        bags = run(one, out, cell)
        kept = load_file(next(out.glob("*-guesses.safetensors")))
        found.append([*kept.values(), by_ngrams(cell, one, bags, out)])
    for same, as_well in zip(*found, strict=True):
        np.testing.assert_array_equal(same, as_well)


def test_what_is_learnt_with_guesses(folder, tmp_path):
    data = read_data(folder, unlabelled=True)
    bags = run(data, tmp_path, *cells_of(TINY, 1))
    learnt = learnt_with_guesses(TINY, 1, data, bags, tmp_path)
    assert np.mean((learnt.energies.test[:, 0] > 0) == data.test.label) > 0.9
    guess, seen = guess_of(Cell(TINY, 1, 1), data, tmp_path), data.fold != 1
    assert np.count_nonzero(guess < 0) == 6
    x = np.vstack([bags.ngrams.train[seen].toarray(), bags.more[guess >= 0].toarray()])
    machine = nb_svm(STUDENT_PENALTY).fit(x, [*data.train.label[seen], *guess[guess >= 0]])
    expected = machine.decision_function(bags.ngrams.train[~seen].toarray())
    np.testing.assert_allclose(learnt.ngrams.train[~seen, 0], expected, atol=1e-4)


def command(*arguments):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["wordrbm", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
    return end.value.code


@pytest.fixture(scope="module")
def out(folder, tmp_path_factory):
    """An experiment with guesses, run once."""
    place = tmp_path_factory.mktemp("experiment") / "out"
    assert command("sentiment", "--data", folder, "--out", place, *SMALL, "--guess", "--quiet") == 0
    return place


def rows_in(out):
    return {row["model"]: row for row in json.loads((out / "table.json").read_text())}


def test_lost_guesses_are_made_again_and_the_same(folder, out):
    rows = rows_in(out)
    assert {
        "WRRBM 3-grams, classes guessed, threshold",
        "NB trigrams, classes guessed by WRRBM 3-grams",
        "WRRBM 3-grams, classes guessed + NB trigrams",
        "all, unlabelled too, + bnc + NB trigrams",
    } < set(rows)
    kept = sorted((out / "cells").glob("*-guesses.safetensors"))
    assert len(kept) == 4
    before = kept[1].read_bytes()
    kept[1].unlink()
    assert command("sentiment", "--data", folder, "--out", out, *SMALL, "--guess", "--quiet") == 0
    assert rows_in(out) == rows
    assert kept[1].read_bytes() == before


def test_labelled_rows_do_not_know_of_guesses(folder, out):
    rows = rows_in(out)
    for path in (out / "cells").glob("*-without1-told"):
        shutil.rmtree(path)  # models of folds are not needed for them either
    kept = next((out / "cells").glob("*-without1.safetensors"))
    written = kept.stat().st_mtime_ns
    assert command("sentiment", "--data", folder, "--out", out, *SMALL, "--quiet") == 0
    assert kept.stat().st_mtime_ns == written
    plain = rows_in(out)
    assert plain == {
        name: row for name, row in rows.items() if "guess" not in name and "too" not in name
    }


def test_guesses_of_other_documents_are_refused(out, tmp_path, capfd):
    other = write_reviews(tmp_path, unlabelled=59)
    assert command("sentiment", "--data", other, "--out", out, *SMALL, "--guess", "--quiet") == 2
    assert "is of other documents" in capfd.readouterr().err


def test_guesses_without_telling_apart_are_refused(folder, tmp_path, capfd):
    given = ["sentiment", "--data", folder, "--out", tmp_path / "out", *SMALL, "--guess"]
    assert command(*given, "--apart", "0") == 2
    told = capfd.readouterr().err
    assert "--apart 0" in told
    assert told.count("\n") == 1
    assert not (tmp_path / "out").exists()
