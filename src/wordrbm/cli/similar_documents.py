"""`wordrbm documents similar`: the documents nearest to a query by their topics."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordrbm.cli import options as opt
from wordrbm.cli.document_input import ReadDocuments, Reading, read_for_model
from wordrbm.cli.topics import WORDLESS, DocumentPaths, TopicModelFolder

if TYPE_CHECKING:
    from wordrbm.io.document_file import StoredTopics


def find_similar(
    model: TopicModelFolder,
    data: DocumentPaths,
    query: Annotated[
        Path | None,
        typer.Option(
            help="Documents to compare with; - is standard input, a document a line.",
            show_default="-",
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Documents to print for each.")] = 10,
    field: opt.Field = "text",
    encoding_errors: opt.EncodingErrors = "strict",
    as_json: opt.JsonLines = False,
) -> None:
    """Print the documents of a collection whose topics are nearest to those of each query.

    Nearness is the cosine of topics less those of the average document, at one length for all
    documents. Documents without a word of the model are left out.

    \b
    Example:
      echo "the shuttle reached orbit" | wordrbm documents similar topics posts.jsonl.gz
      wordrbm documents similar topics posts.jsonl.gz --query post.txt --json
    """
    from wordrbm.io.document_file import read_topics

    stored, reading = read_topics(model), Reading(field, encoding_errors)
    queries = read_for_model(stored, [query or Path("-")], reading)
    collection = read_for_model(stored, data, reading)
    for place, beginning, pairs in zip(
        queries.places, queries.beginnings, _nearest(stored, queries, collection, top), strict=True
    ):
        if as_json:
            similar = [{"document": collection.places[k], "cosine": value} for k, value in pairs]
            print(json.dumps({"query": place, "similar": similar}))
            continue
        print(f"{place}: {beginning}" if pairs else f"{place}: {WORDLESS}")
        for k, value in pairs:
            print(f"  {value:.3f}  {collection.places[k]}  {collection.beginnings[k]}")


def _nearest(
    stored: "StoredTopics", queries: ReadDocuments, collection: ReadDocuments, top: int
) -> list[list[tuple[int, float]]]:
    """The numbers and cosines of the documents nearest to each query; none if it has no word."""
    import numpy as np

    from wordrbm.inference.similarity import document_vectors, nearest_documents

    rows = np.flatnonzero(collection.counts.sum(axis=1))
    vectors, others = (
        document_vectors(stored.rbm, stored.frequency, x)
        for x in (queries.counts, collection.counts[rows])
    )
    nearest, cosine = nearest_documents(vectors, others, top)
    pairs = [
        list(zip(rows[numbers].tolist(), values.tolist(), strict=True))
        for numbers, values in zip(nearest, cosine, strict=True)
    ]
    has_words = np.asarray(queries.counts.sum(axis=1)).reshape(-1) > 0
    return [found if known else [] for found, known in zip(pairs, has_words, strict=True)]
