"""What the demo tells a reader to type works in their shell."""

import os

import pytest

from wordrbm.cli.demo import command_name


@pytest.fixture
def script(tmp_path, monkeypatch):
    path = tmp_path / "bin" / "wordrbm"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(path)])
    return path


def test_a_command_that_the_shell_finds_has_its_name(script, monkeypatch):
    monkeypatch.setenv("PATH", str(script.parent))
    assert command_name() == "wordrbm"


def test_a_command_outside_the_path_has_its_place(script, monkeypatch):
    monkeypatch.setenv("PATH", os.devnull)
    assert command_name() == os.path.join("bin", "wordrbm")


def test_another_program_does_not_name_itself(monkeypatch):
    monkeypatch.setattr("sys.argv", ["pytest"])
    assert command_name() == "wordrbm"
