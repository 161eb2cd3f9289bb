"""How many things to do at once: as many as were asked for, or as there are processors."""

import os

from wordrbm.errors import WordRBMError


def workers_or_cores(asked: int | None) -> int:
    """The number asked for, else as many as there are processors."""
    if asked is not None and (not isinstance(asked, int) or asked < 1):
        raise WordRBMError(f"{asked!r} workers or threads were asked for; use 1 or more.")
    return asked or cores()


def cores() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
