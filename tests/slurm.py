"""Slurm on hosts of an emulated network: a controller, and a host for each of its nodes."""

import os
import shutil
import subprocess
import time
from contextlib import ExitStack, contextmanager

from benchmarks.network import is_possible

from tests.machines import machines

PROGRAMS = ("slurmctld", "slurmd", "munged")
CONFIGURATION = """\
ClusterName=test
SlurmctldHost={controller.name}({controller.address})
AuthType=auth/munge
SlurmUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
PartitionName=all Nodes=ALL Default=YES
"""


def slurm_is_installed():
    """Whether Slurm and its authentication are there, and hosts for them can be made."""
    return is_possible() and all(map(shutil.which, PROGRAMS))


class Cluster:
    """The machine of the controller, and the batch jobs that it is given."""

    def __init__(self, controller, nodes):
        self.controller, self.nodes = controller, nodes

    def run(self, script, folder, seconds=600):
        """Submit a batch file in a folder; what the job has printed once it has ended."""
        log = folder / "job.log"
        self.controller.output("sbatch", "--chdir", folder, "--output", log, script)
        for _ in range(seconds):
            time.sleep(1)
            if not self.controller.output("squeue", "--noheader").strip():
                break
        return log.read_text()


@contextmanager
def slurm(count, folder, monkeypatch):
    """A cluster of so many nodes, each with eight cores as far as Slurm knows."""
    with ExitStack() as stack:
        names = [f"host{k}" for k in range(count + 1)]
        *nodes, controller = stack.enter_context(machines(names))
        configure(folder, nodes, controller)
        monkeypatch.setenv("SLURM_CONF", str(folder / "slurm.conf"))
        stack.enter_context(authentication())
        with (folder / "daemons.log").open("w") as log:
            daemons = [controller.start("slurmctld", "-D", stdout=log, stderr=log)]
            for node in nodes:
                (folder / node.name).mkdir()
                command = ["slurmd", "-D", "-N", node.name]
                daemons.append(node.start(*command, stdout=log, stderr=log))
        stack.callback(lambda: [daemon.kill() for daemon in daemons])
        wait_until_idle(controller, count)
        yield Cluster(controller, nodes)


def configure(folder, nodes, controller):
    """Write Slurm's configuration; machines without mounted control groups will do."""
    lines = [f"NodeName={node.name} NodeAddr={node.address} CPUs=8" for node in nodes]
    text = CONFIGURATION.format(controller=controller, folder=folder)
    (folder / "slurm.conf").write_text(text + "\n".join(lines) + "\n")
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\nCgroupAutomount=no\n")
    (folder / "state").mkdir()


@contextmanager
def authentication():
    """A daemon of munge, unless one runs already."""
    running = subprocess.run(["munge", "-n"], capture_output=True).returncode == 0
    if not running:
        os.makedirs("/run/munge", exist_ok=True)
        shutil.chown("/run/munge", "munge", "munge")
        subprocess.run(["su", "-s", "/bin/sh", "munge", "-c", "munged"], check=True)
    try:
        yield
    finally:
        if not running:
            subprocess.run(["su", "-s", "/bin/sh", "munge", "-c", "munged --stop"], check=True)


def wait_until_idle(controller, count):
    for _ in range(60):
        if controller.output("sinfo", "-N", "-h", "-t", "idle").count("\n") == count:
            return
        time.sleep(1)
    raise AssertionError(controller.output("sinfo", "-N"))
