"""Hosts of an emulated network that have names, as the nodes and pods of a scheduler do."""

import shutil
import subprocess
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.network import network


class Machine:
    """A host with a name of its own, which all know."""

    def __init__(self, host, name):
        self.host, self.name, self.address = host, name, host.address

    def start(self, *command, **keywords):
        named = f'hostname {self.name}; exec "$@"'
        words = ["unshare", "--uts", "sh", "-c", named, "sh", *map(str, command)]
        return self.host.start(words, **keywords)

    def output(self, *command):
        return self.start(*command, stdout=subprocess.PIPE).communicate()[0]


@contextmanager
def machines(names):
    """A machine for every name; each knows all names."""
    with ExitStack() as stack:
        hosts = stack.enter_context(network(len(names))).hosts
        named = list(map(Machine, hosts, names))
        for machine in named:
            stack.enter_context(hosts_file(machine, named))
        yield named


@contextmanager
def hosts_file(machine, known):
    """`ip netns exec` shows this file as /etc/hosts."""
    folder = Path("/etc/netns") / machine.host.namespace
    folder.mkdir(parents=True)
    lines = ["127.0.0.1 localhost", *(f"{x.address} {x.name}" for x in known)]
    (folder / "hosts").write_text("\n".join(lines) + "\n")
    try:
        yield
    finally:
        shutil.rmtree(folder)
