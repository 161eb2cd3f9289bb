"""How much memory a process holds, as Linux tells it, in megabytes of a million bytes."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

KILOBYTE = 1024 / 1e6  # Linux counts in 1,024 bytes


class Resident(NamedTuple):
    """What a process holds at one moment."""

    anonymous: float  # its own
    mapped: float  # pages of files, libraries among them
    named: float  # of these, pages of one file


def peak() -> float:
    """The most that this process ever held.

    Not `getrusage`, which remembers the process that started this one.
    """
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(KILOBYTE * int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))


def resident(process: int, file: Path) -> Resident:
    """What a process holds now, with the pages of one file apart."""
    held = list(_mappings(Path(f"/proc/{process}/smaps").read_text()))
    total = sum(rss for _, rss, _ in held)
    anonymous = sum(own for _, _, own in held)
    named = sum(rss for name, rss, _ in held if name == str(file.resolve()))
    return Resident(anonymous, total - anonymous, named)


def _mappings(smaps: str) -> Iterator[tuple[str, float, float]]:
    """Name, resident and anonymous memory of every mapping."""
    name, rss = "", 0.0
    for line in smaps.splitlines():
        words = line.split(maxsplit=5)
        if not words[0].endswith(":"):
            name = words[5] if len(words) > 5 else ""
        elif words[0] == "Rss:":
            rss = KILOBYTE * int(words[1])
        elif words[0] == "Anonymous:":
            yield name, rss, KILOBYTE * int(words[1])
