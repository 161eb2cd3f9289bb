"""Start a run in several processes of this machine, by the launcher of torch.

A process that is killed makes the launcher start all of them again. A run that no restart would
mend, or that was stopped, ends without an error code; how it ended is in a file that only the
launching process reads.
"""

import json
import logging
import os
import sys
import tempfile
import uuid
from collections.abc import Sequence
from pathlib import Path

from wordrbm.errors import RankLost, Stopped, WordRBMError
from wordrbm.training.distributed import import_torch

RESTARTS = 3
OUTCOME = "WORDRBM_OUTCOME"  # the environment variable that names the file


def launch(processes: int, arguments: Sequence[str], restarts: int = RESTARTS) -> None:
    """Run `wordrbm` with these arguments in so many processes; raises what ended the run.

    What a signal to this process stops has the `SignalException` of torch as its cause.
    """
    import_torch()
    from torch.distributed.elastic.multiprocessing.api import SignalException
    from torch.distributed.elastic.multiprocessing.errors import ChildFailedError
    from torch.distributed.launcher.api import LaunchConfig, elastic_launch

    for name in list(logging.root.manager.loggerDict):  # a rank says in a sentence what ended it
        if name.startswith(("torch.distributed.elastic", "torch.distributed.launcher")):
            logging.getLogger(name).setLevel(logging.CRITICAL)
    config = LaunchConfig(
        min_nodes=1, max_nodes=1, nproc_per_node=processes, run_id=uuid.uuid4().hex,
        rdzv_backend="c10d", rdzv_endpoint="localhost:0", max_restarts=restarts,
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        os.environ[OUTCOME] = str(Path(folder) / "outcome.json")
        try:
            elastic_launch(config, sys.executable)("-m", "wordrbm", *arguments)
        except SignalException as received:
            _raise_outcome(received)
            raise Stopped(
                "Stopped; nothing before the last checkpoint is lost, if there is one: go on with "
                "--resume."
            ) from received
        except ChildFailedError:
            raise WordRBMError(
                f"A process ended {restarts + 1} times before the run was done; what it printed is "
                "above. Nothing before the last checkpoint is lost: go on with --resume."
            ) from None
        _raise_outcome()


def record_outcome(error: WordRBMError) -> bool:
    """Write the sentence of a run that no restart would mend, if `launch` started this process."""
    if OUTCOME not in os.environ or isinstance(error, RankLost):
        return False
    outcome = json.dumps([type(error).__name__, str(error)])
    Path(os.environ[OUTCOME]).write_text(outcome, encoding="utf-8")
    return True


def _raise_outcome(cause: Exception | None = None) -> None:
    path = Path(os.environ[OUTCOME])
    if path.exists():
        kind, sentence = json.loads(path.read_text(encoding="utf-8"))
        raise (Stopped if kind == Stopped.__name__ else WordRBMError)(sentence) from cause
