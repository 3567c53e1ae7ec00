"""Runs a program on several ranks under a launcher, stops, resumes or kills ranks, and sees how all of them end."""

import json
import os
import shutil
import signal
import subprocess
import threading
import time
from pathlib import Path

PEER_LOST = 8
NETWORK = {
    "schema": "cnnplan.network/1", "name": "small", "layers": [
        {"name": "data", "kind": "input", "channels": 2, "size": [16, 16]},
        {"name": "conv", "kind": "convolution", "filters": 8, "kernel": 3, "padding": 1},
        {"name": "bn", "kind": "batch_norm"},
        {"name": "relu", "kind": "relu"},
        {"name": "conv2", "kind": "convolution", "filters": 8, "kernel": 3, "padding": 1},
        {"name": "fc", "kind": "fully_connected", "outputs": 5},
        {"name": "loss", "kind": "softmax_cross_entropy"}]}
# The launchers, each with the words before the number of ranks.
LAUNCHERS = {
    "mpirun": ["mpirun", "--oversubscribe", "--bind-to", "none", "-n"],
    "recovery": ["mpirun", "--enable-recovery", "--oversubscribe", "--bind-to", "none", "-n"],
    "srun": ["srun", "--mpi=pmix", "--overcommit", "--kill-on-bad-exit=0", "-n"],
}
# Each rank writes its process id first, and its exit code last. The launcher gets the exit code, too.
WRAPPER = '"$0" "$@" & echo $! >pid.$PMIX_RANK.new; mv pid.$PMIX_RANK.new pid.$PMIX_RANK; ' \
          'wait $!; code=$?; echo $code >code.$PMIX_RANK; exit $code'


def environment():
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMP_NUM_THREADS="1",
                OMPI_MCA_mpi_yield_when_idle="1", ASAN_OPTIONS="detect_leaks=0", LC_ALL="C")


def state_of(pid):
    """Returns the letter of /proc for the state of a process, or None where there is none."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
    except OSError:
        return None


def is_alive(pid):
    return state_of(pid) not in (None, "Z", "X")


def write_plan(binaries, folder, ranks):
    """Writes network.json and plan.json, in which conv2 exchanges halos and all other layers split samples."""
    (folder / "network.json").write_text(json.dumps(NETWORK), encoding="utf-8")
    subprocess.run([binaries / "cnnplan", "solve", "network.json", "--ranks", str(ranks), "--batch", str(2 * ranks),
                    "--uniform", f"h{ranks}", "--batch-norm", "global"], cwd=folder, env=environment(),
                   capture_output=True, check=True, timeout=300)


class Launch:
    """Runs a command on several ranks in a folder, and keeps the lines that they write to stderr."""

    def __init__(self, launcher, ranks, command, folder):
        self.folder, self.ranks = folder, ranks
        for old in [*folder.glob("pid.*"), *folder.glob("code.*")]:
            old.unlink()
        words = [*LAUNCHERS[launcher], str(ranks), "sh", "-c", WRAPPER, *map(str, command)]
        self.process = subprocess.Popen(words, cwd=folder, env=environment(), text=True, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.lines = []
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stderr:
            self.lines.append(line.rstrip())

    def text(self):
        return "\n".join(self.lines)

    def has_ended(self):
        return self.process.poll() is not None

    def wait_for(self, holds, limit_s):
        """Waits until the function returns true. Returns False if the program ends, or the time is over, before."""
        end = time.monotonic() + limit_s
        while not holds():
            if self.has_ended() or time.monotonic() > end:
                return holds()
            time.sleep(0.002)
        return True

    def pids(self):
        """Returns the process ids by rank, of the ranks that have begun."""
        return {rank: int((self.folder / f"pid.{rank}").read_text(encoding="utf-8"))
                for rank in range(self.ranks) if (self.folder / f"pid.{rank}").exists()}

    def wait_for_pids(self, limit_s):
        return self.wait_for(lambda: len(self.pids()) == self.ranks, limit_s)

    def send(self, number, ranks):
        """Returns whether all of these ranks got the signal."""
        pids, sent = self.pids(), 0
        for rank in ranks:
            try:
                os.kill(pids[rank], number)
                sent += 1
            except (ProcessLookupError, KeyError):
                pass
        return sent == len(ranks)

    def codes(self):
        """Returns the exit codes by rank, of the ranks that could write one."""
        found = {}
        for rank in range(self.ranks):
            path = self.folder / f"code.{rank}"
            text = path.read_text(encoding="utf-8").strip() if path.exists() else ""
            if text:
                found[rank] = int(text)
        return found

    def orphans(self):
        return [rank for rank, pid in self.pids().items() if is_alive(pid)]

    def wait_for_end(self, limit_s):
        """Returns the exit code of the launcher, or None if it or a rank still runs after the time."""
        end = time.monotonic() + limit_s
        try:
            code = self.process.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            return None
        while self.orphans() and time.monotonic() < end:
            time.sleep(0.01)
        self.reader.join(timeout=1)
        return None if self.orphans() else code

    def clear(self):
        """Ends all that still runs."""
        for pid in self.pids().values():
            if is_alive(pid):
                os.kill(pid, signal.SIGKILL)
        if not self.has_ended():
            self.process.kill()
            self.process.wait()


def has_slurm():
    """Returns whether srun can start ranks on this machine now."""
    if shutil.which("srun") is None:
        return False
    probe = subprocess.run(["srun", "--mpi=pmix", "-n", "1", "true"], capture_output=True, check=False, timeout=60)
    return probe.returncode == 0
