from wordrbm.artifacts.modelfile import TrainedModel, load, save
from wordrbm.artifacts.vectors import Vectors

__all__ = ["TrainedModel", "Vectors", "load", "save"]
