"""An experiment that is small enough for a test."""

import sys

import pytest
from experiments.__main__ import app

from wordrbm.cli.app import main

SMALL = [
    "--window", "3", "--hidden", "6", "--dimension", "5", "--min-count", "1",
    "--windows", "6000", "--pretrain-windows", "6000", "--jobs", "2",
]  # fmt: skip


def run_sentiment(*arguments):
    """Run the experiment as a command does; its exit code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["experiments", "sentiment", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main(app)
    return end.value.code
