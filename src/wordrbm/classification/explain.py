"""Which windows of a document speak for which class, as numbers and as a page.

The logits of a document are a mean over its windows (`calibration.py`), so each window contributes
a share. A word's contribution is an n-th of that of each window it stands in.
"""

import html
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from wordrbm.classification.calibration import LogisticHead, contrast
from wordrbm.classification.class_models import ClassModels
from wordrbm.classification.documents import tokenize_documents

HUES = (0, 220, 130, 45, 280, 180, 320, 90)  # degrees on the colour wheel: red, blue, green, ...
STYLE = (
    "body{font:16px/1.7 Georgia,serif;max-width:46em;margin:2em auto;color:#222;padding:0 1em}"
    "span{border-radius:3px;padding:1px 0}table{border-collapse:collapse;margin:1em 0}"
    "td{padding:2px 12px 2px 0;vertical-align:top}"
)


class Contribution(NamedTuple):
    """A window of words, its position, and its contribution to the logit of each class."""

    words: tuple[str, ...]
    start: int
    value: tuple[float, ...]


class Explanation(NamedTuple):
    """A document's tokens, the probability of each class, and contributions to the logits."""

    tokens: tuple[str, ...]
    probability: Float64[np.ndarray, " C"]
    words: Float64[np.ndarray, "T C"]
    windows: Float64[np.ndarray, "W C"]
    n: int

    def top(self, c: int, count: int) -> list[Contribution]:
        """The windows that contribute most to class c, no two of which overlap."""
        chosen: list[Contribution] = []
        covered = np.zeros(len(self.windows) + self.n, bool)
        for k in np.argsort(-self.windows[:, c], kind="stable").tolist():
            if len(chosen) == count or self.windows[k, c] <= 0:
                break
            if not covered[k : k + self.n].any():
                covered[k : k + self.n] = True
                words = self.tokens[k : k + self.n]
                chosen.append(Contribution(words, k, tuple(self.windows[k].tolist())))
        return chosen


def explain(models: ClassModels, head: LogisticHead, document: object) -> Explanation:
    """Explain the class of a document, a str or a list of tokens, by its words and windows."""
    tokenized = tokenize_documents([document], keep_digits=True)
    tokens = tuple(next(tokenized.tokens()))
    documents, C = models.encode(tokenized), len(models.models)
    probability = head.probabilities(contrast(models.energies(documents)))[0]
    if not tokens:
        return Explanation((), probability, np.zeros((0, C)), np.zeros((0, C)), models.n)
    windows = head.contributions(contrast(models.window_energies(documents.ids)))
    words = np.zeros((len(documents.ids), C))
    for i in range(models.n):
        words[i : i + len(windows)] += windows / models.n
    return Explanation(tokens, probability, words[: len(tokens)], windows, models.n)


def as_html(explanation: Explanation, classes: Sequence[str], top: int) -> str:
    """A self-contained page: every word in the colour of the class it speaks for."""
    text = " ".join(_html_words(explanation)) or "<em>There are no words in this text.</em>"
    rows = "".join(_html_row(explanation, c, name, top) for c, name in enumerate(classes))
    best = int(explanation.probability.argmax())
    title = f"{classes[best]}, with probability {explanation.probability[best]:.3f}"
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Explanation</title>'
        f"<style>{STYLE}</style><h1>{html.escape(title)}</h1>"
        f"<table>{rows}</table><p>{text}</p></html>\n"
    )


def _html_row(explanation: Explanation, c: int, name: str, top: int) -> str:
    windows = "<br>".join(
        f"{window.value[c]:+.3f} {html.escape(' '.join(window.words))}"
        for window in explanation.top(c, top)
    )
    swatch = f'<span style="background:{_colour(c, 0.6)}">{html.escape(name)}</span>'
    return f"<tr><td>{swatch}</td><td>{explanation.probability[c]:.3f}</td><td>{windows}</td></tr>"


def _html_words(explanation: Explanation) -> list[str]:
    largest = max(float(np.abs(explanation.words).max(initial=0.0)), 1e-30)
    spans = []
    for token, values in zip(explanation.tokens, explanation.words, strict=True):
        c = int(values.argmax())
        style = f"background:{_colour(c, max(float(values[c]), 0.0) / largest)}"
        spans.append(f'<span style="{style}" title="{values[c]:+.4f}">{html.escape(token)}</span>')
    return spans


def _colour(c: int, opacity: float) -> str:
    return f"hsla({HUES[c % len(HUES)]},80%,60%,{opacity:.3f})"
