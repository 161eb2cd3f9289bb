"""Persistent chains of documents: which lengths they have, and where they start.

Every length has a distribution of its own, so a chain keeps its length: evenly spaced quantiles of
the documents' lengths. Short chains, down to length 0, are added to every shard.
"""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Float32, Int32, Int64

from wordrbm.shapes import Array, Probability

LADDER = (*range(9), *(int(8 * 1.18**rung) for rung in range(1, 16)))  # lengths of added chains


class DocumentChains(NamedTuple):
    """Persistent chains, shard by shard, each shard in the order of lengths."""

    offsets: Int64[np.ndarray, " O"]
    words: Int32[np.ndarray, " T"]
    h: Float32[np.ndarray, "M H"]
    counted: Bool[np.ndarray, " M"]  # whether the chain is in the gradient
    shards: Int64[np.ndarray, " S"]  # the first chain of each shard, and the number of chains


def start_chains(
    rng: np.random.Generator, counts: Any, lengths: Array, q: Probability,
    M: int,
    H: int,
    S: int,
) -> DocumentChains:  # fmt: skip
    """M chains in S shards that start from documents, and short ones from word frequencies q."""
    order = np.argsort(lengths, kind="stable")
    chosen = order[((np.arange(M) + 0.5) * order.size / M).astype(np.int64)]
    texts: list[Array] = []
    counted: list[bool] = []
    shards = [0]
    for shard in range(S):
        documents = [(True, _as_words(counts, row)) for row in chosen[shard::S].tolist()]
        ladder = [(False, rng.choice(q.size, rung, p=q)) for rung in LADDER]
        for is_counted, words in sorted(documents + ladder, key=lambda pair: len(pair[1])):
            texts.append(words)
            counted.append(is_counted)
        shards.append(len(texts))
    offsets = np.append(0, np.cumsum([len(words) for words in texts])).astype(np.int64)
    h = (rng.random((len(texts), H)) < 0.5).astype(np.float32)
    return DocumentChains(
        offsets, np.concatenate(texts).astype(np.int32), h, np.array(counted),
        np.array(shards, np.int64),
    )  # fmt: skip


def _as_words(counts: Any, row: int) -> Array:
    """The words of a document one by one; of counts that are not whole, at least one each."""
    entries = slice(counts.indptr[row], counts.indptr[row + 1])
    times = np.maximum(np.rint(counts.data[entries]), 1).astype(np.int64)
    return np.repeat(counts.indices[entries], times)
