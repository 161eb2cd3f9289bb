"""Sessions over a small trained model, a server over each, and a real browser where there is one.

The map is one of principal components or t-SNE of a few dozen words. Browser tests are skipped
where chromium is not installed.
"""

import shutil
import threading
from contextlib import contextmanager

import pytest
import uvicorn
from typer.testing import CliRunner

from tests.reviews import write_reviews
from tests.tagging.sentences import write_task
from wordrbm.cli.app import app
from wordrbm.cli.explore import open_session
from wordrbm.explore.server import build_app, listen

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
WITHOUT_CHROMIUM = "chromium is not installed: the page is not tried in a browser"
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
CLASSIFIER = (
    "--window", 3, "--hidden", 6, "--dimension", 5, "--min-count", 1, "--windows", 3000,
    "--pretrain-windows", 3000, "--finetune-epochs", 1, "--folds", 2, "--quiet",
)  # fmt: skip


@pytest.fixture(scope="session")
def folders(trained_folders, tmp_path_factory):
    """The model and its corpus, in a folder that may be written."""
    model, corpus = trained_folders
    copy = tmp_path_factory.mktemp("explore") / "model"
    shutil.copytree(model, copy)
    return copy, corpus


@pytest.fixture(scope="session")
def session(folders):
    return open_session(*folders, quiet=True)


@pytest.fixture(scope="session")
def predictors(tmp_path_factory):
    """The folders of a classifier and of a tagger."""
    folder = tmp_path_factory.mktemp("predictors")
    reviews, task = write_reviews(folder / "reviews"), write_task(folder / "task")
    command("classifier", "train", "--data", reviews, "--out", folder / "classifier", *CLASSIFIER)
    command(
        "tagger", "train", "--data", task, "--out", folder / "tagger", "--penalties", 0.1, "--quiet"
    )
    return folder / "classifier", folder / "tagger"


@pytest.fixture(scope="session")
def full_session(folders, predictors):
    """A session with a classifier and a tagger too."""
    return open_session(*folders, *predictors, quiet=True)


def command(*words, **options):
    """Run a command line in this process."""
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False, **options)
    assert done.exit_code == 0, done.output
    return done


@contextmanager
def served(session):
    """The address of a server over a session."""
    socket = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(build_app(session), log_level="error"))
    thread = threading.Thread(target=server.run, args=([socket],), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{socket.getsockname()[1]}/"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        pytest.skip(WITHOUT_CHROMIUM)
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@pytest.fixture(scope="module")
def address(browser, full_session):
    with served(full_session) as address:
        yield address


@pytest.fixture
def page(browser):
    """A page that fails the test for any error or refusal of the policy."""
    opened, faults = browser.new_page(viewport={"width": 1280, "height": 860}), []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    yield opened
    opened.close()
    assert not [fault for fault in faults if "400" not in fault], faults
