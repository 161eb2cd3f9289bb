"""How much worse one model predicts held-out words than another, on many windows.

    python runs/cloze_difference.py PREPARED MODEL OTHER [OTHER ...] [--windows 10000]

Each held-out word is scored given the others of its window. The sum over the vocabulary is exact
for the 2,048 most frequent words and estimated for all others from 1,024 draws, the same for every
model: the difference of two models has hardly any noise from that, and a window costs a thirtieth
of what it costs in `wordrbm evaluate`. Printed are the cloze perplexity so estimated, its excess
over the first model's with the standard error over windows, and the difference in nats by the
count of the word.
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np

from wordrbm.models.cloze import logits_from_input
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.trained_model import load

FREQUENT, DRAWN, SEED, PART = 2_048, 1_024, 99, 500
BANDS = (10**5, 10**4, 10**3, 10**2, 0)  # lowest counts


def candidates(counts, rng):
    """The words whose scores are summed, and the logarithms of their weights."""
    if len(counts) <= FREQUENT:
        raise SystemExit(f"The vocabulary has no more than {FREQUENT} words; use wordrbm evaluate.")
    q = np.where(np.arange(len(counts)) < FREQUENT, 0.0, counts)
    drawn = rng.choice(len(q), DRAWN, p=q / q.sum())
    log_weight = np.append(np.zeros(FREQUENT), -np.log(DRAWN * q[drawn] / q.sum()))
    return np.append(np.arange(FREQUENT), drawn), log_weight


def log_probabilities(model, v, words, log_weight):
    """Estimates of log P(v_i | the other words of the window), N x n."""
    some, result = replace(model, D=model.D[words], b=model.b[words]), np.empty(v.shape)
    for start in range(0, len(v), PART):
        part = v[start : start + PART]
        for i in range(v.shape[1]):
            own = (model.D[part[:, i]] @ model.U[i].T).astype(np.float64)
            rest = model.hidden_input(part) - own
            scores = np.concatenate([x for _, x in logits_from_input(some, rest, i)], axis=1)
            gain = np.log1p(np.expm1(own) / (1.0 + np.exp(-rest))).sum(axis=1)
            total = np.logaddexp.reduce(scores + log_weight, axis=1)
            result[start : start + PART, i] = model.b[part[:, i]] + gain - total
    return result


def report(name, scores, first, count):
    """A line for a model, beside the scores of the first."""
    excess = first - scores
    low, high = np.array(BANDS), np.array((np.inf, *BANDS[:-1]))
    bands = [excess[(count >= a) & (count < b)].mean() for a, b in zip(low, high, strict=True)]
    error = excess.mean(axis=1).std() / np.sqrt(len(excess))
    return (
        f"{name}: {np.exp(-scores.mean()):.1f}, {np.expm1(excess.mean()):+.2%} ± {error:.2%}; "
        + ", ".join(f"{band:+.3f}" for band in bands)
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("prepared", type=Path)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--windows", type=int, default=10_000)
    options = parser.parse_args()
    corpus, rng = PreparedCorpus.open(options.prepared), np.random.default_rng(SEED)
    counts = corpus.vocabulary.counts
    words, log_weight = candidates(counts, rng)
    first = None
    for path in options.models:
        model = load(path).rbm
        heldout = corpus.windows(model.positions, "heldout")
        v = heldout.take(np.linspace(0, len(heldout) - 1, options.windows).astype(np.int64))
        scores = log_probabilities(model, v, words, log_weight)
        first = scores if first is None else first
        print(report(path.name, scores, first, counts[v]), flush=True)


if __name__ == "__main__":
    main()
