"""Reference pages made from the code: the commands, the settings and the public names."""

from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel

import wordrbm
from wordrbm.cli.app import app
from wordrbm.cli.train import with_options
from wordrbm.text.prepare import PrepareSettings
from wordrbm.training import TrainingSettings
from wordrbm.training.settings import PRESETS

# Methods that scikit-learn adds to every estimator, with references to its own site.
ROUTING = ", ".join(f"set_{name}_request" for name in ("fit", "partial_fit", "score", "transform"))


def write_pages(folder: Path) -> None:
    """Write the generated pages; a page that has not changed keeps its time."""
    folder.mkdir(exist_ok=True)
    pages = {"cli": commands_page(), "settings": settings_page(), "api": api_page()}
    for name, text in pages.items():
        path = folder / f"{name}.md"
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")


def commands_page() -> str:
    """Every command with its help, as `wordrbm COMMAND --help` prints it."""
    group = typer.main.get_command(app)
    parts = [
        "# Commands",
        "Made from the help of every command. Each takes `--help`; those that print results take "
        "`--json`. Bad input is one sentence and exit code 2.",
        *_command_sections("wordrbm", group, 2),
    ]
    return "\n\n".join(parts) + "\n"


def _command_sections(path: str, group: Any, level: int) -> list[str]:
    parts = []
    for name, command in group.commands.items():
        if name == "train" and path == "wordrbm":
            full = typer.Typer(add_completion=False, rich_markup_mode=None)
            full.command("train")(with_options(TrainingSettings.model_fields))
            command = typer.main.get_command(full)
        parts.append(f"{'#' * level} `{path} {name}`")
        if hasattr(command, "commands"):
            parts += _command_sections(f"{path} {name}", command, level + 1)
            continue
        context = command.make_context(
            f"{path} {name}", [], resilient_parsing=True, max_content_width=100
        )
        parts.append(f"```text\n{command.get_help(context).rstrip()}\n```")
    return parts


def settings_page() -> str:
    """The settings of `prepare` and `train`, and the presets."""
    parts = [
        "# Settings",
        "Every setting is an option of its command (`batch_size` is `--batch-size`) and a keyword "
        "of `wordrbm.prepare` or `wordrbm.train`. How to choose them: [training](../training.md).",
        "## `wordrbm train`",
        settings_table(TrainingSettings),
        "## Presets",
        *(f"`{name}`: {_assignments(values)}." for name, values in PRESETS.items()),
        "## `wordrbm prepare`",
        settings_table(PrepareSettings),
    ]
    return "\n\n".join(parts) + "\n"


def _assignments(values: Any) -> str:
    return ", ".join(f"`{name}` {value}" for name, value in values.items())


def settings_table(model: type[BaseModel]) -> str:
    """A row for every setting: name, default, bounds, what it is."""
    lines = ["| setting | default | bounds | what it is |", "|---|---|---|---|"]
    for name, field in model.model_fields.items():
        default = f"{field.default:,}" if type(field.default) is int else str(field.default).lower()
        bounds = ", ".join(filter(None, (_bound(rule) for rule in field.metadata)))
        lines.append(f"| `{name}` | {default} | {bounds} | {field.description or ''} |")
    return "\n".join(lines)


def _bound(rule: Any) -> str:
    signs = {"ge": ">=", "gt": ">", "le": "<=", "lt": "<"}
    return ", ".join(f"{s} {getattr(rule, k):,}" for k, s in signs.items() if hasattr(rule, k))


def api_page() -> str:
    """The public names, from their docstrings."""
    parts = ["# Python", "The public names of `wordrbm`, all that `import wordrbm` gives."]
    for name in wordrbm.__all__:
        thing = getattr(wordrbm, name)
        kind = "autoclass" if isinstance(thing, type) else "autofunction"
        options = f"   :members:\n   :exclude-members: {ROUTING}\n" if kind == "autoclass" else ""
        parts.append(f"## `{name}`\n\n```{{eval-rst}}\n.. {kind}:: wordrbm.{name}\n{options}```")
    return "\n\n".join(parts) + "\n"
