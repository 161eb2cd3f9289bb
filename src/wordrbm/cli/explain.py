"""`wordrbm explain`: the class of a text, how likely, and the n-grams that pull it there."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from wordrbm.classification.explain import Explanation


def explain(
    classifier: Annotated[Path, typer.Argument(help="A folder made by `wordrbm sentiment`.")],
    file: Annotated[
        Path | None,
        typer.Argument(help="A text, one document; - is standard input.", show_default="-"),
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="N-grams to show for each class.")] = 5,
    html: Annotated[Path | None, typer.Option(help="Write the text in colours, as a page.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the probability of each class, and which n-grams pull the text to it.

    A pull is what an n-gram adds to the logit of a class, from the mean of all classes; the pulls
    of a text and a constant are its logits.

    \b
    Example:
      wordrbm explain out/classifier review.txt --html review.html
      echo "A wonderful film" | wordrbm explain out/classifier --json
    """
    from wordrbm.classification.classifier_file import load_classifier
    from wordrbm.classification.explain import explain as explained
    from wordrbm.text.reader import open_lines

    kept = load_classifier(classifier)
    with open_lines(file) as lines:
        text = "\n".join(line.text for line in lines)
    found = explained(kept.models, kept.head, text)
    if html is not None:
        from wordrbm.classification.explain import as_html
        from wordrbm.storage import write_text

        write_text(html, as_html(found, kept.classes, top))
    told = {name: _class(found, c, top) for c, name in enumerate(kept.classes)}
    if as_json:
        print(json.dumps({"words": len(found.tokens), "classes": told}))
        return
    for name, one in told.items():
        print(f"{name}: {one['probability']:.3f}")
        for pull in one["ngrams"]:
            print(f"  {pull['pull']:+.3f}  {' '.join(pull['words'])}")
    if html is not None:
        print(f"page: {html}")


def _class(found: "Explanation", c: int, top: int) -> dict[str, Any]:
    ngrams = [
        {"words": list(pull.words), "at": pull.start, "pull": pull.value[c]}
        for pull in found.top(c, top)
    ]
    return {"probability": float(found.probability[c]), "ngrams": ngrams}
