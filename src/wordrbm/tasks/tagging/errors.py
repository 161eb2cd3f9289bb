"""Where a tagger goes wrong: chunks with words not seen in training, labels that are confused."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from wordrbm.tasks.tagging.columns import Sentence
from wordrbm.tasks.tagging.spans import Counts, Span, spans

COMMON = 10


class Errors(NamedTuple):
    """Chunks by whether they hold an unseen word; the commonest wrong labels and words."""

    unseen: Counts
    seen: Counts
    confused: list[tuple[str, str, int]]  # the right label, the one found, how often
    words: list[tuple[str, int, int]]  # the word, tokens with a wrong label, tokens


def errors_of(
    train: Sequence[Sentence], test: Sequence[Sentence], found: Sequence[Sequence[str]]
) -> Errors:
    """What is wrong in the tags of test sentences."""
    known = {word for one in train for word in one.words}
    parts: list[Counter[str]] = [Counter(), Counter()]
    confused, wrong, all_words = Counter[tuple[str, str]](), Counter[str](), Counter[str]()
    for one, tags in zip(test, found, strict=True):
        _count(parts, one, tags, known)
        for word, label, tag in zip(one.words, one.labels, tags, strict=True):
            all_words[word] += 1
            if label != tag:
                confused[label, tag] += 1
                wrong[word] += 1
    unseen, seen = (Counts(part["there"], part["found"], part["right"]) for part in parts)
    return Errors(
        unseen,
        seen,
        [(*pair, count) for pair, count in confused.most_common(COMMON)],
        [(word, count, all_words[word]) for word, count in wrong.most_common(COMMON)],
    )


def _count(parts: list[Counter[str]], one: Sentence, tags: Sequence[str], known: set[str]) -> None:
    """Add the chunks of a sentence to the part that they belong to."""
    right, guessed = set(spans(one.labels)), set(spans(tags))
    for name, chunks in (("there", right), ("found", guessed), ("right", right & guessed)):
        for chunk in chunks:
            parts[_all_seen(chunk, one.words, known)][name] += 1


def _all_seen(chunk: Span, words: Sequence[str], known: set[str]) -> bool:
    _, begin, end = chunk
    return known.issuperset(words[begin:end])
