"""Options that hold several numbers, with commas between them; duplicates are dropped."""

import re

from wordrbm.errors import WordRBMError

MIN_FLOAT, MAX_FLOAT = 1e-9, 1e6  # of scales and penalties
_DIGITS = re.compile("[0-9]{1,19}")
MAX_INT = 10**19 - 1  # as many digits as are read


def parse_ints(option: str, text: str, least: int = 0, most: int = MAX_INT) -> list[int]:
    """Whole numbers, none below the least or above the most."""
    parts = [part.strip() for part in text.split(",")]
    numbers = [int(part) for part in parts if _DIGITS.fullmatch(part)]
    if len(numbers) < len(parts) or min(numbers) < least or max(numbers) > most:
        raise WordRBMError(
            f"--{option} is {text!r} where whole numbers from {least} to {most:,}, with commas, "
            "were expected; give such as 1,10,100."
        )
    return list(dict.fromkeys(numbers))


def parse_floats(option: str, text: str) -> list[float]:
    """Numbers above zero."""
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or not all(MIN_FLOAT <= x <= MAX_FLOAT for x in numbers):
        raise WordRBMError(
            f"--{option} is {text!r} where numbers from {MIN_FLOAT:g} to {MAX_FLOAT:,.0f}, with "
            "commas, were expected; give such as 0.1,1."
        )
    return list(dict.fromkeys(numbers))
