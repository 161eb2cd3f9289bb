"""What the fast path does to learning: held-out cloze perplexity over that of the plain path.

The plain path draws its proposals one by one (`Metropolis`); the fast one draws them from shared
pools. Both read the same windows in the same order and are scored exactly on the same held-out
windows; the spread is over seeds.
"""

from collections import deque

from benchmarks import corpora
from benchmarks.effort import Effort
from benchmarks.operators import one_by_one
from benchmarks.ratios import Figure, middle, ratio
from benchmarks.running import Operator, fresh, of_corpus, pooled
from wordrbm.models.cloze import cloze_log_probability
from wordrbm.run.evaluation import perplexity
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.threads import available_cores
from wordrbm.training import TrainingSettings, start, train


def measure(effort: Effort) -> dict[str, Figure]:
    """The ratio on the small corpus."""
    return compared(corpora.small(), effort)


def compared(prepared: PreparedCorpus, effort: Effort) -> dict[str, Figure]:
    """The fast path over the plain one, seed by seed."""
    rounds = [
        {
            name: perplexity_after(prepared, operator, effort, seed)
            for name, operator in {"fast": pooled, "plain": one_by_one}.items()
        }
        for seed in range(1, effort.seeds + 1)
    ]
    note = f"perplexity {middle(rounds, 'fast'):.1f} over {middle(rounds, 'plain'):.1f}"
    note += f" after {effort.windows:,} windows, {effort.seeds} seeds"
    name = f"{prepared.path.name}, K = {len(prepared.vocabulary):,}"
    return {name: ratio(rounds, "fast", "plain", goal="0.99 to 1.01", note=note)}


def perplexity_after(
    prepared: PreparedCorpus, operator: Operator, effort: Effort, seed: int
) -> float:
    """Train through the one trainer with this operator, then score exactly."""
    settings = TrainingSettings(windows=effort.windows, seed=seed)
    text = of_corpus(prepared, settings)
    model = fresh(text, settings)
    state = start(model, text.batches, settings)
    transition, threads = operator(text.q), available_cores()
    run = train(model, transition, text.batches, settings, state, q=text.q, threads=threads)
    deque(run, maxlen=0)
    sample = prepared.windows(settings.window, "heldout").evenly_spaced(effort.heldout)
    return perplexity(cloze_log_probability(model, sample, threads=threads))
