"""Train a replicated softmax on documents by persistent chains, at a cost free of K.

The lengths of chains change too (simulated tempering, `document_chains.py`): at length 0, where h
is uniform, a chain forgets. The weights of a word are limited, so that no combination of topics can
make one word likely beyond measure:

    sum_j max(W_jw, 0) <= weight_limit,   c_j <= 0

Without the limits combinations of topics that no document has take nearly all of the mass of long
documents. A document counts as much per word as any other: its weight is mean length / N.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
from jaxtyping import Int64
from pydantic import Field

from wordrbm.errors import WordRBMError
from wordrbm.kernels.document_tempering import LengthWeights, TemperedChains
from wordrbm.kernels.fastmath import all_within
from wordrbm.kernels.optimizer import (
    STRIDE,
    AverageTables,
    RowRates,
    Velocity,
    apply_gradient,
    average_all,
)
from wordrbm.kernels.pcd_gradient import Parameters, PooledProposals, ShardGradient
from wordrbm.kernels.replicated import limit_rows, move_chains, shard_gradient
from wordrbm.models.replicated import ReplicatedSoftmaxRBM, init_replicated
from wordrbm.sampling.proposals import AliasTable
from wordrbm.settings import StrictSettings
from wordrbm.shapes import Array, Probability
from wordrbm.threads import one_blas_thread
from wordrbm.training.document_chains import LengthTempering, start_chains
from wordrbm.training.document_steps import (
    allocate_gradient,
    as_documents,
    shard_view,
    step_sizes,
)
from wordrbm.training.optimizer import CLIP_FACTOR, FREQUENCY_EXPONENT, MAX_WEIGHT, part_slice

SMOOTHING = 0.5  # added to the count of every word


@final
class DocumentSettings(StrictSettings):
    """What decides the bits of a trained model of documents, together with the documents."""

    hidden: int = Field(default=50, ge=1)  # H: topics
    dimension: int | None = Field(default=None, ge=1)  # d; None: W is full
    batch_size: int = Field(default=128, ge=1)
    chains: int = Field(default=256, ge=1)
    shards: int = Field(default=8, ge=1)
    mh_steps: int = Field(default=2, ge=1)  # rounds of proposals in an update
    updates: int = Field(default=4000, ge=1)
    rate: float = Field(default=0.02, gt=0)
    warmup_share: float = Field(default=0.05, gt=0, le=1)
    hidden_bias: float = Field(default=-2.0, ge=-50, le=50)  # of a document of mean length
    momentum: float = Field(default=0.9, ge=0, lt=1)
    l2: float = Field(default=0.0, ge=0)
    weight_limit: float = Field(default=5.0, gt=0)  # of the summed positive weights of a word
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
    chains: TemperedChains
    tempering: LengthTempering
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
        tempering = LengthTempering.start(lengths, model.c)
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
                rng, counts, tempering.bin_of.size - 1, max(settings.chains, settings.shards),
                settings.hidden,
            ),
            tempering,
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
        trainer, buffers = self, _Buffers()
        with one_blas_thread(), ThreadPoolExecutor(threads) as pool:
            run_all = map if threads == 1 else pool.map  # one thread needs no hand-over
            while trainer.step < self.settings.updates:
                trainer = replace(trainer, step=trainer.step + 1)
                if not buffers.update(trainer, counts, run_all, threads):
                    raise WordRBMError(
                        f"Training diverged in update {trainer.step}: a hidden bias or a weight is "
                        f"beyond {MAX_WEIGHT:g}; train again with a lower rate."
                    )
                yield trainer


class _Buffers:
    """Where the shards of an update write their gradients; grown when a batch needs more."""

    def __init__(self) -> None:
        self.gradient: ShardGradient | None = None
        self.order: tuple[int, int, Array] = (-1, 0, np.empty(0, np.int64))  # of the last epoch

    def update(
        self, trainer: DocumentTrainer, counts: Any, run_all: Callable[..., Any], threads: int
    ) -> bool:
        """One update; returns whether the dense parameters are finite."""
        settings, S = trainer.settings, trainer.settings.shards
        read = counts[self._batch(counts.shape[0], settings, trainer.step)]
        lengths = document_lengths(read)
        weight = np.where(lengths > 0, trainer.mean_length / np.maximum(lengths, 1e-9), 0.0)
        self._move(trainer, run_all)
        per_document = trainer.tempering.chain_weight(trainer.chains.length)
        chain_weight = per_document * (weight * lengths).sum()
        parts = [part_slice(shard, S, read.shape[0]) for shard in range(S)]
        gradient = self._allocate(trainer, [read[part].nnz for part in parts])

        def run(shard: int) -> None:
            part, moved = parts[shard], part_slice(shard, S, chain_weight.size)
            shard_gradient(
                trainer.parameters, as_documents(read[part]), weight[part].astype(np.float32),
                TemperedChains(*(x[moved] for x in trainer.chains)),
                chain_weight[moved].astype(np.float32), shard_view(gradient, shard),
            )  # fmt: skip

        list(run_all(run, range(S)))
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

        finite = list(run_all(apply, range(threads)))
        full, total = settings.dimension is None, trainer.row_rates.total
        limit = trainer.parameters, full, gradient, total, settings.weight_limit
        if settings.train_vectors:  # vectors that are given and kept have no limit
            list(run_all(lambda thread: limit_rows(thread, threads, *limit), range(threads)))
        np.minimum(trainer.parameters.c, 0, out=trainer.parameters.c)
        return all(finite) and bool(all_within(trainer.parameters.c, MAX_WEIGHT))

    def _move(self, trainer: DocumentTrainer, run_all: Callable[..., Any]) -> None:
        """Move the chains, and learn what the proposals tell of log Z."""
        S, tempering = trainer.settings.shards, trainer.tempering
        found, log_step = np.zeros((S, 2, tempering.center.size, 2)), tempering.log_step()

        def run(shard: int) -> None:
            moved = part_slice(shard, S, trainer.chains.length.size)
            move_chains(
                trainer.settings.seed, trainer.step, shard, trainer.parameters, trainer.proposals,
                TemperedChains(*(x[moved] for x in trainer.chains)),
                LengthWeights(log_step, tempering.bin_of, *found[shard]),
            )  # fmt: skip

        list(run_all(run, range(S)))
        added, removed = found.sum(axis=0)
        tempering.correct(added, removed, trainer.chains.length)

    def _batch(self, documents: int, settings: DocumentSettings, step: int) -> Array:
        """The documents of an update; an epoch is shuffled once."""
        B = min(settings.batch_size, documents)
        epoch, place = divmod(step - 1, documents // B)
        if self.order[:2] != (epoch, documents):
            self.order = epoch, documents, epoch_order(documents, settings.seed, epoch)
        return self.order[2][place * B : (place + 1) * B]

    def _allocate(self, trainer: DocumentTrainer, entries: list[int]) -> ShardGradient:
        S, length = len(entries), trainer.chains.length
        moved = [length[part_slice(shard, S, length.size)].sum() for shard in range(S)]
        R = int(np.add(entries, moved).max())
        if self.gradient is None or self.gradient.D.shape[1] < R:
            self.gradient = allocate_gradient(S, R + R // 2, *trainer.parameters.U.shape)
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
