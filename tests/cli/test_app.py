"""Options of the command itself: the version and completion in a shell."""

import subprocess
import sys
from pathlib import Path

import pytest

import wordrbm


def test_the_version(run_command):
    assert run_command("wordrbm", "--version") == (0, f"wordrbm {wordrbm.__version__}\n", "")


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("wordrbm ne", ["neighbours"]),
        ("wordrbm train --hidden-", ["--hidden-bias", "--hidden-rate"]),
        ("wordrbm classifier ex", ["explain"]),
    ],
)
def test_the_shell_completes_commands_and_options(typed, completed):
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split()) - 1)}
    command = Path(sys.executable).with_name("wordrbm")
    environment = {"_WORDRBM_COMPLETE": "complete_bash", **words}
    done = subprocess.run([command], env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout.split() == completed
