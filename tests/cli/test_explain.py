"""`wordrbm explain`: classes of a text and the n-grams that speak for them."""

import json
import sys

import pytest

from tests.estimators.test_word_features import classified
from wordrbm.cli.app import main
from wordrbm.estimators import FreeEnergyClassifier
from wordrbm.estimators.classifier_file import Kept, save_classifier

NAMES = ("money", "animals")


@pytest.fixture
def command(monkeypatch, capfd):
    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["wordrbm", *map(str, arguments)])
        with pytest.raises(SystemExit) as end:
            main()
        return end.value.code, *capfd.readouterr()

    return call


@pytest.fixture(scope="module")
def classifier(tmp_path_factory):
    texts, kind = classified(80)
    model = FreeEnergyClassifier(
        window=3, n_components=6, dimension=5, min_count=1, n_iter=30, random_state=1
    )
    model.fit(texts, [NAMES[k] for k in kind])
    folder = tmp_path_factory.mktemp("classifier")
    classes = tuple(str(name) for name in model.classes_)
    save_classifier(folder, Kept(classes, model.models_, model.view_, model.layer_))
    return folder


def test_explain_prints_and_colours(classifier, command, tmp_path):
    text, page = tmp_path / "new.txt", tmp_path / "page.html"
    text.write_text("The cat eats fish .<br />The bank buys bonds .")
    code, shown, _ = command("explain", classifier, text, "--html", page, "--top", 2)
    assert code == 0
    assert shown.splitlines()[0].startswith("animals: ")
    assert "cat" in shown
    assert "<span" in page.read_text()


def test_probabilities_of_a_text(classifier, command, tmp_path):
    text = tmp_path / "new.txt"
    text.write_text("The cat eats fish . The dog hunts a bird .")
    code, shown, _ = command("explain", classifier, text, "--json")
    assert code == 0
    classes = json.loads(shown)["classes"]
    assert classes["animals"]["probability"] > 0.8
    assert sum(one["probability"] for one in classes.values()) == pytest.approx(1)


def test_a_folder_without_a_classifier_is_refused(command, tmp_path):
    code, _, message = command("explain", tmp_path)
    assert code == 2
    assert "There is no" in message
