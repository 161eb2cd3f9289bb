import pytest

from tests.experiments.chunking.small import run
from tests.tagging.sentences import write_task
from wordrbm.tagging.conll import read_splits


@pytest.fixture(scope="session")
def splits(tmp_path_factory):
    return read_splits(write_task(tmp_path_factory.mktemp("task")))


@pytest.fixture(scope="session")
def out(tmp_path_factory):
    return tmp_path_factory.mktemp("grid")


@pytest.fixture(scope="session")
def rows(splits, out):
    return run(splits, out)
