"""The benchmark `lenet` trains lenet on Fashion-MNIST with different splits and compares the losses."""

import json
import os

from benchmarks.common import BIN, NETWORKS, OUT, read, run, table

LENET_SPLITS = (("1 rank", 1, "1"), ("sample, 2 ranks", 2, "n2"), ("height, 2 ranks", 2, "h2"),
                ("mixed, 4 ranks", 4, "n2h2"))


def lenet_run(ranks, mesh, precision, options):
    """Trains lenet on Fashion-MNIST. Runs in double use plain loops, since oneDNN has no double."""
    name = f"lenet-{precision}-{mesh}.json"
    plan, out = OUT / f"plan-{name}", OUT / f"run-{name}"
    run([BIN / "cnnplan", "solve", NETWORKS / "lenet.json", "--ranks", ranks, "--batch", 64,
         "--uniform", mesh, "-o", plan])
    plan.write_text(json.dumps(dict(read(plan), precision=precision)), encoding="utf-8")
    where = ["--bind-to", "core"] if ranks <= len(os.sched_getaffinity(0)) else ["--oversubscribe"]
    backend = [] if precision == "fp32" else ["--backend", "reference"]
    run(["mpirun", *where, "-n", ranks, BIN / "cnnexec", "--strategy", plan, "--data",
         "data/fashion-mnist-train.h5", "--learning-rate", 0.02, *backend, *options, "-o", out])
    return read(out)


def difference(losses, others):
    """Returns the largest relative difference of two loss curves."""
    return f"{max(abs(a - b) / a for a, b in zip(losses, others)):.1e}"


def lenet():
    """Trains lenet on Fashion-MNIST with different splits, whose losses must agree."""
    run(["scripts/get-data"])
    rows, in_double = [], []
    whole = ["--epochs", 3, "--test", "data/fashion-mnist-test.h5"]
    runs = [lenet_run(ranks, mesh, "fp32", whole) for _, ranks, mesh in LENET_SPLITS]
    doubles = [lenet_run(ranks, mesh, "fp64", ["--steps", 100]) for _, ranks, mesh in LENET_SPLITS]
    first = runs[0]["loss"]
    for (name, _, _), single, double in zip(LENET_SPLITS, runs, doubles):
        loss = single["loss"]
        rows.append([name, len(loss), f"{loss[0]:.6f}", f"{loss[-1]:.6f}",
                     f"{100 * single['test_accuracy'][-1]:.2f} %",
                     *(difference(first[:steps], loss[:steps]) for steps in (10, 100, len(first)))])
        in_double.append([name, len(double["loss"]), f"{double['loss'][-1]:.6f}",
                          difference(doubles[0]["loss"], double["loss"])])
    return table("lenet on Fashion-MNIST, batch 64, 3 epochs: loss, test accuracy, and the largest "
                 "relative difference of the loss to that of 1 rank",
                 ["plan", "steps", "first loss", "last loss", "test accuracy", "10 steps", "100 steps", "all"],
                 rows) + "\n" + table(
                     "The same in double precision with plain loops, 100 steps",
                     ["plan", "steps", "last loss", "difference"], in_double)
