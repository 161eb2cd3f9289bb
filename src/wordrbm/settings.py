"""The bases of settings and records: frozen and strict; `StrictSettings` refuses in one sentence.

`TrainingSettings` and `PrepareSettings` are strict models only: their callers add faults of their
own to the sentence.
"""

from collections.abc import Mapping
from typing import Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)

from wordrbm.errors import WordRBMError, validation_faults


class StrictModel(BaseModel):
    """Named values that are neither converted nor changed, and no others."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, strict=True)


class StrictSettings(StrictModel):
    """Named values with bounds; a value out of bounds or an unknown name is a `WordRBMError`."""

    @classmethod
    def named(cls, names: Mapping[str, str], **values: Any) -> Self:
        """Settings whose faults are told by the names that a user gave, `names[field]`."""
        return cls.model_validate(values, context=names)

    @model_validator(mode="wrap")
    @classmethod
    def _refuse_in_one_sentence(
        cls, values: Any, handler: ModelWrapValidatorHandler[Self], info: ValidationInfo
    ) -> Self:
        try:
            return handler(values)
        except ValidationError as error:
            faults = "; ".join(validation_faults(error, info.context or {}))
        what = "The settings" if info.context else cls.__name__
        raise WordRBMError(f"{what} cannot be used: {faults}.")
