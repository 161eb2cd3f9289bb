"""A document as a page: every word in the colour of the class it pulls to, and as strong."""

import html
from collections.abc import Sequence

import numpy as np

from wordrbm.estimators.explaining import Explanation

HUES = (0, 220, 130, 45, 280, 180, 320, 90)  # degrees on the colour wheel: red, blue, green, ...
STYLE = (
    "body{font:16px/1.7 Georgia,serif;max-width:46em;margin:2em auto;color:#222;padding:0 1em}"
    "span{border-radius:3px;padding:1px 0}table{border-collapse:collapse;margin:1em 0}"
    "td{padding:2px 12px 2px 0;vertical-align:top}"
)


def page(found: Explanation, classes: Sequence[str], top: int) -> str:
    """The whole page, which needs nothing beside itself."""
    text = " ".join(_words(found)) or "<em>There are no words in this text.</em>"
    rows = "".join(_row(found, c, name, top) for c, name in enumerate(classes))
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>What pulls a text</title>'
        f"<style>{STYLE}</style><h1>{html.escape(_verdict(found, classes))}</h1>"
        f"<table>{rows}</table><p>{text}</p></html>\n"
    )


def _verdict(found: Explanation, classes: Sequence[str]) -> str:
    best = int(found.probability.argmax())
    return f"{classes[best]}, with probability {found.probability[best]:.3f}"


def _row(found: Explanation, c: int, name: str, top: int) -> str:
    pulls = "<br>".join(
        f"{pull.pull[c]:+.3f} {html.escape(' '.join(pull.words))}"
        for pull in found.strongest(c, top)
    )
    swatch = f'<span style="background:{_colour(c, 0.6)}">{html.escape(name)}</span>'
    return f"<tr><td>{swatch}</td><td>{found.probability[c]:.3f}</td><td>{pulls}</td></tr>"


def _words(found: Explanation) -> list[str]:
    strongest = np.abs(found.words).max() if found.words.size else 1.0
    told = []
    for token, pull in zip(found.tokens, found.words, strict=True):
        c = int(pull.argmax())
        colour = _colour(c, max(float(pull[c]), 0.0) / max(float(strongest), 1e-30))
        title = html.escape(f"{pull[c]:+.4f}", quote=True)
        told.append(
            f'<span style="background:{colour}" title="{title}">{html.escape(token)}</span>'
        )
    return told


def _colour(c: int, strength: float) -> str:
    return f"hsla({HUES[c % len(HUES)]},80%,60%,{strength:.3f})"
