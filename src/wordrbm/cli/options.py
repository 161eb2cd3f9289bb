"""Numbers given to one option with commas between them, each taken once, in the order given."""

import re

from wordrbm.errors import WordRBMError

LEAST, MOST = 1e-9, 1e6  # of scales and penalties
_WHOLE = re.compile("[0-9]{1,19}")
LONGEST = 10**19 - 1  # as many digits as are read


def parse_ints(option: str, given: str, least: int = 0, most: int = LONGEST) -> list[int]:
    """Whole numbers, none below the least or above the most."""
    parts = [part.strip() for part in given.split(",")]
    found = [int(part) for part in parts if _WHOLE.fullmatch(part)]
    if len(found) < len(parts) or min(found) < least or max(found) > most:
        raise WordRBMError(
            f"--{option} is {given!r} where whole numbers from {least} to {most:,}, with commas, "
            "were expected; give such as 1,10,100."
        )
    return list(dict.fromkeys(found))


def parse_floats(option: str, given: str) -> list[float]:
    """Numbers above zero."""
    try:
        found = [float(part) for part in given.split(",")]
    except ValueError:
        found = []
    if not found or not all(LEAST <= x <= MOST for x in found):
        raise WordRBMError(
            f"--{option} is {given!r} where numbers from {LEAST:g} to {MOST:,.0f}, with commas, "
            "were expected; give such as 0.1,1."
        )
    return list(dict.fromkeys(found))
