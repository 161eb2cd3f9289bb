"""Samples drawn while one looks: the words of Markov chains after every few sweeps."""

from collections.abc import Iterator
from itertools import islice
from time import monotonic
from typing import Annotated, Any

from pydantic import Field

from wordrbm.explore.session import Session
from wordrbm.inference.generate import iter_chains
from wordrbm.settings import StrictModel

FRAMES = 200  # states at most that one request is sent
SECONDS = 120.0  # that chains run for one request


class SamplesRequest(StrictModel):
    """How many chains to follow, for how many sweeps, and how often to show them."""

    seed: Annotated[int, Field(ge=0, lt=2**63)] = 1
    count: Annotated[int, Field(ge=1, le=50)] = 12
    sweeps: Annotated[int, Field(ge=1, le=5_000)] = 1_000
    every: Annotated[int, Field(ge=1, le=1_000)] = 10


def follow_chains(session: Session, request: SamplesRequest) -> Iterator[dict[str, Any]]:
    """Yield the words of all chains, at first and after every few sweeps."""
    model = session.model
    steps = iter_chains(
        model.rbm, model.vocabulary, request.seed, request.count, mh_steps=model.settings.mh_steps
    )
    every = max(request.every, -(-request.sweeps // FRAMES))
    started = monotonic()
    for number, step in enumerate(islice(steps, request.sweeps + 1)):
        if monotonic() - started > SECONDS:
            return
        if number % every == 0 or number == request.sweeps:
            rows = model.words(step.v)
            yield {"sweep": number, "acceptance": step.acceptance, "windows": rows}
