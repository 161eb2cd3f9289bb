"""Held-out scores one can trust: exact, on a fixed sample, outside the update.

    cloze perplexity = exp( mean of -log P(v_i | the other words of the window) )
    free-energy gap  = mean F(held-out windows) - mean F(chains)
    joint bound      = mean -F(held-out windows) - log sum over distinct windows of exp(-F)

The gap is near zero when the chains say what the text says; it grows when the model overfits, or
when its chains no longer follow it. Both cloze perplexity and the gap are blind to mass on windows
that no chain has met: the bound, and the share of the ten heaviest windows of the text, are not.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Float

from wordrbm.errors import WordRBMError
from wordrbm.likelihood.heaviest import DistinctWindows, log_masses, share_of_model
from wordrbm.models import WordRepRBM
from wordrbm.models.cloze import cloze_log_probability
from wordrbm.shapes import Scores, Words
from wordrbm.text.corpus import PreparedCorpus, check_vocabulary
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.threads import StopCheck
from wordrbm.training import Progress, TrainingSettings, TrainingState, averaged
from wordrbm.training.trainer import check_log_likelihood, check_perplexity, is_judged

WEIGHED_WINDOWS = 400_000  # windows of the text whose mass is computed with every score


class HeldOutScores(NamedTuple):
    """Scores of a model on text it was not trained on."""

    cloze_perplexity: float
    unigram_perplexity: float  # of the same words from their frequency alone
    free_energy_gap: float
    joint_bound: float  # nats a window: the held-out log-likelihood is at most this
    unigram_joint: float  # the log-likelihood of the same windows from word frequencies
    ten_heaviest: float  # estimated share of the model on the ten heaviest windows of the text
    ten_heaviest_text: float  # share of the text on the same ten


class StepReport(NamedTuple):
    """What the caller may show after an update; scores are there only when they were taken."""

    step: int
    progress: Progress
    seconds: float  # spent on updates since this process began
    windows_per_second: float
    scores: HeldOutScores | None

    def metrics(self) -> dict[str, float]:
        """The numbers of a scored update, the same for two runs with one seed."""
        assert self.scores is not None
        return {
            "step": self.step,
            "windows": self.progress.windows,
            "word_rate": self.progress.rates.word,
            "hidden_rate": self.progress.rates.hidden,
            "acceptance": self.progress.acceptance,
            "jump_acceptance": self.progress.jump_acceptance,
            **self.scores._asdict(),
        }


def heldout_sample(
    prepared: PreparedCorpus, vocabulary: Vocabulary, n: int, count: int, seed: int | None = None
) -> Words:
    """Held-out windows for a model with this vocabulary: evenly spread, or random by a seed."""
    check_vocabulary(prepared, vocabulary)
    held_out = prepared.windows(n, "heldout")
    if count < 1:
        raise WordRBMError(f"The number of held-out windows is {count}; give 1 or more.")
    if not len(held_out):
        raise WordRBMError(
            f"{prepared.path} has no held-out window of {n} words; prepare it with --heldout above "
            "0, or from more text."
        )
    if seed is None:
        return held_out.evenly_spaced(count)
    rng, count = np.random.default_rng(seed), min(count, len(held_out))
    return held_out.take(np.sort(rng.choice(len(held_out), count, replace=False)))


def perplexity(log_probability: Scores | Float[np.ndarray, " N"]) -> float:
    """``exp(-mean log p)``."""
    return float(np.exp(-log_probability.mean()))


def is_score_due(step: int, updates: int, evaluations: int) -> bool:
    """Whether update `step` is one of the evenly spread ones that are scored; the last one is."""
    return step > 0 and step * evaluations // updates > (step - 1) * evaluations // updates


@final
@dataclass(frozen=True, eq=False)
class HeldOutEvaluation:
    """What the model of a training run is scored on, at evenly spaced updates."""

    prepared: PreparedCorpus
    settings: TrainingSettings
    threads: int

    def score(self, rbm: WordRepRBM, state: TrainingState, stop: StopCheck) -> HeldOutScores | None:
        """Score the averaged model, none without held-out text; raises if training has diverged.

        The gap is of the model that the chains follow, not of its average. Raises `Stopped` once
        `stop` returns true.
        """
        held_out = self.prepared.windows(self.settings.window, "heldout")
        if not len(held_out):
            return None
        v = held_out.evenly_spaced(self.settings.heldout_windows)
        gap = rbm.free_energy(v).mean() - rbm.free_energy(state.chains.v).mean()
        model, text, threads = averaged(rbm, state), self._text, self.threads
        energy = float(model.free_energy(v).mean())
        heaviest = text.heaviest(log_masses(model, text.windows, threads=threads, stop=stop))
        cloze = cloze_log_probability(model, v, threads=threads, stop=stop)
        log_q = np.log(self.prepared.vocabulary.probability()[v])
        text_share = heaviest.text_share_of_ten
        scores = HeldOutScores(
            cloze_perplexity=perplexity(cloze),
            unigram_perplexity=perplexity(log_q),
            free_energy_gap=float(gap),
            joint_bound=-energy - heaviest.log_bound,
            unigram_joint=float(log_q.sum(axis=1).mean()),
            ten_heaviest=share_of_model(heaviest.share_of_ten, text_share, text.coverage(v)),
            ten_heaviest_text=text_share,
        )
        step, settings = state.step, self.settings
        if is_judged(settings, step):
            check_perplexity(scores.cloze_perplexity, scores.unigram_perplexity, step, settings)
            check_log_likelihood(scores.joint_bound, scores.unigram_joint, step, settings)
        return scores

    @cached_property
    def _text(self) -> DistinctWindows:
        """Windows of the text to find the heaviest among, the same at every score."""
        windows = self.prepared.windows(self.settings.window, "train")
        return DistinctWindows.sample(windows, WEIGHED_WINDOWS)
