"""PyTorch beside cnnexec on the same network, in rounds that take turns; and what the card can do at most."""

import json
import queue
import statistics
import subprocess
import sys
import threading
from pathlib import Path

from gpu_check import workloads
from gpu_check.bundle import EXIT_ENVIRONMENT, Skip, StageError, end

PROGRAM = Path(__file__).resolve().parent.parent / "peer-torch-gpu.py"
VARIANTS = ("eager", "compiled")
LEAST_RATIO = 1.2
HEAVIEST = 10
WIDTH_BYTES = {"fp32": 4, "tf32": 4, "fp64": 8, "bf16": 2, "fp16": 2}


class Server:
    """peer-torch-gpu.py --serve, in the caller's environment: PyTorch finds its own libraries."""

    def __init__(self, bundle, *options):
        self.bundle, self.answers = bundle, queue.Queue()
        self.process = subprocess.Popen(
            [sys.executable, str(PROGRAM), "--serve", *map(str, options)], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=bundle.log, start_new_session=True)
        threading.Thread(target=self.read, daemon=True).start()
        try:
            self.hello = self.answer()
        except BaseException:
            self.close()
            raise

    def read(self):
        for line in self.process.stdout:
            if line.startswith("{"):
                self.answers.put(line)
        self.answers.put(None)

    def answer(self):
        try:
            line = self.answers.get(timeout=max(1.0, self.bundle.left_s()))
        except queue.Empty as error:
            raise StageError("PyTorch: time limit") from error
        if line is not None:
            return json.loads(line)
        code = self.process.wait()
        if code == EXIT_ENVIRONMENT:
            raise Skip("PyTorch is missing or finds no card")
        raise StageError(f"PyTorch: exit code {code}; what it printed is in the log")

    def ask(self, variant, steps):
        try:
            self.process.stdin.write(json.dumps({"variant": variant, "steps": steps}) + "\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it has ended, and answer() says how
        answer = self.answer()
        self.bundle.log.write(f"PyTorch: {json.dumps(answer)}\n")
        return answer

    def close(self):
        if self.process.poll() is None:
            end(self.process)


def require_peer(context):
    if context.backend != "cudnn" and not context.peer_device:
        raise Skip("the kernels run on the CPU; scripts/bench peer compares there")


def rounds_of(context, server, workload, plan):
    """Median seconds of every round, by who ran."""
    times, errors, last = {"cnnexec": []}, {}, {}
    for _ in range(context.rounds):
        run = workloads.execute(context, workload, plan, "-peer")
        times["cnnexec"].append(run["step"]["median_s"])
        for variant in VARIANTS:
            if variant in errors:
                continue
            answer = server.ask(variant, context.steps)
            if "error" in answer:
                errors[variant] = answer["error"]
            else:
                times.setdefault(variant, []).append(answer["median_s"])
                last[variant] = answer
    return times, errors, last


def summary(values):
    return {"median_s": statistics.median(values), "min_s": min(values), "max_s": max(values),
            "count": len(values)}


def peer_stage(workload):
    """The ratio is that to PyTorch's faster way, round by round and of the medians."""
    def work(context, stage):
        require_peer(context)
        plan = context.files / f"plan-{workload.name}.json"
        if not plan.exists():
            raise StageError(f"{plan.name} is missing: stage {workload.name} has to pass first")
        server = Server(context.bundle, "--precision", workload.precision or "fp32", "--batch",
                        workload.batch, *context.peer_options())
        try:
            times, errors, last = rounds_of(context, server, workload, plan)
        finally:
            server.close()
        stage.data.update(rounds_s=times, not_run=errors, last=last, torch=server.hello["version"])
        report_ratio(stage, workload, times, errors)
    return work


def report_ratio(stage, workload, times, errors):
    for name, values in times.items():
        stage.figure(f"{name}, throughput", workload.batch / statistics.median(values), "images/s",
                     times=summary(values))
    theirs = [name for name in times if name != "cnnexec"]
    if not theirs:
        raise StageError(f"PyTorch could not train: {errors}")
    best = min(theirs, key=lambda name: statistics.median(times[name]))
    ratios = [other / own for own, other in zip(times["cnnexec"], times[best])]
    stage.data.update(best=best, ratios=ratios)
    stage.figure(f"faster than PyTorch ({best})",
                 statistics.median(times[best]) / statistics.median(times["cnnexec"]), "times",
                 at_least=LEAST_RATIO)
    stage.figure("smallest ratio of a round", min(ratios), "times")
    stage.figure("largest ratio of a round", max(ratios), "times")


def elements(shape):
    product = 1
    for extent in shape:
        product *= extent
    return product


def work_of(kernel):
    """Flops, and the bytes of operands that are read or written once at least."""
    size_in, size_out = elements(kernel["in"]), elements(kernel["out"])
    width = WIDTH_BYTES.get(kernel.get("precision", "fp32"), 4)
    kind, phase = kernel["kind"], kernel["phase"]
    if kind == "convolution":
        taps = elements(kernel.get("window", {}).get("kernel", [1, 1, 1]))
        depth = kernel["in"][1] // kernel.get("groups", 1)
        weights = kernel["out"][1] * depth * taps
        return 2 * size_out * depth * taps, width * (size_in + size_out + weights)
    if kind == "sgd":  # weight, gradient and momentum read, weight and momentum written, in fp32
        return 0, 5 * 4 * size_out
    reads_twice = kind in ("add", "accumulate") or (phase.startswith("backward") and kind != "pooling")
    writes = 0 if phase.endswith("statistics") else size_out
    return 0, width * (size_in * (2 if reads_twice else 1) + writes)


def fastest_of_each(kernels):
    """Of the algorithms of one kernel, the one that plans take."""
    found = {}
    for entry in kernels:
        key = json.dumps({name: value for name, value in entry["kernel"].items() if name != "algorithm"})
        if key not in found or entry["timing"]["median_s"] < found[key]["timing"]["median_s"]:
            found[key] = entry
    return found.values()


def heaviest(profile, count):
    kernels = sorted(fastest_of_each(profile["kernels"]), key=lambda entry: entry["timing"]["median_s"],
                     reverse=True)
    rows = []
    for entry in kernels[:count]:
        flops, traffic = work_of(entry["kernel"])
        seconds = entry["timing"]["median_s"]
        rows.append({"kernel": entry["kernel"], "median_s": seconds,
                     "implementation": entry["timing"].get("implementation", ""),
                     "flops_per_s": flops / seconds, "bytes_per_s": traffic / seconds})
    return rows


def peaks(context, workload):
    """A measured copy and matrix product; none where PyTorch is missing."""
    if context.backend != "cudnn" and not context.peer_device:
        return {}
    taken = context.bundle.run(
        sys.executable, PROGRAM, "--roofline", "--precision", workload.precision or "fp32",
        *context.peer_options(), allowed=(0, EXIT_ENVIRONMENT), environment=context.caller_environment)
    if taken.code == EXIT_ENVIRONMENT:
        return {}
    return json.loads(taken.stdout.strip().splitlines()[-1])


def label(kernel):
    return (f"{kernel['kind']} {kernel['phase']} {'x'.join(map(str, kernel['in'][1:]))} -> "
            f"{'x'.join(map(str, kernel['out'][1:]))}")


def roofline_stage(workload):
    def work(context, stage):
        profile = context.files / f"profile-{workload.name}.json"
        if not profile.exists():
            raise StageError(f"{profile.name} is missing: stage {workload.name} has to pass first")
        found = peaks(context, workload)
        rows = heaviest(workloads.read(profile), HEAVIEST)
        stage.data.update(peaks=found, kernels=rows)
        for key, unit in (("copy_bytes_per_s", "B/s"), ("product_flops_per_s", "flop/s")):
            if key in found:
                stage.figure(f"measured {key.split('_')[0]}", found[key], unit)
        for row in rows:
            report_kernel(stage, row, found)
    return work


def report_kernel(stage, row, found):
    """The share of what bounds it: of the measured copy, or of the measured product."""
    if not found:
        stage.figure(label(row["kernel"]), row["bytes_per_s"], "B/s")
        return
    row["of_copy"] = row["bytes_per_s"] / found["copy_bytes_per_s"]
    row["of_product"] = row["flops_per_s"] / found["product_flops_per_s"]
    share, bound = max((row["of_copy"], "copy"), (row["of_product"], "product"))
    stage.figure(label(row["kernel"]), share, f"of {bound}")
