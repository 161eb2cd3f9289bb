"""IOB2 and IOBES: the same spans, in data as in what a tagger returns."""

import random
from itertools import product

import numpy as np
import pytest

from tests.tagging.sentences import letter_task
from wordrbm.errors import WordRBMError
from wordrbm.tagging.conll import Sentence
from wordrbm.tagging.evaluation import evaluate_tagger, spans
from wordrbm.tagging.features import EncodedSentences, FeatureConfig, FinetuneSettings
from wordrbm.tagging.label_scheme import (
    check_iob2,
    iob2_name,
    iob2_to_iobes,
    iobes_to_iob2,
    is_iob2,
)
from wordrbm.tagging.tagger import train_tagger

EXAMPLES = [
    (["B-NP", "B-VP", "B-NP", "I-NP", "O"], ["S-NP", "S-VP", "B-NP", "E-NP", "O"]),
    (["B-A-B", "I-A-B", "I-A-B", "B-A-B"], ["B-A-B", "I-A-B", "E-A-B", "S-A-B"]),
    (["NN", "VB", "."], ["NN", "VB", "."]),
    ([], []),
]


@pytest.mark.parametrize(("iob2", "iobes"), EXAMPLES)
def test_examples(iob2, iobes):
    assert iob2_to_iobes(iob2) == iobes
    assert iobes_to_iob2(iobes) == iob2
    assert is_iob2(iob2)


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_both_schemes_have_the_spans_of_every_sequence(length):
    for labels in product(["O", "B-X", "I-X", "E-X", "S-X", "I-Y", "E-Y"], repeat=length):
        iob2 = iobes_to_iob2(labels)
        assert spans(iob2) == spans(labels)
        assert spans(iob2_to_iobes(iob2)) == spans(labels)
        assert is_iob2(iob2)


@pytest.mark.parametrize(
    "labels",
    [
        ["I-NP", "I-NP"], ["O", "I-NP"], ["S-NP"], ["B-NP", "E-NP"], ["B-NP", "I-VP"], ["S"],
        ["B-NP", "L-NP"], ["U-NP"], ["B-NP", "M-NP", "E-NP"],
    ],
)  # fmt: skip
def test_other_schemes_are_not_iob2(labels):
    assert not is_iob2(labels)
    with pytest.raises(WordRBMError, match=f"sentence 2 are {' '.join(labels)} where --iobes"):
        check_iob2([["B-NP", "I-NP", "O"], labels])


def test_names_are_those_of_the_labels():
    labels = ["S-NP", "B-NP", "I-NP", "E-NP", "O", "NN"]
    assert [iob2_name(label) for label in labels] == ["B-NP", "B-NP", "I-NP", "I-NP", "O", "NN"]


def chunked(sentences):
    """The letter task as chunking: every sentence is spans of one to three tokens in IOB2."""
    rng, result = random.Random(2), []
    for sentence in sentences:
        labels = []
        while len(labels) < len(sentence.words):
            kind = rng.choice(("X", "Y"))
            labels += [f"B-{kind}", *[f"I-{kind}"] * rng.randrange(3)]
        result.append(Sentence((sentence.words, tuple(labels[: len(sentence.words)]))))
    return result


@pytest.fixture(scope="module")
def example():
    """Sentences in IOB2, and their taggers with labels of both schemes."""
    model, sentences = letter_task()
    labelled = chunked(sentences[:40])
    encoded = EncodedSentences.build(labelled)
    config = FeatureConfig(None, model, finetune=FinetuneSettings(epochs=20))
    return labelled, [
        train_tagger(encoded, config._replace(iobes=iobes), 0.001) for iobes in (False, True)
    ]


def test_a_tagger_returns_the_labels_of_the_data(example):
    labelled, (plain, iobes) = example
    assert plain.labels == plain.output_labels == iobes.output_labels
    assert iobes.labels == tuple(f"{prefix}-{kind}" for prefix in "BEIS" for kind in "XY")
    columns = [sentence.columns[:-1] for sentence in labelled]
    assert {x for labels in iobes.tag(columns) for x in labels} <= set(plain.labels)
    assert evaluate_tagger(iobes, labelled).overall.f1 == 1.0


def test_the_crf_is_fitted_to_the_last_and_single_tokens(example):
    labelled, (_, iobes) = example
    columns = [sentence.columns[:-1] for sentence in labelled]
    batch = iobes.encode(columns)
    predicted = [iobes.labels[k] for k in iobes.crf.decode(batch)]
    assert predicted == [x for sentence in labelled for x in iob2_to_iobes(sentence.labels)]


def test_marginals_are_those_of_the_output_labels(example):
    labelled, taggers = example
    columns = [sentence.columns[:-1] for sentence in labelled]
    of_crf = [tagger.crf.marginals(tagger.encode(columns)) for tagger in taggers]
    plain, iobes = taggers
    np.testing.assert_array_equal(plain.marginals(columns), of_crf[0])
    p = dict(zip(iobes.labels, of_crf[1].T, strict=True))
    for label, marginal in zip(iobes.output_labels, iobes.marginals(columns).T, strict=True):
        prefix, kind = label.split("-")
        last = {"B": "S", "I": "E"}[prefix]
        np.testing.assert_array_equal(marginal, p[label] + p[f"{last}-{kind}"])


@pytest.mark.parametrize(
    "labels", [("yes", "no"), ("I-NP", "I-NP"), ("O", "O"), ("S-NP", "B-NP")], ids=str
)
def test_labels_that_are_not_iob2_stay_as_they_are(labels):
    encoded = EncodedSentences.build([Sentence((("a", "b"), labels))] * 3)
    assert encoded.with_iobes() is encoded
    tagger = train_tagger(encoded, FeatureConfig(iobes=True), 0.1)
    assert not tagger.features.iobes
    assert tagger.tag([(("a", "b"),)]) == [list(labels)]


def test_one_sentence_in_another_scheme_leaves_all_as_they_are():
    sentences = [Sentence((("a", "b"), x)) for x in (("B-NP", "I-NP"), ("I-NP", "I-NP"))]
    encoded = EncodedSentences.build(sentences)
    assert encoded.with_iobes() is encoded
