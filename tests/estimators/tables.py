"""Made-up tables whose columns depend on each other through a hidden class."""

import numpy as np


def latent(seed, N, sizes, classes=4, sharpness=0.2):
    """N rows, and the probability of each value of each column in each class."""
    rng = np.random.default_rng(seed)
    given = [rng.dirichlet(np.full(k, sharpness), size=classes) for k in sizes]
    z = rng.integers(classes, size=N)
    columns = [np.array([rng.choice(len(p[0]), p=p[c]) for c in z]) for p in given]
    return np.stack(columns, axis=1), given


def true_score(X, given):
    """The mean of log P(value | rest) under the process that made the rows."""
    logs = []
    for i in range(X.shape[1]):
        belief = np.ones((len(X), len(given[0])))
        for k in set(range(X.shape[1])) - {i}:
            belief *= given[k][:, X[:, k]].T
        belief /= belief.sum(axis=1, keepdims=True)
        logs.append(np.log((belief * given[i][:, X[:, i]].T).sum(axis=1)))
    return np.mean(logs)


def independent_score(X, test, sizes):
    """The same when every column is taken by itself."""
    counts = [np.bincount(X[:, i], minlength=k) + 1 for i, k in enumerate(sizes)]
    logs = [np.log(c / c.sum())[test[:, i]] for i, c in enumerate(counts)]
    return np.mean(logs)
