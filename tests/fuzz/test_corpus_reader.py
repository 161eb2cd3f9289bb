import time

import pytest

from tests.fuzz.corpus_reader import fuzz


def told(count, seed, folder):
    """The answers to hostile files, and a line for each kind of them."""
    began = time.monotonic()
    answers = fuzz(count, seed, folder)
    pace = 1000 * (time.monotonic() - began) / count
    rows = [f"{seen:7} {answer}" for answer, seen in answers.most_common()]
    return answers, "\n".join([f"{count} hostile text files, {pace:.2f} ms each:", *rows])


def test_three_thousand_hostile_files_are_text_or_a_sentence(tmp_path, tally):
    answers, table = told(3_000, 20120626, tmp_path)
    tally(table)
    assert sum(answers.values()) == 3_000
    assert answers["read, strict"] > 100
    assert answers["read, replace"] > 200
    assert len(answers) > 15, "nearly every kind of refusal is met"


@pytest.mark.slow
def test_a_hundred_thousand_hostile_files_are_text_or_a_sentence(tmp_path, tally):
    tally(told(100_000, 7, tmp_path)[1])
