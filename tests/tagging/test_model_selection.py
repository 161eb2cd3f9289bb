"""Model selection: the best grid point on dev, refitted to train and dev, tested once."""

import numpy as np
import pytest

from tests.tagging.sentences import write_task
from wordrbm.errors import Stopped
from wordrbm.io import Vectors
from wordrbm.tagging.conll import read_splits
from wordrbm.tagging.evaluation import Evaluation, SpanCounts, evaluate_tagger
from wordrbm.tagging.features import AttributeIndex, FeatureConfig
from wordrbm.tagging.model_selection import (
    DevResult,
    Grid,
    GridPoint,
    TaggerFit,
    best_on_dev,
    describe_point,
    select_and_test,
)

WORDS = ("<unk>", "the", "new", "cat", "dog", "bank", "sees", "buys", ".")
GRID = Grid(scales=(0.1, 1.0), penalties=(0.1, 1.0))


def show(fraction, note):
    return None


def never():
    return False


@pytest.fixture(scope="module")
def splits(tmp_path_factory):
    return read_splits(write_task(tmp_path_factory.mktemp("task")))


@pytest.fixture(scope="module")
def features():
    rng = np.random.default_rng(4)
    return FeatureConfig(Vectors(WORDS, rng.normal(size=(len(WORDS), 3)).astype(np.float32)))


@pytest.fixture(scope="module")
def selection(splits, features):
    return select_and_test(features, GRID, splits, 1, show, never)


def test_the_best_on_dev_is_chosen():
    results = [
        DevResult(
            GridPoint(0.0, 0.0, c2),
            TaggerFit(Evaluation(SpanCounts(10, 10, correct), {}, 0.5), 1, 1.0),
        )
        for c2, correct in ((0.1, 5), (0.2, 8), (0.3, 8))
    ]
    assert best_on_dev(results) == results[1]


def test_a_scale_is_varied_only_where_it_is_used(features):
    assert len(GRID.points(FeatureConfig())) == 2
    assert len(GRID.points(features)) == 4
    assert describe_point(GRID.points(features)[0]) == "c2 0.1, scale 0.1"


def test_the_final_tagger_is_fitted_to_train_and_dev(splits, selection):
    index = AttributeIndex.build(sentence.columns[:-1] for sentence in splits.train_and_dev)
    assert selection.tagger.attributes.row == index.row
    assert len(selection.dev) == 4
    assert selection.test.evaluation == evaluate_tagger(selection.tagger, splits.test)
    assert selection.test.evaluation.overall.f1 == 1.0


def test_the_bits_do_not_depend_on_the_number_of_workers(splits, features, selection):
    parallel = select_and_test(features, GRID, splits, 3, show, never)
    for a, b in zip(selection.tagger.crf.arrays(), parallel.tagger.crf.arrays(), strict=True):
        np.testing.assert_array_equal(a, b)
    assert parallel.best.point == selection.best.point


def test_without_test_sentences_nothing_is_tested(splits, selection):
    grid = Grid(penalties=(1.0,))
    untested = select_and_test(FeatureConfig(), grid, splits._replace(test=[]), 1, show, never)
    assert untested.test is None
    assert untested.tagger.labels == selection.tagger.labels


def test_progress_ends_at_one_and_a_stop_is_noticed(splits):
    fractions = []
    select_and_test(FeatureConfig(), GRID, splits, 1, lambda x, note: fractions.append(x), never)
    assert fractions[-1] == 1.0
    assert fractions == sorted(fractions)
    with pytest.raises(Stopped):
        select_and_test(FeatureConfig(), GRID, splits, 1, show, lambda: True)


def test_large_scales_do_not_overflow(splits, features):
    grid = Grid(scales=(1e6,), penalties=(1e-9,))
    selection = select_and_test(features, grid, splits, 1, show, never)
    assert all(np.isfinite(x).all() for x in selection.tagger.crf.arrays())
