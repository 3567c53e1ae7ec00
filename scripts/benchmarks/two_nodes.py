"""Joins two nodes on this machine by a TCP link of a given rate: network namespaces, a veth pair and a token bucket."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # mpirun starts this file by its path
from benchmarks.common import ENVIRONMENT, run  # noqa: E402

ADDRESSES = ("10.77.0.1", "10.77.0.2")
NAMES = ("cnnplan-a", "cnnplan-b")
DEVICES = ("cnnplan-va", "cnnplan-vb")


def reason_not_to():
    """Says why this machine cannot join two nodes. The text is empty if it can."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if len(os.sched_getaffinity(0)) < 2:
        return "two nodes need two cores"
    missing = [tool for tool in ("ip", "tc", "unshare", "taskset")
               if subprocess.run(["which", tool], capture_output=True, check=False).returncode != 0]
    if missing:
        return f"{', '.join(missing)}: not found (packages iproute2, util-linux)"
    return ""


class TwoNodes:
    """Two nodes with one core each. They have host names of their own, so that MPI takes them for two machines."""

    def __init__(self, rate):
        self.rate = rate

    def __enter__(self):
        self.remove()
        for name in NAMES:
            run(["ip", "netns", "add", name])
        run(["ip", "link", "add", DEVICES[0], "netns", NAMES[0], "type", "veth", "peer", "name", DEVICES[1], "netns",
             NAMES[1]])
        for name, device, address in zip(NAMES, DEVICES, ADDRESSES):
            run(["ip", "-n", name, "addr", "add", f"{address}/24", "dev", device])
            run(["ip", "-n", name, "link", "set", "lo", "up"])
            run(["ip", "-n", name, "link", "set", device, "up"])
        self.set_rate(self.rate)
        return self

    @staticmethod
    def set_rate(rate):
        for name, device in zip(NAMES, DEVICES):
            run(["ip", "netns", "exec", name, "tc", "qdisc", "replace", "dev", device, "root", "tbf", "rate", rate, "burst",
                 "256kb", "latency", "50ms"])

    def __exit__(self, *_):
        self.remove()

    @staticmethod
    def remove():
        for name in NAMES:
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)

    def mpirun(self, *command):
        """Runs a command on one rank per node, and returns what it prints."""
        return self.run_mpirun("--bind-to", "none", "--host", ",".join(ADDRESSES), "--map-by", "node", "-n", 2, *command)

    @staticmethod
    def run_mpirun(*words):
        """Runs mpirun with options that name and fill the nodes, and a command. Returns what it prints."""
        agent = f"{sys.executable} {Path(__file__).resolve()}"
        own = ["mpirun", "--mca", "plm_rsh_agent", agent,
               "--mca", "oob_tcp_if_include", ",".join(DEVICES), "--mca", "btl_tcp_if_include", "10.77.0.0/24",
               "--mca", "btl", "self,vader,tcp"]
        return run(on_node(0, shlex.join(str(word) for word in [*own, *words])))


def on_node(node, command):
    """Returns the words that run a line of shell on one core of a node."""
    return ["ip", "netns", "exec", NAMES[node], "unshare", "--uts", "taskset", "-c", node, "bash", "-c",
            f"hostname {NAMES[node]}; {command}"]


def main():
    """Is what mpirun calls in place of ssh: ADDRESS COMMAND..."""
    address, *command = sys.argv[1:]
    words = [str(word) for word in on_node(ADDRESSES.index(address), " ".join(command))]
    os.execvpe(words[0], words, ENVIRONMENT)


if __name__ == "__main__":
    main()
