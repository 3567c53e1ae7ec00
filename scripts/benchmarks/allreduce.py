"""The benchmark `allreduce` compares own allreduces with the library's, and their predictions with SimGrid."""

import re
import statistics

from benchmarks.common import BIN, NETWORKS, OUT, ROUNDS, mpirun, run, table

ALGORITHMS = ("library", "ring", "recursive_doubling", "rabenseifner", "hierarchical")


def allreduce():
    """Times own allreduces and the library's on 2 ranks in turns, and counts wrong sums.

    For pods, it compares the predictions of own allreduces with SimGrid.
    """
    measured = ALGORITHMS[:4]
    curves, wrong = {}, 0
    for _ in range(ROUNDS):
        text = mpirun(2, BIN / "cnnplan", "profile", "--links", "-o", OUT / "platform-allreduce.json")
        for name in measured:
            block = text.split(f"allreduce, {name},")[1].split("\nfit")[0]
            for size, median, wrong_sums in re.findall(r"^\s*(\d+)\s+([\d.]+)\s.*\s(\d+)$", block, re.MULTILINE):
                curves.setdefault(int(size), {}).setdefault(name, []).append(float(median))
                wrong += int(wrong_sums)
    rows = []
    for size, times in sorted(curves.items()):
        medians = {name: statistics.median(times[name]) for name in measured}
        ratios = [l / r for l, r in zip(times["library"], times["ring"])]
        rows.append([size, *(f"{medians[name]:.2f}" for name in measured),
                     f"{size / medians['ring'] / 1000:.2f}", f"{medians['library'] / medians['ring']:.2f}",
                     f"{min(ratios):.2f} to {max(ratios):.2f}"])
    here = table(f"Allreduce on 2 ranks [us]; wrong sums: {wrong}",
                 ["bytes", *measured, "ring [GB/s]", "library / ring", "rounds"], rows)
    return here + "\n" + allreduce_on_pods()


def allreduce_on_pods():
    plan, where = OUT / "plan-allreduce.json", ["--platform", "configs/platforms/dgx-h200.json"]
    rows = []
    for ranks in (16, 48, 64, 512):
        row = [f"{ranks} ranks"]
        for algorithm in ALGORITHMS:
            run([BIN / "cnnplan", "solve", NETWORKS / "resnet50.json", *where, "--ranks", ranks, "--batch", 4 * ranks,
                 "--uniform", f"n{ranks}", "--allreduce", algorithm, "-o", plan])
            text = run([BIN / "cnnplan", "simulate", plan, *where, "-o", OUT / "simulation"])
            simulated, predicted = (re.search(rf"{which} .* ms +([\d.]+) ms", text).group(1)
                                    for which in ("simulated", "predicted"))
            row.append(f"{float(predicted):.2f}, {float(simulated):.2f}")
        rows.append(row)
    return table("ResNet-50, 4 samples a rank, nominal figures of dgx-h200: communication of a step [ms], predicted, "
                 "simulated", ["", *ALGORITHMS], rows)
