"""Hosts in network namespaces of this machine, joined by an emulated network (Linux, as root).

Each host has a TUN device; `Network` reads the packets of all of them and delivers each to its
host: late, not at all, or not while the host is cut off. `linked_hosts` joins two hosts by a veth
pair with a rate limit of the kernel (`tc ... tbf`), which is fast enough to measure speed.
"""

import ctypes
import fcntl
import heapq
import os
import random
import select
import shutil
import signal
import struct
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple, final

CLONE_NEWNET = 0x40000000
TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
LONGEST_PACKET = 65_536
DESTINATION = 19  # the last byte of the IPv4 destination address


def is_possible() -> bool:
    """Whether namespaces and TUN devices can be made here."""
    return os.path.exists("/dev/net/tun") and os.geteuid() == 0 and shutil.which("ip") is not None


@final
class Host(NamedTuple):
    """A network namespace with one address."""

    number: int

    @property
    def namespace(self) -> str:
        return f"wordrbm{os.getpid()}-{self.number}"

    @property
    def address(self) -> str:
        return f"10.77.0.{self.number + 1}"

    def start(self, command: Sequence[str], **keywords: object) -> "subprocess.Popen[str]":
        """Start a command on this host; gloo is told which device to use."""
        environment = os.environ | {
            "GLOO_SOCKET_IFNAME": "eth0",
            "TORCH_CPP_LOG_LEVEL": "ERROR",
            "TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1",  # or the loss of rank 0's host is not mended
        }
        words = ["ip", "netns", "exec", self.namespace, *command]
        return subprocess.Popen(words, env=environment, text=True, **keywords)  # type: ignore[call-overload, no-any-return]

    def pids(self) -> list[int]:
        """The processes on this host, those started first in front."""
        return sorted(map(int, _call("ip", "netns", "pids", self.namespace).split()))

    def remove(self) -> None:
        """End what still runs on this host, and the host."""
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        _ip("netns", "delete", self.namespace)


@final
class Network:
    """Delivers packets between hosts in a thread, with the faults set in its attributes."""

    def __init__(self, count: int, seed: int = 1) -> None:
        self.hosts = [Host(k) for k in range(count)]
        self.delay, self.loss = 0.0, 0.0  # seconds; share of the packets
        self.cut_off: frozenset[int] = frozenset()  # hosts without a network
        self.delivered = self.lost = 0
        self._tuns = [_open_tun(host) for host in self.hosts]
        self._random, self._over = random.Random(seed), False
        self._late: list[tuple[float, int, int, bytes]] = []
        self._thread = threading.Thread(target=self._deliver, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the delivery and remove the hosts."""
        self._over = True
        self._thread.join()
        for tun, host in zip(self._tuns, self.hosts, strict=True):
            os.close(tun)
            host.remove()

    def _deliver(self) -> None:
        while not self._over:
            wait = self._late[0][0] - time.monotonic() if self._late else 0.05
            for tun in select.select(self._tuns, [], [], max(0.0, min(wait, 0.05)))[0]:
                self._take(self._tuns.index(tun), os.read(tun, LONGEST_PACKET))
            while self._late and self._late[0][0] <= time.monotonic():
                _, _, target, packet = heapq.heappop(self._late)
                with suppress(OSError):  # a queue that is full: the packet is lost
                    os.write(self._tuns[target], packet)
                self.delivered += 1

    def _take(self, source: int, packet: bytes) -> None:
        target = packet[DESTINATION] - 1
        if packet[0] >> 4 != 4 or not 0 <= target < len(self.hosts):
            return  # IPv6 neighbour discovery and the like
        if {source, target} & self.cut_off or self._random.random() < self.loss:
            self.lost += 1
            return
        due = time.monotonic() + self.delay
        heapq.heappush(self._late, (due, self.delivered + len(self._late), target, packet))


@contextmanager
def network(count: int) -> Iterator[Network]:
    """So many hosts, which reach each other and nothing else."""
    emulated = Network(count)
    try:
        yield emulated
    finally:
        emulated.close()


@contextmanager
def linked_hosts(gigabits: float | None = None) -> Iterator[list[Host]]:
    """Two hosts with a veth pair between them, of this rate each way."""
    hosts = [Host(0), Host(1)]
    names = [f"wr{os.getpid()}-{host.number}" for host in hosts]
    try:
        for host in hosts:
            _ip("netns", "add", host.namespace)
        _ip("link", "add", names[0], "type", "veth", "peer", "name", names[1])
        for host, name in zip(hosts, names, strict=True):
            _ip("link", "set", name, "netns", host.namespace, "name", "eth0")
            _configure(host)
            if gigabits:
                limit = ["rate", f"{gigabits * 1000:g}mbit", "burst", "256kb", "latency", "50ms"]
                shaping = ["tc", "qdisc", "add", "dev", "eth0", "root", "tbf", *limit]
                _call("ip", "netns", "exec", host.namespace, *shaping)
        yield hosts
    finally:
        for host in hosts:
            host.remove()


def _open_tun(host: Host) -> int:
    """Make the namespace of a host and its device; packets come from the descriptor returned."""
    _ip("netns", "add", host.namespace)
    paths = "/proc/thread-self/ns/net", f"/run/netns/{host.namespace}"
    current, namespace = (os.open(path, os.O_RDONLY) for path in paths)
    try:
        _enter(namespace)
        tun = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", b"eth0", IFF_TUN | IFF_NO_PI))
    finally:
        _enter(current)
        os.close(current)
        os.close(namespace)
    _configure(host)
    return tun


def _configure(host: Host) -> None:
    _ip("-n", host.namespace, "address", "add", f"{host.address}/24", "dev", "eth0")
    for device in ("eth0", "lo"):
        _ip("-n", host.namespace, "link", "set", device, "up")


def _enter(descriptor: int) -> None:
    """Move this thread to another network namespace."""
    if ctypes.CDLL(None, use_errno=True).setns(descriptor, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "setns")


def _ip(*words: str) -> None:
    _call("ip", *words)


def _call(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout
