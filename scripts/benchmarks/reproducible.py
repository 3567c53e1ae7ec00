"""The benchmark `reproducible` measures what sums by blocks of samples cost on two ranks."""

import statistics

from benchmarks.common import PREDICTION_ROUNDS, Case, read, signed_error, spread, table


def reproducible():
    """Compares plans with and without sums by blocks of samples on 2 ranks, predicted and measured."""
    rows = []
    for network, batch, size in (("alexnet", 16, None), ("resnet50", 16, "96x96"), ("mobilenet_v2", 16, "96x96")):
        case = Case(network, batch, 2, size, uniform=("n2",))
        case.profile()
        plans = {"as kernels sum": case.solve("n2")}
        for blocks in (2, 4, 8):
            case.complete(case.solve(blocks=blocks))
            plans[f"{blocks} blocks"] = case.solve(blocks=blocks)
        steps = {name: [] for name in plans}
        for _ in range(PREDICTION_ROUNDS):
            for name, plan in plans.items():
                steps[name].append(case.execute(plan, 12))
        first = steps["as kernels sum"]
        for name, times in steps.items():
            predicted, measured = read(plans[name])["prediction"]["step_s"], statistics.median(times)
            ratios = [own / whole for own, whole in zip(times, first)]
            rows.append([f"{network}, batch {batch}, {name}", f"{predicted:.4f}", f"{measured:.4f}", spread(times),
                         signed_error(predicted, measured), f"{statistics.median(ratios):.2f}",
                         f"{min(ratios):.2f} to {max(ratios):.2f}"])
    return table("2 ranks by samples, and the same with sums by blocks: seconds per step",
                 ["plan", "predicted", "measured", "spread", "error", "compared with sums of kernels", "rounds"], rows)
