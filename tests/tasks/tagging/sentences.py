"""A made-up tagging task: short sentences whose chunks a tagger can learn."""

import numpy as np

NOUNS, VERBS = ("cat", "dog", "bank", "firm", "price"), ("sees", "buys", "cut", "raised")


def sentence(rng):
    rows = []
    for part in range(rng.integers(1, 4)):
        if part % 2:
            rows.append((rng.choice(VERBS), "VB", "B-VP"))
        else:
            rows.append(("the", "DT", "B-NP"))
            if rng.random() < 0.5:
                rows.append(("new", "JJ", "I-NP"))
            rows.append((rng.choice(NOUNS), "NN", "I-NP"))
    return [*rows, (".", ".", "O")]


def write_task(folder, train=60, test=20, seed=1):
    """train.txt and test.txt in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    for name, count in (("train", train), ("test", test)):
        blocks = ("\n".join(" ".join(row) for row in sentence(rng)) for _ in range(count))
        (folder / f"{name}.txt").write_text("\n\n".join(blocks) + "\n")
    return folder
