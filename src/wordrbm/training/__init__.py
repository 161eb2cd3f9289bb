from wordrbm.training.settings import TrainingSettings, check_settings, read_settings
from wordrbm.training.trainer import Progress, TrainingState, start, train

__all__ = [
    "Progress",
    "TrainingSettings",
    "TrainingState",
    "check_settings",
    "read_settings",
    "start",
    "train",
]
