"""The benchmark `multigrid` compares predicted step times of chains by multigrid with measured ones."""

import statistics

from benchmarks.common import PREDICTION_ROUNDS, Case, read, signed_error, spread, table

MULTIGRID_PLANS = {"in order, 1 rank": (1, None), "F, 1 rank": (1, ("f", ["--concurrency", 1])),
                   "F, 1 rank, 2 groups at the same time": (1, ("f-beside", ["--concurrency", 2])),
                   "sample (n2)": (2, None), "model partitioned, 2 ranks": (2, ("partitioned", ["--cycles", 0])),
                   "F, 2 ranks": (2, ("f", [])), "FCF, 2 ranks": (2, ("fcf", ["--relaxation", "fcf"]))}


def multigrid_round(cases, predicted, measured):
    """Times links and the kernels that the plans lack, and then plans and runs each case."""
    for case in cases.values():
        case.profile()
        for ranks, chain in MULTIGRID_PLANS.values():
            if chain and ranks == case.ranks:
                case.complete(case.solve(chain=chain))
    for name, (ranks, chain) in MULTIGRID_PLANS.items():
        case = cases[ranks]
        plan = case.solve(mesh=None if chain else f"n{ranks}", chain=chain)
        predicted[name].append(read(plan)["prediction"]["step_s"])
        measured[name].append(case.execute(plan, 10))


def multigrid():
    """Compares predicted step times of chains by multigrid with measured ones."""
    cases = {ranks: Case("residual-64", 64, ranks) for ranks in (1, 2)}
    predicted, measured = ({name: [] for name in MULTIGRID_PLANS} for _ in range(2))
    for _ in range(PREDICTION_ROUNDS):
        multigrid_round(cases, predicted, measured)
    serial, rows = statistics.median(measured["in order, 1 rank"]), []
    for name in MULTIGRID_PLANS:
        p, m = statistics.median(predicted[name]), statistics.median(measured[name])
        rows.append([name, f"{p:.4f}", spread(predicted[name]), f"{m:.4f}", spread(measured[name]),
                     signed_error(p, m), f"{m / serial:.2f}"])
    return table(f"residual-64, batch 64, predicted and measured step times [s]: medians of {PREDICTION_ROUNDS} rounds",
                 ["plan", "predicted", "spread", "measured", "spread", "error", "compared with in order"], rows)
