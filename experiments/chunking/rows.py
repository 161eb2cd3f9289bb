"""The rows of table 1: feature sets of every model and vector file, by name."""

from collections.abc import Sequence
from pathlib import Path

from wordrbm.errors import WordRBMError
from wordrbm.io.word2vec import read_word2vec
from wordrbm.tagging.features import FeatureConfig, FinetuneSettings, vector_std
from wordrbm.trained_model import load

WORDS, VECTORS, HIDDEN, FINETUNED, ENSEMBLE = "words", "vectors", "hidden", "fine-tuned", "ensemble"
USUAL = f"{WORDS},{VECTORS},{HIDDEN},{FINETUNED}"
ALL = f"{USUAL},{ENSEMBLE}"

Rows = dict[str, FeatureConfig]


def parse_features(text: str) -> list[str]:
    """The names in an option, each once."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    if not set(names) <= set(ALL.split(",")):
        raise WordRBMError(f"--features is {text!r} where some of {ALL} were expected.")
    return names


def feature_rows(
    models: Sequence[Path], files: Sequence[Path], features: Sequence[str], *,
    seed: int = 0, spelling: bool = False, iobes: bool = False,
) -> Rows:  # fmt: skip
    """The feature sets by the names of their rows; vectors must be fit to be scaled.

    `iobes` is for fine-tuned rows; the CRF of the paper's rows has the labels of the data.
    """
    _check_inputs(models, files, features)
    rows = {WORDS: FeatureConfig()} if WORDS in features else {}
    for path in files if VECTORS in features else []:
        rows[f"{path.name} vectors"] = FeatureConfig(read_word2vec(path))
    for name, config in _model_rows(models, features, seed).items():
        rows[name] = config._replace(iobes=iobes and is_finetuned(config))
    if not rows:
        raise WordRBMError("Hidden units need a --model; give one, or other --features.")
    for config in rows.values():
        for member in config.components:
            if member.vectors is not None:
                vector_std(member.vectors)  # refused before anything is computed
    return {name: config._replace(spelling=spelling) for name, config in rows.items()}


def _check_inputs(models: Sequence[Path], files: Sequence[Path], features: Sequence[str]) -> None:
    if ENSEMBLE in features and len(models) < 2:
        raise WordRBMError(
            f"An ensemble needs several models and {len(models)} were given; give two --model or "
            "more, or other --features."
        )
    if list(features) != [WORDS] and not models and not files:
        raise WordRBMError(
            f"No --model and no --vectors were given; give one, or --features {WORDS}."
        )
    names = [path.absolute().name for path in (*models, *files)]
    if len(set(names)) < len(names):
        raise WordRBMError(
            f"Two of {', '.join(names)} have the same name, which names the rows; rename one."
        )


def is_finetuned(config: FeatureConfig) -> bool:
    """Whether hidden units are trained with the CRF, in any member of an ensemble."""
    return any(member.finetune is not None for member in config.components)


def _model_rows(models: Sequence[Path], features: Sequence[str], seed: int) -> Rows:
    rows, finetuned = {}, {}
    for path in models:
        model, name = load(path), path.absolute().name
        vectors = model.raw_vectors
        finetuned[name] = FeatureConfig(vectors, model, finetune=FinetuneSettings(seed=seed))
        if VECTORS in features:
            rows[f"{name} vectors"] = FeatureConfig(vectors)
        if HIDDEN in features:
            rows[f"{name} vectors + hidden"] = FeatureConfig(vectors, model)
        if FINETUNED in features:
            rows[f"{name} vectors + fine-tuned"] = finetuned[name]
    if ENSEMBLE in features:
        rows[f"ensemble of {', '.join(finetuned)}"] = FeatureConfig(
            ensemble=tuple(finetuned.values())
        )
    return rows
