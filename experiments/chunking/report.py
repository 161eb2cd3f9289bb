"""Table 1 of a grid, with span types, coverage and an analysis of errors."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from experiments.chunking.grid import Experiment, TestedRow
from experiments.tables import Report, Table, percent
from wordrbm.tagging.conll import Sentence
from wordrbm.tagging.evaluation import Evaluation, SpanCounts, spans
from wordrbm.tagging.features import lookup
from wordrbm.tagging.model_selection import DevResult, best_on_dev, describe_point
from wordrbm.tagging.tagger_file import load_tagger

HEADS = ("model", "dev F1", "test F1", "precision", "recall", "chosen", "CRFsuite")
DEV_HEADS = ("model", "dev F1", "precision", "recall", "settings", "best")
TYPE_HEADS = ("type", "test F1", "precision", "recall", "chunks")
MOST_COMMON = 10  # confusions and words

Crfsuite = Mapping[str, Evaluation]  # test scores by row, of those that were checked


def final_report(rows: Sequence[TestedRow], experiment: Experiment, crfsuite: Crfsuite) -> Report:
    """The table of tested rows."""
    best, splits = best_row(rows), experiment.splits
    predicted = load_tagger(best.folder).tag([sentence.columns[:-1] for sentence in splits.test])
    known = _coverage(experiment)
    record = {
        "rows": row_records(rows, crfsuite),
        "coverage": known,
        "sentences": {name: len(split) for name, split in splits._asdict().items()},
        "best": best.name,
        "tagger": str(best.folder),
        "errors": error_analysis(splits.train_and_dev, splits.test, predicted),
    }
    table, types, notes = _table(rows, crfsuite), _type_table(best), _repeated_tests(rows)
    covered = "\n".join(f"{percent(x)} % of tokens have {name}" for name, x in known.items())
    text = [table.as_text(), *notes, f"{best.name}:\n{types.as_text()}", covered]
    markdown = [table.as_markdown(), *notes, f"Chunk types, {best.name}:", types.as_markdown()]
    tagger = f"tagger: {best.folder}"
    return Report("\n\n".join([*filter(None, text), tagger]), "\n\n".join(markdown), record)


def dev_report(results: Mapping[str, Sequence[DevResult]]) -> Report:
    """Every grid point on the dev set; the best of each row is marked."""
    table = Table(DEV_HEADS, [_dev_line(row, x, dev) for row, dev in results.items() for x in dev])
    records = [
        {
            "model": row,
            **dev.point._asdict(),
            "chosen": dev is best_on_dev(all_dev),
            "dev": dev.result.record(),
        }
        for row, all_dev in results.items()
        for dev in all_dev
    ]
    return Report(table.as_text(), table.as_markdown(), {"grid": records})


def best_row(rows: Sequence[TestedRow]) -> TestedRow:
    """The row with the highest F1 on the dev set; of equal ones the first."""
    return max(rows, key=lambda row: row.best.f1)


def row_records(rows: Sequence[TestedRow], crfsuite: Crfsuite) -> list[dict[str, Any]]:
    """Every row with all its numbers."""
    return [
        {
            "model": row.name,
            "chosen": row.best.point._asdict(),
            "dev": row.best.result.record(),
            "test": row.test.record(),
            "crfsuite_test": crfsuite[row.name].overall.record() if row.name in crfsuite else None,
            "times_tested": row.times_tested,
            "tagger": str(row.folder),
        }
        for row in rows
    ]


def _table(rows: Sequence[TestedRow], crfsuite: Crfsuite) -> Table:
    lines = [
        (
            row.name,
            percent(row.best.f1),
            *_scores(row.test.evaluation.overall),
            describe_point(row.best.point),
            percent(crfsuite[row.name].overall.f1) if row.name in crfsuite else "",
        )
        for row in rows
    ]
    return Table(HEADS, lines)


def _dev_line(row: str, dev: DevResult, all_dev: Sequence[DevResult]) -> tuple[str, ...]:
    mark = "*" if dev is best_on_dev(all_dev) else ""
    return row, *_scores(dev.result.evaluation.overall), describe_point(dev.point), mark


def _type_table(row: TestedRow) -> Table:
    types = row.test.evaluation.types.items()
    return Table(TYPE_HEADS, [(name, *_scores(counts), str(counts.gold)) for name, counts in types])


def _repeated_tests(rows: Sequence[TestedRow]) -> list[str]:
    """Rows that were tested with several settings, which a reader should know."""
    repeated = [row for row in rows if row.times_tested > 1]
    return [f"{row.name}: {row.times_tested} settings were tested." for row in repeated]


def _scores(counts: SpanCounts) -> tuple[str, str, str]:
    return percent(counts.f1), percent(counts.precision), percent(counts.recall)


def _coverage(experiment: Experiment) -> dict[str, float]:
    """The fraction of tokens that have a vector, of every row with vectors."""
    sentences = experiment.splits.train_and_dev + experiment.splits.test
    tokens = [word for sentence in sentences for word in sentence.words]
    fractions: dict[str, float] = {}
    for name, config in experiment.rows.items():
        for vectors in (member.vectors for member in config.components):
            if vectors is not None:
                known = sum(lookup(word, vectors) is not None for word in tokens)
                fractions[name] = min(known / len(tokens), fractions.get(name, 1.0))
    return fractions


def error_analysis(
    train: Sequence[Sentence], test: Sequence[Sentence], predicted: Sequence[Sequence[str]]
) -> dict[str, Any]:
    """Scores by whether all words of a span occur in training; the most frequent errors."""
    vocabulary = {word for sentence in train for word in sentence.words}
    counts = {seen: Counter[str]() for seen in (True, False)}
    confusions, wrong, frequency = Counter[tuple[str, str]](), Counter[str](), Counter[str]()
    for sentence, tags in zip(test, predicted, strict=True):
        gold, tagged = set(spans(sentence.labels)), set(spans(tags))
        for name, members in zip(SpanCounts._fields, (gold, tagged, gold & tagged), strict=True):
            for _, begin, end in members:
                counts[vocabulary.issuperset(sentence.words[begin:end])][name] += 1
        for word, label, tag in zip(sentence.words, sentence.labels, tags, strict=True):
            frequency[word] += 1
            if label != tag:
                confusions[label, tag] += 1
                wrong[word] += 1
    unseen, seen = (SpanCounts(*(counts[x][f] for f in SpanCounts._fields)) for x in (False, True))
    return {
        "chunks_with_unseen_words": unseen.record(),
        "chunks_of_seen_words": seen.record(),
        "confused": [[*pair, tokens] for pair, tokens in confusions.most_common(MOST_COMMON)],
        "words": [[word, n, frequency[word]] for word, n in wrong.most_common(MOST_COMMON)],
    }
