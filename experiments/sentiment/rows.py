"""The rows of table 2: classifiers selected on training documents, each tested once.

Rows of class models have a result for every seed. In-sample rows use energies of training documents
under models trained on them, as the paper did.
"""

from collections.abc import Iterator, Mapping, Sequence
from statistics import mean, stdev
from typing import Any, NamedTuple

import numpy as np

from experiments.sentiment.config import FINETUNED
from experiments.sentiment.data import Dataset
from experiments.sentiment.features import (
    MEAN,
    TANH,
    TOP,
    NgramFeatures,
    TrainTest,
    lda,
    lsa,
    word_counts,
)
from experiments.sentiment.models import Energies
from experiments.sentiment.self_training import StudentFeatures
from experiments.sentiment.stacking import (
    NB_SVM_GRID,
    SVM_GRID,
    Labelling,
    Selected,
    append_to_bag,
    nb_svm,
    select_by_cv,
    select_unit_classifier,
    stack,
    svm,
)
from experiments.tables import Report, Table, percent
from wordrbm.classification.calibration import contrast

LDA, LSA, BNC, NB_SVM = "LDA", "LSA", "bag of words bnc", "NB-SVM trigrams"
STACKED, STACKED_UNLABELLED = "stacked", "stacked, with unlabelled"
HEADS = ("model", "validation", "test", "seeds")


class Row(NamedTuple):
    """A line of the table: the result of each seed; baselines have one."""

    name: str
    results: list[Selected]
    in_sample: bool = False  # its validation accuracy would be too high, and is left blank


class RowInputs(NamedTuple):
    """What rows of class models are combined with."""

    labels: Labelling
    bag: TrainTest  # of words, as the bnc row has selected it
    words: TrainTest  # out-of-fold decisions of the bag of words, and of NB-SVM
    ngrams: TrainTest


def baseline_rows(data: Dataset, ngrams: NgramFeatures, labels: Labelling) -> Iterator[Row]:
    """Rows without class models."""
    counts = word_counts(data)
    bags = [({"min_documents": float(count)}, bag) for count, bag in ngrams.words.items()]
    yield Row(LDA, [select_by_cv(svm, [({}, lda(counts))], SVM_GRID, labels)])
    yield Row(LSA, [select_by_cv(svm, [({}, lsa(counts))], SVM_GRID, labels)])
    yield Row(BNC, [select_by_cv(svm, bags, SVM_GRID, labels)])
    yield Row(NB_SVM, [select_by_cv(nb_svm, [({}, ngrams.ngrams)], NB_SVM_GRID, labels)])


def row_inputs(baselines: Sequence[Row], ngrams: NgramFeatures, labels: Labelling) -> RowInputs:
    """The selected bag of words, and the decisions of the baselines."""
    selected = {row.name: row.results[0] for row in baselines}
    bag = ngrams.words[int(selected[BNC].settings["min_documents"])]
    return RowInputs(labels, bag, selected[BNC].decisions, selected[NB_SVM].decisions)


def energy_rows(inputs: RowInputs, name: str, energies: Sequence[Energies]) -> Iterator[Row]:
    """Rows of one configuration's generative class models, with a result for every seed."""
    means = [mean_contrast(x.out_of_fold) for x in energies]
    in_sample = [mean_contrast(x.in_sample) for x in energies]
    yield Row(f"{name}, threshold", _stack(inputs, means))
    yield Row(f"{name}, threshold, in-sample", _stack(inputs, in_sample), True)
    yield Row(f"{name}, 3 poolings", _stack(inputs, [pooled_contrasts(x) for x in energies]))
    yield Row(f"{name} + bnc", _with_bag(inputs, means))
    yield Row(f"{name} + bnc, in-sample", _with_bag(inputs, in_sample), True)
    yield Row(f"{name} + NB trigrams", _stack(inputs, means, inputs.ngrams))


def unit_rows(inputs: RowInputs, name: str, selected: list[Selected]) -> Iterator[Row]:
    """Rows of the logistic regression over per-unit energies; none without them."""
    if selected:
        decisions = [x.decisions for x in selected]
        yield Row(f"{name}, per-unit", selected)
        yield from _combined_rows(inputs, f"{name}, per-unit", decisions)


def finetuned_rows(inputs: RowInputs, name: str, energies: Sequence[Energies]) -> Iterator[Row]:
    """Rows of one configuration's fine-tuned class models; none if they were not fine-tuned."""
    contrasts = finetuned_contrasts(energies)
    if contrasts:
        yield Row(f"{name}, {FINETUNED}, threshold", _stack(inputs, contrasts))
        yield from _combined_rows(inputs, f"{name}, {FINETUNED}", contrasts)
    if len(contrasts) > 1:
        mean_of_seeds = _stack(inputs, [seed_mean(contrasts)])
        yield Row(f"{name}, {FINETUNED}, mean of {len(contrasts)} seeds", mean_of_seeds)


def _combined_rows(inputs: RowInputs, name: str, features: list[TrainTest]) -> Iterator[Row]:
    yield Row(f"{name} + bnc", _with_bag(inputs, features))
    yield Row(f"{name} + NB trigrams", _stack(inputs, features, inputs.ngrams))


def cloze_rows(inputs: RowInputs, name: str, contrasts: list[TrainTest]) -> Iterator[Row]:
    """Rows of generative class models that score documents word by word (`cloze.py`)."""
    yield Row(f"{name}, cloze, threshold", _stack(inputs, contrasts))
    yield from _combined_rows(inputs, f"{name}, cloze", contrasts)


def content_rows(
    inputs: RowInputs, name: str, cloze: Sequence[TrainTest], content: Sequence[TrainTest]
) -> Iterator[Row]:
    """Rows of generative class models of documents without frequent words, also beside cloze."""
    sums = [standardised_sum(*pair) for pair in zip(cloze, content, strict=True)]
    yield Row(f"{name} without frequent words, threshold", _stack(inputs, content))
    yield Row(f"{name}, cloze and energies without frequent words", _stack(inputs, sums))


def standardised_sum(*features: TrainTest) -> TrainTest:
    """The sum of features, each divided by its standard deviation over training documents."""
    deviations = [x.train.std() for x in features]
    scaled = [TrainTest(x.train / s, x.test / s) for x, s in zip(features, deviations, strict=True)]
    return TrainTest(sum(x.train for x in scaled), sum(x.test for x in scaled))


def student_rows(
    inputs: RowInputs, name: str, students: Sequence[StudentFeatures]
) -> Iterator[Row]:
    """Rows of self-training: class models, NB-SVM, and both, with a result for every seed."""
    models, ngrams = [x.energies for x in students], [x.ngrams for x in students]
    yield Row(f"{name}, self-training, threshold", _stack(inputs, models))
    yield Row(f"NB trigrams, self-training with {name}", _stack(inputs, ngrams))
    stacked = [stack(list(x), inputs.labels) for x in students]
    yield Row(f"{name}, self-training + NB trigrams", stacked)


def unit_classifiers(labels: Labelling, energies: Sequence[Energies]) -> list[Selected]:
    """A classifier over per-unit energies for every seed, where there are folds for it."""
    if labels.inner_fold is None:
        return []
    return [select_unit_classifier(x.units, labels) for x in energies if x.units]


def stacked_row(
    inputs: RowInputs, name: str, energies: Mapping[str, Sequence[Energies]],
    units: Mapping[str, Sequence[Selected]], cloze: Mapping[str, Sequence[TrainTest]],
    students: Sequence[Sequence[StudentFeatures]] = (),
) -> Row:  # fmt: skip
    """The features of several configurations, as means over seeds, with words and n-grams."""
    features = [inputs.ngrams, inputs.words]
    features += [seed_mean(x) for seeds in students for x in zip(*seeds, strict=True)]
    for config, seeds in energies.items():
        decisions = [x.decisions for x in units[config]]
        pooled, finetuned = [pooled_contrasts(x) for x in seeds], finetuned_contrasts(seeds)
        groups = pooled, decisions, finetuned, cloze[config]
        features += [seed_mean(group) for group in groups if group]
    return Row(name, [stack(features, inputs.labels)])


def mean_contrast(energies: Mapping[str, TrainTest]) -> TrainTest:
    """The contrast between classes of mean energies."""
    return TrainTest(*map(contrast, energies[MEAN]))


def pooled_contrasts(energies: Energies) -> TrainTest:
    """All poolings; of the top decile each class's own, since for and against differ."""
    pairs = [energies.out_of_fold[name] for name in (MEAN, TANH, TOP)]
    return TrainTest(
        *(np.hstack([contrast(m), contrast(t), top]) for m, t, top in zip(*pairs, strict=True))
    )


def finetuned_contrasts(energies: Sequence[Energies]) -> list[TrainTest]:
    """The contrasts under fine-tuned models for every seed, if there are any."""
    finetuned = [x.out_of_fold[FINETUNED] for x in energies if FINETUNED in x.out_of_fold]
    return [TrainTest(*map(contrast, x)) for x in finetuned]


def seed_mean(features: Sequence[TrainTest]) -> TrainTest:
    """The mean over seeds, of training and of test documents."""
    return TrainTest(*(np.mean(x, axis=0) for x in zip(*features, strict=True)))


def _stack(
    inputs: RowInputs, features: Sequence[TrainTest], *others: TrainTest
) -> list[Selected]:  # fmt: skip
    """For every seed a logistic regression over its features, beside others."""
    return [stack([*others, x], inputs.labels) for x in features]


def _with_bag(inputs: RowInputs, features: Sequence[TrainTest]) -> list[Selected]:
    return [append_to_bag(inputs.bag, x, inputs.labels) for x in features]


def report(rows: Sequence[Row]) -> Report:
    """The table of all rows."""
    table = Table(HEADS, [_cells(row) for row in rows])
    return Report(table.as_text(), table.as_markdown(), {"rows": [_record(row) for row in rows]})


def _cells(row: Row) -> tuple[str, ...]:
    tests = [x.test for x in row.results]
    spread = f" ± {percent(stdev(tests))}" if len(tests) > 1 else ""
    validation = "" if row.in_sample else percent(mean(x.validation for x in row.results))
    return row.name, validation, percent(mean(tests)) + spread, str(len(tests))


def _record(row: Row) -> dict[str, Any]:
    """A row with all its numbers."""
    seeds = [
        {
            "validation": None if row.in_sample else x.validation,
            "test": x.test,
            "settings": x.settings,
        }
        for x in row.results
    ]
    validation = None if row.in_sample else mean(x.validation for x in row.results)
    test = mean(x.test for x in row.results)
    return {"model": row.name, "test": test, "validation": validation, "seeds": seeds}
