"""How long a tagger takes by our CRF and by CRFsuite, one after the other, on one core.

    PYTHONPATH=. python runs/crf_speed.py CONLL MODEL [--sentences 1000]

Without and with the vectors and hidden units of a model; the same objective and stopping rule.
"""

import argparse
import tempfile
import time
from pathlib import Path

from experiments.chunking.crfsuite import fit_crfsuite

from wordrbm.tagging.conll import read_splits
from wordrbm.tagging.features import FeatureConfig
from wordrbm.tagging.model_selection import FitData, GridPoint, fit_and_evaluate
from wordrbm.threads import one_blas_thread
from wordrbm.trained_model import load


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("model", type=Path)
    parser.add_argument("--sentences", type=int, default=1000)
    options = parser.parse_args()
    splits, model = read_splits(options.data), load(options.model)
    splits = splits._replace(train=splits.train[: options.sentences])
    data, point = FitData.for_dev(splits, spelling=False), GridPoint(0.1, 1.0, 0.2)
    configs = {"words": FeatureConfig(), "hidden": FeatureConfig(model.raw_vectors, model)}
    for name, config in configs.items():
        with one_blas_thread():
            _, ours = fit_and_evaluate(point, config, data, lambda step: None)
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            theirs = fit_crfsuite(point, config, splits.train, splits.dev, Path(folder))
        seconds = time.monotonic() - start
        print(
            f"{name}: {ours.seconds:.1f} s, CRFsuite {seconds:.1f} s, ratio "
            f"{seconds / ours.seconds:.1f}; F1 {100 * ours.evaluation.overall.f1:.2f} and "
            f"{100 * theirs.overall.f1:.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
