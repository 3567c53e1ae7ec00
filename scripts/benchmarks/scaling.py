"""The benchmark `scaling` compares step times on two ranks with those on one."""

import statistics

from benchmarks.common import BIN, OUT, PREDICTION_ROUNDS, SCALING_ROUNDS, Case, run, table

SCALING_CASES = (  # title, on one rank, on two, their split, rounds, steps
    ("ResNet-50, batch 8 per rank, sample (efficiency)", Case("resnet50", 8, 1),
     Case("resnet50", 16, 2, uniform=("n2",)), "n2", SCALING_ROUNDS, 8),
    ("mesh-1k at 512x512, batch 1, height (speedup)", Case("mesh-1k", 1, 1, "512x512"),
     Case("mesh-1k", 1, 2, "512x512", uniform=("h2",)), "h2", SCALING_ROUNDS, 8))


def scaling_row(title, plans, cases, rounds, steps):
    single, double = [], []
    for _ in range(rounds):
        single.append(cases[0].execute(plans[0], steps))
        double.append(cases[1].execute(plans[1], steps))
    ratios = [s / d for s, d in zip(single, double)]
    return [title, f"{statistics.median(single):.4f}", f"{statistics.median(double):.4f}",
            f"{statistics.median(single) / statistics.median(double):.3f}",
            f"{min(ratios):.3f} to {max(ratios):.3f}"]


def scaling_of_large_images():
    """Compares step times for large images. The kernels are estimated, since timing them would take a quarter of an
    hour and no choice depends on them.
    """
    cases = tuple(Case("mesh-1k", 1, ranks, "1024x1024") for ranks in (1, 2))
    plans = tuple(OUT / f"plan-scaling-1024x1024-r{case.ranks}.json" for case in cases)
    for case, plan, mesh in zip(cases, plans, ("n1", "h2")):
        run([BIN / "cnnplan", "solve", *case.where(), "--uniform", mesh, "-o", plan])
    return scaling_row("mesh-1k at 1024x1024, batch 1, height (speedup)", plans, cases, PREDICTION_ROUNDS, 3)


def scaling():
    """Compares step times on 2 ranks with those on 1 rank."""
    rows = []
    for title, one, two, mesh, rounds, steps in SCALING_CASES:
        one.profile()
        two.profile(axes="n")
        rows.append(scaling_row(title, (one.solve(), two.solve(mesh)), (one, two), rounds, steps))
    rows.append(scaling_of_large_images())
    return table("2 ranks beside 1: seconds per step", ["", "1 rank", "2 ranks", "ratio", "rounds"], rows)
