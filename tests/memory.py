"""The most memory a process and its children ever held, sampled from the system as it runs."""

import subprocess
import time
from pathlib import Path


def peak_memory(command, **options):
    """Run a command; the most anonymous memory (bytes) of all its processes together.

    Pages of files that are only mapped are left out: the system takes them back when it likes.
    """
    process = subprocess.Popen([str(word) for word in command], **options)
    peak = 0
    while process.poll() is None:
        peak = max(peak, sum(map(_anonymous, _family(process.pid))))
        time.sleep(0.01)
    assert process.returncode == 0
    return peak


def _family(number):
    """A process and all that descend from it."""
    yield number
    try:
        children = Path(f"/proc/{number}/task/{number}/children").read_text().split()
    except OSError:
        return
    for child in children:
        yield from _family(int(child))


def _anonymous(number):
    try:
        status = Path(f"/proc/{number}/status").read_text()
    except OSError:
        return 0
    lines = [line for line in status.splitlines() if line.startswith("RssAnon")]
    return int(lines[0].split()[1]) * 1024 if lines else 0
