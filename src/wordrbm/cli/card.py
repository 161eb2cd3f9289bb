"""`wordrbm card`: a model card for a model folder."""

from pathlib import Path
from typing import Annotated

import typer

from wordrbm.cli.options import AsJson, ModelFolder, print_result


def write_card(
    model: ModelFolder,
    out: Annotated[
        Path | None, typer.Option(help="The file to write.", show_default="standard output")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Describe a model as a model card in Markdown: data, settings, scores, neighbours, limits.

    \b
    Example:
      wordrbm card model --out model/README.md
    """
    from wordrbm.analysis.model_card import describe_model, render_card
    from wordrbm.storage import write_text

    facts = describe_model(model)
    if out is not None:
        write_text(out, render_card(facts))
    lines = [render_card(facts).rstrip("\n")] if out is None else [f"{out}: the model card"]
    print_result(facts, lines, as_json=as_json)
