"""The settings of a run on a given corpus, where its length may be asked for in epochs."""

from collections.abc import Mapping, Sequence
from typing import Any

from wordrbm.errors import WordRBMError
from wordrbm.text.corpus import PreparedCorpus
from wordrbm.training import TrainingSettings, check_settings
from wordrbm.training.settings import with_preset


def settings_for(
    prepared: PreparedCorpus, values: Mapping[str, Any], others: Sequence[str] = ()
) -> TrainingSettings:
    """Checked settings; `epochs`, passes over the training text, may stand for `ngrams`.

    `others` are faults found elsewhere, to be told in the same sentence.
    """
    given = with_preset({name: value for name, value in values.items() if name != "epochs"})
    epochs = values.get("epochs")
    settings = check_settings(given, [*_faults(epochs, given), *others])
    if epochs is None:
        return settings
    windows = len(prepared.windows(settings.window, "train"))
    if not 1 <= epochs * windows < 2**62:
        raise WordRBMError(
            f"Settings cannot be used: {epochs!r} epochs of {windows} windows are no number of "
            "windows to read; give other epochs."
        )
    return check_settings({**given, "ngrams": round(epochs * windows)})


def _faults(epochs: Any, given: Mapping[str, Any]) -> list[str]:
    if epochs is None:
        return []
    number = isinstance(epochs, int | float) and not isinstance(epochs, bool)
    wrong = [] if number and epochs > 0 else [f"epochs: {epochs!r} is not a number above zero"]
    return wrong + (["both ngrams and epochs were given; give one"] if "ngrams" in given else [])
