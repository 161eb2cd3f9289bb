import json


def test_the_card_is_printed_or_written(run_command, trained_folders, tmp_path):
    model, _ = trained_folders
    code, output, _ = run_command("wordrbm", "card", model)
    assert code == 0
    written = run_command("wordrbm", "card", model, "--out", tmp_path / "README.md")
    assert written[1] == f"{tmp_path / 'README.md'}: the model card\n"
    assert (tmp_path / "README.md").read_text() == output
    assert "## Limits" in output


def test_the_facts_as_json(run_command, trained_folders):
    _, output, _ = run_command("wordrbm", "card", trained_folders[0], "--json")
    assert {"sizes", "data", "settings", "scores", "neighbours"} <= set(json.loads(output))


def test_a_wrong_folder_is_one_sentence(run_command, tmp_path):
    code, output, errors = run_command("wordrbm", "card", tmp_path / "absent")
    assert (code, output, errors.count("\n")) == (2, "", 1)
