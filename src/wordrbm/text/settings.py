"""What a prepared corpus depends on besides its text; the number of workers is not part of it."""

from dataclasses import dataclass
from typing import Any

from wordrbm.text.reader import ENCODING_ERRORS, STRICT


@dataclass(frozen=True)
class PrepareSettings:
    """How many words to keep, which are too rare, how much to hold out, where JSON has the text.

    `encoding_errors` says what becomes of bytes that are no text: "strict" refuses the file,
    "replace" puts U+FFFD in their place and counts them.
    """

    vocabulary_size: int = 100_000
    min_count: int = 1
    heldout: float = 0.01
    field: str = "text"
    encoding_errors: str = STRICT

    def problems(self) -> list[str]:
        """Why no corpus could be prepared with these settings; nothing if one can."""
        count, share = "a whole number of at least 1", "a number from 0 to below 0.5"
        field = "the name under which JSON lines keep their text"
        ways = " or ".join(map(repr, ENCODING_ERRORS))
        checks = [
            ("vocabulary size", self.vocabulary_size, _is_count, count),
            ("minimum count", self.min_count, _is_count, count),
            ("held-out share", self.heldout, _is_share, share),
            ("field", self.field, _is_name, field),
            ("way with encoding errors", self.encoding_errors, _is_way, ways),
        ]
        return [
            f"the {name} is {value!r} but must be {expected}"
            for name, value, fits, expected in checks
            if not fits(value)
        ]


# Nothing holds a caller to the types, and a manifest has no place for others: not for a bool, nor
# for an integer of numpy's.
def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 1


def _is_share(value: Any) -> bool:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number and bool(0.0 <= value < 0.5)  # also refuses a NaN


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_way(value: Any) -> bool:
    return isinstance(value, str) and value in ENCODING_ERRORS
