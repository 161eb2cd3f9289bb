"""What checkpoints cost at the default interval, as a share of the time of training.

Once by the time of one `save_checkpoint` over the interval; once by real runs of the same number of
updates with checkpoints every second or so and without, the difference shared out over the
checkpoints that were written.
"""

import tempfile
import time
from contextlib import closing
from functools import partial
from itertools import islice
from math import inf
from pathlib import Path

from benchmarks import corpora
from benchmarks.effort import Effort
from benchmarks.ratios import Figure, Measure, spread
from benchmarks.running import ENDLESS, fresh, made_up, seconds
from wordrbm.io.checkpoint import RunIdentity, RunState, list_checkpoints, save_checkpoint
from wordrbm.run.training_run import TrainingRun
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.threads import available_cores
from wordrbm.training import TrainingSettings, start

INTERVAL = TrainingRun.checkpoint_seconds
SETTINGS = TrainingSettings(**(ENDLESS.model_dump() | {"evaluations": 1}))  # at an end never met
GOAL = "< 0.02"


def measure(effort: Effort) -> dict[str, Figure]:
    """The share of one checkpoint, and of those in real runs."""
    corpora.OUT.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=corpora.OUT) as folder:
        save = saving(Path(folder), effort.K)
        taken = [save() for _ in range(effort.rounds)]
    runs = [cost_in_a_run(effort) for _ in range(effort.processes)]
    alone, within = ([one / INTERVAL for one in values] for values in (taken, runs))
    note = f"of {INTERVAL:.0f} s, "
    return {
        "one checkpoint": spread(
            alone, goal=GOAL, note=note + f"K = {effort.K + 1:,}, {1e3 * max(taken):.0f} ms at most"
        ),
        "checkpoints in a run": spread(
            within, goal=GOAL, note=note + f"K = {len(corpora.large().vocabulary):,}"
        ),
    }


def saving(folder: Path, K: int) -> Measure:
    """The time of one checkpoint of a model of K words and the unknown one."""
    text = made_up(K + 1)
    model = fresh(text)
    saved = RunState(model, start(model, text.batches, ENDLESS), 0.0)
    vocabulary = Vocabulary.build(((f"word{k}", K - k) for k in range(K)), unknown=1)
    origin = RunIdentity(ENDLESS, vocabulary, corpus="0" * 64)
    return partial(seconds, partial(save_checkpoint, folder, saved, origin))


def cost_in_a_run(effort: Effort) -> float:
    """Seconds that one checkpoint adds to a run."""
    without, _ = run_time(effort.run_updates, inf)
    with_them, written = run_time(effort.run_updates, effort.run_interval)
    return (with_them - without) / max(written, 1)


def run_time(updates: int, interval: float) -> tuple[float, int]:
    """Seconds of so many updates of a real run after its first, and the checkpoints in them."""
    with tempfile.TemporaryDirectory(dir=corpora.OUT) as folder:
        out = Path(folder) / "model"
        run = TrainingRun(corpora.large(), out, SETTINGS, available_cores(), interval)
        written = set()
        with closing(run.run()) as reports:
            next(reports)
            began = time.perf_counter()
            for _ in islice(reports, updates):
                written.update(list_checkpoints(out))
            return time.perf_counter() - began, len(written)
