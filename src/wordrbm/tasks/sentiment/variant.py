"""What is trained for an experiment: the sizes of the class models, how long, from which start."""

from typing import NamedTuple

from wordrbm.training import TrainingSettings, check_settings
from wordrbm.training.settings import PRESETS

FOLDS = 3  # parts of the training documents whose energies come from models of the others

# Learning rates of the class models, after a common start at the usual ones; windows that they read
# and rates were chosen together, on folds by film (docs/decisions.md, 18).
RATES = {"word_rate": 0.06, "hidden_rate": 0.06}

CHAINS = 256  # fewer than usual: better after a few million windows (docs/decisions.md, 15)


class Variant(NamedTuple):
    """One kind of class models; windows are what each class, and the background, reads."""

    window: int = 5
    hidden: int = 250
    dimension: int = 50
    min_count: int = 2
    background: int = 3_000_000
    windows: int = 3_000_000
    unlabelled: bool = False  # the background is of unlabelled documents
    apart: int = 0  # passes over the documents in which classes are told apart

    @property
    def name(self) -> str:
        """Its values, as the name of a file."""
        start = "unlabelled" if self.unlabelled else "background"
        return (
            f"n{self.window}-h{self.hidden}-d{self.dimension}-min{self.min_count}-"
            f"{start}{self.background}-windows{self.windows}"
        ) + (f"-apart{self.apart}" if self.apart else "")

    def start_settings(self, seed: int) -> TrainingSettings:
        """The settings of the model that all classes start from."""
        return self._settings(self.background, seed)

    def settings(self, seed: int) -> TrainingSettings:
        """The settings of the model of a class."""
        rates = RATES if self.background else {}
        return self._settings(self.windows, seed, **rates)

    def _settings(self, windows: int, seed: int, **rates: float) -> TrainingSettings:
        sizes = {"window": self.window, "hidden": self.hidden, "dimension": self.dimension}
        run = {"windows": windows, "seed": seed, "chains": CHAINS}
        return check_settings({**PRESETS["paper"], "jumps": 1, **sizes, **run, **rates})


class Cell(NamedTuple):
    """One training of a variant: with all training documents, or without those of a fold."""

    variant: Variant
    seed: int
    fold: int | None

    @property
    def name(self) -> str:
        """As the name of a file."""
        part = "all" if self.fold is None else f"without{self.fold}"
        return f"{self.variant.name}-seed{self.seed}-{part}"


def cells_of(variant: Variant, seed: int) -> list[Cell]:
    """Every training that a variant with a seed needs."""
    return [Cell(variant, seed, fold) for fold in (None, *range(FOLDS))]
