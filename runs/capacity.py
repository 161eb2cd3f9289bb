"""How low the cloze perplexity of a model goes when the joint distribution no longer matters.

    python runs/capacity.py PREPARED MODEL [--windows 20000000] [--ranking-weight 600]
        [--candidates 256] [--rate 0.28] [--seed 1]

Trains a copy of MODEL on, with nearly all weight on the ranking of words, which is a conditional
objective: what its perplexity falls by is what the joint distribution costs it, on the held-out
windows that a run scores itself by. The share of ten windows in the model is shown beside it.
"""

import argparse
from pathlib import Path

from wordrbm.likelihood.heaviest import DistinctWindows, log_masses
from wordrbm.models.cloze import cloze_log_probability
from wordrbm.run.evaluation import WEIGHED_WINDOWS, perplexity
from wordrbm.run.in_memory import InMemoryTrainer
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.trained_model import load
from wordrbm.training import TrainingSettings
from wordrbm.training.trainer import averaged

SCORES = 5  # during the run
RESERVOIR = 131_072  # windows stored for jumps, as in the runs of docs/decisions.md, 40


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("prepared", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--windows", type=int, default=20_000_000)
    parser.add_argument("--ranking-weight", type=float, default=600.0)
    parser.add_argument("--candidates", type=int, default=256)
    parser.add_argument("--rate", type=float, default=0.28, help="of the ranking")
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def main() -> None:
    """Train, and print the scores of the averaged model on the way."""
    args = options()
    prepared, model = PreparedCorpus.open(args.prepared), load(args.model)
    rate = args.rate / (1.0 + args.ranking_weight)
    settings = TrainingSettings(
        window=model.rbm.positions, dimension=model.rbm.D.shape[1], hidden=model.rbm.c.size,
        ranking_weight=args.ranking_weight, candidates=args.candidates, windows=args.windows,
        word_rate=rate, hidden_rate=rate, reservoir=RESERVOIR, seed=args.seed,
    )  # fmt: skip
    windows = prepared.windows(settings.window, "train")
    held_out = prepared.windows(settings.window, "heldout").evenly_spaced(500)
    text = DistinctWindows.sample(windows, WEIGHED_WINDOWS)

    def show(rbm: object, read: int) -> None:
        cloze = perplexity(cloze_log_probability(rbm, held_out))
        heaviest = text.heaviest(log_masses(rbm, text.windows)).share_of_ten
        print(f"{read:,} windows: cloze perplexity {cloze:.1f}, ten heaviest {heaviest:.3f}",
              flush=True)  # fmt: skip

    show(model.rbm, 0)
    trainer = InMemoryTrainer.for_text(
        windows, prepared.vocabulary.probability(), settings, model.rbm
    )
    state = trainer.initial_state(windows, settings)
    for next_state, _ in trainer.train(windows, settings, state, threads=1):
        state = next_state
        if state.step % max(1, settings.steps // SCORES) == 0 or state.step == settings.steps:
            show(averaged(trainer.rbm, state), state.step * settings.batch_size)


if __name__ == "__main__":
    main()
