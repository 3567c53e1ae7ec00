"""Compares the heaviest kernels with a measured copy and a measured matrix product."""

import json
import sys

from gpu_check import workloads
from gpu_check.bundle import EXIT_ENVIRONMENT, StageError

HEAVIEST = 10
WIDTH_BYTES = {"fp32": 4, "tf32": 4, "fp64": 8, "bf16": 2, "fp16": 2}
PEAKS = (("copy_bytes_per_s", "B/s"), ("product_flops_per_s", "flop/s"))


def elements(shape):
    product = 1
    for extent in shape:
        product *= extent
    return product


def work_of(kernel):
    """Returns flops, and the bytes of operands that are read or written at least once."""
    size_in, size_out = elements(kernel["in"]), elements(kernel["out"])
    width = WIDTH_BYTES.get(kernel.get("precision", "fp32"), 4)
    kind, phase = kernel["kind"], kernel["phase"]
    if kind == "convolution":
        taps = elements(kernel.get("window", {}).get("kernel", [1, 1, 1]))
        depth = kernel["in"][1] // kernel.get("groups", 1)
        weights = kernel["out"][1] * depth * taps
        return 2 * size_out * depth * taps, width * (size_in + size_out + weights)
    if kind == "sgd":  # it reads weight, gradient and momentum, and writes weight and momentum, in fp32
        return 0, 5 * 4 * size_out
    reads_twice = kind in ("add", "accumulate") or (phase.startswith("backward") and kind != "pooling")
    writes = 0 if phase.endswith("statistics") else size_out
    return 0, width * (size_in * (2 if reads_twice else 1) + writes)


def fastest_of_each(kernels):
    """Returns the algorithm of each kernel that plans take."""
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
    """Returns the rates of a copy and a matrix product; nothing if PyTorch is missing."""
    if not context.has_peer:
        return {}
    taken = context.bundle.run(
        sys.executable, context.peer_program, "--roofline", "--precision", workload.precision or "fp32",
        *context.peer_options(), allowed=(0, EXIT_ENVIRONMENT),
        environment=dict(context.caller_environment, GPU_CHECK_STAGE="roofline"),
        limit_s=context.bundle.left_s() * 0.8)
    if taken.code == EXIT_ENVIRONMENT:
        return {}
    return peaks_in(taken)


def peaks_in(taken):
    """Returns the last line that has both rates. @throws StageError"""
    for line in reversed(taken.stdout.splitlines()):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict) and all(is_rate(found.get(key)) for key, _ in PEAKS):
            return found
    raise StageError(f"{taken.name}: no line with the rates\n{taken.tail()}")


def is_rate(value):
    return isinstance(value, (int, float)) and value > 0


def by_x(extents):
    return "x".join(map(str, extents))


def label(kernel):
    window = kernel.get("window", {}).get("kernel")
    return (f"{kernel['kind']} {kernel['phase']}{' ' + by_x(window) if window else ''} "
            f"{by_x(kernel['in'][1:])} -> {by_x(kernel['out'][1:])}")


def add_labels(rows):
    """Numbers kernels that only other properties tell apart, since a figure replaces one of the same name."""
    for number, row in enumerate(rows):
        text = label(row["kernel"])
        before = sum(text == label(other["kernel"]) for other in rows[:number])
        row["label"] = f"{text} ({before + 1})" if before else text


def profile_of(context, loads):
    """Returns the first workload with a profile, and the profile. @throws StageError"""
    for load in loads:
        path = context.files / f"profile-{load.name}.json"
        if path.exists():
            try:
                return load, workloads.read(path)
            except StageError:
                continue
    raise StageError(f"no profile: one of the stages {', '.join(load.name for load in loads)} has to come first")


def roofline_stage(loads):
    """Makes the stage, which takes the first workload unless that one has no profile."""
    def work(context, stage):
        found = stage.part(peaks, context, loads[0]) or {}
        stage.data["peaks"] = found
        for key, unit in PEAKS:
            if key in found:
                stage.figure(f"measured {key.split('_')[0]}", found[key], unit)
        load, profile = profile_of(context, loads)
        rows = heaviest(profile, HEAVIEST)
        add_labels(rows)
        stage.data.update(workload=load.name, kernels=rows)
        for row in rows:
            report_kernel(stage, row, found)
    return work


def report_kernel(stage, row, found):
    """Reports the larger share, which bounds the kernel: that of the copy or of the product."""
    if not found:
        stage.figure(row["label"], row["bytes_per_s"], "B/s")
        return
    row["of_copy"] = row["bytes_per_s"] / found["copy_bytes_per_s"]
    row["of_product"] = row["flops_per_s"] / found["product_flops_per_s"]
    share, bound = max((row["of_copy"], "copy"), (row["of_product"], "product"))
    stage.figure(row["label"], share, f"of {bound}")
