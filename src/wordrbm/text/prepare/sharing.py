"""Several processes prepare one corpus over a shared folder.

All of them find the same files and plan the same jobs. The first makes the staging folder, says
which jobs are pending, and joins what all have read; the r-th of W reads every W-th pending job.
The bytes are those of one process, as jobs do not depend on who runs them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, final

from wordrbm.errors import WordRBMError
from wordrbm.storage import path_status
from wordrbm.text.prepare.jobs import Job, combined_hash


class PrepareGroup(Protocol):
    """What `training.distributed.ProcessGroup` does, as far as a prepare needs it."""

    @property
    def rank(self) -> int: ...

    @property
    def world(self) -> int: ...

    @property
    def is_first(self) -> bool: ...

    def check_same(self, facts: dict[str, Any]) -> None: ...

    def share(self, text: str) -> str: ...

    def raise_any(self, sentence: str) -> None: ...


@final
class Share:
    """The part of this process in a prepare: that of its rank in a group, or all of it."""

    def __init__(self, group: PrepareGroup | None = None) -> None:
        self._group, self.is_first = group, group is None or group.is_first

    def check_files(self, files: Sequence[Path], settings: dict[str, Any]) -> None:
        """Refuse processes that see other files or have other settings."""
        if self._group is not None:
            names = combined_hash(f"{path.name} {path_status(path).size}" for path in files)
            facts = {"the digest of names and sizes of the files": names, **settings}
            self._group.check_same(facts)

    def divide(self, pending: Sequence[Job], jobs: Sequence[Job]) -> list[Job]:
        """The jobs of this process among those that the first finds pending."""
        if self._group is None:
            return list(pending)
        numbers = self._group.share(" ".join(str(job.number) for job in pending)).split()
        by_number = {str(job.number): job for job in jobs}
        return [by_number[number] for number in numbers[self._group.rank :: self._group.world]]

    @contextmanager
    def all_committed(self) -> Iterator[None]:
        """Around the jobs of this process: waits for the others, and raises what one raises."""
        if self._group is None:
            yield
            return
        sentence = ""
        try:
            yield
        except WordRBMError as error:
            sentence = str(error)
        self._group.raise_any(sentence)
