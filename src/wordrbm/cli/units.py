"""`wordrbm units`: the words and windows that turn hidden units on."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordrbm.cli import options as opt

if TYPE_CHECKING:
    from wordrbm.analysis.hidden_units import UnitActivity
    from wordrbm.trained_model import TrainedModel


def show_units(
    model: opt.ModelFolder,
    units: Annotated[list[int], typer.Argument(help="Numbers of hidden units, from 0.")],
    corpus: Annotated[
        Path | None, typer.Option(help="The corpus it was trained on, for windows and on-rates.")
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=1000, help="Words of each position.")] = 10,
    among: Annotated[int, typer.Option(min=2, help="Look at this many frequent words.")] = 20_000,
    as_json: opt.AsJson = False,
) -> None:
    """Print the words that turn a hidden unit on most, at each position of a window.

    With --corpus also how often it is on, and the windows of the text where it is surest.

    \b
    Example:
      wordrbm units model 3 --corpus corpus
    """
    from wordrbm.analysis.hidden_units import UnitActivity, check_unit
    from wordrbm.text.corpus import PreparedCorpus, check_vocabulary
    from wordrbm.trained_model import load

    trained = load(model)
    for unit in units:
        check_unit(trained.rbm, unit)
    activity = None
    if corpus is not None:
        text = check_vocabulary(PreparedCorpus.open(corpus), trained.vocabulary)
        activity = UnitActivity.measure(trained.rbm, text.windows(trained.rbm.positions, "train"))
    records = [_record(trained, activity, unit, count, among) for unit in units]
    opt.print_result(records, (line for row in records for line in _lines(row)), as_json=as_json)


def _record(
    model: "TrainedModel", activity: "UnitActivity | None", unit: int, count: int, among: int
) -> dict[str, Any]:
    from wordrbm.analysis.hidden_units import unit_words

    positions = unit_words(model.rbm, model.vocabulary.words, unit, count, among=among)
    record: dict[str, Any] = {
        "unit": unit,
        "bias": float(model.rbm.c[unit]),
        "positions": [place._asdict() for place in positions],
    }
    if activity is not None:
        rows = zip(model.words(activity.windows[unit]), activity.means[unit].tolist(), strict=True)
        record["on_rate"] = float(activity.on_rate[unit])
        record["windows"] = [{"words": words, "mean": mean} for words, mean in rows]
    return record


def _lines(record: dict[str, Any]) -> Iterator[str]:
    on = f", on in {record['on_rate']:.2%} of the text" if "on_rate" in record else ""
    yield f"unit {record['unit']}, bias {record['bias']:.2f}{on}"
    for number, place in enumerate(record["positions"], start=1):
        yield f"  on at position {number}:   {' '.join(word for word, _ in place['highest'])}"
        yield f"  off at position {number}:  {' '.join(word for word, _ in place['lowest'])}"
    for row in record.get("windows", []):
        yield f"  {row['mean']:.3f}  {' '.join(row['words'])}"
