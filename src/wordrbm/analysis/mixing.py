"""How fast an operator's words reach ``P(v | h)``: the paper's mixing study, exact.

For windows of held-out text, h is drawn and every position started from the operator's own
proposal, as the paper does [Dahl 2012, section 4.2]; then the distance from the softmax conditional
after t steps is computed by `independence.py`, for operators whose proposals depend on h alone.
"""

import csv
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from wordrbm.analysis.independence import IndependenceChain, steps_until
from wordrbm.errors import WordRBMError
from wordrbm.kernels.rng import seed_stream
from wordrbm.models import AbstractRBM
from wordrbm.sampling import (
    ClusteredMetropolis,
    IndependenceTransition,
    Metropolis,
    PooledMetropolis,
    draw_hidden,
)
from wordrbm.shapes import Probability, Words
from wordrbm.storage import atomic_write
from wordrbm.text.vocabulary import Vocabulary

TARGETS = (0.1, 0.01)  # total variations whose number of steps is reported
MAX_STEPS = 2**30  # that are searched
NOT_REACHED = float("inf")

MH_STEPS, CLUSTER_STEPS = 100, 4
FREQUENCY_POWER = 0.75
FINE_CLUSTERS = {"singletons": 512, "clusters": 1024}

Build = Callable[[AbstractRBM, Probability], IndependenceTransition]


def tempered(q: Probability, power: float) -> Probability:
    """Word frequencies to a power: 1 leaves them, 0 makes them equal."""
    weight = np.power(q.astype(np.float64), power)
    flat: Probability = weight / weight.sum()
    return flat


def _pooled(power: float) -> Build:
    return lambda model, q: PooledMetropolis.from_probability(tempered(q, power), steps=MH_STEPS)


def _clustered(**sizes: int) -> Build:
    return lambda model, q: ClusteredMetropolis.from_model(model, q, steps=CLUSTER_STEPS, **sizes)


OPERATORS: Mapping[str, Build] = {
    "unigram": _pooled(1.0),  # by word frequency, from pools that 32 chains share
    "power": _pooled(FREQUENCY_POWER),
    "uniform": _pooled(0.0),
    "paper": lambda model, q: Metropolis.from_probability(q, steps=MH_STEPS),  # without pools
    "clusters": _clustered(),
    "fine": _clustered(**FINE_CLUSTERS),
}


def build_operator(name: str, model: AbstractRBM, q: Probability) -> IndependenceTransition:
    """Build the operator of this name for a model as it is now."""
    if name not in OPERATORS:
        raise WordRBMError(
            f"There is no operator {name!r}; the operators are {', '.join(OPERATORS)}."
        )
    return OPERATORS[name](model, q)


class MixingCase(NamedTuple):
    """A window of text, hidden states drawn for it, and the context they give to each position."""

    words: Int[np.ndarray, " n"]
    hidden: Float[np.ndarray, " H"]
    context: Float[np.ndarray, "n r"]


class PositionResult(NamedTuple):
    """How an operator mixes at one position of one case."""

    case: int
    position: int
    acceptance: float
    spectral_gap: float
    autocorrelation_time: float
    steps_to_target: tuple[int | None, ...]  # for each of `TARGETS`; None if it is not reached
    divergence: Float[np.ndarray, " T"]  # symmetric Kullback-Leibler, after each number of steps
    distance: Float[np.ndarray, " T"]  # total variation
    bottleneck_word: int  # the word with the largest pi / q: a chain on it leaves it last


def draw_cases(model: AbstractRBM, windows: Words, seed: int) -> list[MixingCase]:
    """Draw hidden states for each window."""
    h = draw_hidden(seed_stream(seed, 0, 0), model.hidden_mean(windows))
    return [MixingCase(*arrays) for arrays in zip(windows, h, model.word_context(h), strict=True)]


def study_mixing(
    model: AbstractRBM,
    operator: IndependenceTransition,
    cases: Sequence[MixingCase],
    steps: Sequence[int],
) -> Iterator[PositionResult]:
    """Study every position of every case, one after another."""
    for number, case in enumerate(cases):
        for i, table in enumerate(model.table_index.tolist()):
            log_pi = word_conditional(model, case.context[i], table)
            log_q = operator.log_proposal(case.context[i], table).astype(np.float64)
            chain = IndependenceChain.build(log_pi, log_q - np.logaddexp.reduce(log_q))
            curves = np.array([chain.distances(t) for t in steps])
            yield PositionResult(
                case=number,
                position=i,
                acceptance=chain.acceptance,
                spectral_gap=chain.gap,
                autocorrelation_time=chain.autocorrelation_time(),
                steps_to_target=tuple(
                    _steps_to(chain, target, steps, curves[:, 1]) for target in TARGETS
                ),
                divergence=curves[:, 0],
                distance=curves[:, 1],
                bottleneck_word=int(chain.order[0]),
            )


def word_conditional(
    model: AbstractRBM, context: Float[np.ndarray, " r"], table: int
) -> Float[np.ndarray, " K"]:
    """``log P(v_i | h)`` of all words, in double precision."""
    rows, bias = model.word_table[table], model.word_bias[table]
    score = bias.astype(np.float64) + rows.astype(np.float64) @ context
    log_pi: Float[np.ndarray, " K"] = score - np.logaddexp.reduce(score)
    return log_pi


def _steps_to(
    chain: IndependenceChain, target: float, steps: Sequence[int], distance: Float[np.ndarray, " T"]
) -> int | None:
    """The fewest steps to a total variation; the curve says where to search."""
    above = [t for t, tv in zip(steps, distance, strict=True) if tv > target]
    below = [t for t, tv in zip(steps, distance, strict=True) if tv <= target]
    low, high = max(above, default=-1), min(below, default=max(1, 2 * max(above, default=1)))
    return steps_until(chain, target, low=low, high=high, most=MAX_STEPS)


def summarise(results: Sequence[PositionResult], steps: Sequence[int]) -> dict[str, Any]:
    """Means over all positions, and the worst of them, for JSON."""
    distance = np.array([result.distance for result in results])
    row: dict[str, Any] = {
        "acceptance": float(np.mean([result.acceptance for result in results])),
        "spectral_gap": float(np.median([result.spectral_gap for result in results])),
        "smallest_gap": float(np.min([result.spectral_gap for result in results])),
        "autocorrelation_time": float(
            np.median([result.autocorrelation_time for result in results])
        ),
    }
    for target, reached in zip(
        TARGETS, zip(*[result.steps_to_target for result in results], strict=True), strict=True
    ):
        needed = [NOT_REACHED if t is None else float(t) for t in reached]
        row[f"steps_to_{target}"] = {
            "median": _finite(np.median(needed)), "most": _finite(max(needed)),
        }  # fmt: skip
    row["distance"] = {
        str(t): {"mean": float(distance[:, k].mean()), "worst": float(distance[:, k].max())}
        for k, t in enumerate(steps)
    }
    return row


def _finite(steps: Any) -> float | None:
    return None if steps == NOT_REACHED else float(steps)


def slowest_case(results: Sequence[PositionResult]) -> int:
    """The case with the largest total variation, summed over positions and steps."""
    totals: dict[int, float] = {}
    for result in results:
        totals[result.case] = totals.get(result.case, 0.0) + float(result.distance.sum())
    return max(totals, key=lambda case: totals[case])


def position_records(
    results: Sequence[PositionResult],
    cases: Sequence[MixingCase],
    vocabulary: Vocabulary,
    steps: Sequence[int],
) -> list[dict[str, Any]]:
    """Every position with its words and its curves, for JSON."""
    words = vocabulary.words
    return [
        {
            "case": result.case,
            "window": [words[k] for k in cases[result.case].words],
            "position": result.position,
            "acceptance": result.acceptance,
            "spectral_gap": result.spectral_gap,
            "autocorrelation_time": result.autocorrelation_time,
            **{f"steps_to_{x}": t for x, t in zip(TARGETS, result.steps_to_target, strict=True)},
            "bottleneck_word": words[result.bottleneck_word],
            "steps": list(steps),
            "divergence": result.divergence.tolist(),
            "distance": result.distance.tolist(),
        }
        for result in results
    ]


def write_curves(path: Path, operators: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Write a CSV line for each operator, case, position and number of steps."""
    with atomic_write(path) as temporary, temporary.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["operator", "case", "window", "position", "steps", "divergence", "distance"])
        for name, records in operators.items():
            for row in records:
                head = [name, row["case"], " ".join(row["window"]), row["position"]]
                curves = zip(row["steps"], row["divergence"], row["distance"], strict=True)
                out.writerows([*head, *point] for point in curves)
