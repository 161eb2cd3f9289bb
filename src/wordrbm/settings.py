"""The base of settings: frozen, strict, and refused in one sentence that names every fault.

`TrainingSettings` and `PrepareSettings` do without it: their callers add faults of their own.
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


class StrictSettings(BaseModel):
    """Named values with bounds; a value out of bounds or an unknown name is a `WordRBMError`."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)

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
