"""The benchmark `residual` trains residual networks on Fashion-MNIST with and without multigrid."""

import os

from benchmarks.common import BIN, NETWORKS, OUT, read, run, table

# All available cores run groups of layers at the same time, which gives the same bits as one group after the other.
CHAINS = ["--allow", "multigrid", "--partitions", 1, "--concurrency", len(os.sched_getaffinity(0))]
RESIDUAL_WAYS = {"in order": [], "F, 2 cycles": CHAINS, "FCF, 2 cycles": [*CHAINS, "--relaxation", "fcf"],
                 "F, 1 cycle": [*CHAINS, "--cycles", 1],
                 "F, 1 cycle from the step before": [*CHAINS, "--cycles", 1, "--first-guess", "previous"]}


def residual():
    """Trains residual nets on Fashion-MNIST with and without multigrid, and prints the accuracy after each epoch.

    One rank does it all, since more ranks give the same bits.
    """
    run(["scripts/get-data"])
    rows = []
    for network in ("residual-16", "residual-64"):
        for name, choice in RESIDUAL_WAYS.items():
            plan, out = OUT / "plan-residual.json", OUT / "run-residual.json"
            run([BIN / "cnnplan", "solve", NETWORKS / f"{network}.json", "--ranks", 1, "--batch", 64, *choice,
                 "-o", plan])
            run([BIN / "cnnexec", "--strategy", plan, "--data", "data/fashion-mnist-train.h5", "--test",
                 "data/fashion-mnist-test.h5", "--epochs", 3, "--learning-rate", 0.002, "-o", out])
            found = read(out)
            rows.append([f"{network}, {name}", *(f"{100 * one:.2f} %" for one in found["test_accuracy"]),
                         f"{found['loss'][-1]:.4f}"])
    return table("Residual nets on Fashion-MNIST, batch 64: test accuracy after each epoch",
                 ["", "1", "2", "3", "last loss"], rows)
