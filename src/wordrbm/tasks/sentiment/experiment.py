"""The whole experiment: cells trained, rows fitted, the table and a classifier written."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from wordrbm.estimators.class_models import ClassModels
from wordrbm.estimators.classifier_file import Kept, save_classifier
from wordrbm.estimators.layer import Layer
from wordrbm.estimators.views import BY_UNIT, WHOLE, View, compared
from wordrbm.storage import write_text
from wordrbm.tasks.sentiment.baselines import Bags, bags_of
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.fitting import Labels, nb_svm, svm
from wordrbm.tasks.sentiment.kept import (
    APART,
    UNITS,
    Gathered,
    class_models,
    gathered,
    told_models,
)
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
from wordrbm.tasks.sentiment.running import run_cells
from wordrbm.tasks.sentiment.stacking import (
    LAYER_PENALTIES,
    Cut,
    decisions,
    decisions_across,
    decisions_within,
    in_order,
    layer,
    loss,
)
from wordrbm.tasks.sentiment.variant import Cell, Variant, cells_of
from wordrbm.tasks.side_by_side import Show, Stop

LABELLED = "all of these + bnc + NB trigrams"
EVERYTHING = "all, unlabelled too, + bnc + NB trigrams"
CELLS, CLASSIFIER, TABLE, NUMBERS = "cells", "classifier", "table.md", "table.json"


class Asked(NamedTuple):
    """What an experiment is of: class models by the names they have in the table."""

    variants: Mapping[str, Variant]
    seeds: Sequence[int]
    jobs: int


def train_cells(asked: Asked, data: Data, out: Path, show: Show, stop: Stop) -> None:
    """All the class models."""
    cells = [
        cell
        for variant in asked.variants.values()
        for seed in asked.seeds
        for cell in cells_of(variant, seed)
    ]
    run_cells(cells, data, out / CELLS, asked.jobs, show, stop)


def rows_expected(asked: Asked) -> int:
    """About how many rows there will be."""
    return 5 + 12 * len(asked.variants)


def rows_of(asked: Asked, data: Data, out: Path) -> Iterator[Row]:
    """Every row of the table, one after another."""
    fold, bags = data.fold, bags_of(data)
    settings = {}
    for row in baseline_rows(data, bags, fold):
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
    if len(labelled) < len(weighed):
        yield combined_row(given, EVERYTHING, weighed, asked.seeds)


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
    variant, seed = next(iter(asked.variants.values())), asked.seeds[0]
    offers = _offers(gathered(variant, seed, data, out / CELLS), data.fold)
    offer, C = _last_layer(offers, data)
    last = Layer.fit(offer.features, data.train.label, C)
    models = offer.models(Cell(variant, seed, None), data, out / CELLS)
    save_classifier(out / CLASSIFIER, Kept(data.classes, models, offer.view, last))


class _Offer(NamedTuple):
    """Models, and what a last layer over them would learn from."""

    models: Callable[[Cell, Data, Path], ClassModels]
    view: View
    features: Any


def _offers(found: Gathered, fold: Labels) -> list[_Offer]:
    """Energies whole, by unit, and whole of models that were told apart, as far as there are."""
    offers = [_Offer(class_models, WHOLE, compared(found.unseen.train["mean"]))]
    if found.units:
        units = in_order([one.train[UNITS] for one in found.units], fold)
        offers.append(_Offer(class_models, BY_UNIT, units))
    if APART in found.unseen.train:
        offers.append(_Offer(told_models, WHOLE, compared(found.unseen.train[APART])))
    return offers


def _last_layer(offers: Sequence[_Offer], data: Data) -> tuple[_Offer, float]:
    """What the classifier is made of and its penalty, by the probabilities that it gives.

    It will meet other models than those it learns from, so it is tried across folds too.
    """
    if data.part is None:  # few documents, or few groups
        return offers[0], 1.0
    cut, label = Cut(data.fold, data.part), data.train.label

    def tried(one: tuple[_Offer, float]) -> float:
        x, C = one[0].features, one[1]
        across = decisions_across(layer, C, x, label, data.fold)
        return max(loss(across, label), loss(decisions_within(layer, C, x, label, cut), label))

    return min(product(offers, LAYER_PENALTIES), key=tried)
