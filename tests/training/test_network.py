"""torchrun on hosts of an emulated network: late and lost packets, cut networks, lost hosts."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest
from benchmarks.network import is_possible, network

from tests.corpora import prepared
from tests.ranks import OPTIONS, REASON
from tests.run.test_training_run import final_files
from wordrbm.io.checkpoint import list_checkpoints

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not is_possible(), reason="needs root, `ip netns` and TUN devices"),
]
KILLS = 20
RENDEZVOUS = "last_call_timeout=4,keep_alive_interval=1,keep_alive_max_attempt=5"
MORE = ["--windows", 16 * 400, "--checkpoint-minutes", 0.01, "--rank-timeout", 6]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    pytest.importorskip("torch.distributed", reason=REASON, exc_type=ImportError)
    return prepared(tmp_path_factory.mktemp("made_up"), stories=20).path


@pytest.fixture(scope="module")
def whole(corpus, tmp_path_factory):
    """The files of a run by one process."""
    out = tmp_path_factory.mktemp("whole") / "model"
    command = [sys.executable, "-m", "wordrbm", "train", corpus, "--out", out, *OPTIONS, *MORE[:2]]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    return final_files(out)


class Agents:
    """torchrun on every host of a network, each with a log of its own."""

    def __init__(self, net, corpus, folder, nodes):
        folder.mkdir(exist_ok=True)
        self.net, self.model, self.nodes = net, folder / "model", nodes
        self.logs = [folder / f"{host.number}.log" for host in net.hosts]
        self.train = ["train", corpus, "--out", self.model, *OPTIONS, *MORE, "--distributed"]
        self.processes = [self.start(host) for host in net.hosts]

    def start(self, host):
        rendezvous = self.net.hosts[-1]
        agent = [
            sys.executable, "-m", "torch.distributed.run", f"--nnodes={self.nodes}",
            "--nproc-per-node=1", "--max-restarts=99", "--rdzv-id=test", "--rdzv-backend=c10d",
            f"--rdzv-endpoint={rendezvous.address}:29400", f"--local-addr={host.address}",
            f"--rdzv-conf={RENDEZVOUS},is_host={int(host == rendezvous)}", "-m", "wordrbm",
        ]  # fmt: skip
        with self.logs[host.number].open("a") as file:
            keywords = {"stdout": file, "stderr": file, "start_new_session": True}
            return host.start(list(map(str, [*agent, *self.train])), **keywords)

    def until_checkpoint(self, after=()):
        """Wait for a checkpoint that is not among those named."""
        for _ in range(1800):
            if set(list_checkpoints(self.model)) - set(after):
                return
            time.sleep(0.1)
        raise AssertionError(self.text())

    def kill(self, number, rank_only=False):
        """End the agent of a host and its rank at once, or the rank alone."""
        agent = self.processes[number].pid
        for pid in self.net.hosts[number].pids():
            if not (rank_only and pid == agent):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        if not rank_only:
            self.processes[number].wait()

    def all_ended(self):
        """Whether no agent is left and the model is there."""
        left = [process for process in self.processes if process.poll() is None]
        return not left and (self.model / "model.safetensors").exists()

    def start_again(self):
        """Start all agents again if all have ended without a model."""
        if all(process.poll() is not None for process in self.processes) and not self.all_ended():
            self.processes = [self.start(host) for host in self.net.hosts]

    def wait(self, *numbers):
        return [self.processes[k].wait(timeout=600) for k in numbers]

    def text(self):
        return "\n".join(log.read_text() for log in self.logs)


@pytest.fixture
def start(corpus, tmp_path):
    """Start agents on the hosts of a network, which ends whatever is left of them."""
    return lambda net, nodes, name="run": Agents(net, corpus, tmp_path / name, nodes)


def test_late_and_lost_packets_leave_the_bytes(start, whole, tally):
    with network(2) as net:
        net.delay, net.loss = 0.002, 0.01
        agents = start(net, 2)
        assert agents.wait(0, 1) == [0, 0], agents.text()
        assert final_files(agents.model) == whole
        assert net.lost > 10
        tally(f"two hosts, 2 ms late, {net.lost} of {net.lost + net.delivered} packets lost: same")


def test_a_cut_that_heals_in_time_leaves_the_bytes(start, whole):
    with network(2) as net:
        agents = start(net, 2)
        agents.until_checkpoint()
        net.cut_off = frozenset([1])
        time.sleep(3)
        net.cut_off = frozenset()
        assert agents.wait(0, 1) == [0, 0], agents.text()
        assert "no longer answers" not in agents.text()
        assert final_files(agents.model) == whole


def test_a_cut_that_does_not_heal_is_one_sentence_and_the_rest_goes_on(start, whole):
    with network(2) as net:
        agents = start(net, "1:2")
        agents.until_checkpoint()
        net.cut_off = frozenset([0])
        assert agents.wait(1) == [0], agents.text()
        sentences = [x for x in agents.logs[1].read_text().splitlines() if "no longer ans" in x]
        assert len(sentences) == 1
        assert "achine of rank 0, 10.77.0.1, no longer answers rank 1" in sentences[0]
        assert final_files(agents.model) == whole


def test_lost_hosts_leave_a_smaller_world_and_the_bytes(start, whole):
    with network(4) as net:
        agents = start(net, "1:4")
        for lost in (2, 0):  # the second has rank 0
            known = list_checkpoints(agents.model) if agents.model.exists() else []
            agents.until_checkpoint(known)
            agents.kill(lost)
            time.sleep(8)
        assert agents.wait(1, 3) == [0, 0], agents.text()
        assert final_files(agents.model) == whole


def test_ranks_and_agents_killed_at_random_leave_the_bytes(start, whole, tally):
    choose, kills, agents_killed, runs = random.Random(1), 0, 0, 0
    with network(3) as net:
        while kills < KILLS:
            runs += 1
            agents = start(net, "1:3", f"run{runs}")
            deadline = time.monotonic() + 1800
            while not agents.all_ended():
                assert time.monotonic() < deadline, agents.text()
                time.sleep(choose.uniform(0.0, 30.0))
                agents.start_again()  # a scheduler would do this
                if kills == KILLS:
                    continue
                number, rank_only = choose.randrange(3), choose.random() < 0.5
                agents.kill(number, rank_only)
                kills, agents_killed = kills + 1, agents_killed + (not rank_only)
                if not rank_only:  # without the host of the rendezvous, all begin again
                    lost = range(3) if number == 2 else [number]
                    for k in lost:
                        agents.kill(k)
                        agents.processes[k] = agents.start(net.hosts[k])
            assert final_files(agents.model) == whole, agents.text()
    tally(f"{kills} kill -9 on three hosts ({agents_killed} of agent and rank), {runs} runs: same")
