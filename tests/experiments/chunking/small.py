"""A small grid over an artificial task."""

import numpy as np
from experiments.chunking.grid import Experiment, select_and_test

from wordrbm.io import Vectors
from wordrbm.tagging.features import FeatureConfig
from wordrbm.tagging.model_selection import Grid

WORDS = ("<unk>", "the", "new", "cat", "dog", "bank", "sees", "buys", ".")


def show(fraction, note):
    return None


def never():
    return False


def experiment(splits, out, workers=1, penalties=(0.1, 1.0)):
    rng = np.random.default_rng(4)
    vectors = Vectors(WORDS, rng.normal(size=(len(WORDS), 3)).astype(np.float32))
    rows = {"words": FeatureConfig(), "my vectors": FeatureConfig(vectors)}
    return Experiment(rows, Grid((0.1, 1.0), (1.0,), penalties), splits, out, workers)


def run(splits, out, **options):
    return select_and_test(experiment(splits, out, **options), show, never)
