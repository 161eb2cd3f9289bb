"""What an update of a document trainer hands to compiled code: rates, documents, gradients."""

from typing import Any

import numpy as np

from wordrbm.kernels.optimizer import StepSizes
from wordrbm.kernels.pcd_gradient import ShardGradient
from wordrbm.kernels.replicated import Documents
from wordrbm.training.optimizer import MAX_WEIGHT

HIDDEN_FACTOR = 0.2  # rate of hidden biases and topics over that of words


def step_sizes(settings: Any, step: int) -> StepSizes:
    """The rates of update `step`: they rise, then fall in a straight line to zero."""
    done = (step - 1) / settings.updates
    rate = settings.rate * min(1.0, step / (settings.warmup_share * settings.updates)) * (1 - done)
    hidden = HIDDEN_FACTOR * rate / settings.batch_size
    decay = 0.0 if settings.dimension is None else rate * settings.l2
    numbers = (rate, rate * settings.l2, hidden, decay, settings.momentum, MAX_WEIGHT)
    single: list[Any] = [np.float32(x) for x in numbers]
    return StepSizes(*single)


def allocate_gradient(S: int, R: int, H: int, d: int) -> ShardGradient:
    """Room for the gradients of S shards, each of R rows of word vectors."""
    single, zeros = np.float32, np.zeros
    return ShardGradient(
        zeros((S, H, d), single), zeros((S, H), single), zeros((S, R), np.int32),
        zeros((S, R, d), single), zeros((S, R), single), zeros((S, R), single),
        zeros((S, 1), np.int64), zeros((S, 1), np.int64), zeros(S, np.int64),
    )  # fmt: skip


def shard_view(gradient: ShardGradient, shard: int) -> ShardGradient:
    """The part of the gradient that a shard writes."""
    *arrays, rows = gradient
    own: list[Any] = [*(array[shard] for array in arrays), rows[shard : shard + 1]]
    return ShardGradient(*own)


def as_documents(counts: Any) -> Documents:
    """Rows of a csr matrix for compiled code."""
    return Documents(
        counts.indptr.astype(np.int64), counts.indices.astype(np.int32),
        counts.data.astype(np.float32),
    )  # fmt: skip
