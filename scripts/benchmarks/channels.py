"""The benchmark `channels` measures what splits of channels gain on two ranks."""

import statistics

from benchmarks.common import ROUNDS, Case, read, signed_error, spread, table

CHANNEL_PLANS = (("sample", {"mesh": "n2"}), ("search over n h w", {"axes": "nhw"}), ("search over all axes", {}))


def channels():
    """Compares plans with and without splits of channels on 2 ranks, predicted and measured."""
    rows = []
    for network, batch in (("alexnet", 32), ("vgg16", 4)):
        case = Case(network, batch, 2)
        case.profile()
        case.complete(case.solve())
        plans = [case.solve(**choice) for _, choice in CHANNEL_PLANS]
        steps = [[] for _ in plans]
        for _ in range(ROUNDS):
            for times, plan in zip(steps, plans):
                times.append(case.execute(plan, 10))
        for (name, _), plan, times in zip(CHANNEL_PLANS, plans, steps):
            predicted = read(plan)["prediction"]
            measured = statistics.median(times)
            ratios = [first / own for first, own in zip(steps[0], times)]
            rows.append([f"{network}, batch {batch}, {name}", f"{predicted['step_s']:.3f}", f"{measured:.3f}",
                         spread(times), signed_error(predicted["step_s"], measured),
                         f"{statistics.median(steps[0]) / measured:.2f}",
                         f"{min(ratios):.2f} to {max(ratios):.2f}",
                         f"{predicted['memory']['parameters_bytes'] / 2**20:.0f}"])
    return table("2 ranks, splits of channels: seconds per step",
                 ["plan", "predicted", "measured", "spread", "error", "compared with sample", "rounds",
                  "parameters [MiB]"],
                 rows)
