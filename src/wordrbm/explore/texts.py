"""Answers about a text: the surprisal of its words, and the words that fit its blanks."""

from math import isqrt
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from wordrbm.errors import WordRBMError
from wordrbm.explore.session import Session
from wordrbm.explore.words import Count, Word
from wordrbm.inference.features import sliding_windows
from wordrbm.inference.fill import blank_groups, likeliest_words, text_posterior
from wordrbm.inference.inputs import token_ids, tokens_of, tokens_with_blanks
from wordrbm.inference.scoring import text_free_energy, word_surprisals
from wordrbm.settings import StrictModel

MAX_CHARACTERS, MAX_WORDS = 4_000, 100
MAX_COST = 1_000_000  # K m^2 of m blanks within reach of each other: seconds
MAX_BLANKS, MIN_LIT, MAX_LIT = 5, 1e-6, 5_000  # probabilities that light the map

Text = Annotated[str, Field(max_length=MAX_CHARACTERS)]


class ScoreRequest(StrictModel):
    """A text to score."""

    text: Text


class FillRequest(StrictModel):
    """A text with ___ for blanks, or tokens with null for them."""

    text: Text = ""
    tokens: Annotated[list[Word | None], Field(max_length=MAX_WORDS)] | None = None
    count: Count = 10


def score_text(session: Session, request: ScoreRequest) -> dict[str, Any]:
    """The surprisal and the probability of every word given the rest of the text."""
    model, n = session.model, session.model.rbm.positions
    tokens = tokens_of(request.text)
    _check_length(len(tokens))
    ids = token_ids(model.vocabulary, tokens)
    v = sliding_windows(ids, n)
    nats = word_surprisals(session.text_model, ids) if len(v) else np.empty(0)
    frequency = -np.log(model.vocabulary.probability()[ids])
    rows = zip(tokens, ids.tolist(), nats.tolist(), frequency.tolist(), strict=False)
    return {
        "tokens": tokens,
        "windows": len(v),
        "free_energy": text_free_energy(session.text_model, v)[0] if len(v) else None,
        "perplexity": float(np.exp(nats.mean())) if len(v) else None,
        "words": [
            {"word": word, "id": k, "nats": surprisal, "p": float(np.exp(-surprisal)),
             "unigram_nats": unigram}
            for word, k, surprisal, unigram in rows
        ],
    }  # fmt: skip


def fill_text(session: Session, request: FillRequest) -> dict[str, Any]:
    """The likeliest words of every blank, and the probability of all likely words of the map."""
    model = session.model
    source = tokens_with_blanks(request.text if request.tokens is None else request.tokens)
    _check_length(len(source))
    _check_blanks(source, model.rbm.positions, len(model.vocabulary))
    posterior = text_posterior(session.text_model, model.vocabulary, source)
    tokens, blanks = list(posterior.tokens), []
    for position, probability, best in zip(*posterior[2:], strict=True):
        words = likeliest_words(model.vocabulary, position, probability, request.count)
        lit = _likely(probability[: session.points])
        tokens[position] = model.vocabulary.words[best]
        blanks.append({**words._asdict(), **lit})
    return {
        "method": posterior.method,
        "tokens": posterior.tokens,
        "filled": tokens,
        "blanks": blanks,
    }


def _check_blanks(tokens: list[str | None], n: int, K: int) -> None:
    """Raise unless the blanks are few, and those within reach of each other cheap enough."""
    blanks = [position for position, token in enumerate(tokens) if token is None]
    if len(blanks) > MAX_BLANKS:
        raise WordRBMError(
            f"The text has {len(blanks)} blanks; leave at most {MAX_BLANKS} at a time."
        )
    largest = max(map(len, blank_groups(blanks, n)), default=0)
    if largest > 1 and K * largest**2 > MAX_COST:
        raise WordRBMError(
            f"{largest} blanks stand next to each other, too many for the page with {K:,} words; "
            f"leave at most {max(1, isqrt(MAX_COST // K))}, or use wordrbm fill."
        )


def _likely(probability: np.ndarray) -> dict[str, Any]:
    """Ids and probabilities of the likeliest words, for the map."""
    ids = np.flatnonzero(probability > MIN_LIT)
    ids = ids[np.argsort(-probability[ids], kind="stable")][:MAX_LIT]
    return {"ids": ids.tolist(), "p": [float(f"{x:.3g}") for x in probability[ids]]}


def _check_length(words: int) -> None:
    if words > MAX_WORDS:
        raise WordRBMError(
            f"The text has {words} words; the page takes {MAX_WORDS} at a time, so give a shorter "
            "one, or use wordrbm score on a file."
        )
