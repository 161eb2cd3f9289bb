"""The bases of settings and records: frozen and strict; `StrictSettings` refuses in one sentence.

`TrainingSettings` and `PrepareSettings` are strict models only: their callers add faults of their
own to the sentence.
"""

from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)

from wordrbm.errors import WordRBMError, validation_faults


class StrictModel(BaseModel):
    """Named values that are neither converted nor changed, and no others."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)


class StrictSettings(StrictModel):
    """Named values with bounds; a value out of bounds or an unknown name is a `WordRBMError`."""

    @model_validator(mode="wrap")
    @classmethod
    def _refuse_in_one_sentence(
        cls, values: Any, handler: ModelWrapValidatorHandler["StrictSettings"]
    ) -> "StrictSettings":
        try:
            return handler(values)
        except ValidationError as error:
            faults = "; ".join(validation_faults(error))
        raise WordRBMError(f"{cls.__name__} cannot be used: {faults}.")
