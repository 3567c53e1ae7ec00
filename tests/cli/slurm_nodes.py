"""Runs Slurm as two nodes on this machine. Its configuration, key, sockets and files are in one folder.

Both nodes are this machine, so they share its host name and its memory."""

import os
import shutil
import signal
import socket
import subprocess
import time
from pathlib import Path

NODES = ("n1", "n2")
CORES = 2  # of each node, whatever the machine has
PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scancel", "scontrol", "sinfo")
START_LIMIT_S = 60
CALL_LIMIT_S = 60
REQUEUE_DELAY_S = 10  # Slurm holds back a job that is queued again, until its old credentials are void


def reason_not_to():
    """Says why Slurm cannot run here. The text is empty if it can."""
    if os.geteuid() != 0:
        return "slurmd needs root"
    missing = [name for name in PROGRAMS if shutil.which(name, path=search_path()) is None]
    if missing:
        return f"{', '.join(missing)}: not found (scripts/setup --slurm)"
    return ""


def search_path():
    return f"{os.environ['PATH']}{os.pathsep}/usr/sbin"


def free_ports(count):
    """Returns ports on which nobody listens now."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class SlurmNodes:
    """Starts the daemons, and ends them in the end. `environment` reaches them by SLURM_CONF."""

    def __init__(self, folder):
        self.folder = Path(folder).resolve()
        self.environment = dict(os.environ, PATH=search_path(), SLURM_CONF=str(self.folder / "slurm.conf"))

    def __enter__(self):
        self.folder.chmod(0o711)  # munged wants its socket to be reached by all
        for name in ("state", "log", *(f"{kind}_{node}" for kind in ("spool", "tmp") for node in NODES)):
            (self.folder / name).mkdir()
        self.write_key()
        self.write_configuration()
        try:
            self.start_daemons()
            self.wait_for_nodes()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def write_key(self):
        descriptor = os.open(self.folder / "munge.key", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(os.urandom(1024))

    def write_configuration(self):
        """Writes slurm.conf. PMIx has a folder for each node in TmpFS, so nodes do not share one."""
        controller, *ports = free_ports(1 + len(NODES))
        host, folder = socket.gethostname().partition(".")[0], self.folder
        nodes = "\n".join(f"NodeName={node} NodeHostname={host} NodeAddr=127.0.0.1 Port={port} CPUs={CORES} "
                          f"CoresPerSocket={CORES} State=UNKNOWN" for node, port in zip(NODES, ports))
        (folder / "slurm.conf").write_text(f"""ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire={REQUEUE_DELAY_S}
SlurmUser=root
SlurmdUser=root
MpiDefault=none
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SlurmdParameters=config_overrides
ReturnToService=2
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool_%n
TmpFS={folder}/tmp_%n
SlurmctldLogFile={folder}/log/slurmctld
SlurmdLogFile={folder}/log/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
{nodes}
PartitionName=all Nodes=ALL Default=YES State=UP
""", encoding="utf-8")

    def start_daemons(self):
        folder = self.folder
        self.call("munged", "--force", f"--key-file={folder}/munge.key", f"--socket={folder}/munge.socket",
                  f"--pid-file={folder}/munged.pid", f"--log-file={folder}/log/munged",
                  f"--seed-file={folder}/munge.seed")
        self.call("slurmctld")
        for node in NODES:
            self.call("slurmd", "-N", node)

    def wait_for_nodes(self):
        end = time.monotonic() + START_LIMIT_S
        while self.run("sinfo", "--noheader", "--format=%T %D").stdout.split() != ["idle", str(len(NODES))]:
            if time.monotonic() > end:
                raise TimeoutError("the nodes of Slurm do not come up\n" + self.logs())
            time.sleep(0.5)

    def stop(self):
        for file in sorted(self.folder.glob("*.pid"), reverse=True):  # munged last
            try:
                os.kill(int(file.read_text(encoding="utf-8")), signal.SIGTERM)
            except (ValueError, ProcessLookupError):
                continue
            end = time.monotonic() + CALL_LIMIT_S
            while file.exists() and time.monotonic() < end:
                time.sleep(0.1)

    def logs(self):
        return "\n".join(f"{path.name}: {path.read_text(encoding='utf-8', errors='replace')[-2000:]}"
                         for path in sorted((self.folder / "log").iterdir()))

    def run(self, *command, cwd=None, limit_s=CALL_LIMIT_S):
        """Runs a program, and returns its result with its output as text."""
        return subprocess.run([str(word) for word in command], env=self.environment, cwd=cwd, text=True,
                              capture_output=True, check=False, timeout=limit_s, stdin=subprocess.DEVNULL)

    def call(self, *command, cwd=None):
        """Runs a program that has to succeed, and returns what it prints."""
        result = self.run(*command, cwd=cwd)
        if result.returncode != 0:
            raise RuntimeError(f"{command}: exit code {result.returncode}\n{result.stdout}{result.stderr}{self.logs()}")
        return result.stdout

    def facts(self, job):
        """Returns what Slurm knows of a job, such as its JobState and its Restarts, as a dictionary."""
        words = self.call("scontrol", "--oneliner", "show", "job", job).split()
        return dict(word.split("=", 1) for word in words if "=" in word)
