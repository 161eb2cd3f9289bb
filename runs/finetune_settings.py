"""Settings of fine-tuning, compared on four dev sets drawn from the training file.

    python runs/finetune_settings.py CONLL DEV MODEL [MODEL ...] [--settings A,B,C,D ...]

The first dev set is the published one (DEV); the others are a thousand of the remaining training
sentences each, drawn with a seed. The test file is not used. A setting is the learning rate of
hidden units, the epochs, c2 and the label scheme of the CRF; at a rate of 0 hidden units stay fixed
and only the CRF is trained. Every setting is run with every seed, which sets the order of
sentences. Several models are also compared as an ensemble. The task is the chunks, or one made from
the parts of speech: spans of proper nouns, with words as the only column.
"""

import argparse
from itertools import product
from pathlib import Path

import numpy as np

from wordrbm.tagging.conll import Sentence, read_splits
from wordrbm.tagging.evaluation import evaluate_tagger
from wordrbm.tagging.features import EncodedSentences, FeatureConfig, FinetuneSettings
from wordrbm.tagging.tagger import train_tagger
from wordrbm.trained_model import load

SEED, SIZE = 123, 1000
SETTINGS = ("0,10,0.1,iob2", "0,10,0.1,iobes", "0.1,10,0.1,iobes", "0.2,10,0.1,iob2",
            "0.2,10,0.1,iobes", "0.4,10,0.1,iobes", "0.2,6,0.1,iobes", "0.2,20,0.1,iobes",
            "0.2,10,0.03,iobes", "0.2,10,0.3,iobes")  # fmt: skip
CHUNKS, NAMES = "chunks", "proper-nouns"
PROPER_NOUNS = ("NNP", "NNPS")


def folds(splits, count):
    """Pairs of training and development sentences."""
    yield splits.train, splits.dev
    order = np.random.default_rng(SEED).permutation(len(splits.train))
    for fold in range(count - 1):
        held_out = set(order[fold * SIZE : (fold + 1) * SIZE].tolist())
        train = [sentence for k, sentence in enumerate(splits.train) if k not in held_out]
        yield train + splits.dev, [splits.train[k] for k in sorted(held_out)]


def proper_nouns(sentence):
    """The words of a sentence of CoNLL-2000, and the spans of proper nouns among them in IOB2."""
    words, tags, _ = sentence.columns
    inside = [tag in PROPER_NOUNS for tag in tags]
    labels = (
        ("I-NAME" if before else "B-NAME") if now else "O"
        for before, now in zip([False, *inside], inside, strict=False)
    )
    return Sentence((words, tuple(labels)))


def feature_configs(models, setting, seed):
    """Every model, and their ensemble, fine-tuned as a setting says; and its c2."""
    rate, epochs, c2, scheme = setting.split(",")
    finetune = FinetuneSettings(epochs=int(epochs), hidden_rate=float(rate), seed=seed)
    configs = {
        path.name: FeatureConfig(model.raw_vectors, model, finetune=finetune)
        for path, model in models.items()
    }
    if len(configs) > 1:
        configs["ensemble"] = FeatureConfig(ensemble=tuple(configs.values()))
    iobes = {"iob2": False, "iobes": True}[scheme]
    return {name: x._replace(iobes=iobes) for name, x in configs.items()}, float(c2)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("dev", type=Path)
    parser.add_argument("models", type=Path, nargs="+")
    parser.add_argument("--folds", type=int, default=4)
    parser.add_argument("--settings", nargs="+", default=SETTINGS)
    parser.add_argument("--seeds", nargs="+", type=int, default=(0,))
    parser.add_argument("--task", choices=(CHUNKS, NAMES), default=CHUNKS)
    parser.add_argument("--spelling", action="store_true")
    options = parser.parse_args()
    models = {path: load(path) for path in options.models}
    scores = {}
    for train, dev in folds(read_splits(options.data, options.dev), options.folds):
        if options.task == NAMES:
            train, dev = ([proper_nouns(sentence) for sentence in part] for part in (train, dev))
        encoded = EncodedSentences.build(train, spelling=options.spelling)
        for setting, seed in product(options.settings, options.seeds):
            configs, c2 = feature_configs(models, setting, seed)
            for name, config in configs.items():
                tagger = train_tagger(encoded, config._replace(spelling=options.spelling), c2)
                f1 = scores.setdefault((name, setting, seed), [])
                f1.append(100 * evaluate_tagger(tagger, dev).overall.f1)
                print(name, setting, seed, " ".join(f"{x:.2f}" for x in f1), flush=True)
    print("\nmodel, hidden rate, epochs, c2, label scheme; seed: mean F1")
    for (name, setting, seed), f1 in scores.items():
        print(f"{name} {setting}; {seed}: {np.mean(f1):.2f}")


if __name__ == "__main__":
    main()
