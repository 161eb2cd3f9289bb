"""Explanations: contributions of windows and words, and the page that shows them."""

from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

from tests.estimators.test_free_energy_classifier import NAMED, QUICK, TEXTS
from wordrbm import FreeEnergyClassifier
from wordrbm.classification.explain import as_html, explain

TEXT = "The cat eats fish . The bank buys bonds ."


@pytest.fixture(scope="module")
def fitted():
    return FreeEnergyClassifier(**QUICK).fit(TEXTS, NAMED)


def test_contributions_add_up_to_the_logits(fitted):
    for text in (TEXT, "cat", TEXTS[0]):
        explanation = explain(fitted.models_, fitted.head_, text)
        score = fitted.decision_function([text])[0]
        neutral = np.zeros((1, 1))  # equal energies of both classes
        expected = (score - fitted.head_.logits(neutral)[0, 1]) * np.array([-0.5, 0.5])
        np.testing.assert_allclose(explanation.windows.sum(axis=0), expected, atol=1e-6)
        np.testing.assert_allclose(explanation.probability, fitted.predict_proba([text])[0])


def test_words_share_the_contributions_of_their_windows(fitted):
    explanation = explain(fitted.models_, fitted.head_, TEXT)
    assert explanation.tokens[:3] == ("the", "cat", "eats")
    np.testing.assert_allclose(
        explanation.words.sum(axis=0), explanation.windows.sum(axis=0), atol=1e-12
    )
    np.testing.assert_allclose(
        explanation.words[1], explanation.windows[:2].sum(axis=0) / 3, atol=1e-12
    )


def test_the_top_windows_do_not_overlap(fitted):
    explanation = explain(fitted.models_, fitted.head_, TEXT)
    animals, money = explanation.top(0, 5), explanation.top(1, 5)
    assert {"cat", "eats", "fish"} & set(animals[0].words)
    assert {"bank", "buys", "bonds"} & set(money[0].words)
    for windows, c in ((animals, 0), (money, 1)):
        starts = sorted(window.start for window in windows)
        assert all(b - a >= 3 for a, b in pairwise(starts))
        assert all(window.value[c] > 0 for window in windows)
    assert len(explanation.top(0, 1)) == 1


def test_an_empty_text_has_no_contributions(fitted):
    explanation = explain(fitted.models_, fitted.head_, " ")
    assert explanation.tokens == ()
    assert explanation.top(0, 3) == []
    assert explanation.probability.sum() == pytest.approx(1)


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
def test_a_page_holds_the_text_and_no_script(fitted, text):
    shown = as_html(explain(fitted.models_, fitted.head_, text), ("a<b", "money"), 3)
    reader = Reader()
    reader.feed(shown)
    assert reader.open == []
    assert "<script" not in shown
    assert "a<b" in "".join(reader.text)
    assert ("cat" in "".join(reader.text)) == bool(text)
    assert "http" not in shown
