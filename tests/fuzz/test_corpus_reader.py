import time

import pytest

from tests.fuzz.corpus_reader import fuzz


def run(count, seed, folder):
    began = time.monotonic()
    answers = fuzz(count, seed, folder)
    print(f"\n{count} files, {1000 * (time.monotonic() - began) / count:.2f} ms each")
    for answer, seen in answers.most_common():
        print(f"{seen:7} {answer}")
    return answers


def test_three_thousand_hostile_files_are_text_or_a_sentence(tmp_path):
    answers = run(3_000, 20120626, tmp_path)
    assert sum(answers.values()) == 3_000
    assert answers["read, strict"] > 100
    assert answers["read, replace"] > 200
    assert len(answers) > 15, "every kind of refusal is met"


@pytest.mark.slow
def test_a_hundred_thousand_hostile_files_are_text_or_a_sentence(tmp_path):
    run(100_000, 7, tmp_path)
