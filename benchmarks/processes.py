"""Two processes of one thread, in exact mode, over one process of two threads, on this machine.

    python -m benchmarks.processes [ROUNDS] [UPDATES]

K = 100,000, default settings. The processes share memory, and once more send each other arrays
through gloo. Every round times so many updates of each, one after another; what waits meanwhile
reads a pipe. Printed are the speed over that of threads, in the best round and in the middle one,
and the CPU time of an update in the cheapest round, waiting for each other included.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from itertools import islice
from statistics import median
from typing import Any, NamedTuple

from benchmarks.running import ENDLESS, Text, fresh, made_up, pooled
from wordrbm.run.ranks import Ranks, SingleProcess, ranks_of
from wordrbm.training import start, train

K = 100_000
THREADS = "two threads"
SWITCHES = {"two processes, memory": "1", "two processes, gloo": "0"}


class Cost(NamedTuple):
    """Seconds of an update, and CPU seconds of all its processes."""

    wall: float
    cpu: float


def worker() -> None:
    """Answer each number of updates on standard input with their cost."""
    text = made_up(K)
    if "RANK" not in os.environ:
        serve(updates(text, SingleProcess(), threads=2))
        return
    from wordrbm.training.distributed import join_group

    with join_group() as group:
        serve(updates(text, ranks_of(group, None), threads=1))


def updates(text: Text, ranks: Ranks, threads: int) -> Iterator[Any]:
    """An endless run of a process."""
    model = fresh(text)
    model, state = ranks.place(model, start(model, text.batches, ENDLESS))
    return train(
        model, pooled(text.q), text.batches, ENDLESS, state, q=text.q, threads=threads,
        exchange=ranks.exchange,
    )  # fmt: skip


def serve(run: Iterator[Any]) -> None:
    """Make the first updates, which compile; then those that are asked for."""
    list(islice(run, 20))
    print("ready", flush=True)
    for line in sys.stdin:
        began, cpu, count = time.perf_counter(), time.process_time(), int(line)
        list(islice(run, count))
        wall = (time.perf_counter() - began) / count
        print(wall, (time.process_time() - cpu) / count, flush=True)


Process = subprocess.Popen[str]


def start_workers(**environment: str) -> Process:
    """A process that answers; it is ready when it says so."""
    command = [sys.executable, "-m", "benchmarks.processes", "--worker"]
    return subprocess.Popen(
        command, env=os.environ | environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True,
    )  # fmt: skip


def start_pair(switch: str) -> list[Process]:
    """The two ranks of a run."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = str(listener.getsockname()[1])
    place = {"WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    return [
        start_workers(RANK=str(rank), WORDRBM_SHARED_MEMORY=switch, **place) for rank in range(2)
    ]


def cost_of(processes: list[Process], updates: int) -> Cost:
    """What an update costs: that of the slowest, and the CPU time of all."""
    for process in processes:
        print(updates, file=process.stdin, flush=True)
    answers = [list(map(float, process.stdout.readline().split())) for process in processes]  # type: ignore[union-attr]
    return Cost(max(wall for wall, _ in answers), sum(cpu for _, cpu in answers))


def measure(rounds: int, updates: int) -> dict[str, list[Cost]]:
    """The costs of each way, round by round."""
    ways = {THREADS: [start_workers()]}
    ways |= {name: start_pair(switch) for name, switch in SWITCHES.items()}
    for processes in ways.values():
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
    measures = {name: partial(cost_of, processes, updates) for name, processes in ways.items()}
    costs: dict[str, list[Cost]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, measure_round in measures.items():
            costs[name].append(measure_round())
    for processes in ways.values():
        for process in processes:
            assert process.stdin is not None
            process.stdin.close()
    return costs


def main() -> None:
    """Print a line for each way."""
    rounds, updates = (int(x) for x in [*sys.argv[1:], *("40", "10")[len(sys.argv) - 1 :]])
    costs = measure(rounds, updates)
    for name, own in costs.items():
        best = min(cost.wall for cost in costs[THREADS]) / min(cost.wall for cost in own)
        pairs = zip(costs[THREADS], own, strict=True)
        middle = median(threads.wall / cost.wall for threads, cost in pairs)
        cpu = 1e3 * min(cost.cpu for cost in own)
        print(f"{name}: {best:.2f} of the speed (best), {middle:.2f} (middle); CPU {cpu:.1f} ms")


if __name__ == "__main__":
    worker() if sys.argv[1:] == ["--worker"] else main()
