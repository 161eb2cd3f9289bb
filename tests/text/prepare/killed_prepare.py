"""Prepares in processes of their own, to be killed; forked, since loading takes a second or two.

    python killed_prepare.py TEXTS serve                     a prepare for every line "OUT WORKERS"
    python killed_prepare.py TEXTS OUT FIRST LAST STRIDE     a prepare for every step

The first leads a group of its own; its number is printed, and OUT.stages tells how far it is. The
second ends by SIGKILL at its n-th call of what changes the disk, for n = FIRST, FIRST + STRIDE and
so on; n is printed, and whether it came so far.
"""

import os
import signal
import sys
from pathlib import Path

from wordrbm.text.prepare import PrepareSettings, jobs
from wordrbm.text.prepare.pipeline import prepare_corpus

JOB_BYTES = 2_000
SETTINGS = PrepareSettings(vocabulary_size=9, heldout=0.2)
CHANGES = ("mkdir", "rename", "replace", "fsync", "unlink", "rmdir", "close", "open")


def forked(texts, out, workers, before):
    """Run a prepare in a fork of this process, which has all loaded."""
    child = os.fork()
    if child:
        return child
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    before()
    with open(f"{out}.stages", "w") as stages:
        os.dup2(stages.fileno(), 2)  # so that no process of ours keeps the test's own pipes open
        for step in prepare_corpus([texts], Path(out), SETTINGS, workers, resume=True):
            print(step.stage, file=stages, flush=True)
    os._exit(0)


def serve(texts):
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # those that ended are gone at once
    for line in sys.stdin:
        out, workers = line.split()
        print(forked(texts, out, int(workers), os.setsid), flush=True)


def sweep(texts, out, steps):
    for step in steps:
        child = forked(texts, f"{out}{step}", 1, lambda step=step: die_at(step))
        _, status = os.waitpid(child, 0)
        print(step, "killed" if os.WIFSIGNALED(status) else "done", flush=True)
        if not os.WIFSIGNALED(status):
            return


def die_at(step):
    """Count every call that changes the disk, and end before one of them."""
    calls = 0

    def counting(change):
        def call(*arguments, **options):
            nonlocal calls
            calls += 1
            if calls == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return change(*arguments, **options)

        return call

    for name in CHANGES:
        setattr(os, name, counting(getattr(os, name)))


if __name__ == "__main__":
    jobs.JOB_BYTES = JOB_BYTES
    texts, out, *steps = sys.argv[1:]
    if steps:
        sweep(texts, out, range(*map(int, steps)))
    else:
        serve(texts)
