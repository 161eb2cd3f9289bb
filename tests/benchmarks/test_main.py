"""Every benchmark, at a size at which it says nothing but runs."""

import json
import sys

import pytest
from benchmarks import __main__ as command
from benchmarks import corpora
from benchmarks.effort import QUICK, Effort
from benchmarks.ratios import Figure

from tests.corpora import prepared

TINY = Effort(
    rounds=2, updates=1, sizes=(20, 30), K=30, rank=32, words=500, other_sizes=(20,), processes=1,
    run_updates=5, run_interval=0.01, seeds=2, windows=1_024, heldout=5, memory_windows=1_024,
)  # fmt: skip
OURS = [name for name in command.EVERY if name not in command.ONE_SIZE]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    return prepared(tmp_path_factory.mktemp("made_up"))


@pytest.fixture
def tiny(corpus, tmp_path, monkeypatch):
    """The large corpus is a made-up one, the small one too, and files go elsewhere."""
    monkeypatch.setenv(corpora.NAMED, str(corpus.path))
    monkeypatch.setattr(corpora, "OUT", tmp_path)
    monkeypatch.setattr(corpora, "small", lambda: corpus)
    return TINY


@pytest.mark.parametrize("name", OURS)
def test_every_benchmark_runs_and_orders_its_numbers(name, tiny):
    found = command.run(name, tiny)
    assert found
    for figure in found.values():
        assert figure.ratio is None or figure.least <= figure.ratio <= figure.most
        assert figure.ratio is not None or "is not installed" in figure.note


def test_a_missing_package_is_told_and_passed_over(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError(name="gensim")

    monkeypatch.setattr(command, "import_module", missing)
    assert command.run("word2vec", TINY)["-"].note == "gensim is not installed"


def test_the_named_ones_are_run_and_written_down(monkeypatch, tmp_path, capsys):
    asked = []
    monkeypatch.setattr(
        command, "run", lambda *given: asked.append(given) or {"one": Figure(1.0, 1.0, 1.0)}
    )
    out = tmp_path / "found.json"
    monkeypatch.setattr(sys, "argv", ["", "bound", "threads", "--quick", "--json", str(out)])
    command.main()
    assert asked == [("bound", QUICK), ("threads", QUICK)]
    assert list(json.loads(out.read_text())["figures"]) == ["bound", "threads"]
    printed = capsys.readouterr()
    assert len(printed.out.splitlines()) == 3
    assert "bound took" in printed.err


def test_an_unknown_name_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["", "speed"])
    with pytest.raises(SystemExit):
        command.main()
    assert "there is no benchmark speed" in capsys.readouterr().err


def test_nothing_long_is_run_unasked():
    assert "learning_long" not in command.USUAL
    assert "learning_long" in command.EVERY
