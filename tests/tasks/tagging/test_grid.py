"""The grid: chosen by validation, tested once, kept, the same bits for any jobs."""

import json
import shutil

import numpy as np
import pytest

from tests.tasks.tagging.sentences import write_task
from wordrbm.artifacts import Vectors
from wordrbm.artifacts.tensors import read_head, write_tensors
from wordrbm.errors import WordRBMError
from wordrbm.tasks.side_by_side import Stopped
from wordrbm.tasks.tagging import cells as cells_module
from wordrbm.tasks.tagging import crfsuite as crfsuite_module
from wordrbm.tasks.tagging.asked import Asked
from wordrbm.tasks.tagging.attributes import Index
from wordrbm.tasks.tagging.cells import TEST, VALID, Cell, Result, keep, kept
from wordrbm.tasks.tagging.crfsuite import confirmed, refitted
from wordrbm.tasks.tagging.errors import errors_of
from wordrbm.tasks.tagging.grid import Tried, best_of, best_tagger, run_grid, validated
from wordrbm.tasks.tagging.report import as_error_record, as_markdown, as_records, as_text
from wordrbm.tasks.tagging.representation import Representation
from wordrbm.tasks.tagging.spans import Counts, Evaluation
from wordrbm.tasks.tagging.tagger_file import FILE, load_tagger
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
    assert sum(f"-{TEST}-" in name for name in names) == 2
    assert sum(f"-{VALID}-" in name for name in names) == 6


def test_the_best_in_validation_is_chosen():
    tried = [
        Tried(Cell("words", 0.0, 0.0, c2), Result(Evaluation(Counts(10, 10, right), {}, 0.5), 1, 1))
        for c2, right in ((0.1, 5), (0.2, 8), (0.3, 7))
    ]
    assert best_of(tried) == tried[1]


def test_choosing_alone_tests_nothing(task, rows, tmp_path):
    found = validated(asked(), task, tmp_path, quiet, go_on)
    assert [best_of(cells).cell for cells in found] == [row.chosen for row in rows]
    names = [path.name for path in (tmp_path / "cells").iterdir()]
    assert len(names) == 6
    assert not any(f"-{TEST}-" in name for name in names)
    assert not (tmp_path / "taggers").exists()


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
    path = tmp_path / "cells" / f"{cell.name}.json"
    record = json.loads(path.read_text())
    for change in ({"types": []}, {"overall": {"there": "1"}}, {"accuracy": None}):
        path.write_text(json.dumps(record | change))
        with pytest.raises(WordRBMError, match="damaged"):
            kept(cell, "", tmp_path / "cells")
    for text in ("{", "[" * 100_000):
        path.write_text(text)
        with pytest.raises(WordRBMError, match="damaged"):
            kept(cell, "", tmp_path / "cells")


def test_a_kept_tagger_tags_as_before(task, rows):
    row, tagger = best_tagger(rows)
    assert row.name == "words"  # of equal ones the first
    given = [one.columns[:-1] for one in task.test]
    assert tagger.tag(given) == [list(one.labels) for one in task.test]
    assert tagger.attributes.columns == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [("attributes.txt", b"a\nb"), ("attributes.txt", b"\xff"), ("words.txt", b"a")],
)
def test_a_damaged_tagger_is_told(task, rows, tmp_path, name, text):
    folder = shutil.copytree(rows[1].folder, tmp_path / "tagger")
    (folder / name).write_bytes(text)
    with pytest.raises(WordRBMError, match="damaged"):
        load_tagger(folder)


@pytest.mark.parametrize(
    "change",
    [
        {"labels": None}, {"labels": 7}, {"labels": ["a"] * 4}, {"labels": [1, 2, 3, 4]},
        {"vectors": None}, {"vectors": 3}, {"members": 7}, {"members": [1]},
        {"scale": "x"}, {"dense": None}, {"attributes": "a"},
    ],
    ids=str,
)  # fmt: skip
def test_a_damaged_head_is_told(rows, tmp_path, change):
    folder = shutil.copytree(rows[1].folder, tmp_path / "tagger")
    head, field = read_head(folder / FILE), load_tagger(folder).field
    head = {name: value for name, value in (head | change).items() if name != "shapes"}
    write_tensors(folder / FILE, {"W": field.W, "V": field.V, "A": field.A}, head)
    with pytest.raises(WordRBMError):
        load_tagger(folder)


def test_weights_that_are_not_finite_are_told(rows, tmp_path):
    folder = shutil.copytree(rows[0].folder, tmp_path / "tagger")
    head, field = read_head(folder / FILE), load_tagger(folder).field
    tensors = {"W": field.W * np.nan, "V": field.V, "A": field.A}
    write_tensors(folder / FILE, tensors, {k: v for k, v in head.items() if k != "shapes"})
    with pytest.raises(WordRBMError, match="not finite"):
        load_tagger(folder)


def test_a_tagger_that_is_gone_is_made_again(task, tmp_path):
    rows = run_grid(asked(penalties=(1.0,)), task, tmp_path, quiet, go_on)
    shutil.rmtree(rows[0].folder)
    again = run_grid(asked(penalties=(1.0,)), task, tmp_path, quiet, go_on)
    assert load_tagger(again[0].folder).labels == load_tagger(rows[1].folder).labels
    with pytest.raises(WordRBMError, match="There is no"):
        load_tagger(tmp_path)


def test_names_of_cells_differ_where_cells_do():
    cells = [Cell(row, 0.1, 1.0, 1.0) for row in ("a.b", "a-b", "a b", "x" * 300, "x" * 301)]
    cells += [Cell("a.b", 0.1, 1.0, c2) for c2 in (1.0000001, 1.0000002)]
    names = {cell.name for cell in cells}
    assert len(names) == len(cells)
    assert max(map(len, names)) < 150


def test_vectors_that_cannot_be_scaled_are_told():
    for number in (0.0, 1.0, 1e-45):
        vectors = Vectors(("a", "b"), np.full((2, 2), number, np.float32))
        with pytest.raises(WordRBMError, match="cannot be scaled"):
            Representation(vectors).dense([["a"]])


def test_numbers_too_large_are_no_tagger(task, tmp_path):
    rng = np.random.default_rng(4)
    vectors = Vectors(WORDS, rng.normal(size=(len(WORDS), 3)).astype(np.float32))
    given = Asked({"wild": Representation(vectors)}, (1e6,), (1.0,), (1e-9,), 1)
    row = run_grid(given, task, tmp_path, quiet, go_on)[0]
    assert all(np.isfinite(x).all() for x in load_tagger(row.folder).field.parts())


def test_what_crfsuite_found_is_kept(task, rows, tmp_path, monkeypatch):
    pytest.importorskip("pycrfsuite")
    (tmp_path / "cells").mkdir()
    found = confirmed(rows, asked(), task, tmp_path, quiet)
    monkeypatch.setattr(crfsuite_module, "refitted", lambda *given: pytest.fail("again"))
    assert confirmed(rows, asked(), task, tmp_path, quiet) == found
    assert found["words"] == rows[0].test.evaluation


def test_crfsuite_gives_the_same(task, rows, tmp_path):
    pytest.importorskip("pycrfsuite")
    row = rows[1]
    found = refitted(row.chosen, asked().kinds[row.name], task.both, task.test, tmp_path)
    assert found == row.test.evaluation
    assert not list(tmp_path.iterdir())


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


def test_a_test_that_is_read_again_is_told(task, tmp_path):
    first = run_grid(asked(penalties=(1.0,)), task, tmp_path, quiet, go_on)
    assert [row.times_tested for row in first] == [1, 1]
    cell, evaluation = first[0].chosen._replace(part=TEST, c2=7.0), first[0].test.evaluation
    keep(cell, Result(evaluation, 1, 1.0), "another", tmp_path / "cells")
    (tmp_path / "cells" / "words-torn-test-1.json").write_text("{")
    again = run_grid(asked(penalties=(1.0,)), task, tmp_path, quiet, go_on)
    assert [row.times_tested for row in again] == [2, 1]
    assert "words: 2 settings were tested." in as_text(again, {})
    assert "words: 2 settings were tested." in as_markdown(again, {})
    assert as_records(again, {})[0]["times_tested"] == 2
    assert "were tested" not in as_text(first, {})
