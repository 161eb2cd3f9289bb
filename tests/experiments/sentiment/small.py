"""A made-up folder of documents with classes, and an experiment small enough for a test."""

import sys

import pytest
from experiments.__main__ import app

from tests.estimators.test_word_features import classified
from wordrbm.cli.app import main

NAMES = ("money", "animals")
SMALL = [
    "--window", "3", "--hidden", "6", "--dimension", "5", "--min-count", "1",
    "--windows", "6000", "--pretrain-windows", "6000", "--jobs", "2",
]  # fmt: skip


def write_reviews(folder, count=120, test=40, unlabelled=20):
    """Write labelled documents, of which some are for testing, and unlabelled ones."""
    texts, kind = classified(count + unlabelled)
    for number, text in enumerate(texts):
        part = "test" if number < test else "train"
        name = NAMES[kind[number]] if number < count else "unsup"
        path = folder / part / name / f"{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}<br />{text}")
    return folder


def run_sentiment(*arguments):
    """Run the experiment as a command does; its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["experiments", "sentiment", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main(app)
    return end.value.code
