"""The benchmark `sharded` measures what a sharded update gains on two ranks."""

import statistics

from benchmarks.common import SCALING_ROUNDS, Case, read, signed_error, spread, table


def sharded():
    """Compares plans with and without a sharded update on 2 ranks, predicted and measured."""
    rows = []
    for network, batch, size in (("alexnet", 8, None), ("vgg16", 4, "64x64"), ("resnet50", 4, "96x96")):
        case = Case(network, batch, 2, size, uniform=("n2",))
        case.profile()
        plans = [case.solve("n2", sharded=sharded) for sharded in (False, True)]
        case.complete(plans[1])
        plans[1] = case.solve("n2", sharded=True)
        steps = [[], []]
        for _ in range(SCALING_ROUNDS):
            for times, plan in zip(steps, plans):
                times.append(case.execute(plan, 12))
        ratios = [whole / own for whole, own in zip(*steps)]
        for name, plan, times in zip(("whole", "sharded"), plans, steps):
            predicted, measured = read(plan)["prediction"], statistics.median(times)
            rows.append([f"{network}, batch {batch}, {name}", f"{predicted['step_s']:.4f}", f"{measured:.4f}",
                         spread(times), signed_error(predicted["step_s"], measured),
                         f"{statistics.median(steps[0]) / measured:.2f}",
                         f"{min(ratios):.2f} to {max(ratios):.2f}" if name == "sharded" else "",
                         f"{predicted['memory']['parameters_bytes'] / 2**20:.0f}"])
    return table("2 ranks, n2, updates of all weights and of shards: seconds per step",
                 ["plan", "predicted", "measured", "spread", "error", "times as fast as whole", "rounds",
                  "parameters [MiB]"],
                 rows)
