"""Settings of fine-tuning, compared on four dev sets drawn from the training file.

    python runs/finetune_settings.py CONLL DEV MODEL [MODEL ...] [--folds 4] [--settings A,B,C ...]

The first dev set is the published one (DEV); the others are a thousand of the remaining training
sentences each, drawn with a seed. The test file is not used. A setting is the learning rate of
hidden units, the epochs and c2; at a rate of 0 hidden units stay fixed and only the CRF is trained.
Several models are also compared as an ensemble.
"""

import argparse
from pathlib import Path

import numpy as np

from wordrbm.tagging.conll import read_splits
from wordrbm.tagging.evaluation import evaluate_tagger
from wordrbm.tagging.features import EncodedSentences, FeatureConfig, FinetuneSettings
from wordrbm.tagging.tagger import train_tagger
from wordrbm.trained_model import load

SEED, SIZE = 123, 1000
SETTINGS = ("0,10,0.1", "0.1,10,0.1", "0.2,10,0.1", "0.4,10,0.1", "0.2,6,0.1", "0.2,20,0.1",
            "0.2,10,0.03", "0.2,10,0.3")  # fmt: skip


def folds(splits, count):
    """Pairs of training and development sentences."""
    yield splits.train, splits.dev
    order = np.random.default_rng(SEED).permutation(len(splits.train))
    for fold in range(count - 1):
        held_out = set(order[fold * SIZE : (fold + 1) * SIZE].tolist())
        train = [sentence for k, sentence in enumerate(splits.train) if k not in held_out]
        yield train + splits.dev, [splits.train[k] for k in sorted(held_out)]


def feature_configs(models, setting):
    """Every model, and their ensemble, fine-tuned as a setting says; and its c2."""
    rate, epochs, c2 = setting.split(",")
    finetune = FinetuneSettings(epochs=int(epochs), hidden_rate=float(rate))
    configs = {
        path.name: FeatureConfig(model.raw_vectors, model, finetune=finetune)
        for path, model in models.items()
    }
    if len(configs) > 1:
        configs["ensemble"] = FeatureConfig(ensemble=tuple(configs.values()))
    return configs, float(c2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("dev", type=Path)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--settings", nargs="+", default=SETTINGS)
    options = parser.parse_args()
    models = {path: load(path) for path in options.models}
    scores = {}
    for train, dev in folds(read_splits(options.data, options.dev), options.folds):
        encoded = EncodedSentences.build(train)
        for setting in options.settings:
            configs, c2 = feature_configs(models, setting)
            for name, config in configs.items():
                tagger = train_tagger(encoded, config, c2)
                f1 = scores.setdefault((name, setting), [])
                f1.append(100 * evaluate_tagger(tagger, dev).overall.f1)
                print(name, setting, " ".join(f"{x:.2f}" for x in f1), flush=True)
    print("\nmodel, hidden rate, epochs, c2: mean F1")
    for (name, setting), f1 in scores.items():
        print(f"{name} {setting}: {np.mean(f1):.2f}")


if __name__ == "__main__":
    main()
