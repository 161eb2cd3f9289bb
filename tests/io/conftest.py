import pytest

from wordrbm.models import init_wordrep
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.trained_model import TrainedModel, save
from wordrbm.training import TrainingSettings


@pytest.fixture
def trained(rng):
    vocabulary = Vocabulary.build([("the", 50), ("cat", 20), ("sat", 7)], 3)
    rbm = init_wordrep(rng, n=2, H=3, d=5, word_probability=vocabulary.probability())
    return TrainedModel(rbm, vocabulary, TrainingSettings(window=2, hidden=3, dimension=5))


@pytest.fixture
def folder(tmp_path, trained):
    save(tmp_path / "model", trained)
    return tmp_path / "model"
