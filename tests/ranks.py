"""Ranks of a distributed run as forked processes, without a launcher: to be killed and stopped."""

import os
import signal
import socket

import pytest

from tests.zygote import Zygote

REASON = "torch is not installed: pip install torch==2.13.0"
OPTIONS = [
    "--window", 3, "--dimension", 4, "--hidden", 6, "--mh-steps", 3, "--batch-size", 16,
    "--chains", 16, "--windows", 16 * 60, "--evaluations", 2, "--heldout-windows", 10,
    "--reservoir", 32, "--candidates", 4, "--threads", 1, "--quiet",
]  # fmt: skip


def torch_zygote():
    """A zygote that has imported torch; skips where there is none."""
    pytest.importorskip("torch.distributed", reason=REASON, exc_type=ImportError)
    modules = ["torch.distributed", "wordrbm.training.distributed"]
    return Zygote(imports=modules, TORCH_CPP_LOG_LEVEL="ERROR")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Ranks:
    """So many ranks of one command; each has a log of its own."""

    def __init__(self, zygote, folder, world, *arguments, each=lambda rank: [], code=None):
        folder.mkdir(parents=True, exist_ok=True)
        self.zygote, self.logs = zygote, [folder / f"{rank}.log" for rank in range(world)]
        shared = os.environ | {
            "TORCH_CPP_LOG_LEVEL": "ERROR", "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": str(free_port()), "WORLD_SIZE": str(world),
        }  # fmt: skip
        self.children = [
            zygote.start(
                *arguments, *each(rank), "--distributed", log=log,
                environment=shared | {"RANK": str(rank)}, **(code or {}).get(rank, {}),
            )
            for rank, log in enumerate(self.logs)
        ]  # fmt: skip

    def wait(self):
        """The exit codes of all ranks."""
        return [self.zygote.wait(child) for child in self.children]

    def signal(self, rank, number):
        os.kill(self.children[rank], number)

    def kill_all(self):
        for child in self.children:
            os.kill(child, signal.SIGKILL)

    def text(self, rank):
        return self.logs[rank].read_text()

    def texts(self):
        return "".join(self.text(rank) for rank in range(len(self.logs)))
