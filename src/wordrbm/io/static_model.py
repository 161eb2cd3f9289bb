"""Word vectors as a static embedding model, the folder that model2vec reads.

model.safetensors   `embeddings` (K, d) float32
tokenizer.json      a tokenizer of the library `tokenizers`: words looked up whole, in lower case
config.json         mean of the word vectors, not normalised; unknown words are left out
modules.json        the same for sentence-transformers

A text's embedding is the mean of the vectors of its words. `tokenizers` has no Penn Treebank
tokenizer, so one regular expression stands for it: it splits contractions and marks, keeps numbers
and abbreviations together, and differs from `wordrbm.text.tokenizer` where that looks at sentences.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import save_file

from wordrbm.io.vectors import Vectors
from wordrbm.storage import write_text

_REPLACED = {
    r'[“„‟]|(?<![^\s(\[{<])"': " `` ",
    '[”"]': " '' ",
    "[’´ʼ]": "'",
    "[—―–]": " -- ",
    "…": " ... ",
    r"\p{Nd}+": "#",
}
_ABBREVIATIONS = "mr|mrs|ms|dr|st|gen|sen|rep|gov|jr|sr|inc|corp|co|ltd|vs|no"
_WORD = r"[\w#]+(?:(?:[-./&]|[,:](?=#)|'(?!(?:s|m|d|ll|re|ve|t)?\b))[\w#]+)*?"
_TOKEN = "|".join(
    [
        r"(?:\b[a-z]\.){2,}",  # u.s.
        rf"\b(?:{_ABBREVIATIONS}|[a-z])\.(?=\s)",  # mr. in the middle of a sentence
        r"\bcan(?=not\b)",
        rf"{_WORD}(?=n't\b)",
        r"n't\b",
        r"'(?:s|m|d|ll|re|ve)\b",
        rf"{_WORD}(?![-./&]?[\w#]|[,:]#)",
        r"\.{2,}|-{2,}|`+|''",
        r"\S",
    ]
)


def write_static_model(vectors: Vectors, folder: Path) -> None:
    """Write the files of a static embedding model into a folder."""
    matrix = np.ascontiguousarray(vectors.matrix, np.float32)
    save_file({"embeddings": matrix}, folder / "model.safetensors")
    config = {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "hidden_dim": matrix.shape[1],
        "normalize": False,
        "embedding_dtype": "float32",
    }
    module = {"idx": 0, "name": "0", "path": ".", "type": _MODULE}
    content = {"tokenizer": tokenizer(vectors.words), "config": config, "modules": [module]}
    for name, value in content.items():
        write_text(folder / f"{name}.json", json.dumps(value, ensure_ascii=False) + "\n")


_MODULE = "sentence_transformers.models.StaticEmbedding"


def tokenizer(words: tuple[str, ...]) -> dict[str, Any]:
    """The content of `tokenizer.json` for a vocabulary, of which word 0 is the unknown word."""
    normalizers: list[dict[str, Any]] = [{"type": "Lowercase"}]
    normalizers += [
        {"type": "Replace", "pattern": {"Regex": pattern}, "content": content}
        for pattern, content in _REPLACED.items()
    ]
    split = {"type": "Split", "pattern": {"Regex": _TOKEN}, "behavior": "Removed", "invert": True}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": normalizers},
        "pre_tokenizer": split,
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: k for k, word in enumerate(words)},
            "unk_token": words[0],
        },
    }
