"""The settings of a run on a given corpus, where its length may be asked for in epochs."""

from collections.abc import Mapping
from typing import Any

from wordrbm.errors import WordRBMError
from wordrbm.text.prepared import Prepared
from wordrbm.training import TrainingSettings, check_settings


def settings_for(prepared: Prepared, values: Mapping[str, Any]) -> TrainingSettings:
    """Checked settings; `epochs`, passes over the training text, may stand for `ngrams`."""
    given = {name: value for name, value in values.items() if name != "epochs"}
    settings = check_settings(given)
    epochs = values.get("epochs")
    if epochs is None:
        return settings
    if "ngrams" in given:
        raise WordRBMError("Both ngrams and epochs were given; give one of them.")
    windows = len(prepared.windows(settings.window, "train"))
    count = epochs * windows if isinstance(epochs, int | float) else 0
    if not 1 <= count < 2**62:  # also refuses a NaN
        raise WordRBMError(
            f"Settings cannot be used: {epochs!r} epochs of {windows} windows are no number of "
            "windows to read; give a number above zero."
        )
    return check_settings({**given, "ngrams": round(count)})
