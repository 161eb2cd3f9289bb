"""Operators made of operators: one after another, or one of them by chance.

Each part leaves ``P(v | h)`` unchanged, so does any sequence of them, and so does a choice that
does not look at the words.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from wordrbm.errors import WordRBMError
from wordrbm.kernels.rng import next_uniform
from wordrbm.models import AbstractRBM
from wordrbm.sampling.transition import Chains, Transition, TransitionInfo
from wordrbm.shapes import Stream, Words


@final
@dataclass(frozen=True, eq=False)
class Cycle:
    """One operator after another, on all chains."""

    parts: tuple[Transition, ...]

    def __post_init__(self) -> None:
        _refuse_none(self.parts)

    def __call__(
        self, stream: Stream, model: AbstractRBM, chains: Chains
    ) -> tuple[Words, TransitionInfo]:
        v, accepted, proposed = chains.v, np.zeros(chains.v.shape, np.int32), 0
        for part in self.parts:
            v, info = part(stream, model, Chains(v, chains.h))
            accepted, proposed = accepted + info.accepted, proposed + info.proposed
        return v, TransitionInfo(accepted, proposed)


@final
@dataclass(frozen=True, eq=False)
class Mixture:
    """One of some operators for each call, chosen by chance: all chains take the same."""

    parts: tuple[Transition, ...]
    shares: tuple[float, ...]

    def __post_init__(self) -> None:
        _refuse_none(self.parts)
        if len(self.shares) != len(self.parts) or min(self.shares) <= 0.0:
            raise WordRBMError(
                f"{len(self.parts)} operators were given with the shares {self.shares}; give one "
                "positive share for each."
            )

    def __call__(
        self, stream: Stream, model: AbstractRBM, chains: Chains
    ) -> tuple[Words, TransitionInfo]:
        ends = np.cumsum(self.shares)
        chosen = int(np.searchsorted(ends[:-1], next_uniform(stream) * ends[-1], "right"))
        return self.parts[chosen](stream, model, chains)


def _refuse_none(parts: Sequence[Transition]) -> None:
    if not parts:
        raise WordRBMError("No operator was given to combine; give one or more.")
