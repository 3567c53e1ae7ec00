"""Runs scripts/gpu-check on programs that play back emulated ones, for gpu-check-failures_test."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import time
import uuid
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))

# pylint: disable=wrong-import-position
from gpu_check import correctness, doctest_output

PROGRAMS = ("cnnplan", "cnnexec", "cudnn_check", "equivalence_cudnn_check", "cudnn_bench")
TOOLS = ("mpirun", "ldd", "nvidia-smi", "compute-sanitizer")
NEEDED = ("cnnplan", "cnnexec_emulated", "cnnplan-profile_emulated", "cudnn_emulated_test", "equivalence_test")
FURTHER_CASES = ("convolution: random windows, groups and dilations in two dims",
                 "convolution: empty blocks do nothing forward and give zero gradients",
                 "gradient: pooling", "upsample: empty blocks", "bias: every channel has its own",
                 "sums: pooling over many positions")
SLOW_CASES = ("convolution: windows over many channels",)  # the emulation takes 20 s for it
MARK = "GPU_CHECK_TEST"  # this variable finds the processes that a run has left over
LIMIT_S = 600  # of one run: not a measure of speed, but the end of a hang

CONVOLUTION = {"kind": "convolution", "filters": 2, "kernel": 3, "padding": 1, "bias": True}
END = [{"name": "fc", "kind": "fully_connected", "outputs": 3},
       {"name": "loss", "kind": "softmax_cross_entropy"}]
NETWORKS = {
    "lenet": [{"name": "conv", **CONVOLUTION}, {"name": "relu", "kind": "relu"},
              {"name": "pool", "kind": "pooling", "mode": "max", "kernel": 2}, *END],
    "mesh-1k": [{"name": "conv", **CONVOLUTION, "stride": 4}, {"name": "bn", "kind": "batch_norm"}, *END],
    "residual-16": [{"name": "open", **CONVOLUTION}, {"repeat": 16, "name": "res", "layers": [
        {"name": "conv", **CONVOLUTION},
        {"name": "add", "kind": "add", "inputs": ["repeat_input", "prev"], "scale": 0.0625}]}, *END],
}
BENCH = [{"line": "header", "device": "Emulated GPU"}, {"line": "copy", "bytes_per_s": 3e12},
         {"line": "product", "flops_per_s": 7e14},
         {"line": "own", "kind": "relu", "phase": "forward", "count": 3, "median_s": 1e-3, "bytes_per_s": 2e12},
         {"line": "own", "kind": "relu", "phase": "backward_data", "count": 3, "median_s": 2e-3,
          "bytes_per_s": 1e12},
         {"line": "engine", "kind": "convolution", "phase": "forward", "count": 1, "engine": "engine 1",
          "rank": 0, "median_s": 1e-3, "flops_per_s": 5e14},
         {"line": "engine", "kind": "convolution", "phase": "forward", "count": 1, "engine": "engine 2",
          "rank": 1, "error": "not supported"}, {"line": "done"}]


def network(name, layers):
    size = [64, 64] if name == "mesh-1k" else [8, 8]
    data = {"name": "data", "kind": "input", "channels": 2, "size": size}
    return json.dumps({"schema": "cnnplan.network/1", "name": name, "layers": [data, *layers]})


class Bench:
    """Makes a bundle of replayed programs; the real ones run when a command comes for the first time."""

    def __init__(self, folder, build):
        self.folder, self.real = folder, build / "bin"
        self.record = folder / "record"
        for path in ("record", "bundle/bin", "bundle/configs/networks", "tools"):
            (folder / path).mkdir(parents=True)
        for name, layers in NETWORKS.items():
            (folder / f"bundle/configs/networks/{name}.json").write_text(network(name, layers), encoding="utf-8")
        for place, names in (("bundle/bin", PROGRAMS), ("tools", TOOLS)):
            for name in names:
                (folder / place / name).symlink_to(HERE / "gpu-check-replay")
        self.write_record()

    def write_record(self):
        """Writes what no emulated program gives: a short list of test cases, and the lines of a benchmark."""
        listing = subprocess.run([self.real / "cudnn_emulated_test", "--list-test-cases"], capture_output=True,
                                 text=True, check=True).stdout
        there = doctest_output.listed(listing)
        wanted = sorted({*correctness.SMOKE, *correctness.MEMCHECK, *FURTHER_CASES})
        missing = [name for name in wanted if name not in there]
        assert not missing, f"no test cases of these names: {missing}"
        wanted = [name for name in wanted if name not in SLOW_CASES]
        (self.record / "cases").write_text(
            "\n".join(wanted) + f"\n[doctest] unskipped test cases passing the current filters: {len(wanted)}\n",
            encoding="utf-8")
        (self.record / "bench.jsonl").write_text("".join(json.dumps(line) + "\n" for line in BENCH), encoding="utf-8")

    def environment(self, folder, **changes):
        return dict(os.environ, PATH=f"{self.folder / 'tools'}:{os.environ['PATH']}", REPLAY_REAL=str(self.real),
                    REPLAY_RECORD=str(self.record), REPLAY_FOLDER=str(folder),
                    REPLAY_MPIRUN=shutil.which("mpirun"), REPLAY_LDD=shutil.which("ldd"),
                    OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                    OMPI_MCA_mpi_yield_when_idle="1", OMP_NUM_THREADS="1", CNNPLAN_CASES="1",
                    CNNPLAN_SUM_POSITIONS="5000",
                    CNNPLAN_EMULATED_CLOSED_MEMORY="0", **changes)


class Run:
    """Runs one gpu-check in a folder of its own."""

    def __init__(self, bench, *options, folder=None, **injection):
        self.mark = uuid.uuid4().hex
        self.folder = folder or bench.folder / f"run-{self.mark}"
        self.folder.mkdir(exist_ok=True)
        self.output, self.archive = self.folder / "check.json", self.folder / "check.tgz"
        self.files = self.folder / "check.files"
        command = [ROOT / "scripts/gpu-check", "--bundle", bench.folder / "bundle", "--small", "--end-after", 1,
                   "--peer-program", HERE / "gpu-check-peer", "-o", self.output, "--archive", self.archive, *options]
        self.process = subprocess.Popen(
            [str(word) for word in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=bench.environment(self.folder, **{MARK: self.mark},
                                  **{f"INJECT_{key.upper()}": value for key, value in injection.items()}))
        self.code = self.text = None

    def wait(self):
        self.text, _ = self.process.communicate(timeout=LIMIT_S)
        self.code = self.process.returncode
        return self

    def wait_until(self, holds):
        end = time.monotonic() + LIMIT_S
        while not holds() and time.monotonic() < end:
            time.sleep(0.05)

    def document(self):
        return json.loads(self.output.read_text(encoding="utf-8"))

    def stages(self):
        return {stage["name"]: stage for stage in self.document()["stages"]}

    def figures(self):
        """Returns values and units by stage and name."""
        return {name: {entry["name"]: (entry["value"], entry["unit"]) for entry in stage["figures"]}
                for name, stage in self.stages().items()}

    def archived(self):
        """Returns contents by name; reading all of them shows that the file is whole."""
        with tarfile.open(self.archive) as archive:
            return {entry.name: archive.extractfile(entry).read() for entry in archive if entry.isfile()}

    def left_over(self):
        """Returns the ids of processes that this run has started and that still run."""
        return [int(name) for name in os.listdir("/proc") if name.isdecimal() and self.is_mine(name)]

    def is_mine(self, process):
        try:
            return f"{MARK}={self.mark}".encode() in Path("/proc", process, "environ").read_bytes()
        except OSError:  # it has ended, or belongs to somebody else
            return False

    def clean_up(self):
        for process in self.left_over():
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)
