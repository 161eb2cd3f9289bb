import os

from tests import shape_checks

if "WITHOUT_SHAPE_CHECKS" not in os.environ:
    shape_checks.install()

import subprocess
import sys
import tempfile
from pathlib import Path

import hypothesis
import numpy as np
import pytest

from tests import reference
from tests.corpora import prepared
from tests.ranks import OPTIONS
from wordrbm.kernels import is_compiled
from wordrbm.kernels.metropolis import word_score
from wordrbm.kernels.rng import seed_stream
from wordrbm.kernels.update import run_updates
from wordrbm.models import BinaryRBM, SoftmaxRBM, WordRepRBM

hypothesis.settings.register_profile("calm", deadline=None)  # machines may be busy
hypothesis.settings.load_profile("calm")
# Where a test shall fail, the first example will do.
generate = [hypothesis.Phase.explicit, hypothesis.Phase.generate]
hypothesis.settings.register_profile("unshrunk", deadline=None, phases=generate, database=None)

K, n, H, d, V = 5, 2, 3, 7, 4  # small enough to enumerate; all different, so no swap can pass


def log_weights(model, h, i, log_q, words):
    """``s_i(w) - log q(w)`` of some words, as the walk of one chain weighs them."""
    context = model.word_context(h)
    tables = model.word_table, model.word_bias
    return np.array([word_score(*tables, context, 0, i, word) - log_q[word] for word in words])


FEW_TOPICS = [
    "--topics", 2, "--updates", 5, "--chains", 8, "--min-count", 1, "--max-share", 1,
    "--threads", 1, "--quiet",
]  # fmt: skip
COUNTS = pytest.StashKey[list[str]]()


@pytest.fixture
def tally(request):
    """Tell how much was tried; printed when all tests are done."""
    return request.config.stash.setdefault(COUNTS, []).append


def pytest_configure(config):
    """Compile both trainings before the processes that share the tests do so all at once."""
    if getattr(config.option, "numprocesses", None) and not is_compiled(run_updates):
        with tempfile.TemporaryDirectory() as folder:
            corpus, text = prepared(Path(folder), stories=20).path, f"{folder}/text"
            compilations = [
                subprocess.Popen([sys.executable, "-m", "wordrbm", *map(str, words)])
                for words in (
                    ["train", corpus, "--out", f"{folder}/model", *OPTIONS],
                    ["documents", "train", text, "--out", f"{folder}/topics", *FEW_TOPICS],
                )
            ]
            assert [process.wait() for process in compilations] == [0, 0]


def pytest_sessionfinish(session):
    """A process that runs part of the tests hands its counts to the one that prints."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["counts"] = session.config.stash.get(COUNTS, [])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error):
    handed = getattr(node, "workeroutput", {}).get("counts", [])
    node.config.stash.setdefault(COUNTS, []).extend(handed)


def pytest_terminal_summary(terminalreporter, config):
    for line in config.stash.get(COUNTS, []):
        terminalreporter.write_line(line)


@pytest.fixture
def rng():
    return np.random.default_rng(20120626)


@pytest.fixture
def stream():
    return seed_stream(20120626, 0, 0)


@pytest.fixture
def wordrep(rng):
    return WordRepRBM(
        D=rng.normal(0, 0.8, (K, d)),
        U=rng.normal(0, 0.8, (n, H, d)),
        b=rng.normal(0, 0.5, K),
        c=rng.normal(0, 0.5, H),
    )


@pytest.fixture
def softmax(rng):
    return SoftmaxRBM(
        W=rng.normal(0, 1.2, (n, K, H)), b=rng.normal(0, 0.5, (n, K)), c=rng.normal(0, 0.5, H)
    )


@pytest.fixture
def binary(rng):
    return BinaryRBM(W=rng.normal(0, 1.2, (H, V)), b=rng.normal(0, 0.5, V), c=rng.normal(0, 0.5, H))


@pytest.fixture(params=["wordrep", "softmax", "binary"])
def model(request):
    """Every model in turn: a test that takes `model` is a test of the contract."""
    return request.getfixturevalue(request.param)


@pytest.fixture
def q(rng, model):
    """Proposals for the words of the model."""
    return rng.dirichlet(np.ones(reference.choices(model)))


@pytest.fixture(scope="session")
def trained_folders(tmp_path_factory):
    """The folders of a small model and of the corpus it was trained on: to be read, not changed."""
    from tests.corpora import prepared
    from tests.run.test_training_run import finish, run

    folder = tmp_path_factory.mktemp("trained")
    corpus = prepared(folder)
    finish(run(corpus, folder / "model"))
    return folder / "model", corpus.path


@pytest.fixture
def run_command(monkeypatch, capfd):
    """Run a command line of an application; returns exit code, output and error output."""
    from wordrbm.cli.app import app, main

    def call(*words, application=app):
        monkeypatch.setattr(sys, "argv", [str(word) for word in words])
        with pytest.raises(SystemExit) as end:
            main(application)
        return end.value.code, *capfd.readouterr()

    return call
