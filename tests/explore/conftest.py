"""A session over the small trained model, with its corpus and a map by principal components."""

import shutil

import pytest

from wordrbm.cli.explore import open_session


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
