"""Work of which no corpus can be made: it is refused and not kept, a resume would find the same.

The records of the jobs say how many tokens were read. Their counts, their ids and the stream
joined from them must be of just as many; a disk that lost something is noticed by that.
"""

from collections.abc import Sequence
from pathlib import Path

from wordrbm.errors import WordRBMError
from wordrbm.text.appearing import finished_parts, remove
from wordrbm.text.counting import Counted
from wordrbm.text.settings import PrepareSettings


def refuse_lost_tokens(work: Path, counted: int, expected: int) -> None:
    """Refuse shards that have counted more or fewer tokens than were read."""
    _refuse_damaged(work, "counted tokens", counted, expected)


def refuse_lost_ids(work: Path, files: Sequence[Path], expected: int) -> None:
    """Refuse files of ids, four bytes each, that together have more or fewer than were read."""
    found = sum(path.stat().st_size for path in files)
    _refuse_damaged(work, "bytes of ids", found, 4 * expected)


def refuse_wordless(
    counted: Counted, work: Path, inputs: Sequence[Path], settings: PrepareSettings
) -> None:
    """Refuse a text that gives no vocabulary."""
    names = ", ".join(map(str, inputs))
    if len(counted.vocabulary) == 1:
        _forget(work)
    if not counted.tokens:
        raise WordRBMError(f"There is not one word in {names}; name files that hold text.")
    if len(counted.vocabulary) == 1:
        raise WordRBMError(
            f"No word of {names} was seen {settings.min_count} times; lower --min-count."
        )


def _refuse_damaged(work: Path, what: str, found: int, expected: int) -> None:
    if found != expected:
        _forget(work)
        raise WordRBMError(
            f"{work} has {found:,} {what} where {expected:,} were to be; what was read is damaged: "
            "check the disk, then prepare again."
        )


def _forget(work: Path) -> None:
    for part in finished_parts(work):
        remove(part)
