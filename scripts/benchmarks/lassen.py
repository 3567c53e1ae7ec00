"""The benchmark `lassen` times `cnnplan solve` on nominal figures of the machine lassen."""

import statistics
import time

from benchmarks.common import BIN, NETWORKS, OUT, run, table

LASSEN_CASES = (("inception_v3", 64), ("resnet50", 64), ("resnet50", 1024), ("resnet152", 1024), ("densenet121", 1024),
                ("unet-2d", 1024))


def lassen():
    """Times the planner on nominal figures of lassen.

    The cases have few samples in all, one sample for each rank, and one sample for each rank with communication that
    runs while kernels do.
    """
    rows = []
    for network, ranks in LASSEN_CASES:
        row = [f"{network}, {ranks} ranks"]
        for batch, options in ((8, []), (ranks, []), (ranks, ["--overlap"])):
            times = []
            for _ in range(5):
                start = time.perf_counter()
                run([BIN / "cnnplan", "solve", NETWORKS / f"{network}.json", "--platform", "configs/platforms/lassen.json",
                     "--ranks", ranks, "--batch", batch, *options, "-o", OUT / "plan-lassen.json"])
                times.append(time.perf_counter() - start)
            row.append(f"{statistics.median(times):.2f} ({min(times):.2f} to {max(times):.2f})")
        rows.append(row)
    return table("cnnplan solve on nominal figures of lassen [s]",
                 ["", "batch 8", "a sample for each rank", "the same, overlap"], rows)
