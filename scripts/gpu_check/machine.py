"""What the machine is: card, driver, clocks, libraries."""

import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

from gpu_check.bundle import NoDevice, StageError

SMI_FIELDS = ("name", "driver_version", "memory.total", "memory.used", "clocks.sm", "clocks.max.sm",
              "clocks.mem", "clocks.max.mem", "power.draw", "power.limit", "temperature.gpu",
              "persistence_mode", "mig.mode.current")
CLOCK_FIELDS = ("timestamp", "clocks.sm", "clocks.mem", "power.draw", "temperature.gpu", "utilization.gpu",
                "memory.used", "clocks_throttle_reasons.active")
SMI_LIMIT_S = 20
MOST_VERSION = 200  # characters
CUDA_LIBRARIES = re.compile(r"(lib(?:cuda|cudart|cudnn\w*|nccl|cublas\w*|mpi)\.so\S*) => (\S+|not found)")


def cards(limit_s):
    """One dictionary for each card, as nvidia-smi puts it; none where it is missing, fails or hangs."""
    command = ["nvidia-smi", f"--query-gpu={','.join(SMI_FIELDS)}", "--format=csv,noheader"]
    try:
        query = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=limit_s,
                               check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    rows = [[word.strip() for word in line.split(",")] for line in query.stdout.splitlines()]
    return [dict(zip(SMI_FIELDS, row)) for row in rows if len(row) == len(SMI_FIELDS)]


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"model name\s*:\s*(.*)", file.read())
    return found.group(1) if found else platform.machine()


def describe(limit_s):
    return {"cards": cards(limit_s), "processor": processor(), "cores": len(os.sched_getaffinity(0)),
            "kernel": platform.release(), "glibc": platform.libc_ver()[1],
            "python": platform.python_version()}


def has_card(limit_s):
    return bool(cards(limit_s) or list(Path("/dev").glob("nvidia[0-9]*")))


def environment(context, stage):
    """The loader finds every library of the programs; which CUDA libraries it finds."""
    if context.backend == "cudnn" and not has_card(SMI_LIMIT_S * context.limit_scale):
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
    """nvidia-smi once a second beside all stages: clocks and power say whether times can be compared."""

    def __init__(self, processes, files):
        self.processes, self.process = processes, None
        if shutil.which("nvidia-smi") is None:
            return
        command = ["nvidia-smi", f"--query-gpu={','.join(CLOCK_FIELDS)}", "--format=csv", "--loop=1"]
        with open(files / "clocks.csv", "ab") as file:
            try:
                self.process = processes.start(command, dict(os.environ, GPU_CHECK_STAGE="clocks"), files,
                                               (file, subprocess.DEVNULL))
            except OSError:
                pass

    def close(self):
        if self.process:
            self.processes.end(self.process)
