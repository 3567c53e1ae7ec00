"""Runs programs, prints tables, and profiles, plans and executes cases, for all benchmarks of scripts/bench."""

import datetime
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BIN = Path("build/release/bin")
OUT = Path("build/bench")
NETWORKS = Path("configs/networks")
ROUNDS = 3
PREDICTION_ROUNDS = 5
SCALING_ROUNDS = 9
REGRESSION_ROUNDS = 12
OUTSIDE_LIMIT = 6  # exit code of cnnplan compare
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")


def run(command, allowed=(0,)):
    words = [str(word) for word in command]
    print("$ " + " ".join(words), file=sys.stderr)
    result = subprocess.run(words, env=ENVIRONMENT, text=True, capture_output=True, check=False)
    if result.returncode not in allowed:
        sys.exit(f"scripts/bench: exit code {result.returncode} of {' '.join(words)}\n{result.stderr}")
    return result.stdout


def mpirun(ranks, *command, cores=1):
    """Runs a command on some ranks, each of which has `cores` cores."""
    place = ["--bind-to", "core"] if cores == 1 else ["--map-by", f"slot:PE={cores}"]
    return run(["mpirun", *place, "-n", ranks, *command])


def read(path):
    return json.loads(Path(path).read_text(encoding="utf-8"))


def cores_of(plan):
    return max([1, *(chain.get("concurrency", 1) for chain in read(plan).get("multigrid", []))])


def table(title, header, rows):
    """Prints a Markdown table and returns it."""
    lines = [f"### {title}", "", "| " + " | ".join(header) + " |",
             "|" + "|".join(["---"] + ["---:"] * (len(header) - 1)) + "|"]
    lines += ["| " + " | ".join(str(cell) for cell in row) + " |" for row in rows]
    text = "\n".join(lines) + "\n"
    print(text, flush=True)
    return text


def machine():
    model = re.search(r"model name\s*:\s*(.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    cores = len(os.sched_getaffinity(0))
    return (f"{model.group(1) if model else 'unknown CPU'}, {cores} cores, "
            f"{datetime.date.today().isoformat()}")


class Case:
    """A case is a network at one size, batch and rank count. It has its own platform and profile, and any plans."""

    def __init__(self, network, batch, ranks, size=None, uniform=(), precision="fp32"):
        self.network, self.batch, self.ranks, self.size, self.precision = network, batch, ranks, size, precision
        self.name = f"{network}-b{batch}-r{ranks}" + ("" if precision == "fp32" else f"-{precision}")
        self.platform = OUT / f"platform-r{ranks}.json"
        self.profile_file = OUT / f"profile-{self.name}.json"
        self.uniform = uniform

    def where(self):
        size = ["--input", self.size] if self.size else []
        return [NETWORKS / f"{self.network}.json", *size, "--ranks", self.ranks, "--batch", self.batch,
                "--precision", self.precision]

    def profile(self, axes=None):
        """Times the links, once for a rank count, and the kernels anew. With `axes`, times what a search needs."""
        if not self.platform.exists():
            alone = ["--device-only"] if self.ranks == 1 else []
            Path(OUT / f"links-r{self.ranks}.txt").write_text(
                mpirun(self.ranks, BIN / "cnnplan", "profile", "--links", *alone, "-o", self.platform),
                encoding="utf-8")
        extra = [word for mesh in self.uniform for word in ("--uniform", mesh)]
        extra += ["--axes", axes] if axes else []
        self.profile_file.unlink(missing_ok=True)
        mpirun(self.ranks, BIN / "cnnplan", "profile", *self.where(), *extra, "-o", self.profile_file)

    def solve(self, mesh=None, axes=None, chain=None, sharded=False, blocks=0):
        """Plans the case. `chain` has name and options of a plan with stages, `blocks` the number of sample blocks."""
        name = (mesh or axes or (chain and chain[0]) or (blocks and f"blocks-{blocks}") or "solver")
        plan = OUT / f"plan-{self.name}-{name}{'-sharded' if sharded else ''}.json"
        choice = ["--uniform", mesh] if mesh else ["--axes", axes] if axes else []
        choice += ["--reproducible", blocks] if blocks else []
        choice += ["--sharded-update"] if sharded else []
        if chain:
            choice = ["--allow", "multigrid", "--partitions", self.ranks, *chain[1]]
        run([BIN / "cnnplan", "solve", *self.where(), "--platform", self.platform, "--profile",
             self.profile_file, *choice, "-o", plan])
        return plan

    def complete(self, plan):
        """Times the kernels of this plan that the profile lacks."""
        mpirun(self.ranks, BIN / "cnnplan", "profile", "--missing-from", plan, "-o", self.profile_file,
               cores=cores_of(plan))

    def execute(self, plan, steps):
        out = plan.with_name(plan.name.replace("plan-", "run-"))
        mpirun(self.ranks, BIN / "cnnexec", "--strategy", plan, "--steps", steps, "-o", out, cores=cores_of(plan))
        return read(out)["step"]["median_s"]


def median_interval(values, confidence=0.95):
    """Returns the order statistics between which the median lies with this confidence."""
    count = len(values)
    probabilities = [math.comb(count, k) / 2**count for k in range(count + 1)]  # of k values below the median
    outside, left = 0.0, 0
    while outside + probabilities[left] <= (1 - confidence) / 2:
        outside += probabilities[left]
        left += 1
    if left == 0:
        sys.exit(f"scripts/bench: {count} values are too few for an interval")
    ordered = sorted(values)
    return ordered[left - 1], ordered[count - left]


def spread(values):
    return f"{min(values):.4f} to {max(values):.4f}"


def signed_error(predicted, measured):
    return f"{100 * (predicted / measured - 1):+.1f} %"


def convolution_layers(plan):
    return {layer["name"] for layer in read(plan)["network"]["layers"] if layer["kind"] == "convolution"}
