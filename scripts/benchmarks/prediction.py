"""The benchmark `prediction` compares predicted step times with measured ones, and the ranking of plans."""

import statistics

from benchmarks.common import PREDICTION_ROUNDS, Case, read, signed_error, spread, table

MESHES = {"1 rank": None, "sample": "n2", "height": "h2", "width": "w2", "solver": None}


def prediction_round(single, double, predicted, measured):
    """Times links and kernels anew, plans with these times, and runs the plans immediately."""
    for platform in {single.platform, double.platform}:
        platform.unlink(missing_ok=True)
    single.profile()
    double.profile()
    for name, mesh in MESHES.items():
        case = single if name == "1 rank" else double
        plan = case.solve(mesh)
        predicted[name].append(read(plan)["prediction"]["step_s"])
        measured[name].append(case.execute(plan, 12))


def prediction():
    """Compares predicted step times with measured ones, and ranks the plans of one network by both."""
    rows, errors, of_rounds, texts = [], [], [], []
    for network, batch, size in (("resnet50", 4, None), ("mesh-1k", 1, "512x512")):
        single = Case(network, batch, 1, size)
        double = Case(network, batch, 2, size, uniform=("n2",) if batch == 1 else ())
        predicted, measured = {name: [] for name in MESHES}, {name: [] for name in MESHES}
        for _ in range(PREDICTION_ROUNDS):
            prediction_round(single, double, predicted, measured)
        found = {name: (statistics.median(predicted[name]), statistics.median(measured[name]))
                 for name in MESHES}
        for name, (p, m) in found.items():
            errors.append(abs(p - m) / m)
            of_rounds += [abs(a - b) / b for a, b in zip(predicted[name], measured[name])]
            rows.append([f"{network}, batch {batch}, {name}", f"{p:.4f}", spread(predicted[name]),
                         f"{m:.4f}", spread(measured[name]), signed_error(p, m)])
        texts.append(ranking(network, found))
    rows.append(["mean error of the medians", "", "", "", "", f"{100 * statistics.mean(errors):.1f} %"])
    rows.append(["mean error of single rounds", "", "", "", "", f"{100 * statistics.mean(of_rounds):.1f} %"])
    title = (f"Predicted and measured step times [s]: medians and spread of {PREDICTION_ROUNDS} rounds, "
             "each with a profile of its own")
    return table(title, ["plan", "predicted", "spread", "measured", "spread", "error"],
                 rows) + "\n" + "\n".join(texts)


def ranking(network, found):
    """Counts how often two plans are in the predicted order. Pairs count whose measured times differ by more than 5 %.
    """
    names = list(found)
    right = wrong = 0
    for i, one in enumerate(names):
        for other in names[i + 1:]:
            (predicted_a, measured_a), (predicted_b, measured_b) = found[one], found[other]
            if max(measured_a, measured_b) < 1.05 * min(measured_a, measured_b):
                continue
            agrees = (predicted_a < predicted_b) == (measured_a < measured_b)
            right, wrong = right + agrees, wrong + (not agrees)
    text = f"{network}: {right} of {right + wrong} pairs that differ by more than 5 % are ranked right.\n"
    print(text)
    return text
