"""Documents as commands read them: where each is and its text; for topic models, word counts."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from wordrbm.errors import WordRBMError

if TYPE_CHECKING:
    from wordrbm.classification.document_counts import WordSelection
    from wordrbm.classification.documents import TokenizedDocuments
    from wordrbm.io.document_file import StoredTopics
    from wordrbm.text.vocabulary import Vocabulary

MAX_BEGINNING = 70  # characters of a document that are shown


class Reading(NamedTuple):
    """How files are read: the field of JSON lines, and what becomes of bytes that are no UTF-8."""

    field: str
    encoding_errors: str


class ReadDocuments(NamedTuple):
    """Documents as counts, the vocabulary of the columns, and what to call each of them."""

    counts: Any
    vocabulary: "Vocabulary"
    places: list[str]
    beginnings: list[str]  # the first words of each
    is_text: bool  # whether words are the tokens of text


def iter_placed(
    files: Sequence[Path], field: str, encoding_errors: str
) -> Iterator[tuple[str, str]]:
    """Every document, and where it is: a file, a line of JSON lines, a line of standard input."""
    from wordrbm.text.files import find_files
    from wordrbm.text.formats import JSON_LINES, iter_documents
    from wordrbm.text.reader import inner_suffix, open_lines

    for argument in files:
        if str(argument) == "-":
            with open_lines(None, encoding_errors) as lines:
                yield from ((f"line {line.number}", line.text) for line in lines)
            continue
        for path in find_files([argument]):
            for number, text in enumerate(iter_documents([path], field, encoding_errors), 1):
                several = number > 1 or inner_suffix(path) in JSON_LINES
                yield (f"{path}:{number}" if several else str(path)), text


def read_documents(
    paths: Sequence[Path], reading: Reading, selection: "WordSelection", words: Path | None
) -> ReadDocuments:
    """Documents to train on: text, a prepared corpus, or counts with a file of words."""
    from wordrbm.classification.document_counts import count_words, select_words

    matrix = _read_matrix(paths, words)
    if matrix is not None:
        return matrix
    if words is not None:
        raise WordRBMError("--words names the columns of an .npz file of counts; give one.")
    tokenized, places, beginnings = _tokenize(paths, reading)
    vocabulary = select_words(tokenized, selection)
    counts = count_words(tokenized.encode(vocabulary), len(vocabulary) - 1)
    return ReadDocuments(counts, vocabulary, places, beginnings, True)


def read_for_model(model: "StoredTopics", paths: Sequence[Path], reading: Reading) -> ReadDocuments:
    """New documents as counts of a model's own words."""
    import numpy as np

    from wordrbm.classification.document_counts import count_words, take_log_counts

    vocabulary, counting = model.identity.vocabulary, model.identity.counting
    documents = _read_matrix(paths, None)
    if documents is None:
        tokenized, places, beginnings = _tokenize(paths, reading)
        counts = count_words(tokenized.encode(vocabulary), len(vocabulary) - 1)
        documents = ReadDocuments(counts, vocabulary, places, beginnings, True)
    elif documents.is_text:  # a prepared corpus, whose words have other numbers
        target = vocabulary.ids(documents.vocabulary.words[1:])
        documents = documents._replace(counts=_renumber(documents.counts, target, len(vocabulary)))
    elif documents.counts.shape[1] != len(vocabulary) - 1:
        raise WordRBMError(
            f"{paths[0]} has {documents.counts.shape[1]:,} columns where the model has "
            f"{len(vocabulary) - 1:,} words; give counts of the same columns as in training."
        )
    if counting["log_counts"]:
        documents = documents._replace(counts=take_log_counts(documents.counts))
    if documents.counts.shape[0] and not np.any(documents.counts.data):
        raise WordRBMError(
            f"None of the {documents.counts.shape[0]:,} documents has a word of the model; give "
            "documents in the language it was trained on."
        )
    return documents


def _read_matrix(paths: Sequence[Path], words: Path | None) -> ReadDocuments | None:
    """A prepared corpus or an .npz file of counts, if the one path given is one."""
    from wordrbm.classification.document_counts import COUNTS_SUFFIX, count_corpus, read_counts
    from wordrbm.text.corpus import MANIFEST, PreparedCorpus

    is_counts = [path.suffix == COUNTS_SUFFIX for path in paths]
    is_corpus = [(path / MANIFEST).exists() for path in paths]
    if not any(is_counts + is_corpus):
        return None
    if len(paths) > 1:
        raise WordRBMError(
            f"{paths[(is_counts + is_corpus).index(True) % len(paths)]} is a prepared corpus or a "
            "file of counts, and other documents were given too; give it alone."
        )
    if is_corpus[0]:
        counts, vocabulary = count_corpus(PreparedCorpus.open(paths[0]), "train")
        what = "document"
    else:
        counts, vocabulary = read_counts(paths[0], None if words is None else _read_words(words))
        what = "row"
    places = [f"{paths[0]}, {what} {number}" for number in range(counts.shape[0])]
    return ReadDocuments(counts, vocabulary, places, [""] * len(places), is_corpus[0])


def _read_words(path: Path) -> list[str]:
    """The lines of a file of words."""
    from wordrbm.storage import read_errors

    try:
        with read_errors(path):
            return path.read_text("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise WordRBMError(
            f"{path} is not UTF-8 at byte {error.start}; write the words of --words in UTF-8."
        ) from None


def _tokenize(
    paths: Sequence[Path], reading: Reading
) -> tuple["TokenizedDocuments", list[str], list[str]]:
    from wordrbm.classification.documents import tokenize_documents
    from wordrbm.text.reader import check_encoding_errors

    check_encoding_errors(reading.encoding_errors)
    places: list[str] = []
    beginnings: list[str] = []

    def texts() -> Iterator[str]:
        for place, text in iter_placed(paths, *reading):
            places.append(place)
            beginnings.append(" ".join(text[: 3 * MAX_BEGINNING].split())[:MAX_BEGINNING])
            yield text

    return tokenize_documents(texts()), places, beginnings


def _renumber(counts: Any, target: Any, words: int) -> Any:
    """Counts with column k as column ``target[k] - 1``; columns whose target is 0 are dropped."""
    import numpy as np
    from scipy import sparse

    known = np.flatnonzero(target > 0)
    ones = np.ones(known.size)
    chosen = sparse.csr_matrix((ones, (known, target[known] - 1)), (counts.shape[1], words - 1))
    return sparse.csr_matrix(counts @ chosen)
