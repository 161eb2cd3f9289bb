"""`wordrbm export`: the word vectors in a format other programs read."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Form(StrEnum):
    """The formats of word2vec."""

    TEXT = "word2vec"
    BINARY = "word2vec-binary"


def export(
    model: Annotated[Path, typer.Argument(help="A folder made by `wordrbm train`.")],
    out: Annotated[Path, typer.Option(help="The file to write.")],
    form: Annotated[Form, typer.Option("--format", help="Text or binary.")] = Form.TEXT,
    raw: Annotated[
        bool, typer.Option("--raw", help="The rows of D as trained, not centred and whitened.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Write the word vectors as a word2vec file, for gensim and others.

    Vectors are centred and whitened by word frequency, so that cosines are meaningful.

    \b
    Example:
      wordrbm export model --out vectors.txt --format word2vec
    """
    from wordrbm.io import load_vectors
    from wordrbm.io.word2vec import write_word2vec

    vectors = load_vectors(model, raw=raw)
    write_word2vec(vectors, out, form.value)
    words, dimension = vectors.matrix.shape
    if as_json:
        print(json.dumps({"out": str(out), "words": words, "dimension": dimension}))
    else:
        print(f"{out}: {words:,} words of {dimension} numbers")
