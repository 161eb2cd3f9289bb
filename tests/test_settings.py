import pytest
from pydantic import Field

from wordrbm.errors import WordRBMError
from wordrbm.settings import StrictSettings


class Oven(StrictSettings):
    degrees: int = Field(default=180, ge=0)
    minutes: float = Field(default=20.0, gt=0)


def test_every_fault_is_named_in_one_sentence():
    with pytest.raises(WordRBMError) as refusal:
        Oven(degrees=-1, minutes=float("inf"), spices=1)
    sentence = str(refusal.value)
    assert sentence.startswith("Oven cannot be used: degrees: ")
    for fault in ("(found -1)", "minutes: ", "(found inf)", "spices: "):
        assert fault in sentence


def test_faults_are_told_by_the_names_that_a_user_gave():
    with pytest.raises(WordRBMError, match=r"^The settings cannot be used: --heat: .*\(found -1\)"):
        Oven.named({"degrees": "--heat"}, degrees=-1)
    assert Oven.named({"degrees": "--heat"}, degrees=90) == Oven(degrees=90)


def test_values_are_neither_converted_nor_changed():
    with pytest.raises(WordRBMError, match=r"\(found '180'\)"):
        Oven(degrees="180")
    with pytest.raises(ValueError, match="frozen"):
        Oven().degrees = 200


def test_settings_are_equal_by_value():
    assert Oven(degrees=180) == Oven() != Oven(minutes=1.0)
