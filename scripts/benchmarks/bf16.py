"""The benchmark `bf16` compares steps in bf16 with steps in fp32 on one core."""

import statistics

from benchmarks.common import PREDICTION_ROUNDS, Case, read, signed_error, spread, table


def bf16():
    """Compares steps in bf16 with steps in fp32 on one core, predicted and measured."""
    rows = []
    for network, batch in (("resnet50", 8), ("mobilenet_v2", 16)):
        cases = [Case(network, batch, 1, precision=precision) for precision in ("fp32", "bf16")]
        for case in cases:
            case.profile()
        plans, steps = [case.solve() for case in cases], [[], []]
        for _ in range(PREDICTION_ROUNDS):
            for times, case, plan in zip(steps, cases, plans):
                times.append(case.execute(plan, 8))
        ratios = [wide / narrow for wide, narrow in zip(*steps)]
        for case, plan, times in zip(cases, plans, steps):
            predicted, measured = read(plan)["prediction"]["step_s"], statistics.median(times)
            is_narrow = case.precision == "bf16"
            rows.append([f"{network}, batch {batch}, {case.precision}", f"{predicted:.4f}", f"{measured:.4f}",
                         spread(times), signed_error(predicted, measured),
                         f"{statistics.median(steps[0]) / measured:.2f}" if is_narrow else "",
                         f"{min(ratios):.2f} to {max(ratios):.2f}" if is_narrow else ""])
    return table("One core, fp32 and bf16: seconds per step",
                 ["", "predicted", "measured", "spread", "error", "compared with fp32", "rounds"], rows)
