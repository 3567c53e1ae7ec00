"""Describes the machine: card, driver, clocks, libraries."""

import os
import platform
import re
import subprocess
import time
from pathlib import Path

from gpu_check.bundle import NoDevice, StageError

SMI_FIELDS = ("name", "driver_version", "memory.total", "memory.used", "clocks.sm", "clocks.max.sm",
              "clocks.mem", "clocks.max.mem", "power.draw", "power.limit", "temperature.gpu",
              "persistence_mode", "mig.mode.current")
CLOCK_FIELDS = ("timestamp", "clocks.sm", "clocks.mem", "power.draw", "temperature.gpu", "utilization.gpu",
                "memory.used")
SMI_LIMIT_S = 10
MOST_VERSION = 200  # characters
CUDA_LIBRARIES = re.compile(r"(lib(?:cuda|cudart|cudnn\w*|nccl|cublas\w*|mpi)\.so\S*) => (\S+|not found)")


def start_smi(processes, files, fields, name, *options):
    """Starts nvidia-smi with its output in a file. @throws OSError"""
    command = ["nvidia-smi", f"--query-gpu={','.join(fields)}", *options]
    with open(files / name, "wb") as file:
        return processes.start(command, dict(os.environ), files, (file, subprocess.DEVNULL))


def cards(processes, files):
    """Returns what nvidia-smi says of each card; nothing if it is missing, fails or hangs."""
    try:
        process = start_smi(processes, files, SMI_FIELDS, "cards.csv", "--format=csv,noheader")
        code = processes.wait(process, time.monotonic() + SMI_LIMIT_S)
    except OSError:
        return []
    text = (files / "cards.csv").read_text(encoding="utf-8", errors="replace") if code == 0 else ""
    rows = [[word.strip() for word in line.split(",")] for line in text.splitlines()]
    return [dict(zip(SMI_FIELDS, row)) for row in rows if len(row) == len(SMI_FIELDS)]


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"model name\s*:\s*(.*)", file.read())
    return found.group(1) if found else platform.machine()


def describe(processes, files):
    return {"cards": cards(processes, files), "processor": processor(),
            "cores": len(os.sched_getaffinity(0)), "kernel": platform.release(),
            "glibc": platform.libc_ver()[1], "python": platform.python_version()}


def environment(context, stage):
    """Checks that the loader finds every library of the programs, and reports CUDA's libraries."""
    if context.backend == "cudnn" and not context.cards and not list(Path("/dev").glob("nvidia[0-9]*")):
        raise NoDevice("neither nvidia-smi nor /dev shows a card; without one, a dry run "
                       "takes --bundle build/release --backend onednn --small")
    stage.part(find_libraries, context.bundle, stage)
    version = context.bundle.run(context.bundle.bin / "cnnexec", "--version").stdout
    stage.data["version"] = version.strip()[:MOST_VERSION]


def find_libraries(bundle, stage):
    listing = bundle.run("ldd", bundle.bin / "cnnexec").stdout
    stage.data["libraries"] = dict(CUDA_LIBRARIES.findall(listing))
    if missing := re.findall(r"(\S+) => not found", listing):
        raise StageError(f"missing libraries: {', '.join(missing)}; LD_LIBRARY_PATH is "
                         f"{bundle.environment.get('LD_LIBRARY_PATH', 'not set')}")
    if "libc.so" not in listing:
        raise StageError(f"ldd has printed no libraries\n{listing[:MOST_VERSION]}")


class ClockLog:
    """Logs clocks and power once a second during all stages: they say whether times can be compared."""

    def __init__(self, processes, files):
        self.processes, self.process = processes, None
        try:
            self.process = start_smi(processes, files, CLOCK_FIELDS, free_name(files, "clocks"),
                                     "--format=csv", "--loop=1")
        except OSError:
            pass  # there is no nvidia-smi

    def close(self):
        if self.process:
            self.processes.end(self.process)


def free_name(files, stem):
    number = 1
    while (files / f"{stem}-{number}.csv").exists():
        number += 1
    return f"{stem}-{number}.csv"
