"""Taggers: encoding, ensembles, progress, divergence."""

from functools import partial

import numpy as np
import pytest

from tests.tagging.sentences import letter_task, scores
from wordrbm.errors import WordRBMError
from wordrbm.tagging import tagger as tagger_module
from wordrbm.tagging.conll import Sentence
from wordrbm.tagging.evaluation import evaluate_tagger
from wordrbm.tagging.features import EncodedSentences, FeatureConfig, FinetuneSettings
from wordrbm.tagging.tagger import train_tagger

# Spans of "yes" that are gold, predicted and correct, and the norms of W, V and A. Where L-BFGS
# stops depends on the rounding of a processor, so the convex rows are fitted to their minimum.
RECORDED = {
    "words": ((58, 79, 21), (12.741162, 0.0, 1.446540)),
    "vectors": ((58, 80, 21), (12.723349, 0.626762, 1.424061)),
    "hidden": ((58, 80, 24), (12.090785, 4.726375, 2.265672)),
    "fine-tuned": ((58, 28, 9), (5.475233, 0.764304, 0.679391)),
    "ensemble": ((58, 22, 7), (5.394363, 0.618176, 0.761571)),
}
SENTENCES = [
    Sentence((("the", "cat", "sees"), ("B-NP", "I-NP", "B-VP"))),
    Sentence((("cats",), ("B-NP",))),
]


def test_labels_are_sorted_and_sentences_concatenated():
    encoded = EncodedSentences.build(SENTENCES)
    assert encoded.labels == ("B-NP", "B-VP", "I-NP")
    assert encoded.label_ids.tolist() == [0, 2, 1, 0]
    assert encoded.batch.ends.tolist() == [3, 4]
    assert encoded.sizes == (len(encoded.attributes), 3)
    assert encoded.words == (("the", "cat", "sees"), ("cats",))


def test_a_tagger_labels_what_it_was_fitted_to():
    tagger = train_tagger(EncodedSentences.build(SENTENCES), FeatureConfig(), 0.1)
    columns = [sentence.columns[:-1] for sentence in SENTENCES]
    assert tagger.tag(columns) == [list(sentence.labels) for sentence in SENTENCES]
    assert tagger.tag([]) == []


@pytest.fixture(scope="module")
def ensemble():
    """Two fine-tuned taggers of other seeds, their ensemble, the steps of it, and sentences."""
    model, sentences = letter_task()
    members = [
        FeatureConfig(None, model, finetune=FinetuneSettings(epochs=1, seed=k)) for k in (1, 2)
    ]
    configs = [*members, FeatureConfig(ensemble=tuple(members))]
    encoded, steps = EncodedSentences.build(sentences[:30]), []
    taggers = [train_tagger(encoded, config, 0.1) for config in configs[:2]]
    taggers.append(train_tagger(encoded, configs[2], 0.1, lambda step, value: steps.append(step)))
    return taggers, steps, sentences[30:]


def test_an_ensemble_scores_by_the_mean_of_its_members(ensemble):
    (first, second, both), _, sentences = ensemble
    mean = (scores(first, sentences) + scores(second, sentences)) / 2
    np.testing.assert_allclose(scores(both, sentences), mean, atol=1e-6)
    np.testing.assert_allclose(both.crf.A, (first.crf.A + second.crf.A) / 2)


def test_steps_are_counted_across_members(ensemble):
    assert ensemble[1] == list(range(1, 31))


def test_scales_are_those_of_all_members(ensemble):
    (*_, both), _, _ = ensemble
    scaled = both.features.with_scales(0.3, 2.0)
    assert [(member.scale, member.hidden_scale) for member in scaled.ensemble] == [(0.3, 2.0)] * 2


def test_a_fit_that_diverged_is_no_tagger(monkeypatch):
    def diverged(*arguments, **options):
        crf = fit_crf(*arguments, **options)
        crf.W[0] = np.nan
        return crf

    fit_crf = tagger_module.fit_crf
    monkeypatch.setattr(tagger_module, "fit_crf", diverged)
    with pytest.raises(WordRBMError, match=r"c2 = 0\.1 diverged; use a larger penalty"):
        train_tagger(EncodedSentences.build(SENTENCES), FeatureConfig(), 0.1)


@pytest.mark.parametrize("name", RECORDED)
def test_a_fixed_task_has_the_recorded_scores_and_weights(name, monkeypatch):
    monkeypatch.setattr(tagger_module, "fit_crf", partial(tagger_module.fit_crf, delta=1e-12))
    model, sentences = letter_task()
    vectors = model.raw_vectors
    finetuned = [
        FeatureConfig(None, model, finetune=FinetuneSettings(epochs=3, seed=k)) for k in (1, 2)
    ]
    configs = {
        "words": FeatureConfig(),
        "vectors": FeatureConfig(vectors),
        "hidden": FeatureConfig(vectors, model),
        "fine-tuned": finetuned[0],
        "ensemble": FeatureConfig(ensemble=tuple(finetuned)),
    }
    tagger = train_tagger(EncodedSentences.build(sentences[:100]), configs[name], 0.1)
    counts, norms = RECORDED[name]
    assert evaluate_tagger(tagger, sentences[100:]).types["yes"] == counts
    assert [np.linalg.norm(x) for x in tagger.crf.arrays()] == pytest.approx(norms, rel=1e-4)
