"""A process of its own: `wordrbm train` up to its first update; prints when it got there as JSON.

    python -m benchmarks.first_update START CORPUS OUT

START is the time when the process was started, in seconds of `time.time`.
"""

import json
import os
import sys
import time
from typing import Any

from wordrbm.cli import app
from wordrbm.cli import train as command

WINDOWS = 100_000  # more than one update reads, so that the first is not followed by the last score


def main(start: str, corpus: str, out: str) -> None:
    """The command as it is, with two of its steps noting the time."""
    times: dict[str, float] = {}
    make_run = command.make_run

    def timed_make_run(*arguments: Any, **options: Any) -> Any:
        times["corpus open"] = time.time() - float(start)
        return make_run(*arguments, **options)

    def stop(*arguments: Any, **options: Any) -> Any:  # of the line that is shown after an update
        times["first update"] = time.time() - float(start)
        print(json.dumps(times), flush=True)
        os._exit(0)  # the rest of the run is of no interest

    command.make_run, command.speed_note = timed_make_run, stop
    sys.argv = ["wordrbm", "train", corpus, "--out", out, f"--windows={WINDOWS}"]
    app.main()


if __name__ == "__main__":
    main(*sys.argv[1:])
