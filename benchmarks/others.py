"""Time of an update in other packages over ours, at a rising K, with their peak memory.

Each is measured in a process of its own (`one_update.py`), back to back with ours at the same K. A
package is left behind once it does not fit in memory or is too slow.
"""

import json
import subprocess
import sys
from statistics import median

from benchmarks.effort import Effort
from benchmarks.ratios import Figure, absent, spread

PACKAGES = {"BernoulliRBM": "scikit-learn's BernoulliRBM", "rbms": "Potts RBM of rbms"}
AT_LEAST = 1.0  # seconds of updates in a process
SLOW = 1.0  # seconds of an update beyond which one process is enough
TOO_SLOW = 20.0  # seconds of an update beyond which K grows no further
DEADLINE = 90.0  # seconds of a process

Result = dict[str, float | str]


def measure(effort: Effort) -> dict[str, Figure]:
    """Every package at every K it can hold, and the first that it cannot."""
    figures: dict[str, Figure] = {}
    left = list(PACKAGES)
    for K in effort.other_sizes:
        found = results(left, K, effort.processes)
        for name in list(left):
            figures[f"{PACKAGES[name]}, K = {K:,}"] = told(found[name], found["wordrbm"])
            if not fits(found[name]):
                left.remove(name)
    return figures


def results(names: list[str], K: int, rounds: int) -> dict[str, list[Result]]:
    """What processes gave in alternating rounds; ours in every one."""
    found: dict[str, list[Result]] = {name: [] for name in ["wordrbm", *names]}
    for _ in range(rounds):
        for name in found:
            if name == "wordrbm" or not found[name] or is_fast(found[name][-1]):
                found[name].append(in_a_process(name, K))
    return found


def in_a_process(name: str, K: int) -> Result:
    """Seconds and megabytes, or a fault."""
    command = [sys.executable, "-m", "benchmarks.one_update", name, str(K), str(AT_LEAST)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=DEADLINE)
    except subprocess.TimeoutExpired:
        return {"fault": f"took more than {DEADLINE:.0f} s"}
    if done.returncode:
        raise RuntimeError(done.stderr)
    found: Result = json.loads(done.stdout)
    return found


def told(found: list[Result], ours: list[Result]) -> Figure:
    """The ratio to ours, round by round."""
    if "fault" in found[0]:
        return absent(str(found[0]["fault"]))
    note = f"{cost(found)}; ours {cost(ours)}"
    pairs = zip(found, ours, strict=False)  # a slow one was not measured in every round
    return spread([float(one["seconds"]) / float(our["seconds"]) for one, our in pairs], note=note)


def cost(found: list[Result]) -> str:
    """Median time and memory, for a note."""
    names = ("seconds", "megabytes")
    seconds, megabytes = (median(float(one[name]) for one in found) for name in names)
    return f"{1e3 * seconds:,.1f} ms, {megabytes:,.0f} MB"


def is_fast(result: Result) -> bool:
    """Whether an update is short enough to be measured again."""
    return "fault" not in result and float(result["seconds"]) < SLOW


def fits(found: list[Result]) -> bool:
    """Whether a package may try a larger K."""
    return "fault" not in found[0] and float(found[0]["seconds"]) < TOO_SLOW
