"""Train a replicated softmax on documents by persistent chains, at a cost free of K.

Every chain has a length of its own: evenly spaced quantiles of the documents' lengths, as every
length has its own distribution. Short chains are added below them, down to length 0, where h is
uniform. They do not count in the gradient: neighbouring lengths exchange their states, so that
combinations of topics which no document has, but which the model would prefer, reach the chains
that count. A document counts as much per word as any other: its weight is mean length / N.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from jaxtyping import Int64
from pydantic import Field

from wordrbm.errors import WordRBMError
from wordrbm.kernels.document_jumps import Documents
from wordrbm.kernels.fastmath import all_within
from wordrbm.kernels.optimizer import (
    STRIDE,
    AverageTables,
    RowRates,
    StepSizes,
    Velocity,
    apply_gradient,
    average_all,
)
from wordrbm.kernels.pcd_gradient import Parameters, PooledProposals, ShardGradient
from wordrbm.kernels.replicated import shard_gradient
from wordrbm.models.replicated import ReplicatedSoftmaxRBM, init_replicated
from wordrbm.sampling.proposals import AliasTable
from wordrbm.settings import StrictSettings
from wordrbm.shapes import Array, Probability
from wordrbm.threads import one_blas_thread
from wordrbm.training.document_chains import DocumentChains, start_chains
from wordrbm.training.optimizer import CLIP_FACTOR, FREQUENCY_EXPONENT, MAX_WEIGHT, part_slice

SMOOTHING = 0.5  # added to the count of every word


@final
class DocumentSettings(StrictSettings):
    """What decides the bits of a trained model of documents, together with the documents."""

    hidden: int = Field(default=50, ge=1)  # H: topics
    dimension: int | None = Field(default=None, ge=1)  # d; None: W is full
    batch_size: int = Field(default=128, ge=1)
    chains: int = Field(default=128, ge=1)  # that count; short ones are added
    shards: int = Field(default=8, ge=1)
    mh_steps: int = Field(default=5, ge=1)  # words proposed per word of a chain and update
    updates: int = Field(default=4000, ge=1)
    rate: float = Field(default=0.006, gt=0)
    warmup_share: float = Field(default=0.05, gt=0, le=1)
    hidden_bias: float = Field(default=-2.0, ge=-50, le=50)  # of a document of mean length
    momentum: float = Field(default=0.9, ge=0, lt=1)
    l2: float = Field(default=0.0, ge=0)
    averaging: int = Field(default=32, ge=1)
    train_vectors: bool = True  # whether word vectors change; else only topics and biases do
    seed: int = Field(default=1, ge=0, lt=2**63)


@final
@dataclass(frozen=True, eq=False)
class DocumentTrainer:
    """A model with its chains, proposals and optimizer state; `train` continues where it was."""

    settings: DocumentSettings
    parameters: Parameters
    velocity: Velocity
    averages: AverageTables
    proposals: PooledProposals
    row_rates: RowRates
    chains: DocumentChains
    mean_length: float
    step: int = 0

    @classmethod
    def start(
        cls, counts: Any, settings: DocumentSettings, vectors: Array | None = None
    ) -> "DocumentTrainer":
        """The state before the first update, O(K); `counts` is a csr matrix.

        Word vectors begin as `vectors` (K, d) if given, d the dimension of the settings.
        """
        lengths = document_lengths(counts)
        q = word_frequencies(counts)
        rng, mean_length = np.random.default_rng(settings.seed), float(lengths.mean())
        model = init_replicated(
            rng, H=settings.hidden, d=settings.dimension, word_probability=q,
            mean_length=mean_length, hidden_bias=settings.hidden_bias, vectors=vectors,
        )  # fmt: skip
        alias = AliasTable.build(q)
        log_q = alias.log_probability().astype(np.float32)
        read = settings.batch_size * mean_length * q
        rates = ((1 + read) ** FREQUENCY_EXPONENT, CLIP_FACTOR * (1 + 2 * read), 0 * read)
        return cls(
            settings,
            Parameters(model.D, model.U, model.b, model.c),
            Velocity(np.zeros_like(model.U), np.zeros_like(model.c)),
            AverageTables(
                model.D.copy(), model.U.copy(), model.b.copy(), model.c.copy(),
                np.zeros(q.size, np.int64), settings.averaging,
            ),
            PooledProposals(alias.keep, alias.alias, log_q, 0, settings.mh_steps),
            RowRates(*(x.astype(np.float32) for x in rates)),
            start_chains(
                rng, counts, lengths, q,
                max(settings.chains, settings.shards), settings.hidden, settings.shards,
            ),
            mean_length,
        )  # fmt: skip

    def model(self) -> ReplicatedSoftmaxRBM:
        """The model of the averaged parameters, O(K)."""
        D, b = self.averages.D.copy(), self.averages.b.copy()
        now, power = self.step // STRIDE, self.averages.power
        for table, average, out in (
            (self.parameters.D, self.averages.D, D),
            (self.parameters.b[:, None], self.averages.b[:, None], b[:, None]),
        ):
            average_all(table, average, self.averages.covered, now, power, out)
        if now == 0:
            return ReplicatedSoftmaxRBM(*(x.copy() for x in self.parameters))
        return ReplicatedSoftmaxRBM(D, self.averages.U.copy(), b, self.averages.c.copy())

    def train(self, counts: Any, *, threads: int = 1) -> Iterator["DocumentTrainer"]:
        """Update in place until the settings' number of updates; yields itself after each."""
        trainer, buffers = self, _Buffers(self)
        with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
            while trainer.step < self.settings.updates:
                trainer = replace(trainer, step=trainer.step + 1)
                if not buffers.update(trainer, counts, pool, threads):
                    raise WordRBMError(
                        f"Training diverged in update {trainer.step}: a hidden bias or a weight is "
                        f"beyond {MAX_WEIGHT:g}; train again with a lower rate."
                    )
                yield trainer


class _Buffers:
    """Where the shards of an update write their gradients; grown when a batch needs more."""

    def __init__(self, trainer: DocumentTrainer) -> None:
        self.gradient: ShardGradient | None = None
        self.order: tuple[int, int, Array] = (-1, 0, np.empty(0, np.int64))  # of the last epoch
        self.offsets, self.shards = trainer.chains.offsets, trainer.chains.shards
        lengths = np.maximum(np.diff(self.offsets), 1)
        counted = trainer.chains.counted
        self.chain_weight = np.where(counted, trainer.mean_length / lengths, 0.0)
        # Both phases count the same number of words.
        self.words = float((self.chain_weight * lengths)[counted].sum())

    def update(
        self, trainer: DocumentTrainer, counts: Any, pool: ThreadPoolExecutor, threads: int
    ) -> bool:
        """One update; returns whether the dense parameters are finite."""
        settings, S = trainer.settings, trainer.settings.shards
        read = counts[self._batch(counts.shape[0], settings, trainer.step)]
        lengths = document_lengths(read)
        weight = np.where(lengths > 0, trainer.mean_length / np.maximum(lengths, 1e-9), 0.0)
        chain_weight = -self.chain_weight * (float((weight * lengths).sum()) / self.words)
        parts = [part_slice(shard, S, read.shape[0]) for shard in range(S)]
        gradient = self._allocate(trainer, [read[part].nnz for part in parts])

        def run(shard: int) -> None:
            part, (first, last) = parts[shard], self.shards[shard : shard + 2]
            rows = read[part]
            offsets = self.offsets[first : last + 1]
            documents = Documents(
                rows.indptr.astype(np.int64), rows.indices.astype(np.int32),
                rows.data.astype(np.float32),
            )  # fmt: skip
            moved = slice(0, last - first)
            out = ShardGradient(
                gradient.U[shard], gradient.c[shard], gradient.row_index[shard],
                gradient.D[shard], gradient.b[shard], gradient.weight[shard],
                gradient.accepted[shard, moved], gradient.jumped[shard, moved],
                gradient.rows[shard : shard + 1],
            )  # fmt: skip
            shard_gradient(
                settings.seed, trainer.step, shard, trainer.parameters, trainer.proposals,
                documents, weight[part].astype(np.float32), offsets - offsets[0],
                trainer.chains.words[offsets[0] : offsets[-1]], trainer.chains.h[first:last],
                chain_weight[first:last].astype(np.float32), out,
            )  # fmt: skip

        list(pool.map(run, range(S)))
        if settings.dimension is None:
            gradient.U[:] = 0  # U stays the identity
        if not settings.train_vectors:
            gradient.D[:] = 0
        gradient.c[:] /= np.float32(trainer.mean_length)
        sizes = step_sizes(settings, trainer.step)
        state = (trainer.parameters, trainer.velocity, gradient, trainer.row_rates)

        def apply(thread: int) -> bool:
            place = thread, threads, thread, threads
            return bool(apply_gradient(*place, *state, trainer.averages, trainer.step, sizes))

        finite = list(pool.map(apply, range(threads)))
        return all(finite) and bool(all_within(trainer.parameters.c, MAX_WEIGHT))

    def _batch(self, documents: int, settings: DocumentSettings, step: int) -> Array:
        """The documents of an update; an epoch is shuffled once."""
        B = min(settings.batch_size, documents)
        epoch, place = divmod(step - 1, documents // B)
        if self.order[:2] != (epoch, documents):
            self.order = epoch, documents, epoch_order(documents, settings.seed, epoch)
        return self.order[2][place * B : (place + 1) * B]

    def _allocate(self, trainer: DocumentTrainer, entries: list[int]) -> ShardGradient:
        chain_words = np.diff(self.offsets[self.shards])
        R = int((np.array(entries) + chain_words).max())
        if self.gradient is None or self.gradient.D.shape[1] < R:
            S, (H, d), M = len(entries), trainer.parameters.U.shape, int(np.diff(self.shards).max())
            R += R // 4
            single, zeros = np.float32, np.zeros
            self.gradient = ShardGradient(
                zeros((S, H, d), single), zeros((S, H), single), zeros((S, R), np.int32),
                zeros((S, R, d), single), zeros((S, R), single), zeros((S, R), single),
                zeros((S, M), np.int64), zeros((S, M), np.int64), zeros(S, np.int64),
            )  # fmt: skip
        return self.gradient


def document_lengths(counts: Any) -> Array:
    """The number of words of every document."""
    return np.asarray(counts.sum(axis=1), np.float64).reshape(-1)


def word_frequencies(counts: Any) -> Probability:
    """Smoothed word frequencies, O(K)."""
    weight: Array = np.asarray(counts.sum(axis=0), np.float64).reshape(-1) + SMOOTHING
    return np.asarray(weight / weight.sum())


def epoch_order(documents: int, seed: int, epoch: int) -> Int64[np.ndarray, " N"]:
    """The order of the documents in an epoch: a pure function of the seed and the epoch."""
    order: Array = np.random.default_rng((seed, epoch)).permutation(documents)
    return order


def step_sizes(settings: DocumentSettings, step: int) -> StepSizes:
    """The rates of update `step`: they rise, then fall in a straight line to zero."""
    done = (step - 1) / settings.updates
    rate = settings.rate * min(1.0, step / (settings.warmup_share * settings.updates)) * (1 - done)
    hidden = rate / settings.batch_size
    decay = 0.0 if settings.dimension is None else rate * settings.l2
    numbers = (rate, rate * settings.l2, hidden, decay, settings.momentum, MAX_WEIGHT)
    single: list[Any] = [np.float32(x) for x in numbers]
    return StepSizes(*single)
