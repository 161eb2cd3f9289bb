"""How fast whole chains forget their start, with jumps to windows of the text and without.

    python runs/jump_mixing.py MODEL CORPUS [--chains 2048] [--sweeps 200]

Chains start at windows of independent words and, as many others, at held-out text. A sweep draws
the hidden units, moves every word by Metropolis-Hastings steps and, with jumps, proposes windows of
the training text as `wordrbm train` does. Printed after several numbers of sweeps: the mean free
energy of both, which is the same once the chains have forgotten, and the share of chains that
still are at the window they began with.
"""

import argparse
from pathlib import Path

import numpy as np

from wordrbm.kernels.rng import seed_stream
from wordrbm.sampling import (
    AliasTable,
    Chains,
    Jumps,
    PooledMetropolis,
    Reservoir,
    draw_hidden,
    sweep,
)
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.trained_model import load
from wordrbm.training import TrainingSettings

PRINTED = {1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}


def drawn(windows, count, rng):
    """Windows at random places of a split."""
    return windows.take(rng.integers(len(windows), size=count)).astype(np.int32)


def run(model, operator, jumps, v, sweeps):
    """The free energies of the chains and whether they stay where they began, after each sweep."""
    stream, first = seed_stream(1, 0, 0), v
    chains = Chains(v, draw_hidden(stream, model.hidden_mean(v)))
    for _ in range(sweeps):
        chains, _ = sweep(stream, model, operator, chains)
        if jumps is not None:
            v = jumps(stream, model, chains.v).v
            chains = Chains(v, draw_hidden(stream, model.hidden_mean(v)))
        stays = (chains.v == first).all(axis=1)
        yield model.free_energy(chains.v), stays


def main():
    """Print a table for chains with jumps and one for chains without."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--chains", type=int, default=2048)
    parser.add_argument("--sweeps", type=int, default=200)
    arguments = parser.parse_args()
    model, corpus = load(arguments.model).rbm, PreparedCorpus.open(arguments.corpus)
    q, n = corpus.vocabulary.probability(), model.positions
    rng, settings = np.random.default_rng(1), TrainingSettings(window=n)
    stored = drawn(corpus.windows(n, "train"), settings.reservoir, rng)
    starts = {
        "frequencies": rng.choice(len(q), size=(arguments.chains, n), p=q).astype(np.int32),
        "text": drawn(corpus.windows(n, "heldout"), arguments.chains, rng),
    }
    operator = PooledMetropolis.from_probability(q, steps=settings.mh_steps)
    share = settings.bigram_share
    reservoir = Reservoir.build(stored, AliasTable.build(q), bigram_share=share)
    for name, jumps in [("without jumps", None), ("jumps", Jumps(reservoir, settings.jumps))]:
        moved = [run(model, operator, jumps, v, arguments.sweeps) for v in starts.values()]
        for count, (words, text) in enumerate(zip(*moved, strict=True), 1):
            if count in PRINTED:
                (F, left), (G, kept) = words, text
                error = np.sqrt((F.var() + G.var()) / len(F))
                print(
                    f"{name}, {count} sweeps: free energy {F.mean():.2f} from frequencies, "
                    f"{G.mean():.2f} from text, difference {F.mean() - G.mean():+.2f} ± {error:.2f}"
                    f"; at their start {left.mean():.3f}, {kept.mean():.3f}"
                )


if __name__ == "__main__":
    main()
