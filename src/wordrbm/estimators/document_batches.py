"""Documents in batches, pass after pass, as windows that say which document they are in.

Every document is read once in each pass, in an order of its own; of a very long one a stretch, so
that memory does not grow with it. Words are left out at random: they become the unknown word.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Int32, Int64

from wordrbm.estimators.class_models import Texts

LONGEST = 4_096  # words of a document that are read in one pass

Numbers = Int64[np.ndarray, " B"]


class Windows(NamedTuple):
    """The windows of some documents, and which of them each is in."""

    v: Int32[np.ndarray, "W n"]
    document: Int64[np.ndarray, " W"]
    each: Numbers  # windows of each document


def batches(rng: np.random.Generator, full: Numbers, size: int, passes: int) -> list[Numbers]:
    """The documents of every batch of all passes."""
    orders = [rng.permutation(full) for _ in range(passes)]
    return [order[k : k + size] for order in orders for k in range(0, len(order), size)]


def stretched(rng: np.random.Generator, texts: Texts, most: int = LONGEST) -> Texts:
    """The same documents, of those longer than `most` words a stretch."""
    length = np.diff(texts.ends, prepend=0)
    if length.max(initial=0) <= most:
        return texts
    own = np.minimum(length, most)
    first = texts.ends - length + rng.integers(length - own + 1)
    ends = np.cumsum(own)
    place = np.arange(ends[-1]) + np.repeat(first - (ends - own), own)
    return Texts(texts.ids[place], ends)


def thinned(rng: np.random.Generator, texts: Texts, share: float) -> Texts:
    """The same documents with a share of their words unknown."""
    out = rng.random(len(texts.ids)) < share
    return Texts(np.where(out, np.int32(0), texts.ids), texts.ends)


def windows_in(texts: Texts, n: int) -> Windows:
    """Every window of documents that are not empty."""
    each = np.diff(texts.ends, prepend=0) - n + 1
    document = np.repeat(np.arange(len(texts)), each)
    first = np.arange(len(document)) + (n - 1) * document  # a document ends n - 1 words later
    return Windows(texts.ids[first[:, None] + np.arange(n)], document, each)
