"""The command `wordrbm units`: the words and the windows that turn a hidden unit on."""

import json

from wordrbm.analysis.hidden_units import unit_words
from wordrbm.trained_model import load


def test_words_windows_and_on_rates(run_command, trained_folders):
    model, corpus = trained_folders
    code, shown, _ = run_command(
        "wordrbm", "units", model, 2, 0, "--corpus", corpus, "--count", 3, "--json"
    )
    assert code == 0
    records, trained = json.loads(shown), load(model)
    assert [record["unit"] for record in records] == [2, 0]
    expected = unit_words(trained.rbm, trained.vocabulary.words, 2, 3, among=20_000)
    found = [[tuple(row) for row in place["highest"]] for place in records[0]["positions"]]
    assert found == [place.highest for place in expected]
    assert 0 < records[0]["on_rate"] < 1
    means = [row["mean"] for row in records[0]["windows"]]
    assert means == sorted(means, reverse=True)


def test_as_text_without_a_corpus(run_command, trained_folders):
    code, shown, _ = run_command("wordrbm", "units", trained_folders[0], 1)
    assert code == 0
    assert shown.startswith("unit 1, bias ")
    assert shown.count("on at position") == load(trained_folders[0]).rbm.positions


def test_a_unit_that_is_not_there(run_command, trained_folders):
    code, _, said = run_command("wordrbm", "units", trained_folders[0], 9999)
    assert code == 2
    assert "There is no unit 9999; the units of this model are 0 to" in said
