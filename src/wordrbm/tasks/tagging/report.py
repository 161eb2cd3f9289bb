"""The table of a grid, as text, Markdown and JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from wordrbm.tasks.tagging.cells import Cell, Result
from wordrbm.tasks.tagging.errors import Errors
from wordrbm.tasks.tagging.grid import Row, Tried, best_of, best_row
from wordrbm.tasks.tagging.spans import Counts, Evaluation

HEADS = ("model", "valid F1", "test F1", "precision", "recall", "chosen", "CRFsuite")

Confirmed = Mapping[str, Evaluation]  # by CRFsuite itself, rows that were asked for


def as_records(rows: Sequence[Row], confirmed: Confirmed) -> list[dict[str, Any]]:
    """Every row with all its numbers."""
    return [
        {
            "model": row.name,
            "chosen": _settings(row.chosen),
            "valid": _result(row.valid),
            "test": _result(row.test),
            "crfsuite_test": _other(row, confirmed),
            "times_tested": row.times_tested,
            "tagger": str(row.folder),
        }
        for row in rows
    ]


def cells_as_records(rows: Sequence[Sequence[Tried]]) -> list[dict[str, Any]]:
    """Every cell in validation, and whether it is the one that its row would be tested with."""
    return [
        {
            "model": one.cell.row,
            **_settings(one.cell),
            "chosen": one is best_of(cells),
            "valid": _result(one.result),
        }
        for cells in rows
        for one in cells
    ]


def cells_as_text(rows: Sequence[Sequence[Tried]]) -> str:
    """The same for a terminal, best cells marked."""
    lines: list[Sequence[str]] = [("model", "valid F1", "precision", "recall", "settings", "best")]
    for cells in rows:
        best = best_of(cells)
        lines += [
            (
                one.cell.row,
                *(_percent(x) for x in _three(one.result.evaluation.overall)),
                _named(one.cell),
                "*" if one is best else "",
            )
            for one in cells
        ]
    return _aligned(lines)


def as_markdown(rows: Sequence[Row], confirmed: Confirmed) -> str:
    """A table that documents can hold, and one of the types of chunks of the last row."""
    lines = [HEADS, ["---"] * len(HEADS), *_cells(rows, confirmed)]
    text = "\n".join(_line(line) for line in lines)
    types = "\n".join(_line(line) for line in _types(best_row(rows), ["---"] * 5))
    head = f"Types of chunks, {best_row(rows).name}:"
    return "\n\n".join([text, *_tested_again(rows), head, types]) + "\n"


def _line(cells: Sequence[str]) -> str:
    escaped = (cell.replace("|", "\\|") for cell in cells)
    return f"| {' | '.join(escaped)} |"


def as_text(rows: Sequence[Row], confirmed: Confirmed) -> str:
    """The same for a terminal."""
    table = _aligned([HEADS, *_cells(rows, confirmed)])
    types = f"{best_row(rows).name}:\n{_aligned(_types(best_row(rows)))}"
    return "\n\n".join([table, *_tested_again(rows), types])


def _tested_again(rows: Sequence[Row]) -> list[str]:
    """Rows whose test was read more than once, which a reader should know."""
    again = [row for row in rows if row.times_tested > 1]
    return [f"{row.name}: {row.times_tested} settings were tested." for row in again]


def as_error_record(errors: Errors) -> dict[str, Any]:
    """An analysis of errors."""
    return {
        "chunks_with_unseen_words": errors.unseen.record(),
        "chunks_of_seen_words": errors.seen.record(),
        "confused": [list(one) for one in errors.confused],
        "words": [list(one) for one in errors.words],
    }


def _result(result: Result) -> dict[str, Any]:
    evaluation = result.evaluation
    return {
        **evaluation.overall.record(),
        "accuracy": evaluation.accuracy,
        "types": {kind: counts.record() for kind, counts in evaluation.types.items()},
        "steps": result.steps,
        "seconds": result.seconds,
    }


def _other(row: Row, confirmed: Confirmed) -> dict[str, float] | None:
    return confirmed[row.name].overall.record() if row.name in confirmed else None


def _cells(rows: Sequence[Row], confirmed: Confirmed) -> list[tuple[str, ...]]:
    return [
        (
            row.name,
            _percent(row.valid.evaluation.overall.f1),
            *(_percent(x) for x in _three(row.test.evaluation.overall)),
            _named(row.chosen),
            _percent(confirmed[row.name].overall.f1) if row.name in confirmed else "",
        )
        for row in rows
    ]


def _named(cell: Cell) -> str:
    named = {"scale": cell.scale, "hidden scale": cell.hidden_scale}
    scales = "".join(f", {name} {value:g}" for name, value in named.items() if value)
    return f"c2 {cell.c2:g}{scales}"


def _settings(cell: Cell) -> dict[str, float]:
    return {"scale": cell.scale, "hidden_scale": cell.hidden_scale, "c2": cell.c2}


def _types(row: Row, rule: Sequence[str] | None = None) -> list[Sequence[str]]:
    heads: list[Sequence[str]] = [("type", "test F1", "precision", "recall", "chunks")]
    types = row.test.evaluation.types
    lines = [(kind, *map(_percent, _three(x)), str(x.there)) for kind, x in types.items()]
    return heads + ([rule] if rule else []) + lines


def _three(counts: Counts) -> tuple[float, float, float]:
    return counts.f1, counts.precision, counts.recall


def _percent(share: float) -> str:
    return f"{100 * share:.2f}"


def _aligned(lines: Sequence[Sequence[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])])
        for line in lines
    )
