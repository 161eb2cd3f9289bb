"""`wordrbm documents likelihood`: the perplexity of documents, with its checks by length."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordrbm.cli import options as opt
from wordrbm.cli import topics
from wordrbm.cli.document_input import Reading, read_for_model
from wordrbm.cli.progress import interruptible, progress
from wordrbm.errors import WordRBMError

if TYPE_CHECKING:
    from wordrbm.likelihood.length_checks import DocumentLikelihood


def report_likelihood(
    model: topics.TopicModelFolder,
    data: topics.DocumentPaths,
    reference: Annotated[
        Path | None,
        typer.Option(help="Documents whose topics bound log Z, as those of training."),
    ] = None,
    documents: Annotated[int, typer.Option(min=1, help="Documents to score at most.")] = 1000,
    max_length: Annotated[
        int, typer.Option(min=1, help="Leave out documents of more words.")
    ] = 1000,
    particles: Annotated[int, typer.Option(min=2, help="Particles that are annealed.")] = 64,
    seed: Annotated[int, typer.Option(min=0, help="Random seed.")] = 1,
    field: opt.Field = "text",
    encoding_errors: opt.EncodingErrors = "strict",
    threads: opt.Threads = None,
    quiet: opt.Quiet = False,
    as_json: opt.AsJson = False,
) -> None:
    """Estimate the perplexity of held-out documents by annealing, with its checks by length.

    log Z is estimated forward from length 0 and in reverse from the documents; a bound from the
    topics of documents holds for certain. Where they disagree a warning is printed.

    \b
    Example:
      wordrbm documents likelihood topics heldout.jsonl --reference posts.jsonl.gz
    """
    from wordrbm.io.document_file import read_topics
    from wordrbm.likelihood.length_checks import check_likelihood
    from wordrbm.threads import worker_count

    stored, reading = read_topics(model), Reading(field, encoding_errors)
    with (
        interruptible("Stopped; nothing was written."),
        progress("likelihood", 1.0, quiet=quiet) as show,
    ):
        chosen, total = _choose(read_for_model(stored, data, reading).counts, documents, max_length)
        others = None if reference is None else read_for_model(stored, [reference], reading).counts
        estimate = check_likelihood(
            stored.rbm, chosen, others, particles=particles, seed=seed,
            threads=worker_count(threads), report=show,
        )  # fmt: skip
    result = {
        "documents": chosen.shape[0], "of": total, "perplexity": estimate.perplexity,
        "perplexity_reverse": estimate.perplexity_reverse,
        "log_Z": [check._asdict() for check in estimate.checks], "warnings": estimate.warnings,
    }  # fmt: skip
    opt.print_result(result, _likelihood_lines(estimate, result), as_json=as_json)


def _choose(counts: Any, documents: int, max_length: int) -> tuple[Any, int]:
    """At most so many documents that have words and are not too long, evenly spread."""
    import numpy as np

    from wordrbm.training.document_trainer import document_lengths

    lengths = document_lengths(counts)
    rows = np.flatnonzero((lengths >= 1) & (lengths <= max_length))
    if not rows.size:
        raise WordRBMError(
            f"No document has from 1 to {max_length} words of the model; use a larger --max-length."
        )
    count = min(documents, rows.size)
    return counts[rows[np.arange(count) * rows.size // count]], counts.shape[0]


def _likelihood_lines(estimate: "DocumentLikelihood", result: dict[str, Any]) -> Iterator[str]:
    yield f"perplexity per word of {result['documents']:,} of {result['of']:,} documents: " + (
        f"{estimate.perplexity:,.1f} (with log Z in reverse {estimate.perplexity_reverse:,.1f})"
    )
    yield "length  documents  log Z at least     forward  ±        sample     reverse  ±"
    for x in estimate.checks:
        yield (
            f"{x.length:6,} {x.documents:10,} {x.bound:15.2f} {x.forward:11.2f}  "
            f"{x.standard_error:<6.2f} {x.effective_sample_size:8.1f} {x.reverse:11.2f}  "
            f"{x.reverse_error:<6.2f}"
        )
    yield from (f"warning: {sentence}" for sentence in estimate.warnings)
