"""An experiment that is small enough for a test."""

import sys

import pytest
from experiments.__main__ import app
from experiments.sentiment import rows, stacking

from wordrbm.cli.app import main

SMALL = [
    "--window", "3", "--hidden", "6", "--dimension", "5", "--min-count", "1",
    "--windows", "3000", "--pretrain-windows", "3000", "--jobs", "2",
]  # fmt: skip


# Which of several values is selected is tested in `test_stacking.py`.
FEW_VALUES = [
    (rows, "SVM_GRID", (0.3, 1.0)), (rows, "NB_SVM_GRID", (10.0,)),
    (stacking, "SVM_GRID", (0.3, 1.0)), (stacking, "SCALES", (1.0,)),
    (stacking, "LOGISTIC_GRID", (0.1, 1.0)),
]  # fmt: skip


def run_sentiment(*arguments):
    """Run the experiment as a command does, with few values of C to select from; its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        for grid in FEW_VALUES:
            patch.setattr(*grid)
        patch.setattr(sys, "argv", ["experiments", "sentiment", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main(app)
    return end.value.code
