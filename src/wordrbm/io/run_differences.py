"""Whether a file belongs to the run at hand: what differs is named, and the file refused."""

from collections.abc import Mapping
from pathlib import Path
from reprlib import repr as short_repr
from types import MappingProxyType
from typing import Any

from wordrbm.errors import WordRBMError

MAX_LISTED = 20  # differences listed in a message


def changed_values(
    old: dict[str, Any], new: dict[str, Any], names: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """Name every setting whose stored value is not the present one, by its name of `names`."""
    known = {name: names.get(name, name) for name in new}
    return [
        f"{known.get(name) or short_repr(name)} was {short_repr(old.get(name))} "
        f"and is now {new.get(name)!r}"
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


def refuse_other_run(path: Path, differences: list[str]) -> None:
    """Raise if a file belongs to another run by any of these differences."""
    if len(differences) > MAX_LISTED:
        differences[MAX_LISTED:] = [f"and {len(differences) - MAX_LISTED} more"]
    if differences:
        raise WordRBMError(
            f"{path} belongs to another run: {'; '.join(differences)}; resume with the same "
            "settings and corpus, or train into another folder."
        )
