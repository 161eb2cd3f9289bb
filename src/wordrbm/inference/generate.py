"""Sample windows from P(v): Markov chains that start from words drawn by frequency.

Each sweep moves the words by Metropolis-Hastings given the hidden states and draws the hidden
states given the words [Dahl 2012, section 4]. The distribution of each chain approaches P(v) with
the number of sweeps. Chains of a block share proposals, so they are not quite independent of each
other, see `sampling/metropolis.py`.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int32

from wordrbm.errors import WordRBMError
from wordrbm.inference.inputs import check_int
from wordrbm.kernels.rng import seed_stream
from wordrbm.models import WordRepRBM
from wordrbm.sampling import AliasTable, Chains, PooledMetropolis, draw_hidden, sweep
from wordrbm.shapes import Stream
from wordrbm.text.vocabulary import Vocabulary

CHAINS_PER_BLOCK = 256  # chains that share proposals
MAX_WINDOWS = 10_000_000  # in one answer, which is held in memory


def sample_windows(
    rbm: WordRepRBM, vocabulary: Vocabulary, seed: int | np.random.Generator, count: int,
    sweeps: int, *, mh_steps: int,
) -> Int32[np.ndarray, "N n"]:  # fmt: skip
    """Return the ids of `count` windows after `sweeps` sweeps, a pure function of the seed."""
    count = check_int("count of windows", count, 1)
    sweeps = check_int("number of sweeps", sweeps, 1)
    if count > MAX_WINDOWS:
        raise WordRBMError(
            f"The count of windows is {count}; ask for at most {MAX_WINDOWS:,} at a time, each "
            "time with another seed."
        )
    number, q = _seed_number(seed), vocabulary.probability()
    transition = PooledMetropolis.from_probability(q, steps=mh_steps)
    words = AliasTable.build(q)
    blocks = []
    for first in range(0, count, CHAINS_PER_BLOCK):
        stream = seed_stream(number, 0, first)
        size = min(CHAINS_PER_BLOCK, count - first)
        steps = _run_chains(stream, rbm, transition, words, size)
        blocks.append(next(islice(steps, sweeps, None)).v)
    return np.concatenate(blocks)


class ChainStep(NamedTuple):
    """The words of all chains after a sweep, and the share of proposals accepted in it."""

    v: Int32[np.ndarray, "N n"]
    acceptance: float


def iter_chains(
    rbm: WordRepRBM, vocabulary: Vocabulary, seed: int, count: int, *, mh_steps: int
) -> Iterator[ChainStep]:
    """Iterate endlessly over the states of `count` chains: their start, then after every sweep.

    After s sweeps they are what `sample_windows` returns for s, if they are one block.
    """
    count = check_int("count of chains", count, 1)
    if count > CHAINS_PER_BLOCK:
        raise WordRBMError(
            f"The count of chains is {count}; follow at most {CHAINS_PER_BLOCK} at a time."
        )
    q = vocabulary.probability()
    transition = PooledMetropolis.from_probability(q, steps=mh_steps)
    stream = seed_stream(_seed_number(seed), 0, 0)
    return _run_chains(stream, rbm, transition, AliasTable.build(q), count)


def _run_chains(
    stream: Stream, rbm: WordRepRBM, transition: PooledMetropolis, words: AliasTable, count: int
) -> Iterator[ChainStep]:
    shape = count, rbm.positions
    v = words.draw(stream, shape[0] * shape[1]).reshape(shape)
    chains, acceptance = Chains(v, draw_hidden(stream, rbm.hidden_mean(v))), 0.0
    while True:
        yield ChainStep(chains.v, acceptance)
        chains, info = sweep(stream, rbm, transition, chains)
        acceptance = float(info.accepted.mean()) / info.proposed


def _seed_number(seed: Any) -> int:
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool):
        raise WordRBMError(
            f"The seed is {seed!r}; give a whole number or a random generator of numpy's."
        )
    return int(seed)
