"""The benchmark `solve` times `cnnplan solve` for ResNet-50 on few ranks."""

import statistics
import time

from benchmarks.common import BIN, NETWORKS, OUT, Case, run, table


def solve():
    """Times the planner, including reading the files and writing the plan.

    The figures of links and kernels are assumed, or measured on 2 ranks. Kernels of more ranks are then interpolated.
    """
    case = Case("resnet50", 4, 2)
    case.profile()
    measured = ["--platform", case.platform, "--profile", case.profile_file]
    rows = []
    for name, inputs in (("assumed", []), ("measured", measured)):
        for ranks in (2, 4, 8, 16):
            times = []
            for _ in range(9):
                start = time.perf_counter()
                run([BIN / "cnnplan", "solve", NETWORKS / "resnet50.json", "--ranks", ranks, "--batch", 64,
                     *inputs, "-o", OUT / "plan-solve.json"])
                times.append(time.perf_counter() - start)
            rows.append([f"{ranks} ranks, {name}", f"{statistics.median(times):.3f}",
                         f"{min(times):.3f} to {max(times):.3f}"])
    return table("cnnplan solve resnet50.json, batch 64 [s]", ["", "median", "spread"], rows)
