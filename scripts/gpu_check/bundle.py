"""The programs under test: where they lie, and how they are started and ended."""

import os
import re
import signal
import subprocess
import time
from pathlib import Path

EXIT_ENVIRONMENT, EXIT_SKIPPED, EXIT_TIME_LIMIT = 5, 77, 124
COLOURS = re.compile(r"\x1b\[[0-9;]*m|\r")  # mpirun gives its ranks a terminal
END_S = 10  # from SIGTERM, on which mpirun ends its ranks, to SIGKILL


class StageError(Exception):
    """Something is wrong: the stage has failed."""


class Skip(Exception):
    """The stage cannot run on this machine."""


class NoDevice(Exception):
    """There is no GPU: nothing more can run."""


class Result:
    def __init__(self, code, stdout, stderr, seconds):
        self.code, self.seconds = code, seconds
        self.stdout, self.stderr = COLOURS.sub("", stdout), COLOURS.sub("", stderr)

    def tail(self, lines=12):
        return "\n".join((self.stdout + self.stderr).rstrip().splitlines()[-lines:])


def sourced_environment(script):
    """The environment after a shell has sourced that file."""
    shell = subprocess.run(["bash", "-c", 'source "$1" && env -0', "bash", script],
                           capture_output=True, text=True, check=False)
    if shell.returncode != 0:
        raise StageError(f"{script}: {shell.stderr.strip()}")
    return dict(line.split("=", 1) for line in shell.stdout.split("\0") if "=" in line)


def end(process):
    """Ends the process and what it started."""
    for wanted in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, wanted)
            return process.communicate(timeout=END_S)
        except subprocess.TimeoutExpired:
            continue
        except ProcessLookupError:
            break
    return process.communicate()


class Bundle:
    """A folder with bin/; of scripts/gpu-bundle where it has env.sh, else a build folder."""

    def __init__(self, folder, repository, log):
        self.folder = Path(folder).resolve()
        self.bin = self.folder / "bin"
        self.root = self.folder if (self.folder / "configs/networks").is_dir() else Path(repository)
        self.log = log
        self.deadline = None
        script = self.folder / "env.sh"
        self.environment = sourced_environment(script) if script.exists() else dict(
            os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")

    def network(self, name):
        return self.root / "configs/networks" / f"{name}.json"

    def has(self, program):
        return os.access(self.bin / program, os.X_OK)

    def left_s(self):
        return self.deadline - time.monotonic()

    def run(self, *command, allowed=(0,), environment=None):
        """Runs until the stage's time is over. @throws StageError, NoDevice"""
        words = [str(word) for word in command]
        self.log.write("$ " + " ".join(words) + "\n")
        result = self.wait_for(words, environment or self.environment)
        self.log.write(f"{result.stdout}{result.stderr}exit code {result.code}, {result.seconds:.2f} s\n\n")
        self.log.flush()
        name = " ".join(Path(word).name if word.startswith("/") else word for word in words[:12])
        if result.code == EXIT_TIME_LIMIT and EXIT_TIME_LIMIT not in allowed:
            raise StageError(f"{name}: time limit after {result.seconds:.0f} s\n{result.tail()}")
        if result.code == EXIT_ENVIRONMENT and "no cuda device" in (result.stderr + result.stdout).lower():
            raise NoDevice(result.tail(1))
        if result.code not in allowed:
            raise StageError(f"{name}: exit code {result.code}\n{result.tail()}")
        return result

    def wait_for(self, words, environment):
        begin = time.monotonic()
        try:
            process = subprocess.Popen(words, env=environment, cwd=self.root, text=True, errors="replace",
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        except OSError as error:
            raise StageError(f"{words[0]}: {error.strerror}") from error
        try:
            out, err = process.communicate(timeout=max(1.0, self.left_s()))
            code = process.returncode
        except subprocess.TimeoutExpired:
            (out, err), code = end(process), EXIT_TIME_LIMIT
        except BaseException:
            end(process)
            raise
        return Result(code, out, err, time.monotonic() - begin)

    def mpirun(self, ranks, program, *words, allowed=(0,)):
        """Ranks are not bound: containers forbid it, and the times are the card's."""
        return self.run("mpirun", "--oversubscribe", "--bind-to", "none", "-n", ranks,
                        self.bin / program, *words, allowed=allowed)
