import pytest
from experiments.sentiment.data import read_data

from tests.experiments.sentiment.small import SMALL, run_sentiment
from tests.reviews import write_reviews


@pytest.fixture(scope="session")
def reviews(tmp_path_factory):
    return write_reviews(tmp_path_factory.mktemp("reviews"), unlabelled=60)


@pytest.fixture(scope="session")
def data(reviews):
    return read_data(reviews, unlabelled=True)


@pytest.fixture(scope="session")
def arguments(reviews):
    """All rows, two seeds."""
    rows = ["--pretrain-unlabelled", "--self-training", "--without-frequent", "2"]
    more = ["--seeds", "1,2", *rows, "--quiet"]
    return ["--data", reviews, *SMALL, *more]


@pytest.fixture(scope="session")
def done(arguments, tmp_path_factory):
    """An experiment that was run once; copy it before changing it."""
    out = tmp_path_factory.mktemp("experiment") / "out"
    assert run_sentiment(*arguments, "--out", out) == 0
    return out
