"""Stochastic gradient training of an RBM: gradients, optimizer, updates, the trainer."""

from wordrbm.training.settings import TrainingSettings, check_settings, read_settings
from wordrbm.training.trainer import (
    Progress,
    TrainingState,
    averaged,
    progress_at,
    start,
    train,
)

__all__ = [
    "Progress",
    "TrainingSettings",
    "TrainingState",
    "averaged",
    "check_settings",
    "progress_at",
    "read_settings",
    "start",
    "train",
]
