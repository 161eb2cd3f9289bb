"""What proposals from neighbouring words would give, at best: words seen beside the word beside.

    python runs/context_proposals.py MODEL PREPARED [--cases 6] [--seed 1]

For the cases of `wordrbm mixing` with the same seed: a position proposes words that followed its
left neighbour in the text (the first: that came before its right one), as often as they did,
mixed with a share of word frequencies. The neighbour stands as it does in the text; in a chain it
would move too, and the table would serve less well. Exact, by `analysis/independence.py`.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from wordrbm.analysis.independence import IndependenceChain
from wordrbm.analysis.mixing import build_operator, draw_cases, word_conditional
from wordrbm.run.evaluation import heldout_sample
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.trained_model import load

STEPS, SHARE = (1, 4, 10, 100), 0.1


def beside(ids: Any, neighbour: int, q: Any, *, after: bool) -> Any:
    """How often each word stood after, or before, a word; a share of q is mixed in."""
    places = np.flatnonzero((ids[:-1] if after else ids[1:]) == neighbour)
    seen = np.bincount(ids[places + 1 if after else places], minlength=len(q)).astype(float)
    return SHARE * q + (1.0 - SHARE) * seen / max(seen.sum(), 1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", type=Path)
    parser.add_argument("prepared", type=Path)
    parser.add_argument("--cases", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    trained, corpus = load(given.model), PreparedCorpus.open(given.prepared)
    rbm, q = trained.rbm, corpus.vocabulary.probability()
    drawn = heldout_sample(corpus, trained.vocabulary, rbm.positions, given.cases, given.seed)
    others = {name: build_operator(name, rbm, q) for name in ("unigram", "clusters")}
    found: dict[str, list[list[float]]] = {name: [] for name in [*others, "beside"]}
    ids = np.asarray(corpus.ids)
    for words, _, context in draw_cases(rbm, drawn, given.seed):
        for i, g in enumerate(context):
            log_pi = word_conditional(rbm, g, 0)
            proposals = {name: operator.log_proposal(g, 0) for name, operator in others.items()}
            table = beside(ids, int(words[i - 1 if i else 1]), q, after=i > 0)
            proposals["beside"] = np.log(table)
            for name, log_q in proposals.items():
                chain = IndependenceChain.build(log_pi, log_q - np.logaddexp.reduce(log_q))
                found[name].append([chain.total_variation(t) for t in STEPS])
    for name, rows in found.items():
        mean, worst = np.mean(rows, axis=0), np.max(rows, axis=0)
        cells = [
            f"after {t}: {a:.3f} ({b:.3f})" for t, a, b in zip(STEPS, mean, worst, strict=True)
        ]
        print(f"{name:10}", "  ".join(cells))


if __name__ == "__main__":
    main()
