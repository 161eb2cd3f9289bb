"""Text files to a prepared corpus: parallel, streaming, resumable; see `pipeline.py`.

Here are its settings: what a prepared corpus depends on besides its text.
"""

from collections.abc import Mapping
from numbers import Integral
from typing import Any, Literal

from pydantic import Field, ValidationError

from wordrbm.errors import WordRBMError, validation_faults
from wordrbm.settings import StrictModel

TRAIN, HELDOUT = 0, 1  # the split of a span of the text


class PrepareSettings(StrictModel):
    """The settings of a prepared corpus; it is the same for any number of workers.

    vocabulary_size  most frequent words to keep
    min_count        drop words that occur less often
    heldout          fraction of the text to hold out
    field            field of JSON lines with the text
    encoding_errors  bytes that are no UTF-8: "strict" refuses the file, "replace" counts them
    """

    vocabulary_size: int = Field(default=100_000, ge=1)
    min_count: int = Field(default=1, ge=1)
    heldout: float = Field(default=0.01, ge=0, lt=0.5)
    field: str = Field(default="text", min_length=1)
    encoding_errors: Literal["strict", "replace"] = "strict"


def check_prepare_settings(values: Mapping[str, Any], workers: int = 1) -> PrepareSettings:
    """Make settings from a mapping; one WordRBMError names every fault, also of `workers`."""
    settings, faults = PrepareSettings(), list[str]()
    try:
        settings = PrepareSettings(**values)
    except ValidationError as error:
        faults = validation_faults(error)
    if not isinstance(workers, Integral) or workers < 1:
        faults.append(f"workers: Input should be an integer of at least 1 (found {workers!r})")
    if faults:
        raise WordRBMError(f"Settings cannot be used: {'; '.join(faults)}.")
    return settings
