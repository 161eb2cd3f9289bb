import numpy as np
import pytest

from wordrbm.text.settings import PrepareSettings


@pytest.mark.parametrize(
    "settings",
    [{"vocabulary_size": True}, {"min_count": None}, {"heldout": False}, {"field": b"a"}],
)
def test_what_a_manifest_could_not_hold_is_refused(settings):
    assert len(PrepareSettings(**settings).problems()) == 1


@pytest.mark.parametrize("heldout", [0, 0.25, np.float64(0.25)])
def test_any_number_may_be_a_share(heldout):
    assert PrepareSettings(heldout=heldout).problems() == []
