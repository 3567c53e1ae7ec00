"""The benchmark `peaks` measures how near convolutions, halos and the ring come to what the machine can do."""

import json
import statistics

from benchmarks.common import BIN, OUT, PREDICTION_ROUNDS, Case, convolution_layers, mpirun, read, run, table


def work_of(plan):
    """Returns the kind of each operation of rank 0, and for convolutions also its flops and the channels of a group."""
    lines = [line.split("\t") for line in run([BIN / "step_work", plan]).splitlines()]
    return {words[0]: (words[1], *map(float, words[2:])) for words in lines}


def peak_of(ranks, *options):
    return json.loads(mpirun(ranks, BIN / "machine_peak", *options))


PARTS = {"forward": "forward", "backward data": "backward_data", "backward filter": "backward_filter"}
MANY_CHANNELS = 64  # Convolutions are expected to be near the peak from this number of channels on.


def shares_of_peak(plan, operations, work, flops_per_s):
    """Returns by part the share of the peak of all convolutions of many channels, and of the slowest one."""
    shares, layers = {}, convolution_layers(plan)
    for name, part in [("all", None), *PARTS.items()]:
        found = [(work[one["id"]][1], one["median_s"]) for one in operations
                 if len(work[one["id"]]) == 3 and work[one["id"]][2] >= MANY_CHANNELS
                 and part in (None, one["part"]) and one["layer"] in layers]
        shares[name] = sum(flops for flops, _ in found) / sum(s for _, s in found) / flops_per_s
        shares[f"{name}, slowest"] = min(flops / s for flops, s in found) / flops_per_s
    return shares


def shares_text(values):
    return [f"{100 * statistics.median(values):.1f} %", f"{100 * min(values):.1f} to {100 * max(values):.1f} %"]


def convolution_peak():
    """Compares convolutions of ResNet-50 with multiply-adds in registers, and finds the step's time outside kernels."""
    case = Case("resnet50", 8, 1)
    case.profile()
    plan = case.solve()
    work, shares, outside = work_of(plan), {}, []
    for _ in range(PREDICTION_ROUNDS):
        before = peak_of(1)["flops_per_s"]
        step = case.execute(plan, 10)
        operations = read(OUT / plan.name.replace("plan-", "run-"))["operations"]
        peak = max(before, peak_of(1)["flops_per_s"])
        for name, share in shares_of_peak(plan, operations, work, peak).items():
            shares.setdefault(name, []).append(share)
        outside.append(1 - sum(one["median_s"] for one in operations if work[one["id"]][0] == "kernel") / step)
    rows = [[f"convolutions, {name}", *shares_text(values)] for name, values in shares.items()]
    rows.append(["step outside kernels", *shares_text(outside)])
    return table(f"ResNet-50, batch 8, one core: share of the peak in convolutions of {MANY_CHANNELS} channels and more",
                 ["", "median", "rounds"], rows)


def halo_share():
    """Measures the shares of halos and of reductions in a step whose images are cut by height."""
    rows = []
    for size in ("512x512", "1024x1024"):
        case, plan = Case("mesh-1k", 1, 2, size), OUT / f"plan-halos-{size}.json"
        run([BIN / "cnnplan", "solve", *case.where(), "--uniform", "h2", "-o", plan])
        work, shares = work_of(plan), {"transfer": [], "collective": []}
        for _ in range(PREDICTION_ROUNDS):
            step = case.execute(plan, 8)
            operations = read(OUT / plan.name.replace("plan-", "run-"))["operations"]
            for kind, values in shares.items():
                values.append(sum(one["median_s"] for one in operations if work[one["id"]][0] == kind) / step)
        rows.append([size, *shares_text(shares["transfer"]), *shares_text(shares["collective"])])
    return table("mesh-1k, batch 1, 2 ranks by height: share of the step, waiting for the other rank included",
                 ["", "halos and their copies", "rounds", "reductions", "rounds"], rows)


def ring_bound():
    """Compares the ring on 2 ranks with its copies and adds alone, where no rank waits, in turns."""
    found = {}
    for _ in range(PREDICTION_ROUNDS):
        for one in peak_of(2, "--ring")["ring"]:
            bound = min(one["cached_s"], one["streamed_s"])
            found.setdefault(one["bytes"], []).append((one["ring_s"], bound))
    rows = []
    for size, times in found.items():
        ring, bound = (statistics.median(one) for one in zip(*times))
        shares = [bound / ring for ring, bound in times]
        rows.append([size, f"{1e6 * ring:.1f}", f"{1e6 * bound:.1f}", *shares_text(shares)])
    return table("Ring allreduce on 2 ranks beside its own copies and adds, nobody waiting [us]",
                 ["bytes", "ring", "copies and adds", "share of the bound", "rounds"], rows)


def peaks():
    """Measures how near kernels, steps and the ring come to the limits of the machine."""
    return convolution_peak() + "\n" + halo_share() + "\n" + ring_bound()
