"""The same tagger by CRFsuite itself, to confirm what the chain field gives.

Every dense feature is an attribute with a value, so it takes many times as long.
"""

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float32

from wordrbm.errors import WordRBMError
from wordrbm.tasks.tagging.attributes import attributes
from wordrbm.tasks.tagging.cells import Cell
from wordrbm.tasks.tagging.columns import Sentence
from wordrbm.tasks.tagging.spans import Evaluation, evaluate
from wordrbm.tasks.tagging.tagger import Representation

ALL = -1e9  # dense features that sum below zero are features too


def confirmed(
    cell: Cell, kind: Representation, seen: Sequence[Sentence], tried: Sequence[Sentence]
) -> Evaluation:
    """Fit and try a cell's tagger by CRFsuite."""
    suite = _imported()
    representation = kind._replace(scale=cell.scale, hidden_scale=cell.hidden_scale)
    trainer = suite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({
        "c1": 0.0, "c2": cell.c2, "max_iterations": 1000, "feature.minfreq": ALL,
        "feature.possible_states": 1, "feature.possible_transitions": 1,
    })  # fmt: skip
    for sentence, items in zip(seen, _items(seen, representation), strict=True):
        trainer.append(suite.ItemSequence(items), sentence.labels)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "model.crfsuite")
        trainer.train(path)
        tagger = suite.Tagger()
        tagger.open(path)
        guesses = [tagger.tag(suite.ItemSequence(x)) for x in _items(tried, representation)]
        tagger.close()
    return evaluate((one.labels, tags) for one, tags in zip(tried, guesses, strict=True))


def _items(
    sentences: Sequence[Sentence], representation: Representation
) -> Iterator[list[dict[str, float]]]:
    dense = representation.dense([one.words for one in sentences])
    names, begin = [f"dense{f}" for f in range(dense.shape[1])], 0
    for sentence in sentences:
        end = begin + len(sentence.words)
        yield [
            _item(own, names, row)
            for own, row in zip(attributes(sentence.columns[:-1]), dense[begin:end], strict=True)
        ]
        begin = end


def _item(own: list[str], names: list[str], row: Float32[np.ndarray, " F"]) -> dict[str, float]:
    return dict.fromkeys(own, 1.0) | dict(zip(names, row.tolist(), strict=True))


def _imported() -> Any:
    try:
        import pycrfsuite
    except ImportError:
        raise WordRBMError(
            "python-crfsuite is not installed; install wordrbm[crf], or leave out --confirm."
        ) from None
    return pycrfsuite
