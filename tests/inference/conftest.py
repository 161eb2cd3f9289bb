import numpy as np
import pytest

from wordrbm.models import WordRepRBM
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.trained_model import TrainedModel
from wordrbm.training import TrainingSettings

WORDS = [("the", 50), ("cat", 20), ("said", 7), ("on", 3)]


@pytest.fixture
def trained(rng):
    """A tiny trigram model in double precision; all sizes differ."""
    K, n, H, d = 5, 3, 4, 6
    rbm = WordRepRBM(
        D=rng.normal(0, 0.8, (K, d)),
        U=rng.normal(0, 0.8, (n, H, d)),
        b=rng.normal(0, 0.5, K),
        c=rng.normal(0, 0.5, H),
    )
    settings = TrainingSettings(window=n, hidden=H, dimension=d, mh_steps=5)
    return TrainedModel(rbm, Vocabulary.build(WORDS, 9), settings)


@pytest.fixture
def single(trained):
    """The same model in single precision, as it comes from a file."""
    rbm = WordRepRBM(**{k: x.astype(np.float32) for k, x in trained.rbm.parameters().items()})
    return TrainedModel(rbm, trained.vocabulary, trained.settings)
