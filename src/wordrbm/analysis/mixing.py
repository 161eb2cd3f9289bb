"""How fast an operator's words reach ``P(v | h)``: the paper's mixing study, exact.

For windows of held-out text, h is drawn and every position started from the operator's own
proposal, as the paper does [Dahl 2012, section 4.2]; then the distance from the softmax conditional
after t steps is computed by `independence.py`, for operators whose proposals look at h alone.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from wordrbm.analysis.independence import IndependenceChain, steps_until
from wordrbm.kernels.rng import seed_stream
from wordrbm.models import AbstractRBM
from wordrbm.sampling import Independence, draw_hidden
from wordrbm.shapes import Words

NEAR = (0.1, 0.01)  # total variations that are called near
MOST_STEPS = 2**30  # that are looked for


class Place(NamedTuple):
    """One position of one case under one operator."""

    operator: str
    case: int
    position: int
    acceptance: float
    gap: float  # 1 - the second largest eigenvalue
    autocorrelation_time: float
    near: tuple[int | None, ...]  # steps until the total variation is at most each of `NEAR`
    divergence: Float[np.ndarray, " T"]  # symmetric Kullback-Leibler
    distance: Float[np.ndarray, " T"]  # total variation
    same_time: float  # total variation after as many steps as take the time of the first operator
    wanted: int  # the word that is wanted most of what is proposed least: it holds the chain


class Case(NamedTuple):
    """A window of text, hidden states drawn for it, and the context they give to each position."""

    words: Int[np.ndarray, " n"]
    hidden: Float[np.ndarray, " H"]
    context: Float[np.ndarray, "n r"]


def cases_of(model: AbstractRBM, windows: Words, seed: int) -> list[Case]:
    """Hidden states drawn for each window, and what they ask of every position."""
    h = draw_hidden(seed_stream(seed, 0, 0), model.hidden_mean(windows))
    return [Case(*parts) for parts in zip(windows, h, model.word_context(h), strict=True)]


def study(
    model: AbstractRBM,
    operators: Mapping[str, Independence],
    cases: Sequence[Case],
    steps: Sequence[int],
    same_time: Mapping[str, int],
) -> Iterator[Place]:
    """Every position of every case under every operator, one after another."""
    for case, (_, _, context) in enumerate(cases):
        for i, table in enumerate(model.table_index.tolist()):
            log_pi = conditional(model, context[i], table)
            for name, operator in operators.items():
                log_q = operator.log_proposal(context[i], table).astype(np.float64)
                chain = IndependenceChain.of(log_pi, log_q - np.logaddexp.reduce(log_q))
                curves = np.array([chain.distances(t) for t in steps])
                yield Place(
                    operator=name,
                    case=case,
                    position=i,
                    acceptance=chain.acceptance,
                    gap=chain.gap,
                    autocorrelation_time=chain.autocorrelation_time(),
                    near=tuple(_steps_until(chain, near, steps, curves[:, 1]) for near in NEAR),
                    divergence=curves[:, 0],
                    distance=curves[:, 1],
                    same_time=chain.total_variation(same_time[name]),
                    wanted=int(chain.order[0]),
                )


def conditional(
    model: AbstractRBM, context: Float[np.ndarray, " r"], table: int
) -> Float[np.ndarray, " K"]:
    """``log P(v_i | h)`` of all words, in double precision."""
    rows, bias = model.word_table[table], model.word_bias[table]
    score = bias.astype(np.float64) + rows.astype(np.float64) @ context
    log_pi: Float[np.ndarray, " K"] = score - np.logaddexp.reduce(score)
    return log_pi


def _steps_until(
    chain: IndependenceChain, near: float, steps: Sequence[int], distance: Float[np.ndarray, " T"]
) -> int | None:
    """The search begins where the curve says that it ends."""
    far = [t for t, apart in zip(steps, distance, strict=True) if apart > near]
    close = [t for t, apart in zip(steps, distance, strict=True) if apart <= near]
    low, high = max(far, default=-1), min(close, default=max(1, 2 * max(far, default=1)))
    return steps_until(chain, near, low=low, high=high, most=MOST_STEPS)
