"""Speed-up by the number of machines: measured on two hosts, predicted for up to 64.

    python -m benchmarks.scaling OUT [--updates 400]

Measured: the seconds of an update on one host, and on two hosts in network namespaces, a veth pair
between them with a rate limit of the kernel; default settings, K = 100,000, one thread a host. The
bytes that a rank sends are counted with ranks that are threads. Predicted, with W hosts, S = max(4,
W) shards, t the seconds of an update on one, and t_W those of a rank's smaller update in periodic
mode, of B_W windows:

    exact      t ceil(S / W) / S + bytes (1 / rate + packing)      for B windows
    periodic   t_W + bytes (1 / rate + packing)                    for W B_W windows

`bytes` are those of a rank and an update; `packing` is the CPU time that two hosts without a limit
take a byte beyond computing: packing and the kernel's network. Predictions are made of CPU times,
which other work on the machine changes least. With more than 16 hosts a rank of periodic mode is
taken to send what it does with 16. There is no term for waiting, and none for latency, of which
exact mode has three an update. Writes OUT.json and OUT.png; needs Linux, root, `ip`, `tc`, torch
and matplotlib.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.modes import MODES, PERIODS, K, bytes_of, updates_of, windows_read
from benchmarks.network import Host, linked_hosts
from benchmarks.running import ENDLESS, made_up, updating
from wordrbm.training.local_training import AveragingSchedule, rank_settings

RATES = (None, 10.0, 1.0)  # Gbit/s of the links measured
PREDICTED_RATES = (10.0, 1.0)
WORLDS = (2, 4, 8, 16, 32, 64)
COUNTED = {True: 64, False: 16}  # ranks at most, in exact mode and in periodic mode


class Cost(NamedTuple):
    """Seconds of an update of a rank, and CPU seconds."""

    wall: float
    cpu: float


class Measured(NamedTuple):
    """What was measured, of one update of a rank."""

    alone: Cost  # of one host, both computing
    linked: dict[str, dict[str, Cost]]  # mode, Gbit/s: of two hosts
    local: dict[int, float]  # ranks: a periodic rank's update, in updates of one host
    volumes: dict[str, dict[int, float]]  # mode, ranks: bytes sent by a rank in an update

    def packing(self, mode: str) -> float:
        """Seconds per byte beyond computing, measured on two hosts without a rate limit."""
        computing = self.alone.cpu * (0.5 if mode == "exact" else self.local[2])
        return max(0.0, self.linked[mode]["none"].cpu - computing) / self.volumes[mode][2]

    def predicted(self, mode: str, world: int, gigabits: float) -> float:
        """How many times as fast as one host so many are."""
        sent = self.volumes[mode][min(world, max(self.volumes[mode]))]
        exchange = sent * (8 / (gigabits * 1e9) + self.packing(mode))
        if mode != "exact":
            seconds = self.alone.cpu * self.local[world] + exchange
            return self.alone.cpu / seconds * windows_read(mode, world)
        shards = max(ENDLESS.shards, world)
        return self.alone.cpu / (self.alone.cpu * math.ceil(shards / world) / shards + exchange)

    def measured_speed(self, mode: str, gigabits: str) -> float:
        """How many times as fast as one host two were."""
        return self.alone.wall / self.linked[mode][gigabits].wall * windows_read(mode, 2)


def time_ranks(hosts: list[Host], mode: str, updates: int, world: int) -> Cost:
    """The cost of an update on these hosts: ranks of one run, or each a run of its own."""
    processes = []
    for host in hosts:
        variables = [
            f"RANK={host.number if world > 1 else 0}", f"WORLD_SIZE={world}", "MASTER_PORT=29400",
            f"MASTER_ADDR={hosts[0].address if world > 1 else '127.0.0.1'}",
        ]  # fmt: skip
        words = [sys.executable, "-m", "benchmarks.scaling", f"--worker={mode}", str(updates)]
        processes.append(host.start(["env", *variables, *words], stdout=subprocess.PIPE))
    costs = [list(map(float, process.communicate()[0].split())) for process in processes]
    return Cost(*(sum(values) / len(costs) for values in zip(*costs, strict=True)))


def run_worker(mode: str, updates: int) -> None:
    """Print what an update of this rank costs."""
    from wordrbm.training.distributed import join_group

    text = made_up(K)
    if os.environ["WORLD_SIZE"] == "1":
        print(*time_updates(updates_of(mode, _Alone(), text), mode, updates))
        return
    with join_group() as group:
        print(*time_updates(updates_of(mode, group, text), mode, updates))


class _Alone(NamedTuple):
    rank: int = 0
    world: int = 1


def time_updates(run: Any, mode: str, updates: int) -> Cost:
    """The first updates compile; whole periods are timed, from one complete exchange to another."""
    period = 20 if mode == "exact" else AveragingSchedule(PERIODS[mode]).longest
    updates = -(-updates // period) * period
    for _ in range(period):
        next(run)
    began, cpu = time.perf_counter(), time.process_time()
    for _ in range(updates):
        next(run)
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    return Cost(wall / updates, cpu / updates)


def measure(updates: int) -> Measured:
    """Time one and two hosts, and count what ranks send."""
    linked: dict[str, dict[str, Cost]] = {mode: {} for mode in MODES}
    alone = []
    for rate in RATES:
        with linked_hosts(rate) as hosts:
            alone.append(time_ranks(hosts, "exact", updates, 1))
            for mode in MODES:
                cost = time_ranks(hosts, mode, updates, 2)
                linked[mode][f"{rate:g}" if rate else "none"] = cost
                print(f"{mode}, {rate or 'no limit'}: {milliseconds(cost)}", flush=True)
    print(f"alone: {', '.join(map(milliseconds, alone))}", flush=True)
    middle = Cost(*(sorted(values)[len(alone) // 2] for values in zip(*alone, strict=True)))
    return Measured(middle, linked, time_local_updates(), count_volumes())


def milliseconds(cost: Cost) -> str:
    """A cost as text."""
    return f"{1e3 * cost.wall:.1f} ms, {1e3 * cost.cpu:.1f} of the processor"


def time_local_updates(rounds: int = 10) -> dict[int, float]:
    """How long a rank's update in periodic mode takes, over one of a process alone; interleaved."""
    text, best = made_up(K), dict[int, float]()
    with ExitStack() as stack:
        runs = {
            world: stack.enter_context(updating(text, settings=rank_settings(ENDLESS, 0, world)))
            for world in (1, *WORLDS)
        }
        for _ in range(rounds):
            for world, run in runs.items():
                best[world] = min(best.get(world, math.inf), run(10))
    print(f"updates: { {world: round(1e3 * x, 2) for world, x in best.items()} } ms", flush=True)
    return {world: seconds / best[1] for world, seconds in best.items()}


def count_volumes() -> dict[str, dict[int, float]]:
    """What a rank sends in an update, by mode and number of ranks."""
    text, volumes = made_up(K), {mode: dict[int, float]() for mode in MODES}
    for mode in MODES:
        for world in (x for x in WORLDS if x <= COUNTED[mode == "exact"]):
            volumes[mode][world] = bytes_of(mode, world, text)
            print(f"{mode}, {world} ranks: {volumes[mode][world] / 1e6:.3f} MB", flush=True)
    return volumes


def draw(measured: Measured, path: Path) -> None:
    """Speed-up by machines: lines predicted, points measured."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4.5), layout="constrained")
    axes = figure.subplots()
    for mode, colour in zip(MODES, ("C0", "C1", "C2"), strict=True):
        for rate, style in zip(PREDICTED_RATES, ("-", "--"), strict=True):
            speeds = [measured.predicted(mode, world, rate) for world in WORLDS]
            label = f"{mode}, {rate:g} Gbit/s"
            axes.loglog(WORLDS, speeds, style, color=colour, base=2, label=label)
            speed = measured.measured_speed(mode, f"{rate:g}")
            axes.plot([2], [speed], "o", color=colour, fillstyle="full" if style == "-" else "none")
    axes.plot(WORLDS, WORLDS, ":", color="grey", label="one machine's speed each")
    axes.set(xlabel="machines", ylabel="speed over one machine")
    axes.set_xticks(WORLDS, list(map(str, WORLDS)))
    axes.legend()
    figure.savefig(path, dpi=150)


def report(measured: Measured) -> dict[str, Any]:
    """The figures of the picture as numbers."""
    predicted = {
        f"{mode}, {rate:g} Gbit/s": {
            world: round(measured.predicted(mode, world, rate), 2) for world in WORLDS
        }
        for mode in MODES
        for rate in PREDICTED_RATES
    }
    speeds = {
        f"{mode}, {rate}": round(measured.measured_speed(mode, rate), 2)
        for mode in MODES
        for rate in measured.linked[mode]
    }
    return {**measured._asdict(), "predicted": predicted, "measured with two hosts": speeds}


def main() -> None:
    """Measure, predict, and write the numbers and the picture."""
    parser = argparse.ArgumentParser("python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("out", help="where to write, without a suffix; or the updates of a worker")
    parser.add_argument("--updates", type=int, default=400)
    parser.add_argument("--worker", choices=MODES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        run_worker(options.worker, int(options.out))
        return
    measured = measure(options.updates)
    figures = json.dumps(report(measured), indent=1)
    Path(f"{options.out}.json").write_text(figures, encoding="utf-8")
    draw(measured, Path(f"{options.out}.png"))
    print(figures)


if __name__ == "__main__":
    main()
