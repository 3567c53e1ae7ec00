"""The benchmark `scale` measures time and memory of `cnnplan solve` for up to 65,536 ranks."""

import statistics
import time

from benchmarks.common import BIN, NETWORKS, OUT, read, run, table

SCALE_RANKS = (64, 1024, 16384, 65536)
SCALE_NETWORKS = (("resnet50", 8), ("resnet152", 8), ("inception_v3", 8), ("densenet121", 8), ("unet-2d", 8),
                  ("mesh-2k", 0.25))


def scale():
    """Measures time and memory of the planner for large pods, with a row for each network and number of ranks.

    The pods have the nominal figures of dgx-h200. The batch grows with the number of ranks.
    """
    rows = []
    for network, samples in SCALE_NETWORKS:
        for ranks in SCALE_RANKS:
            plan, times, memory = OUT / "plan-scale.json", [], []
            for _ in range(3):
                start = time.perf_counter()
                text = run(["python3", "-c", PEAK_MEMORY, BIN / "cnnplan", "solve",
                            NETWORKS / f"{network}.json", "--platform", "configs/platforms/dgx-h200.json",
                            "--ranks", ranks, "--batch", int(samples * ranks), "-o", plan])
                times.append(time.perf_counter() - start)
                memory.append(int(text.split()[-1]) / 1024)
            found = read(plan)["prediction"]
            rows.append([f"{network}, {ranks} ranks", f"{statistics.median(times):.2f}",
                         f"{min(times):.2f} to {max(times):.2f}", f"{max(memory):.0f}",
                         found["candidates"], found["pruned"], found["outpriced"],
                         f"{found['gap'] * 100:.1f} %"])
    return table("cnnplan solve on nominal figures of dgx-h200",
                 ["", "median [s]", "spread", "memory [MiB]", "candidates", "with idle ranks", "outpriced", "gap"],
                 rows)


# This program runs a command and prints its peak memory in KiB.
PEAK_MEMORY = ("import resource, subprocess, sys; code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL, "
               "stderr=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); "
               "sys.exit(code)")
