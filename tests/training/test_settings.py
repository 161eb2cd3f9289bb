import os
from pathlib import Path

import pytest

from wordrbm.errors import WordRBMError
from wordrbm.training import TrainingSettings, check_settings, read_settings
from wordrbm.training.settings import resolve_settings, with_preset


def test_all_mistakes_are_named_at_once():
    with pytest.raises(WordRBMError) as caught:
        check_settings({"window": 0, "hidden": "many", "colour": "red", "chains": 10, "shards": 4})
    for word in ("window", "hidden", "colour", "chains 10 is not a multiple"):
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)


def test_hostile_settings_are_told_in_a_short_sentence():
    with pytest.raises(WordRBMError) as caught:
        check_settings({"x" * 10_000: 1, "hidden": "y" * 10_000} | {f"a{i}": i for i in range(99)})
    assert len(str(caught.value)) < 2_000


def test_a_truth_value_is_no_number():
    with pytest.raises(WordRBMError, match="hidden"):
        check_settings({"hidden": True})


def test_shards_must_divide_the_work():
    with pytest.raises(WordRBMError, match="batch_size 100 is not a multiple of shards 8"):
        check_settings({"batch_size": 100, "chains": 800, "shards": 8})


def test_the_last_batch_is_whole():
    assert TrainingSettings(windows=1000, batch_size=512).steps == 2


def test_settings_come_from_toml(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text("window = 5\nhidden_rate = 0.01\n")
    chosen = check_settings(read_settings(path))
    assert (chosen.window, chosen.hidden_rate) == (5, 0.01)


@pytest.mark.parametrize("text", ["hidden = " + "[" * 5000, "hidden = " + "9" * 5000, "a = \x00"])
def test_hostile_toml_is_refused_in_a_sentence(tmp_path, text):
    path = tmp_path / "settings.toml"
    path.write_text(text)
    with pytest.raises(WordRBMError) as caught:
        read_settings(path)
    assert "\n" not in str(caught.value)


def test_a_byte_order_mark_before_toml_is_no_matter(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text("window = 5\n", encoding="utf-8-sig")
    assert read_settings(path) == {"window": 5}


def test_what_is_no_small_file_holds_no_settings(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", tmp_path, Path("/dev/zero")):
        with pytest.raises(WordRBMError, match="is no small file"):
            read_settings(path)


def test_a_file_that_is_not_toml_is_refused(tmp_path):
    path = tmp_path / "settings.toml"
    path.write_text("window: 5\n")
    with pytest.raises(WordRBMError, match="is not TOML"):
        read_settings(path)
    with pytest.raises(WordRBMError, match="cannot be read"):
        read_settings(tmp_path / "absent.toml")


def test_the_papers_procedure_has_a_name():
    chosen = TrainingSettings(**with_preset({"preset": "paper", "l2": 0.0}))
    assert (chosen.jumps, chosen.averaging, chosen.word_rate, chosen.l2) == (0, 0, 0.02, 0.0)
    for wrong in ("papers", 3, ["paper"]):
        with pytest.raises(WordRBMError, match="the presets are sml, paper"):
            with_preset({"preset": wrong})


def test_shards_that_do_not_divide_a_default_are_one_sentence():
    with pytest.raises(WordRBMError, match="batch_size 512 is not a multiple of shards 3"):
        check_settings({"shards": 3})


def test_epochs_are_passes_over_the_training_windows():
    count = {3: 1000, 5: 800}.get
    assert resolve_settings({"epochs": 2}, count).windows == 2000
    assert resolve_settings({"epochs": 0.5, "window": 5, "preset": "sml"}, count).windows == 400
    for epochs in (float("nan"), float("inf"), 0, -1, "two", True):
        with pytest.raises(WordRBMError, match=r"above zero|no number of windows"):
            resolve_settings({"epochs": epochs}, count)
    with pytest.raises(WordRBMError, match=r"both windows and epochs .*; threads: 0 is wrong"):
        resolve_settings({"epochs": 1, "windows": 5}, count, ["threads: 0 is wrong"])


@pytest.mark.parametrize("preset", ["sml", "paper"])
def test_presets_start_at_random_as_they_did(preset):
    assert check_settings(with_preset({"preset": preset})).initialization == "random"
    assert check_settings({}).initialization == "spectral"


@pytest.mark.parametrize(
    ("sizes", "rate"),
    [
        ({}, 0.04),
        ({"hidden": 20, "dimension": 5, "windows": 1000}, 0.04),
        ({"dimension": 100, "hidden": 500}, 0.01),
        ({"window": 6, "dimension": 100}, 0.005),
        ({"windows": 200_000_000}, 0.02),
        ({"hidden": 500, "windows": 200_000_000}, 0.01),
    ],
)
def test_rates_fall_with_the_size_of_the_model_and_the_length_of_the_run(sizes, rate):
    settings = check_settings(sizes)
    assert settings.word_rate == settings.hidden_rate == pytest.approx(rate)


def test_windows_of_more_than_three_words_take_more_proposals_and_bigrams():
    short, long = (check_settings({"window": n, "windows": 1_000_000}) for n in (3, 4))
    assert (short.jumps, short.bigram_share, short.reservoir) == (1, 0.0, 131_072)
    assert (long.jumps, long.bigram_share, long.reservoir) == (8, 0.3, 1_048_576)
    assert check_settings({"window": 10_000}).reservoir < 1_000  # memory stays bounded
    explicit = check_settings({"window": 5, "jumps": 2})
    assert (explicit.jumps, explicit.bigram_share) == (2, 0.3)


def test_long_runs_store_more_windows():
    stored = [
        check_settings(values).reservoir
        for values in ({"windows": 9_999_999}, {"windows": 10_000_000}, {}, {"reservoir": 5})
    ]
    assert stored == [131_072, 1_048_576, 1_048_576, 5]
    assert check_settings({"jumps": 0}).reservoir == 131_072  # of no use


@pytest.mark.parametrize("values", [{"jumps": 0}, {"preset": "paper"}])
def test_without_jumps_there_are_no_bigrams(values):
    """Such a run of long windows, begun before bigrams, is resumed with its own options."""
    chosen = resolve_settings({"window": 5, **values}, lambda n: 1000)
    assert (chosen.jumps, chosen.bigram_share) == (0, 0.0)


@pytest.mark.parametrize("name", ["window", "dimension", "hidden", "windows"])
def test_a_size_of_hundreds_of_digits_is_refused_by_its_name_alone(name):
    with pytest.raises(WordRBMError) as caught:
        check_settings({name: 10**400})
    assert f"{name}: " in str(caught.value)
    assert "rate" not in str(caught.value)


def test_a_rate_that_is_given_is_used_for_any_size():
    settings = check_settings({"hidden": 5000, "windows": 10**9, "word_rate": 0.04})
    assert settings.word_rate == 0.04
    assert settings.hidden_rate < 0.001
    assert check_settings(with_preset({"preset": "paper", "hidden": 5000})).hidden_rate == 0.03


def test_rates_follow_the_windows_that_epochs_come_to():
    settings = resolve_settings({"epochs": 4.0}, lambda n: 50_000_000)
    assert settings.word_rate == pytest.approx(0.02)
