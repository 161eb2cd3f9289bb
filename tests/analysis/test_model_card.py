import json

import pytest

from wordrbm.analysis.model_card import describe_model, render_card
from wordrbm.errors import WordRBMError
from wordrbm.trained_model import load
from wordrbm.training import TrainingSettings


@pytest.fixture
def facts(trained_folders):
    return describe_model(trained_folders[0])


def test_the_facts_are_those_of_the_model(facts, trained_folders):
    folder, _ = trained_folders
    model = load(folder)
    assert facts["sizes"] == {
        "n": 3, "H": model.settings.hidden, "d": model.settings.dimension, "K": 27,
    }  # fmt: skip
    assert facts["data"]["tokens"] == model.vocabulary.counts.sum()
    assert facts["settings"] == model.settings.model_dump()
    last = json.loads((folder / "metrics.jsonl").read_text().splitlines()[-1])
    assert facts["scores"]["cloze_perplexity"] == last["cloze_perplexity"]
    for word, nearest in facts["neighbours"].items():
        assert nearest == [near for near, _ in model.vectors.most_similar(word, 5)]
    json.dumps(facts)


def test_the_card_has_every_part(facts):
    text = render_card(facts)
    assert text.startswith("---\nlibrary_name: wordrbm\n")
    headings = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["Data", "Scores", "Neighbours", "Settings", "Limits"]
    for name in TrainingSettings.model_fields:
        assert f"| `{name}` |" in text
    assert "SHA-256" in text


def test_a_cell_cannot_break_its_table(facts):
    text = render_card(facts | {"neighbours": {"|": ["a|b"]}})
    assert "| \\| | a\\|b |" in text


def test_mass_on_ten_windows_is_the_first_limit(facts):
    assert facts["warning"] is None or "Ten windows" in facts["warning"]
    text = render_card(facts | {"warning": "Ten windows hold 99% of this model."})
    assert text.split("## Limits\n\n")[1].startswith("- Ten windows hold 99%")


def test_a_model_without_scores_says_so(facts):
    text = render_card(facts | {"scores": {}, "groups": {}, "likelihood": None})
    assert "No text was held out" in text


def test_a_folder_that_holds_no_model_is_told(tmp_path):
    with pytest.raises(WordRBMError, match="was not found; give the folder"):
        describe_model(tmp_path)
