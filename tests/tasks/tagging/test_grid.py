"""The grid: chosen by validation, tested once, kept, the same bits for any jobs."""

import json

import numpy as np
import pytest

from tests.tasks.tagging.sentences import write_task
from wordrbm.artifacts import Vectors
from wordrbm.errors import WordRBMError
from wordrbm.tasks.side_by_side import Stopped
from wordrbm.tasks.tagging import cells as cells_module
from wordrbm.tasks.tagging.attributes import Index
from wordrbm.tasks.tagging.cells import TEST, VALID, Cell, Result, keep, kept
from wordrbm.tasks.tagging.crfsuite import confirmed
from wordrbm.tasks.tagging.errors import errors_of
from wordrbm.tasks.tagging.grid import Asked, best_cell, best_tagger, run_grid
from wordrbm.tasks.tagging.report import as_error_record, as_markdown, as_records, as_text
from wordrbm.tasks.tagging.spans import Counts, Evaluation
from wordrbm.tasks.tagging.tagger import Representation
from wordrbm.tasks.tagging.tagger_file import load_tagger
from wordrbm.tasks.tagging.task import read_task

WORDS = ("<unk>", "the", "new", "cat", "dog", "bank", "sees", "buys", ".")


def quiet(done, note):
    return None


def go_on():
    return False


def asked(jobs=1, penalties=(0.1, 1.0)):
    rng = np.random.default_rng(4)
    vectors = Vectors(WORDS, rng.normal(size=(len(WORDS), 3)).astype(np.float32))
    kinds = {"words": Representation(), "my vectors": Representation(vectors)}
    return Asked(kinds, (0.1, 1.0), (1.0,), penalties, jobs)


@pytest.fixture(scope="module")
def task(tmp_path_factory):
    return read_task(write_task(tmp_path_factory.mktemp("task")))


@pytest.fixture(scope="module")
def rows(task, tmp_path_factory):
    return run_grid(asked(), task, tmp_path_factory.mktemp("grid"), quiet, go_on)


def test_it_learns_a_task_that_can_be_learnt(rows):
    assert [row.name for row in rows] == ["words", "my vectors"]
    assert all(row.test.evaluation.overall.f1 == 1.0 for row in rows)


def test_a_scale_is_varied_only_where_it_is_used():
    assert len(asked().cells("words")) == 2
    assert len(asked().cells("my vectors")) == 4


def test_the_bits_do_not_depend_on_jobs(task, rows, tmp_path):
    others = run_grid(asked(jobs=3), task, tmp_path, quiet, go_on)
    for one, other in zip(rows, others, strict=True):
        assert one.chosen == other.chosen
        here, there = load_tagger(one.folder), load_tagger(other.folder)
        for a, b in zip(here.field.parts(), there.field.parts(), strict=True):
            np.testing.assert_array_equal(a, b)


def test_what_is_on_disk_is_not_computed_again(task, rows, tmp_path, monkeypatch):
    first = run_grid(asked(), task, tmp_path, quiet, go_on)
    monkeypatch.setattr(cells_module, "train_tagger", lambda *given: pytest.fail("again"))
    again = run_grid(asked(), task, tmp_path, quiet, go_on)
    assert as_records(again, {}) == as_records(first, {})


def test_the_test_part_is_tried_only_by_what_validation_chose(task, tmp_path):
    run_grid(asked(), task, tmp_path, quiet, go_on)
    names = [path.name for path in (tmp_path / "cells").iterdir()]
    assert sum(name.endswith(f"{TEST}.json") for name in names) == 2
    assert sum(name.endswith(f"{VALID}.json") for name in names) == 6


def test_the_best_in_validation_is_chosen(tmp_path):
    cells = [Cell("words", 0.0, 0.0, c2) for c2 in (0.1, 0.2, 0.3)]
    for cell, right in zip(cells, (5, 8, 7), strict=True):
        keep(cell, Result(Evaluation(Counts(10, 10, right), {}, 0.5), 1, 1.0), "x", tmp_path)
    assert best_cell(cells, "x", tmp_path)[0] == cells[1]


def test_the_tested_tagger_has_learnt_from_both_parts(task, rows):
    tagger = load_tagger(rows[1].folder)
    assert set(Index.of(one.columns[:-1] for one in task.both).number) == set(
        tagger.attributes.number
    )


def test_a_run_that_is_stopped_goes_on(task, tmp_path):
    seen = []

    def stop():
        seen.append(1)
        return len(seen) > 60

    with pytest.raises(Stopped):
        run_grid(asked(), task, tmp_path, quiet, stop)
    assert len(run_grid(asked(), task, tmp_path, quiet, go_on)) == 2


def test_cells_of_other_sentences_and_damaged_ones_are_refused(task, tmp_path):
    run_grid(asked(penalties=(1.0,)), task, tmp_path, quiet, go_on)
    with pytest.raises(WordRBMError, match="other sentences"):
        run_grid(asked(penalties=(1.0,)), task._replace(test=task.valid), tmp_path, quiet, go_on)
    cell = Cell("words", 0.0, 0.0, 1.0)
    (tmp_path / "cells" / f"{cell.name}.json").write_text("{")
    with pytest.raises(WordRBMError, match="damaged"):
        kept(cell, "", tmp_path / "cells")


def test_a_kept_tagger_tags_as_before(task, rows):
    row, tagger = best_tagger(rows)
    assert row.name == "words"  # of equal ones the first
    given = [one.columns[:-1] for one in task.test]
    assert tagger.tag(given) == [list(one.labels) for one in task.test]
    assert tagger.attributes.columns == 2
    (row.folder / "attributes.txt").write_text("a\nb")
    with pytest.raises(WordRBMError, match="2 lines where"):
        load_tagger(row.folder)


def test_crfsuite_gives_the_same(task, rows):
    pytest.importorskip("pycrfsuite")
    row = rows[1]
    found = confirmed(row.chosen, asked().kinds[row.name], task.both, task.test)
    assert found == row.test.evaluation


def test_the_table_in_three_forms(task, rows):
    records = as_records(rows, {"words": rows[0].test.evaluation})
    assert records[0]["crfsuite_test"]["f1"] == 1.0
    assert records[1]["crfsuite_test"] is None
    assert set(records[0]["test"]["types"]) == {"NP", "VP"}
    json.dumps(records)
    assert as_text(rows, {}).splitlines()[1].startswith("words")
    assert as_markdown(rows, {}).startswith("| model | valid F1 |")


def test_errors_are_counted_by_whether_words_were_seen(task):
    test = task.test[:1]
    labels = list(test[0].labels)
    wrong = ["O", *labels[1:]]
    found = errors_of([], test, [wrong])
    assert found.seen.there == 0
    assert found.unseen.there == len([x for x in labels if x.startswith("B")])
    assert found.confused == [(labels[0], "O", 1)]
    assert errors_of(test, test, [labels]).seen.f1 == 1.0
    assert as_error_record(found)["words"][0][1] == 1
