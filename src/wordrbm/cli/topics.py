"""Commands on a trained topic model: its topics, and the topics of documents."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordrbm.cli import options as opt
from wordrbm.cli.document_input import Reading, read_for_model
from wordrbm.errors import WordRBMError

if TYPE_CHECKING:
    from wordrbm.analysis.topic_plot import Topic
    from wordrbm.io.document_file import StoredTopics

ORDER = "weight"
WORDLESS = "no word of the model"
COHERENCE_WORDS = 10  # of a topic, whose NPMI is its coherence

TopicModelFolder = Annotated[
    Path, typer.Argument(help="A folder made by `wordrbm documents train`.")
]
DocumentPaths = Annotated[
    list[Path],
    typer.Argument(help="Text files, JSON lines, folders of them, a prepared corpus or an .npz."),
]
ManyDocuments = Annotated[
    list[Path] | None,
    typer.Argument(
        help="Text files, JSON lines, folders of them; - is standard input, a document a line.",
        show_default="-",
    ),
]


def show_topics(
    model: TopicModelFolder,
    top: Annotated[int, typer.Option(min=1, help="Words of each topic.")] = 10,
    by: Annotated[
        str,
        typer.Option(
            help="weight, probability, lift (probability over frequency), relevance, or documents "
            "(words of the --reference documents in which the topic stands out)."
        ),
    ] = ORDER,
    reference: Annotated[
        Path | None,
        typer.Option(help="Documents for the coherence.", show_default="those of training"),
    ] = None,
    plot: Annotated[Path | None, typer.Option(help="Plot the topics too: .png or .svg.")] = None,
    pyldavis: Annotated[
        Path | None,
        typer.Option(help="Write the arguments of pyLDAvis.prepare for the --reference: .npz."),
    ] = None,
    field: opt.Field = "text",
    encoding_errors: opt.EncodingErrors = "strict",
    as_json: opt.AsJson = False,
) -> None:
    """Print the words of every topic and its coherence, the most coherent topic first.

    Coherence is the mean NPMI of the topic's first ten words in documents.

    \b
    Example:
      wordrbm documents topics topics --plot topics.png
      wordrbm documents topics topics --by probability --reference other.jsonl --json
    """
    from wordrbm.analysis.topic_plot import plot_topics
    from wordrbm.io.document_file import read_topics

    stored = read_topics(model)
    if plot is not None:
        from wordrbm.analysis.plots import image_format

        image_format(plot)
    counts = None
    if reference is not None:
        counts = read_for_model(stored, [reference], Reading(field, encoding_errors)).counts
    if pyldavis is not None:
        _write_pyldavis(stored, counts, pyldavis)
    rows = describe_topics(stored, model, top, by, counts)
    if plot is not None:
        plot_topics(rows, by, plot)
    result = [
        {"topic": row.number, "coherence": row.coherence, "words": list(row.words),
         "scores": list(row.scores)} for row in rows
    ]  # fmt: skip
    lines = [_line(row) for row in rows] + [f"plot: {plot}"] * (plot is not None)
    opt.print_result(result, lines, as_json=as_json)


def describe_topics(
    stored: "StoredTopics", folder: Path, top: int, by: str, reference: Any = None
) -> "list[Topic]":
    """Every topic with its words and coherence, the most coherent first."""
    import numpy as np

    from wordrbm.analysis.coherence import topic_coherence
    from wordrbm.analysis.topic_plot import Topic
    from wordrbm.inference.topics import BY_DOCUMENTS, first_words, word_scores

    if by == BY_DOCUMENTS and reference is None:
        raise WordRBMError("--by documents needs documents; give some as --reference.")
    scores = word_scores(stored.rbm, stored.frequency, by, reference)
    ranked = first_words(scores, max(top, COHERENCE_WORDS))
    if reference is not None:
        known: Sequence[float | None] = topic_coherence(
            ranked[:, :COHERENCE_WORDS], reference
        ).tolist()
    else:
        known = _stored_coherence(folder, by, len(ranked))
    rows = [
        Topic(
            number, [stored.words[k] for k in words[:top]],
            np.take(scores[number], words[:top]).astype(float).tolist(), coherence,
        )
        for number, (words, coherence) in enumerate(zip(ranked.tolist(), known, strict=True))
    ]  # fmt: skip
    return sorted(rows, key=lambda row: (-(row.coherence or 0.0), row.number))


def _stored_coherence(folder: Path, by: str, count: int) -> "Sequence[float | None]":
    """The coherence in the training documents, if training measured it."""
    from wordrbm.io.document_file import REPORT

    try:
        report = json.loads((folder / REPORT).read_text("utf-8"))
        values = [float(value) for value in report["coherence"][by]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # saved from Python
        values = []
    return values if len(values) == count else [None] * count


def topic_lines(folder: Path, count: int) -> list[str]:
    """The most coherent topics of a model folder, a line each."""
    from wordrbm.io.document_file import read_topics

    rows = describe_topics(read_topics(folder), folder, COHERENCE_WORDS, ORDER)
    return [_line(row) for row in rows[:count]]


def _line(row: "Topic") -> str:
    coherence = "      " if row.coherence is None else f"{row.coherence:6.3f}"
    return f"topic {row.number:3}  {coherence}  {' '.join(row.words)}"


def _write_pyldavis(stored: "StoredTopics", counts: Any, path: Path) -> None:
    import numpy as np

    from wordrbm.inference.topics import pyldavis_arguments
    from wordrbm.storage import atomic_write

    if counts is None:
        raise WordRBMError("--pyldavis needs documents to show; give some as --reference.")
    opt.check_suffix("pyldavis", path, ".npz")
    arguments = pyldavis_arguments(stored.rbm, counts, stored.words)
    with atomic_write(path) as temporary, temporary.open("wb") as file:
        arrays: Any = {name: np.asarray(value) for name, value in arguments.items()}
        np.savez(file, **arrays)


def transform_documents(
    model: TopicModelFolder,
    files: ManyDocuments = None,
    out: Annotated[
        Path | None, typer.Option(help="Write the probabilities of all topics: .npy (N, H).")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="Topics to print of each document.")] = 5,
    field: opt.Field = "text",
    encoding_errors: opt.EncodingErrors = "strict",
    as_json: opt.JsonLines = False,
) -> None:
    """Print the most probable topics of each document, without any further training.

    With --json the probabilities of all topics are printed, and how many words each document has.
    Of a document without a word of the model nothing is known: all its topics are 0.5.

    \b
    Example:
      wordrbm documents transform topics new.jsonl --json
      echo "the shuttle reached orbit" | wordrbm documents transform topics
    """
    import numpy as np

    from wordrbm.io.document_file import read_topics
    from wordrbm.storage import atomic_write

    if out is not None:
        opt.check_suffix("out", out, ".npy")
    stored = read_topics(model)
    documents = read_for_model(stored, files or [Path("-")], Reading(field, encoding_errors))
    words = np.asarray(documents.counts.sum(axis=1)).reshape(-1).astype(int).tolist()
    mean = stored.rbm.hidden_mean(documents.counts)
    if out is not None:
        with atomic_write(out) as temporary, temporary.open("wb") as file:
            np.save(file, mean.astype(np.float32))
    for place, count, row in zip(documents.places, words, mean, strict=True):
        if as_json:
            print(json.dumps({"document": place, "words": count, "topics": row.tolist()}))
        elif not count:
            print(f"{place}\t{WORDLESS}")
        else:
            order = np.argsort(-row, kind="stable")[:top].tolist()
            print(f"{place}\t{' '.join(f'{j}:{row[j]:.3f}' for j in order)}")
