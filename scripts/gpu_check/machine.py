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
CUDA_LIBRARIES = re.compile(r"(lib(?:cuda|cudart|cudnn\w*|nccl|cublas\w*|mpi)\.so\S*) => (\S+|not found)")


def cards():
    """One dictionary for each card, as nvidia-smi puts it; none where there is no nvidia-smi."""
    if shutil.which("nvidia-smi") is None:
        return []
    query = subprocess.run(["nvidia-smi", f"--query-gpu={','.join(SMI_FIELDS)}", "--format=csv,noheader"],
                           capture_output=True, text=True, timeout=30, check=False)
    if query.returncode != 0:
        return []
    return [dict(zip(SMI_FIELDS, (word.strip() for word in line.split(","))))
            for line in query.stdout.splitlines() if line.strip()]


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        found = re.search(r"model name\s*:\s*(.*)", file.read())
    return found.group(1) if found else platform.machine()


def describe():
    return {"cards": cards(), "processor": processor(), "cores": len(os.sched_getaffinity(0)),
            "kernel": platform.release(), "glibc": platform.libc_ver()[1],
            "python": platform.python_version()}


def environment(context, stage):
    """The loader finds every library of the programs; which CUDA libraries it finds."""
    if context.backend == "cudnn" and not cards() and not list(Path("/dev").glob("nvidia[0-9]*")):
        raise NoDevice("neither nvidia-smi nor /dev shows a card; without one, a dry run "
                       "takes --bundle build/release --backend onednn --small")
    bundle = context.bundle
    listing = bundle.run("ldd", bundle.bin / "cnnexec").stdout
    stage.data["libraries"] = dict(CUDA_LIBRARIES.findall(listing))
    if missing := re.findall(r"(\S+) => not found", listing):
        raise StageError(f"missing libraries: {', '.join(missing)}; LD_LIBRARY_PATH is "
                         f"{bundle.environment.get('LD_LIBRARY_PATH', 'not set')}")
    stage.data["version"] = bundle.run(bundle.bin / "cnnexec", "--version").stdout.strip()
