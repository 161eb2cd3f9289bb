"""A model card: what a model was trained on, how, how well, and what it should not be used for.

The card is Markdown with the front matter that the Hugging Face hub reads. All of it comes from the
model folder; what only its maker knows (the origin and the licence of the text) is left to be
filled in.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from wordrbm.analysis.neighbour_groups import GROUPS, neighbour_purity
from wordrbm.io.model_folder import LIKELIHOOD, METRICS, read_metrics
from wordrbm.io.vectors import Vectors
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.trained_model import TrainedModel, load
from wordrbm.training import TrainingSettings

NEIGHBOUR_RANKS = (300, 500, 800, 1300, 2100, 3400, 5500, 8900)  # of the words that are shown
SCORES = {
    "cloze_perplexity": ("cloze perplexity", ".1f"),
    "unigram_perplexity": ("cloze perplexity of word frequencies", ".1f"),
    "joint_bound": ("log-likelihood, nats a window, at most", ".2f"),
    "unigram_joint": ("log-likelihood of word frequencies", ".2f"),
    "ten_heaviest": ("share of the model on its ten heaviest windows", ".1%"),
    "ten_heaviest_text": ("share of the text on the same windows", ".1%"),
}
SUSPICIOUS_SHARE = 0.05  # of the model on ten windows, and then more than thrice that of the text


def describe_model(folder: Path) -> dict[str, Any]:
    """The facts of a model folder: sizes, data, settings, scores, neighbours, limits."""
    model = load(folder)
    metrics = read_metrics(folder / METRICS)
    scores = {name: metrics[-1][name] for name in SCORES if metrics and name in metrics[-1]}
    n, H, d = model.rbm.U.shape
    return {
        "name": folder.resolve().name,
        "sizes": {"n": n, "H": H, "d": d, "K": len(model.vocabulary)},
        "data": _describe_data(model),
        "settings": model.settings.model_dump(),
        "scores": scores,
        "likelihood": _read_likelihood(folder),
        "groups": _group_purity(model.vectors),
        "neighbours": _example_neighbours(model.vocabulary, model.vectors),
        "warning": _warn_of_mass(scores),
    }


def _describe_data(model: TrainedModel) -> dict[str, Any]:
    counts = model.vocabulary.counts
    tokens = int(counts.sum())
    return {
        "tokens": tokens,
        "coverage": 1 - int(counts[0]) / max(tokens, 1),
        "rarest_count": int(counts[1:].min()) if len(counts) > 1 else 0,
        "corpus_sha256": model.corpus,
    }


def _read_likelihood(folder: Path) -> dict[str, float] | None:
    """The estimate of log Z beside a model, if there is one."""
    try:
        content = json.loads((folder / LIKELIHOOD).read_text("utf-8"))
        return {name: float(content[name]) for name in ("log_Z", "standard_error")}
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _group_purity(vectors: Vectors) -> dict[str, float]:
    """The neighbour purity of every group of words that the vocabulary has whole."""
    found = {name: neighbour_purity(vectors, group) for name, group in GROUPS.items()}
    return {name: purity.inside for name, purity in found.items() if not purity.missing}


def _example_neighbours(vocabulary: Vocabulary, vectors: Vectors) -> dict[str, list[str]]:
    """The neighbours of a few words at fixed ranks of frequency: chosen by no one."""
    words = [word for word in vocabulary.words[1:] if word.isalpha() and len(word) > 2]
    chosen = [words[rank] for rank in NEIGHBOUR_RANKS if rank < len(words)] or words[:3]
    return {word: [near for near, _ in vectors.most_similar(word, 5)] for word in chosen}


def _warn_of_mass(scores: Mapping[str, float]) -> str | None:
    share, text = scores.get("ten_heaviest", 0.0), scores.get("ten_heaviest_text", 0.0)
    if share <= SUSPICIOUS_SHARE or share <= 3 * text:
        return None
    return (
        f"Ten windows hold {share:.0%} of this model and {text:.1%} of the text: use its vectors, "
        "not its probabilities of whole windows."
    )


def render_card(facts: Mapping[str, Any]) -> str:
    """The card as Markdown."""
    n, H, d, K = (facts["sizes"][name] for name in "nHdK")
    data = facts["data"]
    parts = [
        "---\nlibrary_name: wordrbm\ntags: [word-vectors, restricted-boltzmann-machine]\n---",
        f"# {facts['name']}",
        f"A word-representation RBM of windows of {n} words: {K:,} words, vectors of {d} numbers, "
        f"{H} hidden units [Dahl, Adams & Larochelle 2012].",
        "```python\nimport wordrbm\n\n"
        f'model = wordrbm.load("{facts["name"]}")\n'
        f'model.vectors.most_similar("{next(iter(facts["neighbours"]), "the")}")\n```',
        "## Data",
        f"{data['tokens']:,} tokens; {data['coverage']:.1%} of them are in the vocabulary, whose "
        f"rarest word occurs {data['rarest_count']:,} times. Lower case, digits as `#`.",
        f"SHA-256 of the word ids: `{data['corpus_sha256'] or 'not stored'}`.",
        "Origin and licence of the text: *fill in*.",
        "## Scores",
        *_score_parts(facts),
        "## Neighbours",
        "Words at fixed ranks of frequency and their nearest five by cosine:",
        _table(("word", "nearest"), ((w, ", ".join(x)) for w, x in facts["neighbours"].items())),
        "## Settings",
        _table(("setting", "value", "what it is"), _setting_rows(facts["settings"])),
        "## Limits",
        "\n".join(f"- {limit}" for limit in _limits(facts)),
    ]
    return "\n\n".join(parts) + "\n"


def _score_parts(facts: Mapping[str, Any]) -> list[str]:
    scores = facts["scores"]
    rows = [(SCORES[name][0], format(x, SCORES[name][1])) for name, x in scores.items()]
    if facts["likelihood"]:
        error = facts["likelihood"]["standard_error"]
        rows.append(("log Z", f"{facts['likelihood']['log_Z']:.2f} ± {error:.2f}"))
    rows += [
        (f"of 5 neighbours of {name}, {name}", f"{x:.2f}") for name, x in facts["groups"].items()
    ]
    if not rows:
        return ["No text was held out, so there is no score."]
    return ["Of held-out text, at the end of training.", _table(("score", "value"), rows)]


def _setting_rows(settings: Mapping[str, Any]) -> Iterable[tuple[str, str, str]]:
    for name, value in settings.items():
        yield f"`{name}`", str(value), str(TrainingSettings.model_fields[name].description)


def _limits(facts: Mapping[str, Any]) -> list[str]:
    n = facts["sizes"]["n"]
    limits = [
        f"It sees {n} words at a time and knows nothing of what lies further apart.",
        "Words outside the vocabulary are one unknown word.",
        "It repeats what its text says of people and things, prejudice included; it is not a "
        "source of facts.",
        "Free energies compare texts under this model only; probabilities need log Z.",
    ]
    return [facts["warning"], *limits] if facts["warning"] else limits


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    escaped = (tuple(cell.replace("|", "\\|") for cell in row) for row in rows)
    lines = [head, ("---",) * len(head), *escaped]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
