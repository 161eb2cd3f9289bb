"""The exceptions a user may see: each is a sentence that says what was found and what to do."""

import reprlib
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError


class WordRBMError(Exception):
    """Bad input or a failed write, in one sentence. The command line exits with 2."""


class InvalidInput(WordRBMError, ValueError):  # noqa: N818 - the name says what is at fault
    """Bad arguments to an estimator or to inference, also known as a `ValueError`."""


class Stopped(WordRBMError):  # noqa: N818 - an outcome, not a fault
    """A stop was requested; the message says what was saved and how to continue."""


class RankLost(WordRBMError):  # noqa: N818 - an outcome, not a fault
    """A rank no longer answers; a restart goes on from the last checkpoint."""


def validation_faults(
    error: "ValidationError", names: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """One phrase for each fault that pydantic found: the field, what was expected, the value.

    A field that has another name for the user, as an option has, is told by that of `names`.
    """
    faults = []
    for fault in error.errors():
        field = ".".join(map(str, fault["loc"]))[:40]
        faults.append(
            f"{names.get(field, field)}: {fault['msg']} (found {reprlib.repr(fault['input'])})"
        )
    return faults
