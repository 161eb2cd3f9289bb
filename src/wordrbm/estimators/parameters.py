"""The parameters of an estimator as `TrainingSettings`.

Parameters have scikit-learn's names and may be of NumPy's types; their bounds are those of
`TrainingSettings`. Batches and chains are divided into shards, so both are rounded up to a multiple
of them.
"""

import inspect
import itertools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from pydantic import ValidationError
from sklearn.utils import check_random_state

from wordrbm.errors import InvalidInput
from wordrbm.threads import available_cores
from wordrbm.training import Progress, TrainingSettings
from wordrbm.training.settings import SHORT_WINDOW_JUMPS

SETTINGS = TrainingSettings.model_fields
RENAMED = {"n_iter": "windows", "n_components": "hidden"}  # others have the names of the settings
MIN_EPOCHS, MIN_UPDATES = 10, 3000  # without n_iter: a small table takes more epochs
MAX_ROWS_READ = 2**62  # in all epochs: the bound of `windows`
RESERVOIR = SETTINGS["reservoir"].default
# Stochastic maximum likelihood alone, for tables: ranking needs the compiled update, which tables
# have not. The rates of `fit` fall to zero, and `partial_fit` continues from the parameters
# themselves, so nothing is averaged.
LIKELIHOOD_ALONE = {
    "objective": "sml", "initialization": "random", "averaging": 0, "hidden_bias": 0.0,
    "rate_windows": 2_000_000,
}  # fmt: skip
CONSTANT_RATES = {"final_rate": 1.0, "rate_windows": None, "warmup": 0}


def store(estimator: Any, arguments: Mapping[str, Any]) -> None:
    """Set the attributes of an estimator to the arguments of its `__init__`, unchanged."""
    for name in inspect.signature(type(estimator)).parameters:
        setattr(estimator, name, arguments[name])


class Schedule(NamedTuple):
    """Epochs over the rows, batches in each, and rows in a batch."""

    epochs: int
    batches: int
    size: int


def schedule(estimator: Any, rows: int) -> Schedule:
    """`n_iter` epochs; without it `MIN_EPOCHS`, more if these are fewer than `MIN_UPDATES`."""
    _, batches, size = single_epoch(estimator, rows)
    if estimator.n_iter is None:
        return Schedule(max(MIN_EPOCHS, -(-MIN_UPDATES // batches)), batches, size)
    epochs = int(estimator.n_iter)
    if epochs * batches * size >= MAX_ROWS_READ:
        raise InvalidInput(
            f"The parameter n_iter is {epochs}, so {MAX_ROWS_READ} rows or more would be read in "
            "all; give fewer epochs."
        )
    return Schedule(epochs, batches, size)


def single_epoch(estimator: Any, rows: int) -> Schedule:
    """One epoch in batches of equal size, rounded up to a multiple of the shards."""
    values = validated(estimator)
    batches = -(-rows // values["batch_size"])
    return Schedule(1, batches, _round_up(-(-rows // batches), values["shards"]))


def training_settings(
    estimator: Any, seed: int, schedule: Schedule, *, first_step: int = 0, **changes: Any
) -> TrainingSettings:
    """The settings of training from update `first_step` on; rates rise for a tenth, then fall."""
    values = validated(estimator)
    steps = first_step + schedule.epochs * schedule.batches
    values |= {
        "seed": seed,
        "batch_size": schedule.size,
        "chains": chain_count(estimator),
        "windows": steps * schedule.size,
        "warmup": min(1000, steps // 10),
        "warmup_share": None,
        "reservoir": min(RESERVOIR, schedule.batches * schedule.size),
    }
    if values.get("objective", "sml") == "sml":
        values |= LIKELIHOOD_ALONE
    return TrainingSettings(**{**SHORT_WINDOW_JUMPS, **values, **changes})


def validated(estimator: Any) -> dict[str, Any]:
    """The parameters by the names of the settings; one that is out of bounds is refused."""
    values = {}
    for name, value in estimator.get_params(deep=False).items():
        setting = RENAMED.get(name, name)
        if setting not in SETTINGS or (name == "n_iter" and value is None):
            continue
        value = value.item() if isinstance(value, np.generic) else value
        try:
            TrainingSettings(**({setting: value} | _divisible(name, value)))
        except ValidationError as error:
            fault = error.errors()[0]["msg"]
            raise InvalidInput(
                f"The parameter {name} is {value!r}; {fault[0].lower()}{fault[1:]}."
            ) from None
        values[setting] = value
    return values


def progress_printer(estimator: Any, schedule: Schedule) -> Callable[[Progress], None]:
    """A function that prints a line after every epoch if the estimator is verbose."""
    name, updates = type(estimator).__name__, itertools.count(1)

    def print_progress(progress: Progress) -> None:
        epoch, rest = divmod(next(updates), schedule.batches)
        if estimator.verbose and not rest:
            acceptance = f"acceptance rate {progress.acceptance:.3f}"
            print(f"[{name}] epoch {epoch} of {schedule.epochs}, {acceptance}", flush=True)

    return print_progress


def check_count(name: str, value: Any, minimum: int = 1, maximum: int | None = None) -> int:
    """A parameter that is a whole number within bounds, as an int."""
    is_whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not is_whole or value < minimum or (maximum is not None and value > maximum):
        bounds = f"of at least {minimum}" if maximum is None else f"from {minimum} to {maximum}"
        raise InvalidInput(f"The parameter {name} is {value!r}; give a whole number {bounds}.")
    return int(value)


def check_above_zero(name: str, value: Any) -> float:
    """A parameter that is a number above 0, as a float."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not value > 0:
        raise InvalidInput(f"The parameter {name} is {value!r}; give a number above 0.")
    return float(value)


def thread_count(n_jobs: int | None) -> int:
    """Threads for scikit-learn's `n_jobs`: None is one, -1 is as many as processors."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise InvalidInput(
            f"The parameter n_jobs is {n_jobs!r}; give a whole number other than zero."
        )
    return int(n_jobs) if n_jobs > 0 else max(1, available_cores() + 1 + int(n_jobs))


def seed_from(random_state: Any) -> int:
    """A seed from scikit-learn's `random_state`: an int, a RandomState, or None for a fresh one."""
    return int(check_random_state(random_state).randint(2**31))


def chain_count(estimator: Any) -> int:
    """The parameter `chains`, rounded up to a multiple of the shards."""
    values = validated(estimator)
    return _round_up(values["chains"], values["shards"])


def _divisible(name: str, value: Any) -> dict[str, Any]:
    """Settings beside which a value is checked by itself: batches and chains are rounded up."""
    if name == "shards":
        return {"batch_size": value, "chains": value}
    return {"shards": 1} if name in ("batch_size", "chains") else {}


def _round_up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple
