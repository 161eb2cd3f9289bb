"""Answers of a classifier, window by window, and of a tagger, token by token."""

import io
from typing import Annotated, Any

from pydantic import Field

from wordrbm.classification.explain import explain
from wordrbm.errors import WordRBMError
from wordrbm.explore.session import Session
from wordrbm.settings import StrictModel
from wordrbm.tagging.conll import read_conll_stream

MAX_CHARACTERS, TOP = 20_000, 5

LongText = Annotated[str, Field(max_length=MAX_CHARACTERS)]


class DocumentRequest(StrictModel):
    """A document to classify, or sentences to tag."""

    text: LongText


def classify(session: Session, request: DocumentRequest) -> dict[str, Any]:
    """The probability of each class, and what every word and window contributes to it."""
    classifier = session.classifier
    if classifier is None:
        raise WordRBMError(
            "No classifier was given; start wordrbm explore with --classifier FOLDER."
        )
    explanation = explain(classifier.models, classifier.head, request.text)
    return {
        "classes": list(classifier.classes),
        "probability": explanation.probability.tolist(),
        "tokens": list(explanation.tokens),
        "words": explanation.words.tolist(),
        "n": explanation.n,
        "windows": [
            [window._asdict() for window in explanation.top(c, TOP)]
            for c in range(len(classifier.classes))
        ],
    }


def tag(session: Session, request: DocumentRequest) -> dict[str, Any]:
    """The most probable labels of sentences, and the marginal probability of each."""
    tagger = session.tagger
    if tagger is None:
        raise WordRBMError("No tagger was given; start wordrbm explore with --tagger FOLDER.")
    columns = tagger.attributes.columns
    text = request.text if columns > 1 else "\n".join(request.text.split(" "))
    sentences = [
        sentence.columns
        for sentence in read_conll_stream(
            io.BytesIO(text.encode()),
            columns,
            f"this tagger reads {columns}, one token a line",
            "The text",
        )
    ]
    if not sentences:
        return {"labels": list(tagger.output_labels), "sentences": []}
    labels = tagger.tag(sentences)
    marginals = iter(tagger.marginals(sentences))
    return {
        "labels": list(tagger.output_labels),
        "sentences": [
            [
                {"columns": list(token), "label": label, "p": next(marginals).tolist()}
                for *token, label in zip(*columns_of, names, strict=True)
            ]
            for columns_of, names in zip(sentences, labels, strict=True)
        ],
    }
