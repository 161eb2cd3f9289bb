"""The same taggers fitted by CRFsuite, as an independent check of our CRF.

Every dense feature is an attribute with a value, so it takes many times as long. CRFsuite cannot
fine-tune hidden units: such rows are left out.
"""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float32

from experiments.chunking.grid import CRFSUITE, Experiment, TestedRow, to_record
from experiments.chunking.rows import is_finetuned
from wordrbm.errors import WordRBMError
from wordrbm.tagging.conll import Sentence
from wordrbm.tagging.evaluation import Evaluation, evaluate_spans
from wordrbm.tagging.features import FeatureConfig, attributes
from wordrbm.tagging.model_selection import GridPoint, TaggerFit
from wordrbm.threads import ProgressCallback

MODEL_FILE = ".crfsuite"  # of the row that is being fitted
MIN_FREQUENCY = -1e9  # dense features that sum below zero are features too


def crfsuite_results(
    rows: Sequence[TestedRow], experiment: Experiment, show: ProgressCallback
) -> dict[str, Evaluation]:
    """Test scores of CRFsuite with the hyperparameters of every row, cached like our own."""
    results = {}
    rows = [row for row in rows if not is_finetuned(experiment.rows[row.name])]
    for number, row in enumerate(rows):
        show(number / len(rows), f"CRFsuite: {row.name}")
        point = row.best.point
        result = experiment.result(row.name, point, CRFSUITE)
        if result is None:
            result = _fit(experiment, row.name, point)
            record = to_record(row.name, CRFSUITE, result)
            experiment.cache.save(experiment.key(row.name, point, CRFSUITE), record)
        results[row.name] = result.evaluation
    show(1.0, "done")
    return results


def _fit(experiment: Experiment, row: str, point: GridPoint) -> TaggerFit:
    start, splits = time.monotonic(), experiment.splits
    evaluation = fit_crfsuite(
        point, experiment.rows[row], splits.train_and_dev, splits.test, experiment.cache.folder
    )
    return TaggerFit(evaluation, 0, time.monotonic() - start)


def fit_crfsuite(
    point: GridPoint, config: FeatureConfig, train: Sequence[Sentence], test: Sequence[Sentence],
    folder: Path,
) -> Evaluation:  # fmt: skip
    """Fit and evaluate a tagger by CRFsuite, which needs a file for its model."""
    crfsuite, path = require_crfsuite(), folder / MODEL_FILE
    features = config.with_scales(point.scale, point.hidden_scale)
    trainer = crfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({
        "c1": 0.0, "c2": point.c2, "max_iterations": 1000, "feature.minfreq": MIN_FREQUENCY,
        "feature.possible_states": 1, "feature.possible_transitions": 1,
    })  # fmt: skip
    for sentence, items in zip(train, _items(train, features), strict=True):
        trainer.append(crfsuite.ItemSequence(items), sentence.labels)
    trainer.train(str(path))
    tagger = crfsuite.Tagger()
    tagger.open(str(path))
    predicted = [tagger.tag(crfsuite.ItemSequence(items)) for items in _items(test, features)]
    tagger.close()
    path.unlink()
    return evaluate_spans(zip((sentence.labels for sentence in test), predicted, strict=True))


def _items(
    sentences: Sequence[Sentence], config: FeatureConfig
) -> Iterator[list[dict[str, float]]]:
    dense = config.dense_features([sentence.words for sentence in sentences])
    names, begin = [f"dense{f}" for f in range(dense.shape[1])], 0
    for sentence in sentences:
        end = begin + len(sentence.words)
        tokens = attributes(sentence.columns[:-1], spelling=config.spelling)
        yield [
            _item(token, names, row) for token, row in zip(tokens, dense[begin:end], strict=True)
        ]
        begin = end


def _item(token: list[str], names: list[str], row: Float32[np.ndarray, " F"]) -> dict[str, float]:
    return dict.fromkeys(token, 1.0) | dict(zip(names, row.tolist(), strict=True))


def require_crfsuite() -> Any:
    """Import CRFsuite, which is an optional dependency."""
    try:
        import pycrfsuite
    except ImportError:
        raise WordRBMError(
            "python-crfsuite is not installed; install wordrbm[crf], or leave out --crfsuite."
        ) from None
    return pycrfsuite
