"""Finds the programs under test, runs them within the time of a stage, and keeps their outputs."""

import copy
import os
import re
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from gpu_check.processes import EXIT_TIME_LIMIT

EXIT_ENVIRONMENT, EXIT_SKIPPED = 5, 77
COLOURS = re.compile(r"\x1b\[[0-9;]*m|\r")  # mpirun gives its ranks a terminal
MOST_READ_BYTES = 32 << 20  # as much of an output is looked at; its file holds everything


class StageError(Exception):
    """Says that the stage, or a part of it, has failed."""


class Skip(Exception):
    """Says that the stage cannot run on this machine."""


class NoDevice(Exception):
    """Says that there is no GPU, so that nothing more can run."""


@dataclass
class Result:
    """Says how a program ended; `out` and `err` are the files of its outputs."""

    name: str
    code: int
    seconds: float
    out: Path
    err: Path

    @property
    def stdout(self):
        return text_of(self.out)

    @property
    def stderr(self):
        return text_of(self.err)

    def tail(self, lines=12):
        return "\n".join((self.stdout + self.stderr).rstrip().splitlines()[-lines:])


def text_of(path):
    """Returns the text without colours; bytes that are no UTF-8 are replaced."""
    with open(path, "rb") as file:
        return COLOURS.sub("", file.read(MOST_READ_BYTES).decode("utf-8", errors="replace"))


def any_code():
    return range(-64, 256)  # a number below 0 is the signal that ended the program


def sourced_environment(script):
    """Returns the environment after a shell has sourced that file."""
    shell = subprocess.run(["bash", "-c", 'source "$1" && env -0', "bash", script], capture_output=True,
                           text=True, errors="surrogateescape", check=False)
    if shell.returncode != 0:
        raise StageError(f"{script}: {shell.stderr.strip()}")
    return dict(line.split("=", 1) for line in shell.stdout.split("\0") if "=" in line)


def environment_of(folder):
    script = folder / "env.sh"
    if script.exists():
        return sourced_environment(script)
    return dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                PMIX_MCA_pcompress_base_silence_warning="1")


class Outputs:
    """Numbers the outputs of all commands of a run, and keeps the log of the commands."""

    def __init__(self, files):
        self.folder = files / "output"
        self.folder.mkdir(parents=True, exist_ok=True)
        self.log = files / "log.txt"
        self.lock = threading.Lock()
        numbers = [int(path.name.split("-")[0]) for path in self.folder.glob("[0-9]*-*.out")]
        self.last = max(numbers, default=0)

    def pair(self, stage, program):
        """Returns names for stdout and stderr that no run has used before."""
        with self.lock:
            self.last += 1
            name = f"{self.last:03}-{stage}-{program}"
        return self.folder / f"{name}.out", self.folder / f"{name}.err"

    def write(self, text):
        """Adds to the log. It throws nothing, since a full disk must not end a check."""
        try:
            with self.lock, open(self.log, "a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(text)
        except OSError as error:
            print(f"gpu-check: {self.log}: {error}", file=sys.stderr)


class Bundle:
    """Stands for a folder with bin/: a bundle of scripts/gpu-bundle if it has env.sh, else a build folder."""

    def __init__(self, folder, repository, outputs, processes):
        self.folder = Path(folder).resolve()
        self.bin = self.folder / "bin"
        self.root = self.folder if (self.folder / "configs/networks").is_dir() else Path(repository)
        self.outputs, self.processes = outputs, processes
        self.stage, self.deadline, self.results = "start", time.monotonic(), []
        self.environment = environment_of(self.folder)

    def of_stage(self, stage, limit_s):
        """Returns a bundle with the stage's deadline, its cuDNN log, and its own list of results."""
        other = copy.copy(self)
        other.stage, other.deadline, other.results = stage, time.monotonic() + limit_s, []
        # cuDNN replaces %i by the process id; otherwise each process would empty the file.
        log = self.outputs.folder.parent / f"cudnn-{stage}-%i.log"
        other.environment = dict(self.environment, GPU_CHECK_STAGE=stage, CUDNN_LOGLEVEL_DBG="1",
                                 CUDNN_LOGDEST_DBG=str(log))
        return other

    def network(self, name):
        return self.root / "configs/networks" / f"{name}.json"

    def has(self, program):
        return os.access(self.bin / program, os.X_OK)

    def left_s(self):
        return self.deadline - time.monotonic()

    def run(self, *command, allowed=(0,), limit_s=None, environment=None, out=None):
        """Runs for `limit_s` at most, and never longer than the stage. @throws StageError"""
        words = [str(word) for word in command]
        name = " ".join(Path(word).name if word.startswith("/") else word for word in words[:12])
        result = self.result_of(words, name, limit_s, environment, out)
        self.results.append(result)
        self.outputs.write(f"exit code {result.code}, {result.seconds:.2f} s: {name}\n{result.tail()}\n\n")
        if result.code not in allowed:
            raise StageError(self.failure(result))
        return result

    def failure(self, result):
        if self.processes.stopped_by:
            return f"{result.name}: ended, because gpu-check got {self.processes.stopped_by}"
        if result.code == EXIT_TIME_LIMIT:
            return f"{result.name}: time limit after {result.seconds:.0f} s\n{result.tail()}"
        how = f"signal {-result.code}" if result.code < 0 else f"exit code {result.code}"
        return f"{result.name}: {how}\n{result.tail()}"

    def result_of(self, words, name, limit_s, environment, out):
        begin = time.monotonic()
        limit_s = min(self.left_s(), limit_s or self.left_s())
        if limit_s <= 0 or self.processes.stopped_by:
            raise StageError(f"{name}: no time is left to start it")
        program = next((Path(word).name for word in words if word.startswith(str(self.bin))), Path(words[0]).name)
        paths = self.outputs.pair(self.stage, program)
        paths = (out or paths[0], paths[1])
        self.outputs.write(f"$ {' '.join(words)}\n  > {paths[0].name} 2> {paths[1].name}\n")
        with open(paths[0], "wb") as stdout, open(paths[1], "wb") as stderr:
            try:
                process = self.processes.start(
                    words, environment or self.environment, self.root, (stdout, stderr))
            except (OSError, ValueError) as error:
                raise StageError(f"{words[0]}: {error}") from error
            code = self.processes.wait(process, begin + limit_s)
        return Result(name, code, time.monotonic() - begin, *paths)

    def mpirun(self, ranks, program, *words, **options):
        """Does not bind the ranks: containers forbid it, and the times are the card's."""
        return self.run("mpirun", "--oversubscribe", "--bind-to", "none", "-n", ranks,
                        self.bin / program, *words, **options)
