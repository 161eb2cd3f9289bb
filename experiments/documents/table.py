"""The table of topic models: a column for every run, the best of every package of LDA."""

from collections.abc import Mapping
from typing import Any

from experiments.cache import Record
from experiments.documents.lda import LdaSpec
from experiments.documents.study import SHARES
from experiments.tables import Report, Table

# Of words of a topic; the choice is by documents, and of LDA by relevance.
ORDERS = "probability", "lift", "choice"
NOT_A_NUMBER = "D", "U", "b", "c", "phi", "alpha"  # arrays of a trained model


def documents_report(
    base: Record, rows: Mapping[str, Record], specs: Mapping[str, LdaSpec]
) -> Report:
    """Text, Markdown and JSON of all results; `base` is what holds for all of them."""
    heads = ["", *rows]
    lines = [
        ["validation perplexity per word, annealing", *_each(rows, "validation", "perplexity")],
        ["validation completion", *_each(rows, "validation", "completion")],
        ["the same given the length", *_each(rows, "validation", "completion_by_length")],
        ["test perplexity per word, annealing", *_each(rows, "perplexity")],
        ["test perplexity with the hard bound", *_each(rows, "perplexity_if_bound")],
        ["smallest effective sample size", *_each(rows, "smallest_sample_size")],
        ["documents with a sample size below 10", *_each(rows, "share_below_ten")],
        ["hard bound above the estimate, nats", *_each(rows, "bound_above_estimate")],
        ["test completion", *_each(rows, "completion")],
        ["test completion given the length", *_each(rows, "completion_by_length")],
        *_precision(rows, "precision", ""),
        *_precision(rows, "plain_precision", ", topics as they are"),
        *([f"NPMI, words by {order}", *_each(rows, f"coherence_by_{order}")] for order in ORDERS),
        *([f"distinct words by {order}", *_each(rows, f"distinct_by_{order}")] for order in ORDERS),
        ["CPU seconds of training", *_each(rows, "validation", "cpu_seconds")],
    ]  # fmt: skip
    table = Table(heads, [line for line in lines if any(line[1:])])
    record = {
        **base,
        "lda": {name: list(spec) for name, spec in specs.items()},
        "rows": {name: _plain(row) for name, row in rows.items()},
    }
    note = ", ".join(f"{name} {value:g}" for name, value in base.items())
    return Report(f"{table.as_text()}\n{note}", f"{table.as_markdown()}\n\n{note}", record)


def _precision(rows: Mapping[str, Record], name: str, note: str) -> list[list[str]]:
    return [
        *([f"precision, nearest {100 * share:g} %{note}", *_each(rows, name, place)]
          for place, share in enumerate(SHARES)),
        *([f"precision at recall {100 * share:g} %{note}",
           *_each(rows, f"{name}_by_recall", place)] for place, share in enumerate(SHARES)),
    ]  # fmt: skip


def _each(rows: Mapping[str, Record], *path: Any) -> list[str]:
    return [_cell(row, *path) for row in rows.values()]


def _cell(value: Any, *path: Any) -> str:
    for name in path:
        if isinstance(value, Mapping) and name not in value:
            return ""
        value = value[name]
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3f}"


def _plain(row: Record) -> Record:
    """A row without the parameters of its model."""
    numbers = {name: value for name, value in row["validation"].items() if name not in NOT_A_NUMBER}
    return {**row, "validation": numbers}
