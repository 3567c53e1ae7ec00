"""The benchmark `regression` measures the noise of the prediction error in scripts/regression."""

import re
import statistics

from benchmarks.common import OUTSIDE_LIMIT, REGRESSION_ROUNDS, run, table


def regression():
    """Measures how noisy the prediction regression is.

    Each attempt gives the error of its step time, also where the error exceeds the regression's limit.
    """
    errors = []
    for _ in range(REGRESSION_ROUNDS):
        text = run(["scripts/regression"], allowed=(0, OUTSIDE_LIMIT))
        errors += [float(error) for error in re.findall(r"step: error ([\d.]+) %", text)]
    rows = [[len(errors), f"{statistics.median(errors):.1f} %", f"{min(errors):.1f} to {max(errors):.1f} %"]]
    return table("scripts/regression: error of the predicted step time", ["attempts", "median", "spread"], rows)
