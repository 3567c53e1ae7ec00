"""The benchmark `checks` measures what the check of each step and the comparison of replicas cost."""

import json
import statistics

from benchmarks.common import BIN, OUT, Case, median_interval, mpirun, run, table

PAIRS = 61  # of a step with the check and one without it, which take turns in one process
COMPARE_PERIOD = 50  # steps, the default of cnnexec --compare-ranks
SIZE, SAMPLES = "64x64", 8  # samples of each rank


def percent(value):
    return f"{100 * value:+.2f} %"


def checks():
    """Runs ResNet-50 on 1 and 2 ranks with and without the check, and times the check alone, too."""
    rows = []
    for ranks in (1, 2):
        case = Case("resnet50", SAMPLES * ranks, ranks, SIZE)
        plan = OUT / f"plan-checks-r{ranks}.json"
        mesh = ["--uniform", f"n{ranks}"] if ranks > 1 else []
        run([BIN / "cnnplan", "solve", *case.where(), *mesh, "-o", plan])
        times = json.loads(mpirun(ranks, BIN / "step_check_cost", plan, PAIRS))
        step_s = statistics.median(times["without_s"])
        more = [one / other - 1 for one, other in zip(times["with_s"], times["without_s"])]
        low, high = median_interval(more)
        alone_s = statistics.median(times["alone_s"])
        compare_s = statistics.median(times["compare_s"]) / COMPARE_PERIOD
        rows.append([f"resnet50, {SIZE}, {SAMPLES} samples per rank, {ranks} rank{'s' * (ranks > 1)}",
                     f"{1e3 * step_s:.1f}", percent(statistics.median(more)), f"{percent(low)} to {percent(high)}",
                     f"{1e3 * alone_s:.2f}", percent(alone_s / step_s), percent(compare_s / step_s)])
    return table(f"The check of a step: milliseconds, and shares of a step ({PAIRS} pairs)",
                 ["plan", "step without", "added, median of pairs", "95 % interval", "check alone", "its share",
                  "comparison, per step"], rows)
