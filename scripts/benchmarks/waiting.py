"""The benchmark `waiting` measures what ranks wait for the later one, and how well the prediction accounts for it."""

import json
import statistics

from benchmarks.common import BIN, PREDICTION_ROUNDS, Case, read, run, table

# A case has network, size, batch and split. All cases have few kernels to time.
WAITING = (("densenet121", "96x96", 4, "h2"), ("densenet121", "96x96", 4, "n2"), ("mobilenet_v2", "96x96", 8, "h2"),
           ("mesh-1k", "128x128", 2, "h2"), ("cosmoflow", "64x64x64", 2, "h2"), ("lenet", None, 64, "n2"))


def without_waiting(case, mesh):
    """Returns the step that the profile predicts if all ranks take equally long."""
    profile = read(case.profile_file)
    for kernel in profile["kernels"]:
        kernel["timing"]["rank_spread_s"] = 0
    path = case.profile_file.with_name("equally-long.json")
    path.write_text(json.dumps(profile), encoding="utf-8")
    plan = path.with_name("plan-equally-long.json")
    run([BIN / "cnnplan", "solve", *case.where(), "--platform", case.platform, "--profile", path, "--uniform", mesh,
         "-o", plan])
    return read(plan)["prediction"]["step_s"]


def waiting():
    """Compares predictions for 2 ranks with and without the time that ranks wait for the later one. Each run has a
    profile of its own.
    """
    rows, errors = [], {"with": [], "without": []}
    for network, batch, size, mesh in ((n, b, s, m) for n, s, b, m in WAITING):
        case = Case(network, batch, 2, size, uniform=(mesh,))
        steps = {"with": [], "without": [], "measured": []}
        for _ in range(PREDICTION_ROUNDS):
            case.profile(axes="n")
            plan = case.solve(mesh)
            steps["with"].append(read(plan)["prediction"]["step_s"])
            steps["without"].append(without_waiting(case, mesh))
            steps["measured"].append(case.execute(plan, 12))
        row = [f"{network}, {size or 'full size'}, batch {batch}, {mesh}",
               f"{1e3 * statistics.median(steps['measured']):.2f}"]
        for way, values in errors.items():
            found = [one / measured - 1 for one, measured in zip(steps[way], steps["measured"])]
            values += found
            row += [f"{100 * statistics.median(found):+.1f} %",
                    f"{100 * min(found):+.1f} to {100 * max(found):+.1f} %"]
        rows.append(row)
    rows.append(["mean of all rounds, signed", "", *(cell for values in errors.values() for cell in (
        f"{100 * statistics.mean(values):+.1f} %", ""))])
    rows.append(["mean of all rounds, unsigned", "", *(cell for values in errors.values() for cell in (
        f"{100 * statistics.mean(map(abs, values)):.1f} %", ""))])
    return table(f"Waiting for the later rank: milliseconds of a step, and errors of {PREDICTION_ROUNDS} rounds",
                 ["plan", "measured", "error", "rounds", "without waiting", "rounds"], rows)
