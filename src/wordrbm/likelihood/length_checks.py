"""Whether log Z of documents can be trusted: annealing in reverse, bounds and warnings by length.

Forward, the mean weight is unbiased for Z_N, and the mean log weight is below log Z_N. In reverse,
particles start from hidden vectors drawn at length N and go back to length 0.
If the start is an exact draw from p_N(h), the mean inverse weight is unbiased for 1 / Z_N, and the
mean log weight is above log Z_N.

Exact draws of a trained model are not to be had. Particles start from h ~ P(h | v) of documents v
of N words: an exact draw if the documents come from the model. So reverse above forward says that
the path is too short or that forward particles missed where documents are; reverse below forward,
that the model has mass where no document is. A sound bound from above, free of this assumption,

    log Z_N <= N log sum_k exp(b_k + sum_j max(0, c_j + W_jk)) + H log 2,

is far too high to be of use. The bound from below, a part of the sum over h, always holds.

References
    Y. Burda, R. Grosse, R. Salakhutdinov. Accurate and conservative estimates of MRF
    log-likelihood using reverse annealing. AISTATS 2015.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Int64

from wordrbm.errors import InvalidInput
from wordrbm.kernels.length_annealing import anneal_back
from wordrbm.likelihood.length_annealing import (
    PARTICLES,
    LengthPartition,
    estimate_log_Z,
    length_path,
    log_probability,
    log_Z_bound,
)
from wordrbm.models import ReplicatedSoftmaxRBM
from wordrbm.shapes import Array, PerWindow
from wordrbm.threads import ProgressCallback, no_progress

GROUPS = 6  # of documents by length, each with checks of its own
STARTS = 16  # documents of a group from which particles start in reverse
MAX_GAP = 0.01  # nats a word between two estimates; one percent of the perplexity
MIN_SAMPLE = 0.1  # effective sample size, of the particles
MAX_ERROR = 0.5  # standard error of log Z in nats, from which on a small sample matters


class LengthCheck(NamedTuple):
    """log Z at one length, the middle one of a group of documents, in every way."""

    length: int
    documents: int  # in the group
    bound: float  # from below, always true
    forward: float
    standard_error: float
    effective_sample_size: float
    reverse: float
    reverse_error: float  # standard error over the documents it starts from


class DocumentLikelihood(NamedTuple):
    """The likelihood of documents, and what there is to know before trusting it."""

    log_probability: PerWindow  # of each document, by the larger of forward and bound
    perplexity: float  # per word, each document counted once
    perplexity_reverse: float  # the same with log Z in reverse
    checks: list[LengthCheck]
    warnings: list[str]


def reverse_log_Z(
    model: ReplicatedSoftmaxRBM,
    h: Array,
    lengths: Int64[np.ndarray, " N"],
    *,
    seed: int = 1,
    threads: int = 1,
    report: ProgressCallback = no_progress,
) -> PerWindow:
    """Log weights of particles that start from rows of h, each a draw at its own length."""
    W, b, c = (x.astype(np.float64) for x in (model.topic_weights(), model.b, model.c))
    states, out = h.astype(np.bool_), np.empty(len(lengths))

    def run(particle: int) -> None:
        path = length_path(int(lengths[particle]))
        out[particle] = anneal_back(seed, particle, W, b, c, path, states[particle])
        report((particle + 1) / len(lengths), "annealing in reverse")

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(run, range(len(lengths))))
    return out


def check_likelihood(
    model: ReplicatedSoftmaxRBM,
    counts: Any,
    reference: Any = None,
    *,
    particles: int = PARTICLES,
    seed: int = 1,
    threads: int = 1,
    report: ProgressCallback = no_progress,
) -> DocumentLikelihood:
    """The likelihood of documents, with checks for groups of like length.

    The bound is from the topics of `reference` documents, as those of training, and of these.
    """
    lengths = np.rint(np.asarray(counts.sum(axis=1), np.float64).reshape(-1)).astype(np.int64)
    if not lengths.size or lengths.min() < 1:
        raise InvalidInput("A document without words has no perplexity; leave it out.")
    longest = int(lengths.max())
    forward = estimate_log_Z(
        model, longest, particles=particles, seed=seed, threads=threads,
        report=lambda done, note: report(0.7 * done, note),
    )  # fmt: skip
    bound = log_Z_bound(model, counts, longest)
    if reference is not None:
        bound = np.maximum(bound, log_Z_bound(model, reference, longest))
    groups = length_groups(lengths)
    weights = _reverse_weights(
        model, counts, lengths, groups, seed, threads,
        lambda done, note: report(0.7 + 0.3 * done, note),
    )  # fmt: skip
    checks = [
        _check(lengths, group, forward, bound, gap)
        for group, gap in zip(groups, (w - forward.log_Z[n] for n, w in weights), strict=True)
    ]
    gaps = [0.0, *(x.reverse - x.forward for x in checks)]
    gap = np.interp(np.arange(longest + 1), [0, *(x.length for x in checks)], gaps)
    log_p = log_probability(model, counts, np.maximum(forward.log_Z, bound))
    in_reverse = log_probability(model, counts, forward.log_Z + gap)
    return DocumentLikelihood(
        log_p, _perplexity(log_p, lengths), _perplexity(in_reverse, lengths), checks,
        find_warnings(checks, particles),
    )  # fmt: skip


def _reverse_weights(
    model: ReplicatedSoftmaxRBM, counts: Any, lengths: Array, groups: list[Array],
    seed: int, threads: int, report: ProgressCallback,
) -> list[tuple[Array, PerWindow]]:  # fmt: skip
    """Of some documents of every group, their lengths and log weights in reverse."""
    starts = [_spread(group, STARTS) for group in groups]
    chosen = np.concatenate(starts)
    mean = model.hidden_mean(counts[chosen])
    h = np.random.default_rng(seed).random(mean.shape) < mean
    weights = reverse_log_Z(model, h, lengths[chosen], seed=seed, threads=threads, report=report)
    ends = np.cumsum([start.size for start in starts])[:-1]
    return list(zip(np.split(lengths[chosen], ends), np.split(weights, ends), strict=True))


def length_groups(lengths: Int64[np.ndarray, " N"]) -> list[Array]:
    """The numbers of documents in the order of their lengths, in groups of about equal size."""
    order = np.argsort(lengths, kind="stable")
    return [part for part in np.array_split(order, GROUPS) if part.size]


def find_warnings(checks: list[LengthCheck], particles: int) -> list[str]:
    """What to know before trusting the estimates; nothing if all is well."""
    warnings = []
    low = [x for x in checks if (x.bound - x.forward) / x.length > MAX_GAP]
    if low:
        worst = max(low, key=lambda x: (x.bound - x.forward) / x.length)
        warnings.append(
            f"At {_lengths(low)} annealing ends below what the topics of documents hold for "
            f"certain, by {worst.bound - worst.forward:.1f} nats at {worst.length}; the bound is "
            "used instead, and log Z may be larger still."
        )
    above = [x for x in checks if _gap(x) > MAX_GAP]
    if above:
        worst = max(above, key=_gap)
        warnings.append(
            f"At {_lengths(above)} reverse annealing is above forward, by "
            f"{worst.reverse - worst.forward:.1f} nats at {worst.length}: the perplexity may be as "
            "high as with log Z in reverse; use more particles."
        )
    below = [x for x in checks if _gap(x) < -MAX_GAP]
    if below:
        worst = min(below, key=_gap)
        warnings.append(
            f"At {_lengths(below)} reverse annealing is below forward, by "
            f"{worst.forward - worst.reverse:.1f} nats at {worst.length}: the model has mass where "
            "no document is; train longer or with a lower rate."
        )
    few = [
        x
        for x in checks
        if is_sample_too_small(x.effective_sample_size, x.standard_error, particles)
    ]
    if few:
        least = min(x.effective_sample_size for x in few)
        warnings.append(
            f"At {_lengths(few)} the effective sample size is as small as {least:.1f} of "
            f"{particles} particles: log Z is more likely too low than too high; use more."
        )
    return warnings


def is_sample_too_small(size: Any, standard_error: Any, particles: int) -> Any:
    """Whether effective sample sizes are too small for log Z to be known, also of arrays."""
    return (size < MIN_SAMPLE * particles) & (standard_error > MAX_ERROR)


def _check(
    lengths: Array, group: Array, forward: LengthPartition, bound: Array, gap: PerWindow
) -> LengthCheck:
    """The estimates at the middle length of a group; `gap` is reverse less forward."""
    N = int(lengths[group[group.size // 2]])
    spread = gap.std(ddof=1) / gap.size**0.5 if gap.size > 1 else 0.0
    numbers = (
        bound[N], forward.log_Z[N], forward.standard_error[N], forward.effective_sample_size[N],
        forward.log_Z[N] + gap.mean(), spread,
    )  # fmt: skip
    return LengthCheck(N, int(group.size), *(float(x) for x in numbers))


def _gap(check: LengthCheck) -> float:
    """Nats a word between reverse and forward, less two standard errors of both."""
    gap = check.reverse - check.forward
    noise = 2 * np.hypot(check.standard_error, check.reverse_error)
    return float(np.sign(gap) * max(abs(gap) - noise, 0.0) / check.length)


def _lengths(checks: list[LengthCheck]) -> str:
    return f"length{'s' * (len(checks) > 1)} {', '.join(str(x.length) for x in checks)}"


def _spread(group: Array, count: int) -> Array:
    """At most `count` of a group, evenly spread."""
    step = np.arange(min(count, group.size)) * group.size // min(count, group.size)
    return group[step]


def _perplexity(log_p: PerWindow, lengths: Array) -> float:
    return float(np.exp(-(log_p / lengths).mean()))
