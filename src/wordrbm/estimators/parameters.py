"""An estimator's parameters as the settings of a training run.

Parameters have scikit-learn's names and may be of numpy's types; every bound is that of
`TrainingSettings`. A batch and the chains are cut into shards, so both are rounded up to a
multiple of them.
"""

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from pydantic import ValidationError
from sklearn.utils import check_random_state

from wordrbm.estimators.refused import Refused
from wordrbm.threads import available_cores
from wordrbm.training import Progress, TrainingSettings

SETTING = {
    "n_iter": "windows",
    "n_components": "hidden",
    "window": "window",
    **{
        name: name
        for name in (
            "dimension", "batch_size", "chains", "mh_steps", "word_rate", "hidden_rate",
            "momentum", "l2", "shards",
        )
    },
}  # fmt: skip
OPEN = ("n_iter", None)  # as many passes as the rows need
MOST_READ = 2**62  # rows in all passes: the bound of `windows`
LEAST_PASSES = 10  # over the rows, and
RESERVOIR = TrainingSettings.model_fields["reservoir"].default
LEAST_UPDATES = 3000  # in all: a small table is learnt by going over it often
CONSTANT_RATES = {"final_rate": 1.0, "rate_windows": None, "warmup": 0}


class Plan(NamedTuple):
    """How often the rows are gone over, and in how many batches each time."""

    passes: int
    batches: int
    size: int


def plan(estimator: Any, rows: int) -> Plan:
    """As many passes as asked for, or else `LEAST_PASSES` and at least `LEAST_UPDATES`."""
    single = once(estimator, rows)
    if estimator.n_iter is not None:
        return _in_bounds(single._replace(passes=int(estimator.n_iter)))
    return single._replace(passes=max(LEAST_PASSES, -(-LEAST_UPDATES // single.batches)))


def once(estimator: Any, rows: int) -> Plan:
    """One pass in batches of equal size, rounded up so that the shards divide it."""
    values = checked(estimator)
    batches = -(-rows // values["batch_size"])
    return Plan(1, batches, _rounded_up(-(-rows // batches), values["shards"]))


def settings_of(
    estimator: Any, seed: int, plan: Plan, *, begun: int = 0, **changes: Any
) -> TrainingSettings:
    """The settings of a run to come after `begun` updates; rates rise for a tenth, then fall."""
    values = checked(estimator)
    steps = begun + plan.passes * plan.batches
    values |= {
        "seed": seed,
        "batch_size": plan.size,
        "chains": chains_of(estimator),
        "windows": steps * plan.size,
        "warmup": min(1000, steps // 10),
        "warmup_share": None,
        "hidden_bias": 0.0,
        "rate_windows": 2_000_000,
        # The rates of `fit` fall to zero; `partial_fit` goes on from the parameters themselves.
        "averaging": 0,
        "objective": "sml",
        "optimizer": "sgd",
        "initialization": "random",
        "reservoir": min(RESERVOIR, plan.batches * plan.size),
    }
    return TrainingSettings(**{**values, **changes})


def checked(estimator: Any) -> dict[str, Any]:
    """The parameters by the names of the settings; the first one that is out of bounds is told."""
    given = estimator.get_params(deep=False)
    values = {}
    for name in [name for name in given if name in SETTING and (name, given[name]) != OPEN]:
        value = given[name].item() if isinstance(given[name], np.generic) else given[name]
        try:
            TrainingSettings(**({SETTING[name]: value} | _even(name, value)))
        except ValidationError as error:
            fault = error.errors()[0]["msg"]
            raise Refused(
                f"The parameter {name} is {value!r}; {fault[0].lower()}{fault[1:]}."
            ) from None
        values[SETTING[name]] = value
    return values


def teller(estimator: Any, plan: Plan) -> Callable[[Progress], None]:
    """Prints a line after every pass over the rows, if the estimator is to be verbose."""
    name, lines = type(estimator).__name__, itertools.count(1)

    def tell(progress: Progress) -> None:
        done, rest = divmod(next(lines), plan.batches)
        if estimator.verbose and not rest:
            accepted = f"{progress.acceptance:.3f} of the proposals taken"
            print(f"[{name}] pass {done} of {plan.passes}, {accepted}", flush=True)

    return tell


def whole_number(name: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """A parameter that counts something and is no setting of a run."""
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise Refused(f"The parameter {name} is {value!r}; give a whole number {bounds}.")
    return int(value)


def positive(name: str, value: Any) -> float:
    """A parameter that weighs something."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not value > 0:
        raise Refused(f"The parameter {name} is {value!r}; give a number above 0.")
    return float(value)


def threads_of(n_jobs: int | None) -> int:
    """Threads for scikit-learn's `n_jobs`: none is one, -1 is a thread for every processor."""
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, int | np.integer) or n_jobs == 0:
        raise Refused(f"The parameter n_jobs is {n_jobs!r}; give a whole number other than zero.")
    return int(n_jobs) if n_jobs > 0 else max(1, available_cores() + 1 + int(n_jobs))


def seed_of(random_state: Any) -> int:
    """A seed from scikit-learn's `random_state`: an int, a RandomState, or None for a fresh one."""
    return int(check_random_state(random_state).randint(2**31))


def chains_of(estimator: Any) -> int:
    """As many chains as asked for, rounded up so that the shards divide them."""
    values = checked(estimator)
    return _rounded_up(values["chains"], values["shards"])


def _in_bounds(plan: Plan) -> Plan:
    if plan.passes * plan.batches * plan.size >= MOST_READ:
        raise Refused(
            f"The parameter n_iter is {plan.passes}, so {MOST_READ} rows or more would be read in "
            "all; give fewer passes."
        )
    return plan


def _even(name: str, value: Any) -> dict[str, Any]:
    """Whether shards divide the rest is no question here: the rest is rounded up."""
    if name == "shards":
        return {"batch_size": value, "chains": value}
    return {"shards": 1} if name in ("batch_size", "chains") else {}


def _rounded_up(number: int, multiple: int) -> int:
    return -(-number // multiple) * multiple
