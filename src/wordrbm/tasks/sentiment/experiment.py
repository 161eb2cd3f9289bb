"""The whole experiment: cells trained, rows fitted, the table and a classifier written."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

from wordrbm.classification.classifier_file import save_classifier
from wordrbm.parallel import Show, StopCheck
from wordrbm.storage import write_text
from wordrbm.tasks.sentiment.baselines import Bags
from wordrbm.tasks.sentiment.classifier import best_classifier
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.fitting import nb_svm, svm
from wordrbm.tasks.sentiment.guess_rows import Learnt, guess_rows, learnt_with_guesses, means_of
from wordrbm.tasks.sentiment.guesses import has_guesses
from wordrbm.tasks.sentiment.kept import gathered
from wordrbm.tasks.sentiment.report import as_markdown, as_records
from wordrbm.tasks.sentiment.rows import (
    BNC,
    NB_SVM,
    Given,
    Row,
    Weighed,
    apart_rows,
    baseline_rows,
    combined_row,
    energy_rows,
    unit_rows,
    weighed_units,
)
from wordrbm.tasks.sentiment.running import run_cells, run_guesses
from wordrbm.tasks.sentiment.stacking import decisions
from wordrbm.tasks.sentiment.variant import Cell, Variant, cells_of

LABELLED = "all of these + bnc + NB trigrams"
EVERYTHING = "all, unlabelled too, + bnc + NB trigrams"
CELLS, CLASSIFIER, TABLE, NUMBERS = "cells", "classifier", "table.md", "table.json"


class Asked(NamedTuple):
    """What an experiment is of: class models by the names they have in the table."""

    variants: Mapping[str, Variant]
    seeds: Sequence[int]
    jobs: int
    guess: bool = False  # the classes of unlabelled documents


def train_cells(asked: Asked, data: Data, out: Path, show: Show, stop: StopCheck) -> None:
    """All the class models."""
    cells, place = _cells(asked), out / CELLS
    for cell in cells if asked.guess else ():
        has_guesses(cell, data, place)  # guesses of other documents are refused at once
    run_cells(cells, data, place, asked.jobs, show, stop, models=asked.guess)


def train_guesses(
    asked: Asked, data: Data, bags: Bags, out: Path, show: Show, stop: StopCheck
) -> None:
    """All of them again, with unlabelled documents whose classes were guessed."""
    run_guesses(_cells(asked), data, bags, out / CELLS, asked.jobs, show, stop)


def _cells(asked: Asked) -> list[Cell]:
    each = product(asked.variants.values(), asked.seeds)
    return [cell for variant, seed in each for cell in cells_of(variant, seed)]


def rows_expected(asked: Asked) -> int:
    """About how many rows there will be."""
    return 5 + (12 + 3 * asked.guess) * len(asked.variants)


def rows_of(asked: Asked, data: Data, bags: Bags, out: Path) -> Iterator[Row]:
    """Every row of the table, one after another."""
    settings = {}
    for row in baseline_rows(data, bags, data.fold):
        settings[row.name] = row.found[0].settings
        yield row
    given = _given(asked, data, out, bags, settings)
    weighed = dict[str, list[Weighed]]()
    for name in asked.variants:
        yield from energy_rows(given, name, asked.seeds)
        found = (weighed_units(given, name, seed) for seed in asked.seeds)
        weighed[name] = [one for one in found if one is not None]
        if weighed[name]:
            yield from unit_rows(given, name, weighed[name])
        yield from apart_rows(given, name, asked.seeds)
    labelled = {name: x for name, x in weighed.items() if not asked.variants[name].unlabelled}
    yield combined_row(given, LABELLED, labelled, asked.seeds)
    learnt = dict[str, list[Learnt]]()
    for name in asked.variants:
        learnt[name] = _learnt(asked, name, data, bags, out)
        yield from guess_rows(given, name, learnt[name])
    if asked.guess or len(labelled) < len(weighed):
        yield combined_row(given, EVERYTHING, weighed, asked.seeds, means_of(learnt))


def _learnt(asked: Asked, name: str, data: Data, bags: Bags, out: Path) -> list[Learnt]:
    """What was learnt with guesses, for every seed, if they were asked for."""
    variant, seeds = asked.variants[name], asked.seeds if asked.guess else ()
    return [learnt_with_guesses(variant, seed, data, bags, out / CELLS) for seed in seeds]


def _given(
    asked: Asked, data: Data, out: Path, bags: Bags, settings: Mapping[str, Mapping[str, float]]
) -> Given:
    """The energies of all cells, and the decisions of the machines over bags alone."""
    words, ngrams = settings[BNC], settings[NB_SVM]
    least, label, fold = int(words["least"]), data.train.label, data.fold
    found = {
        (name, seed): gathered(variant, seed, data, out / CELLS)
        for name, variant in asked.variants.items()
        for seed in asked.seeds
    }
    return Given(
        found=found,
        bag=bags.words[least],
        by_words=decisions(svm, words["C"], bags.words[least], label, fold),
        by_ngrams=decisions(nb_svm, ngrams["C"], bags.ngrams, label, fold),
        labels=(label, data.test.label),
        fold=fold,
        part=data.part,
    )


def write_results(asked: Asked, rows: Sequence[Row], data: Data, out: Path) -> None:
    """The table, and the first variant as a classifier that can be used."""
    write_text(out / TABLE, as_markdown(rows))
    write_text(out / NUMBERS, json.dumps(as_records(rows), indent=1))
    whole = Cell(next(iter(asked.variants.values())), asked.seeds[0], None)
    found = best_classifier(whole, data, out / CELLS, guess=asked.guess)
    save_classifier(out / CLASSIFIER, found)
