"""The table in three forms, and what it says of repeated tests."""

import json

from experiments.chunking.grid import TEST, select_and_test, to_record
from experiments.chunking.report import error_analysis, final_report

from tests.experiments.chunking.small import WORDS, experiment, never, run, show
from wordrbm.tagging.conll import Sentence


def test_the_report_in_three_forms(splits, out, rows):
    report = final_report(rows, experiment(splits, out), {"words": rows[0].test.evaluation})
    records = report.record["rows"]
    assert records[0]["crfsuite_test"]["f1"] == 1.0
    assert records[1]["crfsuite_test"] is None
    assert set(records[0]["test"]["types"]) == {"NP", "VP"}
    tokens = [word for x in splits.train_and_dev + splits.test for word in x.words]
    known = sum(word in WORDS for word in tokens) / len(tokens)
    assert report.record["coverage"] == {"my vectors": known}
    json.dumps(report.record)
    assert report.text.splitlines()[1].startswith("words")
    assert report.markdown.startswith("| model | dev F1 |")


def test_a_repeated_test_is_reported(splits, tmp_path):
    first = run(splits, tmp_path, penalties=(1.0,))
    assert [row.times_tested for row in first] == [1, 1]
    widened = experiment(splits, tmp_path, penalties=(1.0,))
    key = widened.key("words", first[0].best.point._replace(c2=7.0), TEST)
    widened.cache.save(key, to_record("words", TEST, first[0].test))
    (tmp_path / "results" / "words-torn-test-1.json").write_text("{")
    again = select_and_test(widened, show, never)
    assert [row.times_tested for row in again] == [2, 1]
    report = final_report(again, widened, {})
    assert "words: 2 settings were tested." in report.text
    assert "words: 2 settings were tested." in report.markdown
    assert report.record["rows"][0]["times_tested"] == 2
    assert "were tested" not in final_report(first, widened, {}).text


def test_errors_are_counted_by_whether_words_occur_in_training():
    sentence = Sentence((("the", "cat", "sees", "."), ("B-NP", "I-NP", "B-VP", "O")))
    wrong = ["O", *sentence.labels[1:]]
    errors = error_analysis([], [sentence], [wrong])
    assert errors["chunks_of_seen_words"]["chunks"] == 0
    assert errors["chunks_with_unseen_words"]["chunks"] == 2
    assert errors["chunks_with_unseen_words"]["precision"] == 0.5
    assert errors["chunks_with_unseen_words"]["recall"] == 0.5
    assert errors["confused"] == [["B-NP", "O", 1]]
    assert errors["words"] == [["the", 1, 1]]
    right = error_analysis([sentence], [sentence], [sentence.labels])
    assert right["chunks_of_seen_words"]["f1"] == 1.0
