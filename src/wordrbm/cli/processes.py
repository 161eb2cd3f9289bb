"""Options of `wordrbm train` and `prepare` for work that several processes share."""

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import typer

from wordrbm.errors import Stopped, WordRBMError

if TYPE_CHECKING:
    from wordrbm.run.ranks import Ranks
    from wordrbm.run.training_run import TrainingRun
    from wordrbm.training.distributed import ProcessGroup


class Processes(NamedTuple):
    """Which processes share a training run, as the options say."""

    processes: int | None
    distributed: bool
    average_every: int | None
    timeout: float

    @contextmanager
    def members(
        self, make: Callable[["Ranks | None"], "TrainingRun"], out: Path, *, resume: bool
    ) -> Iterator[tuple["TrainingRun", bool]]:
        """Give the run of this process and whether it is the first; start others if so asked."""
        self._check()
        if self.processes is not None:
            make(None)  # refuses what any process would
            self._launch(out, resume=resume)
            raise typer.Exit
        if not self.distributed:
            yield make(None), True
            return
        with group_members(self.timeout) as group:
            from wordrbm.run.ranks import ranks_of

            ranks = ranks_of(group, self.average_every)
            yield group.on_all(lambda: make(ranks)), group.is_first

    def _check(self) -> None:
        faults = []
        if self.processes is not None and self.distributed:
            faults.append("both processes and distributed were given; give one")
        if self.processes is not None and not self.processes >= 1:
            faults.append(f"processes: {self.processes} is not 1 or more")
        if self.average_every is not None and self.processes is None and not self.distributed:
            faults.append("average_every is of several processes; give --processes too")
        if self.average_every is not None and not self.average_every >= 1:
            faults.append(f"average_every: {self.average_every} is not 1 or more")
        if not 1 <= self.timeout <= 1e6:
            faults.append(f"rank_timeout: {self.timeout} is not a number of seconds from 1")
        if faults:
            raise WordRBMError("Settings cannot be used: " + "; ".join(faults) + ".")

    def _launch(self, out: Path, *, resume: bool) -> None:
        """Start the same command in several processes, once all that can be checked is."""
        from wordrbm.run.run_folder import check_run_folder
        from wordrbm.training.launcher import launch

        assert self.processes is not None
        check_run_folder(out, resume=resume)
        try:
            launch(self.processes, child_arguments(sys.argv[1:], self.processes))
        except Stopped as stopped:
            typer.echo(str(stopped), err=True)
            number = getattr(stopped.__cause__, "sigval", signal.SIGTERM)
            raise typer.Exit(128 + number) from None


def child_arguments(arguments: list[str], processes: int) -> list[str]:
    """The arguments of a process that `--processes` starts: it shares the cores with the others."""
    from wordrbm.threads import available_cores

    rest, skip = list[str](), False
    for word in arguments:
        if not skip and not word.startswith("--processes"):
            rest.append(word)
        skip = word == "--processes"
    added = ["--distributed"]
    if not any(word.startswith("--threads") for word in rest):
        added += ["--threads", str(max(1, available_cores() // processes))]
    return [*rest[:1], *added, *rest[1:]]  # after the command: a `--` may follow


@contextmanager
def group_members(timeout: float = 60.0) -> Iterator["ProcessGroup"]:
    """Join the processes of torchrun; a sentence that ends all of them is printed by one."""
    from wordrbm.training.distributed import join_group

    with _one_report() as joined, join_group(timeout) as group:
        joined.append(group)
        yield group


@contextmanager
def _one_report() -> Iterator[list["ProcessGroup"]]:
    from wordrbm.training.launcher import record_outcome

    joined: list[ProcessGroup] = []
    try:
        yield joined
    except Stopped as stopped:  # all ranks end well, or torchrun would start them again
        if joined[0].is_first and not record_outcome(stopped):
            typer.echo(str(stopped), err=True)
        raise typer.Exit from None
    except WordRBMError as error:
        if any(not group.is_reporter for group in joined):
            raise typer.Exit(0 if record_outcome(error) else 2) from None
        if record_outcome(error):
            raise typer.Exit from None
        raise
