"""Held-out scores one can trust: exact, on a fixed sample, outside the update.

    cloze perplexity = exp( mean of -log P(v_i | the other words of the window) )
    free-energy gap  = mean F(held-out windows) - mean F(chains)
    joint bound      = mean -F(held-out windows) - log sum over distinct windows of exp(-F)

The gap is near zero when the chains say what the text says; it grows when the model overfits, or
when its chains no longer follow it. Both cloze perplexity and the gap are blind to mass on windows
that no chain has met: the bound, and the share of the ten heaviest windows of the text, are not.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from wordrbm.errors import WordRBMError
from wordrbm.likelihood.heaviest import DistinctWindows, log_masses, share_of_model
from wordrbm.models import AbstractRBM
from wordrbm.models.cloze import cloze_log_probability
from wordrbm.shapes import Probability, Scores, Words
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.text.windows import Windows
from wordrbm.threads import StopCheck


class HeldOutScores(NamedTuple):
    """Scores of a model on text it was not trained on."""

    cloze_perplexity: float
    unigram_perplexity: float  # of the same words from their frequency alone
    free_energy_gap: float
    joint_bound: float  # nats a window: the held-out log-likelihood is at most this
    unigram_joint: float  # the log-likelihood of the same windows from word frequencies
    ten_heaviest: float  # estimated share of the model on the ten heaviest windows of the text
    ten_heaviest_text: float  # share of the text on the same ten


def heldout_sample(prepared: PreparedCorpus, vocabulary: Vocabulary, n: int, count: int) -> Words:
    """The held-out windows of a corpus for a model with this vocabulary."""
    return _held_out(prepared, vocabulary, n, count).evenly_spaced(count)


def random_heldout_sample(
    prepared: PreparedCorpus, vocabulary: Vocabulary, n: int, count: int, seed: int
) -> Words:
    """Held-out windows of a corpus at random, without replacement."""
    windows = _held_out(prepared, vocabulary, n, count)
    count = min(count, len(windows))
    chosen = np.random.default_rng(seed).choice(len(windows), count, replace=False)
    return windows.take(np.sort(chosen))


def _held_out(prepared: PreparedCorpus, vocabulary: Vocabulary, n: int, count: int) -> Windows:
    if prepared.vocabulary.digest() != vocabulary.digest():
        raise WordRBMError(
            f"{prepared.path} has another vocabulary than the model; give the corpus it was "
            "trained on."
        )
    held_out = prepared.windows(n, "heldout")
    if count < 1 or not len(held_out):
        raise WordRBMError(
            f"{min(count, len(held_out))} held-out windows can be scored; ask for 1 or more, of a "
            "corpus that was prepared with a held-out part."
        )
    return held_out


def perplexity(log_probability: Scores | Float[np.ndarray, " N"]) -> float:
    """``exp(-mean log p)``."""
    return float(np.exp(-log_probability.mean()))


def held_out_scores(
    model: AbstractRBM,
    sample: Words,
    gap: float,
    q: Probability,
    text: DistinctWindows,
    *,
    threads: int,
    stop: StopCheck,
) -> HeldOutScores:
    """Score a model on held-out windows and on windows of its text; `gap` is passed through."""
    energy = float(model.free_energy(sample).mean())
    heaviest = text.heaviest(log_masses(model, text.windows, threads=threads, stop=stop))
    cloze = cloze_log_probability(model, sample, threads=threads, stop=stop)
    log_q, text_share = np.log(q[sample]), heaviest.text_share_of_ten
    return HeldOutScores(
        perplexity(cloze),
        perplexity(log_q),
        gap,
        -energy - heaviest.log_bound,
        float(log_q.sum(axis=1).mean()),
        share_of_model(heaviest.share_of_ten, text_share, text.coverage(sample)),
        text_share,
    )


def free_energy_gap(model: AbstractRBM, sample: Words, chains: Words) -> float:
    """The mean free energy of held-out windows less that of chains, under the chains' own model."""
    return float(model.free_energy(sample).mean() - model.free_energy(chains).mean())
