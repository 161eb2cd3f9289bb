"""Scores for TensorBoard: every record of numbers becomes points at its step.

The first event of a file names the step from which on older points no longer hold, so a resumed run
does not show them twice. Events are written as they come: the package's own queue and thread would
let a full disk pass in silence, and then let the run wait for ever.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from wordrbm.errors import WordRBMError
from wordrbm.storage import make_folder, write_errors

Log = Callable[[Mapping[str, float]], None]


@contextmanager
def events(folder: Path, first_step: int) -> Iterator[Log]:
    """Write a new file of events; yields a function that logs a record at its "step"."""
    writer = _open_writer(folder, first_step)
    try:
        yield partial(_log, writer, folder)
    finally:
        with write_errors(folder):
            writer.close()


def check_events(folder: Path, run: Path) -> None:
    """Refuse a folder that events cannot go to, before there is anything to lose."""
    if find_spec("tensorboardX") is None:
        raise WordRBMError(
            "TensorBoard events need the package tensorboardX, which is not there; run pip install "
            "'wordrbm[tensorboard]'."
        )
    if folder.absolute().is_relative_to(run.absolute()):
        raise WordRBMError(
            f"{folder} is in the folder of the run, which holds only what the run writes; name a "
            f"folder beside it, as {run.with_name(run.name + '-events')}."
        )
    if folder.exists() and not folder.is_dir():
        raise WordRBMError(f"{folder} is a file; name a folder for TensorBoard events.")


def _open_writer(folder: Path, first_step: int) -> Any:
    """A file of events whose first one says which older points no longer hold."""
    from tensorboardX.event_file_writer import EventsWriter
    from tensorboardX.proto.event_pb2 import Event, SessionLog

    make_folder(folder)
    start = SessionLog(status=SessionLog.START)
    with write_errors(folder):
        # The package names a file by the second, and would write over one begun in the same.
        writer = EventsWriter(str(folder / "events"), f".{os.getpid()}.{first_step}")
        writer.write_event(Event(step=first_step, wall_time=time.time(), session_log=start))
        writer.flush()
    return writer


def _log(writer: Any, folder: Path, record: Mapping[str, float]) -> None:
    from tensorboardX.proto.event_pb2 import Event
    from tensorboardX.summary import scalar

    step = int(record["step"])
    with write_errors(folder):
        for name in [name for name in record if name != "step"]:
            summary = scalar(name, record[name])
            writer.write_event(Event(step=step, wall_time=time.time(), summary=summary))
        writer.flush()
