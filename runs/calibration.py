"""How well words of held-out text are predicted from n - 1 words on either side, and how surely.

    python runs/calibration.py MODEL CORPUS [--contexts 600] [--seed 5]

Compared: the middle window alone, the product of the n windows that hold the word, that product
to a power, and the Markov chain of windows of `wordrbm fill` (`inference/text_model.py`), also
to a power. Powers are chosen by log loss on one half of the contexts; the other half is printed:
mean log loss in nats, how much more it is than the chain's with the standard error of that
difference, expected calibration error of the likeliest word (ten bins), its mean probability, and
how often it is right.
"""

import argparse
from pathlib import Path

import numpy as np

from wordrbm.inference.text_model import TextModel, factor_log_scores, factors_covering
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.trained_model import load

BLOCK = 20  # contexts at a time
POWERS = np.round(np.arange(0.3, 1.01, 0.05), 2)


def rules(windows, overlaps, bias):
    """Every way to combine windows: name and power to scores (B, K)."""
    n, product, chain = len(windows), sum(windows), sum(windows) + sum(overlaps)
    yield ("middle window", 1.0), windows[n // 2]
    yield ("product", 1.0), product
    yield ("chain", 1.0), chain
    for power in POWERS:
        yield ("product, power", power), power * product
        yield ("product, power, bias once", power), power * (product - n * bias) + bias
        yield ("chain, power", power), power * chain
        yield ("chain, power, bias once", power), power * (chain - bias) + bias


def outcome(scores, words):
    """Log loss, probability of the likeliest word, and whether it is right, for each context."""
    top = scores.max(axis=1)
    log_total = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
    rows = np.arange(len(words))
    return np.stack(
        [log_total - scores[rows, words], np.exp(top - log_total), scores.argmax(axis=1) == words]
    )


def outcomes(model, contexts, bias):
    """The outcome (3, N) of every rule."""
    n, found = model.n, {}
    factors = factors_covering([n - 1], n, 2 * n - 1)
    for first in range(0, len(contexts), BLOCK):
        texts = contexts[first : first + BLOCK]
        scores = [factor_log_scores(model, texts, n - 1, factor) for factor in factors]
        for rule, combined in rules(scores[:n], scores[n:], bias):
            found.setdefault(rule, []).append(outcome(combined, texts[:, n - 1]))
    return {rule: np.concatenate(parts, axis=1) for rule, parts in found.items()}


def calibration_error(probability, right, bins=10):
    """The mean distance of probability and accuracy, over bins of probability."""
    index = np.minimum((probability * bins).astype(int), bins - 1)
    gaps = [abs((probability - right)[index == k].sum()) for k in range(bins)]
    return sum(gaps) / len(right)


def chosen(found):
    """Of every rule the power with the least log loss on the first half."""
    half = next(iter(found.values())).shape[1] // 2
    for name in dict.fromkeys(name for name, _ in found):
        powers = [power for rule, power in found if rule == name]
        best = min(powers, key=lambda power: found[name, power][0, :half].mean())
        yield name, best, found[name, best][:, half:]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--contexts", type=int, default=600)
    parser.add_argument("--seed", type=int, default=5)
    given = parser.parse_args()
    trained = load(given.model)
    model = TextModel.from_rbm(trained.rbm, trained.vocabulary)
    windows = PreparedCorpus.open(given.corpus).windows(2 * model.n - 1, "heldout")
    rng = np.random.default_rng(given.seed)
    contexts = windows.take(rng.choice(len(windows), given.contexts, replace=False))
    found = outcomes(model, contexts, trained.rbm.b.astype(np.float64))
    print(f"{'':26} power  log loss  beside chain      ECE    top  right")
    for name, power, (loss, probability, right) in chosen(found):
        more = loss - found["chain", 1.0][0, -loss.size :]
        print(
            f"{name:26} {power:5.2f}  {loss.mean():8.3f}  {more.mean():+.3f} +- "
            f"{more.std() / loss.size**0.5:.3f}  {calibration_error(probability, right):.3f}  "
            f"{probability.mean():.3f}  {right.mean():.3f}"
        )


if __name__ == "__main__":
    main()
