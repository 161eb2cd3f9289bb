import numpy as np
import pytest

from wordrbm.errors import WordRBMError
from wordrbm.text.prepare import PrepareSettings, check_prepare_settings


@pytest.mark.parametrize(
    "values",
    [
        {"vocabulary_size": True},
        {"vocabulary_size": np.int64(5)},
        {"min_count": None},
        {"heldout": False},
        {"heldout": 0.5},
        {"field": b"a"},
        {"encoding_errors": "ignore"},
        {"words": 7},
    ],
)
def test_a_value_that_a_manifest_could_not_hold_is_refused(values):
    (name,) = values
    with pytest.raises(WordRBMError, match=rf"^Settings cannot be used: {name}: [^;]*\.$"):
        check_prepare_settings(values)


@pytest.mark.parametrize("heldout", [0, 0.25, np.float64(0.25)])
def test_any_number_may_be_a_fraction(heldout):
    assert check_prepare_settings({"heldout": heldout}) == PrepareSettings(heldout=float(heldout))


def test_all_wrong_settings_are_named_at_once():
    values = {"vocabulary_size": 0, "min_count": 2.5, "heldout": float("nan"), "field": ""}
    names = ".*".join(rf"{name}: .*\(found " for name in [*values, "workers"])
    with pytest.raises(WordRBMError, match=names) as refused:
        check_prepare_settings(values, workers="2")
    assert "\n" not in str(refused.value)
