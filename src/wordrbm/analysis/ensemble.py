"""Where the words of a chain stand after some calls of any operator: by many chains at once.

For operators without a closed form. All chains have the same h and start from q; the words of a
position are counted in cells, likely words by themselves and the others in groups of about equal
probability, in the order of ``pi / q`` so that what is proposed too rarely is not lost among what
is proposed too often. The distance over cells is never above the true one but for chance: even
exact draws are a little away from their target, and that much is told as `floor`.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from wordrbm.analysis.mixing import Case, conditional
from wordrbm.kernels.rng import seed_stream
from wordrbm.models import AbstractRBM
from wordrbm.sampling import AliasTable, Chains, Transition
from wordrbm.shapes import Probability

LIKELY, CELLS = 1 / 500, 200
PARTS = 20  # of the chains, left out in turn to see how far the estimate moves


class Sampled(NamedTuple):
    """One position of one case after some calls."""

    case: int
    position: int
    calls: int
    acceptance: float
    distance: float  # total variation over cells
    error: float  # one standard deviation
    floor: float  # what exact draws would show


def sampled_study(
    seed: int,
    model: AbstractRBM,
    operator: Transition,
    cases: Sequence[Case],
    q: Probability,
    calls: Sequence[int],
    chains: int,
) -> Iterator[Sampled]:
    """The distance of every position of every case after each number of calls, in order."""
    start = AliasTable.build(q)
    for number, case in enumerate(cases):
        stream = seed_stream(seed, 1, number)
        v = start.draw(stream, chains * model.positions).reshape(chains, -1)
        h = np.repeat(case.hidden[None], chains, axis=0)
        cells = [
            cells_of(conditional(model, case.context[i], table), np.log(q))
            for i, table in enumerate(model.table_index.tolist())
        ]
        made, acceptance = 0, 0.0
        for count in sorted(calls):
            while made < count:
                v, info = operator(stream, model, Chains(v, h))
                made, acceptance = made + 1, float(info.accepted.mean()) / info.proposed
            for i, (cell, p) in enumerate(cells):
                yield Sampled(number, i, count, acceptance, *distance(cell[v[:, i]], p))


def cells_of(
    log_pi: Float[np.ndarray, " K"], log_q: Float[np.ndarray, " K"]
) -> tuple[Int[np.ndarray, " K"], Probability]:
    """The cell of every word, and the probability of every cell."""
    pi = np.exp(log_pi)
    order = np.argsort(log_q - log_pi, kind="stable")
    alone = pi[order] >= LIKELY
    reached = np.cumsum(np.where(alone, 0.0, pi[order]))
    cell = np.empty(len(pi), np.int64)
    cell[order] = np.where(alone, CELLS + np.cumsum(alone), (reached * CELLS).astype(np.int64))
    _, cell = np.unique(cell, return_inverse=True)
    return cell, np.bincount(cell, pi)


def distance(cell: Int[np.ndarray, " N"], p: Probability) -> tuple[float, float, float]:
    """Total variation of what was counted from p, its standard deviation, and its floor."""
    N, part = len(cell), np.arange(len(cell)) * PARTS // len(cell)
    counts = np.bincount(part * p.size + cell, minlength=PARTS * p.size).reshape(PARTS, -1)
    whole = counts.sum(axis=0)
    rest = whole - counts
    without = 0.5 * np.abs(rest / rest.sum(axis=1, keepdims=True) - p).sum(axis=1)
    error = np.sqrt((PARTS - 1) * without.var())  # the jackknife
    floor = 0.5 * np.sqrt(2.0 * p * (1.0 - p) / (np.pi * N)).sum()
    return float(0.5 * np.abs(whole / N - p).sum()), float(error), float(floor)


def means(points: Sequence[Sampled], chains: int) -> list[dict[str, float]]:
    """Over all positions, for each number of calls; the error is that of the mean."""
    rows = []
    for calls in sorted({point.calls for point in points}):
        own = [point for point in points if point.calls == calls]
        rows.append(
            {
                "calls": calls,
                "chains": chains,
                "acceptance": float(np.mean([point.acceptance for point in own])),
                "mean": float(np.mean([point.distance for point in own])),
                "worst": max(point.distance for point in own),
                "error": float(np.linalg.norm([point.error for point in own])) / len(own),
                "floor": float(np.mean([point.floor for point in own])),
            }
        )
    return rows
