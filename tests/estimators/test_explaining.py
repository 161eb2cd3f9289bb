import json
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

from tests.estimators.test_free_energy_classifier import NAMED, QUICK, TEXTS
from wordrbm import FreeEnergyClassifier
from wordrbm.errors import WordRBMError
from wordrbm.estimators.classifier_file import Kept, load_classifier, save_classifier
from wordrbm.estimators.coloured import page
from wordrbm.estimators.explaining import explain
from wordrbm.estimators.layer import Layer
from wordrbm.estimators.views import compared
from wordrbm.trained_model import TrainedModel, load, save

TEXT = "The cat eats fish . The bank buys bonds ."


@pytest.fixture(scope="module", params=[False, True], ids=["whole", "by unit"])
def fitted(request):
    return FreeEnergyClassifier(**QUICK, by_unit=request.param).fit(TEXTS, NAMED)


@pytest.fixture(scope="module")
def kept(fitted):
    return Kept(tuple(fitted.classes_), fitted.models_, fitted.view_, fitted.layer_)


def test_the_pulls_of_a_text_are_its_logits(fitted):
    for text in (TEXT, "cat", TEXTS[0]):
        found = explain(fitted.models_, fitted.view_, fitted.layer_, text)
        score = fitted.decision_function([text])[0]
        nothing = np.zeros((1, fitted.layer_.mean.size))  # energies that are the same for all
        expected = (score - fitted.layer_.scores(nothing)[0, 1]) * np.array([-0.5, 0.5])
        np.testing.assert_allclose(found.windows.sum(axis=0), expected, atol=1e-6)
        np.testing.assert_allclose(found.probability, fitted.predict_proba([text])[0])


def test_words_share_the_pulls_of_their_windows(fitted):
    found = explain(fitted.models_, fitted.view_, fitted.layer_, TEXT)
    assert found.tokens[:3] == ("the", "cat", "eats")
    np.testing.assert_allclose(found.words.sum(axis=0), found.windows.sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(found.words[1], found.windows[:2].sum(axis=0) / 3, atol=1e-12)


def test_the_strongest_ngrams_are_found_and_do_not_overlap(fitted):
    found = explain(fitted.models_, fitted.view_, fitted.layer_, TEXT)
    animals, money = found.strongest(0, 5), found.strongest(1, 5)
    assert {"cat", "eats", "fish"} & set(animals[0].words)
    assert {"bank", "buys", "bonds"} & set(money[0].words)
    for pulls, c in ((animals, 0), (money, 1)):
        begins = sorted(pull.begin for pull in pulls)
        assert all(b - a >= 3 for a, b in pairwise(begins))
        assert all(pull.pull[c] > 0 for pull in pulls)
    assert len(found.strongest(0, 1)) == 1


def test_an_empty_text_has_no_pulls(fitted):
    found = explain(fitted.models_, fitted.view_, fitted.layer_, " ")
    assert found.tokens == ()
    assert found.strongest(0, 3) == []
    assert found.probability.sum() == pytest.approx(1)


class Reader(HTMLParser):
    def __init__(self):
        super().__init__()
        self.text, self.open = [], []

    def handle_starttag(self, tag, attrs):
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


@pytest.mark.parametrize("text", [TEXT, "", 'cat <script>alert("x")</script> & dog'])
def test_a_page_holds_the_text_and_nothing_that_runs(kept, text):
    shown = page(explain(kept.models, kept.view, kept.layer, text), ("a<b", "money"), 3)
    reader = Reader()
    reader.feed(shown)
    assert reader.open == []
    assert "<script" not in shown
    assert "a<b" in "".join(reader.text)
    assert ("cat" in "".join(reader.text)) == bool(text)
    assert "http" not in shown


def test_three_classes_pull_from_their_mean():
    layer = Layer(np.zeros(3), np.ones(3), -np.eye(3), np.zeros(3))
    pulls = layer.pulls(np.array([[1.0, 2.0, 6.0], [0.0, 0.0, 0.0]]))
    np.testing.assert_allclose(pulls, [[1.0, 0.5, -1.5], [0, 0, 0]])
    np.testing.assert_allclose(compared(np.array([[1.0, 2.0, 6.0]])), [[-2, -1, 3]])
    assert compared(np.ones((4, 2))).shape == (4, 1)


def test_two_classes_pull_apart():
    layer = Layer(np.array([1.0]), np.array([2.0]), np.array([[4.0]]), np.array([0.3]))
    pulls = layer.pulls(np.array([[3.0], [-3.0]]))
    np.testing.assert_allclose(pulls, [[-1.5, 1.5], [1.5, -1.5]])


def test_a_layer_finds_the_threshold():
    rng = np.random.default_rng(0)
    label = rng.integers(2, size=4000)
    difference = 3.0 + 2.0 * label + rng.normal(size=4000)
    layer = Layer.fit(difference[:, None], label, 100.0)
    at = layer.probabilities(np.array([[4.0], [5.0]]))
    np.testing.assert_allclose(at[:, 1], [0.5, 1 / (1 + np.exp(-2))], atol=0.03)


def test_a_kept_classifier_is_the_same(kept, fitted, tmp_path):
    save_classifier(tmp_path / "kept", kept)
    again = load_classifier(tmp_path / "kept")
    assert again.classes == ("animals", "money")
    one, other = (explain(k.models, k.view, k.layer, TEXT) for k in (kept, again))
    np.testing.assert_array_equal(one.windows, other.windows)
    assert load(tmp_path / "kept" / "class-1").rbm.positions == 3


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"format": "another"}, "is no classifier"),
        ({"version": 3}, "use a newer wordrbm"),
        ({"middle": [0.0]}, "is damaged"),
        ({"middle": [[0.0], [0.0]]}, "is damaged"),
        ({"view": "from afar"}, "is damaged"),
        ({"classes": ["one"]}, "is damaged"),
        ({"layer": {}}, "is damaged"),
        ({"layer": None}, "is damaged"),
        ({"middle": ["a", "b"]}, "is damaged"),
        ({"middle": [0.0, float("nan")]}, "is damaged"),
        ({"classes": ["x", "x"]}, "each with a name of its own"),
        ({"classes": "ab"}, "no list of names"),
        ({"classes": ["\ud800", "b"]}, "is damaged"),
        ({"middle": 10**400}, "is damaged"),
        ({"middle": [["1", "2"]]}, "is damaged"),
        ({"version": 1}, "run `wordrbm sentiment` again"),
    ],
)
def test_a_damaged_classifier_is_told(kept, tmp_path, change, told):
    save_classifier(tmp_path, kept)
    path = tmp_path / "classifier.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(WordRBMError, match=told):
        load_classifier(tmp_path)


def test_no_classifier_is_told(tmp_path):
    with pytest.raises(WordRBMError, match="There is no"):
        load_classifier(tmp_path)
    (tmp_path / "classifier.json").write_text("{")
    with pytest.raises(WordRBMError, match="is no classifier"):
        load_classifier(tmp_path)


def test_a_head_too_deep_is_no_classifier(kept, tmp_path):
    save_classifier(tmp_path, kept)
    (tmp_path / "classifier.json").write_text("[" * 100_000)
    with pytest.raises(WordRBMError, match="is no classifier"):
        load_classifier(tmp_path)


def test_models_of_other_sizes_are_told(kept, tmp_path):
    save_classifier(tmp_path, kept)
    one = kept.models.models[0]
    c = np.append(one.rbm.c, np.float32(0))
    U = np.concatenate([one.rbm.U, one.rbm.U[:, :1]], axis=1)
    settings = one.settings.model_copy(update={"hidden": c.size})
    save(tmp_path / "class-1", TrainedModel(replace(one.rbm, c=c, U=U), one.vocabulary, settings))
    with pytest.raises(WordRBMError, match="different words, windows or hidden units"):
        load_classifier(tmp_path)
