"""Windows dreamt by the model: Markov chains that start from single words and are let run.

Words are drawn from their frequencies, then each sweep moves the words by Metropolis-Hastings
given the hidden states and draws the hidden states given the words [Dahl 2012, section 4]. Each
chain by itself comes to P(v) as the sweeps go on. Chains that move together share proposals, so
they are not quite independent of each other, see `sampling/pooled.py`.
"""

from typing import Any

import numpy as np
from jaxtyping import Int32

from wordrbm.errors import WordRBMError
from wordrbm.kernels.rng import seed_stream
from wordrbm.models import WordRepRBM
from wordrbm.sampling import (
    AliasTable,
    Chains,
    PooledMetropolis,
    Transition,
    draw_hidden,
    sweep,
)
from wordrbm.shapes import Stream, Words
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.using.words import whole_number

TOGETHER = 256  # chains that move as one block
MOST = 10_000_000  # windows in one answer, which is held in memory


def sample(
    rbm: WordRepRBM,
    vocabulary: Vocabulary,
    seed: int | np.random.Generator,
    count: int,
    sweeps: int,
    *,
    mh_steps: int,
) -> Int32[np.ndarray, "N n"]:
    """The ids of `count` windows after `sweeps` alternations, a pure function of the seed."""
    count, sweeps = whole_number("count of windows", count, 1), whole_number("sweeps", sweeps, 1)
    if count > MOST:
        raise WordRBMError(
            f"The count of windows is {count}; ask for at most {MOST:,} at a time, each time with "
            "another seed."
        )
    number, q = _seed(seed), vocabulary.probability()
    transition = PooledMetropolis.from_probability(q, steps=mh_steps)
    words = AliasTable.build(q)
    blocks = []
    for first in range(0, count, TOGETHER):
        stream = seed_stream(number, 0, first)
        shape = min(TOGETHER, count - first), rbm.positions
        v = words.draw(stream, shape[0] * shape[1]).reshape(shape)
        blocks.append(_dream(stream, rbm, transition, v, sweeps))
    return np.concatenate(blocks)


def _dream(stream: Stream, rbm: WordRepRBM, transition: Transition, v: Words, sweeps: int) -> Words:
    """Where the chains stand after so many sweeps from these words."""
    chains = Chains(v, draw_hidden(stream, rbm.hidden_mean(v)))
    for _ in range(sweeps):
        chains, _ = sweep(stream, rbm, transition, chains)
    return chains.v


def _seed(seed: Any) -> int:
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(2**63))
    if not isinstance(seed, int | np.integer) or isinstance(seed, bool):
        raise WordRBMError(
            f"The seed is {seed!r}; give a whole number or a random generator of numpy's."
        )
    return int(seed)
