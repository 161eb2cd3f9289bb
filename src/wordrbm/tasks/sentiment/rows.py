"""The rows of the table: each a machine, chosen on training documents and tested once.

Rows of class models have an accuracy for every seed. "unseen" energies of training documents come
from models that have not seen them; "as seen" ones from models that have, as the paper did it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from wordrbm.classification.calibration import contrast
from wordrbm.tasks.sentiment import baselines
from wordrbm.tasks.sentiment.baselines import Bags
from wordrbm.tasks.sentiment.data import Data
from wordrbm.tasks.sentiment.fitting import (
    PENALTIES,
    SCALES,
    Chosen,
    Labels,
    Sides,
    beside,
    choose,
    svm,
    unit_range,
)
from wordrbm.tasks.sentiment.kept import APART, UNITS, Energies, Gathered
from wordrbm.tasks.sentiment.stacking import (
    LAYER_PENALTIES,
    Cut,
    accuracy,
    decisions_by_fold,
    decisions_within,
    in_order,
    layer,
    stacked,
)

BNC, NB_SVM, WEIGHED = "bag of words bnc", "NB-SVM trigrams", ", units weighed"
TOLD = ", told apart"

Name = tuple[str, int]  # a variant's label and a seed


class Row(NamedTuple):
    """A line of the table: what each seed gave; baselines have one."""

    name: str
    found: list[Chosen]
    in_sample: bool = False  # chosen by energies of models that have seen the documents


class Weighed(NamedTuple):
    """A layer over energies by unit, and its decisions on documents it has not seen."""

    chosen: Chosen
    decisions: Sides


class Given(NamedTuple):
    """What the rows of class models are made from."""

    found: Mapping[Name, Gathered]
    bag: Sides  # of words, as the bnc row has chosen it
    by_words: Sides  # decisions of the machines over bags alone, on documents they have not seen
    by_ngrams: Sides
    labels: tuple[Labels, Labels]
    fold: Labels
    part: Labels | None


def baseline_rows(data: Data, bags: Bags, fold: Labels) -> Iterator[Row]:
    """Everything without class models."""
    labels, counts = (data.train.label, data.test.label), baselines.counts_of(data)
    yield Row("LDA", [baselines.lda(counts, data, fold)])
    yield Row("LSA", [baselines.lsa(counts, data, fold)])
    yield Row(BNC, [baselines.bnc(bags, labels, fold)])
    yield Row(NB_SVM, [baselines.nb_ngrams(bags, labels, fold)])


def energy_rows(given: Given, variant: str, seeds: Sequence[int]) -> Iterator[Row]:
    """Everything with the class models of one variant."""
    unseen = [_means(given.found[variant, seed].unseen) for seed in seeds]
    seen = [_means(given.found[variant, seed].seen) for seed in seeds]
    pools = [_pools(given.found[variant, seed].unseen) for seed in seeds]
    yield Row(f"{variant}, threshold", [_stacked(given, [one]) for one in unseen])
    yield Row(f"{variant}, threshold, as seen", [_stacked(given, [one]) for one in seen], True)
    yield Row(f"{variant}, pooled in three ways", [_stacked(given, [one]) for one in pools])
    yield Row(f"{variant} + bnc", [_with_bag(given, one) for one in unseen])
    yield Row(f"{variant} + bnc, as seen", [_with_bag(given, one) for one in seen], True)
    yield Row(
        f"{variant} + NB trigrams", [_stacked(given, [given.by_ngrams, one]) for one in unseen]
    )


def apart_rows(given: Given, variant: str, seeds: Sequence[int]) -> Iterator[Row]:
    """The same with class models that were told apart; none if they were not."""
    name, sides = f"{variant}{TOLD}", _apart(given, variant, seeds)
    if sides:
        yield Row(f"{name}, threshold", [_stacked(given, [one]) for one in sides])
        yield Row(f"{name} + bnc", [_with_bag(given, one) for one in sides])
        yield Row(
            f"{name} + NB trigrams", [_stacked(given, [given.by_ngrams, one]) for one in sides]
        )


def unit_rows(given: Given, variant: str, weighed: Sequence[Weighed]) -> Iterator[Row]:
    """The same with energies by unit, a weight for each; one for every seed."""
    name, sides = f"{variant}{WEIGHED}", [one.decisions for one in weighed]
    yield Row(name, [one.chosen for one in weighed])
    yield Row(f"{name} + bnc", [_with_bag(given, one) for one in sides])
    yield Row(f"{name} + NB trigrams", [_stacked(given, [given.by_ngrams, one]) for one in sides])


def weighed_units(given: Given, variant: str, seed: int) -> Weighed | None:
    """A layer over energies by unit, if there are any, and what it decides."""
    units, (label, test_label) = given.found[variant, seed].units, given.labels
    if not units or given.part is None:
        return None
    folds = [Sides(one.train[UNITS], one.test[UNITS]) for one in units]
    x, cut = in_order([one.train for one in folds], given.fold), Cut(given.fold, given.part)
    tried = {C: decisions_within(layer, C, x, label, cut) for C in LAYER_PENALTIES}
    C = max(tried, key=lambda C: accuracy(tried[C], label))
    test = decisions_by_fold(layer, C, folds, label, cut)
    chosen = Chosen(accuracy(tried[C], label), accuracy(test, test_label), {"C": C})
    return Weighed(chosen, Sides(tried[C], test))


def combined_row(
    given: Given, name: str, weighed: Mapping[str, Sequence[Weighed]], seeds: Sequence[int],
    more: Sequence[Sides] = (),
) -> Row:  # fmt: skip
    """The energies of several variants, each the mean over seeds, with words and n-grams."""
    parts = [given.by_ngrams, given.by_words, *more]
    for variant, found in weighed.items():
        parts.append(mean_of([_pools(given.found[variant, seed].unseen) for seed in seeds]))
        if found:
            parts.append(mean_of([one.decisions for one in found]))
        if told := _apart(given, variant, seeds):
            parts.append(mean_of(told))
    return Row(name, [_stacked(given, parts)])


def _means(energies: Energies, pool: str = "mean") -> Sides:
    return Sides(contrast(energies.train[pool]), contrast(energies.test[pool]))


def _apart(given: Given, variant: str, seeds: Sequence[int]) -> list[Sides]:
    """The mean energies by models told apart, for every seed, if there are any."""
    each = [given.found[variant, seed].unseen for seed in seeds]
    return [_means(one, APART) for one in each if APART in one.train]


def _pools(energies: Energies) -> Sides:
    """All pools; of the tails each class's by itself, for what speaks for and against differ."""
    return Sides(
        *(
            np.hstack([contrast(side["mean"]), contrast(side["squashed"]), side["upper"]])
            for side in (energies.train, energies.test)
        )
    )


def mean_of(sides: Sequence[Sides]) -> Sides:
    """The mean over seeds, of training and of test documents."""
    return Sides(*(np.mean(side, axis=0) for side in zip(*sides, strict=True)))


def _stacked(given: Given, parts: Sequence[Sides]) -> Chosen:
    return stacked(parts, given.labels, given.fold)


def _with_bag(given: Given, energies: Sides) -> Chosen:
    """Energies scaled to [0, 1], and then by what is chosen, beside the bag of words."""
    scaled = unit_range(energies)
    candidates = [({"scale": scale}, beside(given.bag, scaled, scale)) for scale in SCALES]
    return choose(svm, candidates, PENALTIES, given.labels, given.fold)
