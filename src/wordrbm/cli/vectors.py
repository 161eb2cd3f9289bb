"""Commands on word vectors: `neighbours` and `export`."""

import json
from itertools import zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordrbm.cli.options import AsJson, ModelFolder, print_result

if TYPE_CHECKING:
    from wordrbm.io.vectors import Neighbours


def show_neighbours(
    model: ModelFolder,
    words: Annotated[list[str] | None, typer.Argument(help="The words to look up.")] = None,
    count: Annotated[int, typer.Option(help="Neighbours of each word.")] = 5,
    among: Annotated[
        int | None,
        typer.Option(help="Look only at this many frequent words.", show_default="all words"),
    ] = None,
    groups: Annotated[
        bool, typer.Option("--groups", help="Do days, months, numbers and modals stand together?")
    ] = False,
    context: Annotated[
        str | None, typer.Option(help="A text with one ___: the words nearest to what fits there.")
    ] = None,
    raw: Annotated[
        bool, typer.Option("--raw", help="Compare rows of D as trained, not centred and whitened.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Print the words whose vectors point most nearly the same way.

    \b
    Example:
      wordrbm neighbours model sunday could hotel --count 5
      wordrbm neighbours model --context "the ___ said"
    """
    from wordrbm.analysis.neighbour_groups import GROUPS, neighbour_purity
    from wordrbm.errors import WordRBMError
    from wordrbm.io import load_vectors
    from wordrbm.text.tokenizer import normalize_token

    if not words and not groups and context is None:
        raise WordRBMError("No word was given; name the words to look up.")
    vectors = load_vectors(model, raw=raw)
    normalized = [normalize_token(word) for word in words or []]
    nearest = {word: vectors.most_similar(word, count, among=among) for word in normalized}
    if context is not None:
        from wordrbm.trained_model import load

        expected = load(model).infer_vector(context, raw=raw)
        nearest[context] = vectors.nearest(expected, count, among=among)
    chosen = GROUPS if groups else {}
    purities = {name: neighbour_purity(vectors, group, count) for name, group in chosen.items()}
    if as_json:
        rows = {name: purity._asdict() for name, purity in purities.items()}
        print(json.dumps({"neighbours": nearest, "groups": rows}))
        return
    print_neighbours(nearest)
    for name, purity in purities.items():
        missing = f" (not in the vocabulary: {', '.join(purity.missing)})" if purity.missing else ""
        share = f"{purity.inside:.2f} of {count} nearest neighbours"
        print(f"{name:8} {share} are of the same kind{missing}")


def print_neighbours(nearest: "dict[str, Neighbours]") -> None:
    """Print a table with a column per word, as many as the screen holds side by side."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text  # a str would be read for markup, as [/b]

    console = Console()
    per_table = max(1, console.width // 18)
    words = list(nearest)
    for first in range(0, len(words), per_table):
        columns = words[first : first + per_table]
        table = Table()
        for name in columns:
            table.add_column(Text(name))
        for row in zip_longest(*(nearest[word] for word in columns), fillvalue=("", 0.0)):
            table.add_row(*(Text(word) for word, _ in row))
        console.print(table)


def export_vectors(
    model: ModelFolder,
    out: Annotated[Path, typer.Option(help="The file or, for model2vec and spacy, folder.")],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help="word2vec, word2vec-binary, glove, safetensors, model2vec or spacy.",
        ),
    ] = "word2vec",
    raw: Annotated[
        bool, typer.Option("--raw", help="The rows of D as trained, not centred and whitened.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write the word vectors for another library: gensim, model2vec, spaCy and others.

    Vectors are centred and whitened by word frequency, so that cosines are meaningful.

    \b
    Example:
      wordrbm export model --out vectors.txt --format word2vec
      wordrbm export model --out static --format model2vec
    """
    from wordrbm.io import export, load_vectors

    vectors = load_vectors(model, raw=raw)
    export.write_vectors(vectors, out, form)
    words, dimension = vectors.matrix.shape
    result = {"out": str(out), "format": form, "words": words, "dimension": dimension}
    print_result(result, [f"{out}: {words:,} words of {dimension} numbers"], as_json=as_json)
