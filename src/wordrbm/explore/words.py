"""Answers about words: what the model is, all its words on the map, the neighbours of one."""

from typing import Annotated, Any

import numpy as np
from pydantic import Field

from wordrbm.explore.session import Session
from wordrbm.io.model_folder import METRICS
from wordrbm.settings import StrictModel
from wordrbm.text.tokenizer import normalize_token

Word = Annotated[str, Field(min_length=1, max_length=200)]
Count = Annotated[int, Field(ge=1, le=100)]


class NeighboursRequest(StrictModel):
    """A word, and how many neighbours of it to give."""

    word: Word
    count: Count = 10


def describe(session: Session) -> dict[str, Any]:
    """Sizes, settings and what can be asked: the first thing that the page reads."""
    model, word_map = session.model, session.word_map
    n, H, d = model.rbm.U.shape
    tagger, classifier = session.tagger, session.classifier
    return {
        "name": session.folder.resolve().name or "model",
        "paths": session.paths,
        "sizes": {"K": len(model.vocabulary), "n": n, "H": H, "d": d},
        "tokens": int(model.vocabulary.counts.sum()),
        "map": {
            "points": session.points,
            "embedded": word_map.embedded,
            "method": word_map.method,
            "labels": [list(words) for words in word_map.labels],
        },
        "corpus": session.corpus is not None,
        "metrics": (session.folder / METRICS).is_file(),
        "classes": list(classifier.classes) if classifier else None,
        "tagger": {"labels": list(tagger.output_labels), "columns": tagger.attributes.columns}
        if tagger
        else None,
        "mh_steps": model.settings.mh_steps,
    }


def list_words(session: Session) -> dict[str, Any]:
    """The words of the map and their counts, in the order of their ids."""
    vocabulary, P = session.model.vocabulary, session.points
    return {"words": list(vocabulary.words[:P]), "counts": vocabulary.counts[:P].tolist()}


def pack_map(session: Session) -> bytes:
    """The places of all points as little-endian int16 (P, 2), then their clusters as bytes."""
    places = np.round(session.word_map.xy * 32767.0).astype("<i2")
    return places.tobytes() + session.word_map.cluster.tobytes()


def find_neighbours(session: Session, request: NeighboursRequest) -> dict[str, Any]:
    """The nearest words by cosine, among all words of the vocabulary."""
    word, vectors = normalize_token(request.word), session.model.vectors
    nearest = vectors.most_similar(word, request.count)
    vocabulary = session.model.vocabulary
    k = vocabulary.index[word]
    return {
        "word": word,
        "id": k,
        "count": int(vocabulary.counts[k]),
        "neighbours": [
            {"word": other, "id": vectors.index[other], "cosine": cosine}
            for other, cosine in nearest
        ],
    }
