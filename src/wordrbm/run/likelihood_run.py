"""The likelihood of a trained model, from a corpus on disk to a table of numbers."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, final

from wordrbm.likelihood.annealing import AnnealingSettings
from wordrbm.likelihood.diagnostics import Layer, build_sandwich, find_warnings
from wordrbm.likelihood.estimate import (
    LikelihoodEstimate,
    MeanAndError,
    estimate_likelihood,
    evenly,
)
from wordrbm.likelihood.trigram_counts import TrigramModel
from wordrbm.run.evaluation import heldout_sample
from wordrbm.shapes import Words
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.threads import ProgressCallback
from wordrbm.trained_model import TrainedModel, load

METHOD = "annealed importance sampling, heavy windows of the text summed exactly"


@final
@dataclass(frozen=True, eq=False)
class LikelihoodRun:
    """A model, its corpus, and how to estimate."""

    trained: TrainedModel
    corpus: PreparedCorpus
    settings: AnnealingSettings
    held_out: Words
    text_windows: int
    threads: int

    @classmethod
    def open(
        cls,
        model: Path,
        prepared: Path,
        settings: AnnealingSettings,
        windows: int,
        *,
        text_windows: int,
        at_random: bool,
        threads: int,
    ) -> "LikelihoodRun":
        """Load a model and its corpus, and choose held-out windows.

        They are evenly spread, or random by the seed of the settings.
        """
        trained, corpus = load(model), PreparedCorpus.open(prepared)
        corpus.verify()
        seed = settings.seed if at_random else None
        held_out = heldout_sample(corpus, trained.vocabulary, trained.rbm.positions, windows, seed)
        return cls(trained, corpus, settings, held_out, text_windows, threads)

    def estimate(self, show: ProgressCallback) -> LikelihoodEstimate:
        """Estimate log Z and the likelihood of the held-out windows."""
        return estimate_likelihood(
            self.trained.rbm,
            self.corpus.vocabulary.probability(),
            self.corpus.windows(self.trained.rbm.positions, "train"),
            self.held_out,
            self.settings,
            text_windows=self.text_windows,
            threads=self.threads,
            report=show,
        )

    def trigram_counts(self, show: ProgressCallback) -> MeanAndError:
        """The log-likelihood of the held-out windows by trigram counts of the training text."""
        show(1.0, "counting trigrams")
        return MeanAndError.of(TrigramModel.count(self.corpus).log_joint(self.held_out))

    def sandwich(self, estimate: LikelihoodEstimate, show: ProgressCallback) -> list[Layer]:
        """log Z from both sides at several numbers of temperatures, up to that of the settings."""
        start = evenly(self.held_out, self.settings.particles)
        layers = build_sandwich(estimate.annealing, start, threads=self.threads, report=show)
        return [*layers, Layer(self.settings.temperatures, estimate.forward, estimate.reverse)]

    def result(self, estimate: LikelihoodEstimate, counts: MeanAndError | None) -> dict[str, Any]:
        """All numbers by name, for JSON."""
        rows = {"model": estimate.held_out, "word frequencies": estimate.unigram}
        if counts is not None:
            rows["trigram counts"] = counts
        return {
            "log_Z": estimate.log_Z,
            "standard_error": estimate.stratified.standard_error,
            "interval": list(estimate.interval),
            "method": METHOD,
            "settings": self.settings.model_dump() | {"text_windows": self.text_windows},
            "stratified": estimate.stratified._asdict(),
            "forward": estimate.forward._asdict(),
            "reverse": asdict(estimate.reverse),
            "bound": estimate.heaviest.log_bound,
            "text_windows": estimate.text_windows,
            "summed_windows": estimate.summed_windows,
            "summed_share": estimate.summed_share,
            "windows": len(self.held_out),
            "held_out": {name: _row(estimate, row) for name, row in rows.items()},
            "very_rare_windows": {
                "model": estimate.very_rare_share,
                "standard_error": estimate.very_rare_error,
                "held_out": estimate.very_rare_held_out,
            },
            "heaviest_windows": self._heaviest(estimate),
            "warnings": find_warnings(estimate),
        }

    def _heaviest(self, estimate: LikelihoodEstimate) -> dict[str, Any]:
        heaviest = estimate.heaviest
        words = [" ".join(window) for window in self.trained.words(heaviest.windows)]
        rows = zip(words, heaviest.shares.tolist(), heaviest.text_shares.tolist(), strict=True)
        return {
            "share_of_ten": heaviest.share_of_ten,
            "text_share_of_ten": heaviest.text_share_of_ten,
            "windows": [{"words": w, "share": s, "text_share": t} for w, s, t in rows],
        }


def _row(estimate: LikelihoodEstimate, row: MeanAndError) -> dict[str, float]:
    return {
        "log_likelihood": row.mean,
        "standard_error": row.standard_error,
        "perplexity": estimate.perplexity(row.mean),
    }
