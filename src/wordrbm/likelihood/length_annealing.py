"""The likelihood of documents: log Z of every length by annealed importance sampling.

    log P(v) = -F(v) - log Z_N

One path serves all lengths: document length itself is the inverse temperature, since
``Z_N = sum_h exp(N A(h))`` with the words summed out exactly (`kernels/length_annealing.py`). The
mean weight at every length is unbiased for Z_N. log Z_N is convex in N, so a straight line between
two lengths is never below it. A hard bound comes from the hidden vectors of training documents: a
part of the sum is at most the whole.

References
    R. Neal. Annealed importance sampling. Statistics and Computing 11, 2001.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64

from wordrbm.kernels.length_annealing import anneal_lengths
from wordrbm.likelihood.annealing import effective_sample_size
from wordrbm.models.replicated import ReplicatedSoftmaxRBM
from wordrbm.shapes import Array, PerWindow
from wordrbm.threads import ProgressCallback, no_progress

PARTICLES = 64
# Lengths up to a limit, and the step between two of them: topics form at short lengths.
STEPS = ((5.0, 1 / 50), (30.0, 1 / 8), (100.0, 1 / 4), (np.inf, 1.0))


class LengthPartition(NamedTuple):
    """Estimates of log Z at the lengths 0, 1, 2, ..."""

    log_Z: Float64[np.ndarray, " L"]
    effective_sample_size: Float64[np.ndarray, " L"]  # of the particles
    standard_error: Float64[np.ndarray, " L"]  # of log Z, by the delta method


def length_path(longest: int) -> Array:
    """Lengths from 0 to the longest; a shorter path is the beginning of a longer one."""
    path: list[Array] = [np.zeros(1)]
    first = 0.0
    for limit, step in STEPS:
        last = min(limit, float(longest))
        count = round((last - first) / step) if last > first else 0
        path.append(first + step * np.arange(1, count + 1))
        first = max(first, last)
    return np.concatenate(path)


def estimate_log_Z(
    model: ReplicatedSoftmaxRBM,
    longest: int,
    *,
    particles: int = PARTICLES,
    seed: int = 1,
    threads: int = 1,
    report: ProgressCallback = no_progress,
) -> LengthPartition:
    """log Z of all lengths up to the longest; the bits do not depend on the number of threads."""
    path = length_path(longest)
    W, b, c = (x.astype(np.float64) for x in (model.topic_weights(), model.b, model.c))
    log_weight, h = np.empty((particles, path.size)), np.empty((particles, c.size), np.bool_)

    def run(particle: int) -> None:
        anneal_lengths(seed, particle, W, b, c, path, log_weight[particle], h[particle])
        report((particle + 1) / particles, "annealing along document length")

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, range(particles)))
    whole = log_weight[:, np.searchsorted(path, np.arange(longest + 1) - 1e-6)]
    log_Z = np.logaddexp.reduce(whole, axis=0) - np.log(particles)
    size = np.array([effective_sample_size(column) for column in whole.T])
    error = np.sqrt(np.maximum(1.0 / size - 1.0 / particles, 0.0))
    return LengthPartition(log_Z, size, error)


def log_Z_bound(model: ReplicatedSoftmaxRBM, counts: Any, longest: int) -> Array:
    """Lower bounds of log Z at the lengths 0 to `longest`, from the topics of documents."""
    h = np.unique(
        np.append(model.hidden_mean(counts) > 0.5, [np.zeros(model.c.size, bool)], 0), axis=0
    )
    A = model.log_normalizer(h.astype(np.float64))
    return np.array([np.logaddexp.reduce(N * A) for N in range(longest + 1)])


def log_probability(model: ReplicatedSoftmaxRBM, counts: Any, log_Z: Array) -> PerWindow:
    """``log P(v)`` of every document in one order of its words; log Z from length 0 on."""
    lengths = np.asarray(counts.sum(axis=1), np.float64).reshape(-1)
    return -model.free_energy(counts) - np.interp(lengths, np.arange(log_Z.size), log_Z)


def document_perplexity(model: ReplicatedSoftmaxRBM, counts: Any, log_Z: Array) -> float:
    """``exp(-mean_t log P(v_t) / N_t)``: per word, each document counted once."""
    lengths = np.asarray(counts.sum(axis=1), np.float64).reshape(-1)
    return float(np.exp(-(log_probability(model, counts, log_Z) / lengths).mean()))
