"""The benchmark `peer` compares step times of ResNet-50 on one core with those of PyTorch."""

import json
import statistics
import sys

from benchmarks.common import BIN, OUT, ROOT, ROUNDS, Case, mpirun, run, table

BATCHES = (4, 8)
LAYOUTS = ("channels_last", "contiguous")
STEPS = 8
# In fp32, this gradient of a deep network is 0.02 to 0.05 off. A wrong product of matrices changes it by 1 and more.
LOSS_LIMIT, GRADIENT_LIMIT = 1e-4, 0.2


def pytorch(batch, layout, *options):
    """Returns what peer-torch.py prints. It removes the variables that hold OpenBLAS back from its environment."""
    script = ROOT / "scripts/benchmarks/peer-torch.py"
    return run([script, "--network", "resnet50", "--batch", batch, "--layout", layout, *options])


def relative_errors(theirs, ours):
    """Returns how far the loss and the gradient of the first convolution of two dumps lie apart."""
    import h5py
    errors = []
    with h5py.File(theirs) as expected, h5py.File(ours) as found:
        for name in ("loss", "conv1/weight_gradient"):
            one, other = (file[name][()].astype(float) for file in (expected, found))
            errors.append(((one - other) ** 2).sum() ** 0.5 / (one**2).sum() ** 0.5)
    return errors


def check(batch, layout, plan):
    """Ends the benchmark unless PyTorch and cnnexec find the same loss and gradient from the same weights and data."""
    folder = OUT / f"peer-b{batch}-{layout}"
    folder.mkdir(parents=True, exist_ok=True)
    pytorch(batch, layout, "--export", folder)
    mpirun(1, BIN / "cnnexec", "--strategy", plan, "--weights", folder / "weights.h5", "--data", folder / "data.h5",
           "--steps", 1, "--dump", folder / "ours.h5", "-o", folder / "run.json")
    loss, gradient = relative_errors(folder / "step.h5", folder / "ours.h5")
    text = f"PyTorch and cnnexec, batch {batch}, {layout}: loss {loss:.1e} apart, gradient of conv1 {gradient:.1e}"
    print(text, file=sys.stderr)
    if not (loss <= LOSS_LIMIT and gradient <= GRADIENT_LIMIT):
        sys.exit(f"scripts/bench: {text}; allowed: {LOSS_LIMIT} and {GRADIENT_LIMIT}")


def rounds(case, plan):
    """Returns the median steps of cnnexec and of each layout of PyTorch by round, and the BLAS kernel of PyTorch."""
    times, kernel = {name: [] for name in ("cnnexec", *LAYOUTS)}, ""
    for _ in range(ROUNDS):
        times["cnnexec"].append(case.execute(plan, 10))
        for layout in LAYOUTS:
            found = json.loads(pytorch(case.batch, layout, "--steps", STEPS))
            times[layout].append(found["median_s"])
            kernel = found["blas_kernel"]
    return times, kernel


def row(batch, times):
    """Compares cnnexec with the layout of PyTorch that is faster in the median of the rounds."""
    medians = {name: statistics.median(values) for name, values in times.items()}
    better = min(LAYOUTS, key=medians.get)
    ratios = [theirs / ours for ours, theirs in zip(times["cnnexec"], times[better])]
    return [f"batch {batch}", *(f"{medians[name]:.4f}" for name in ("cnnexec", *LAYOUTS)),
            f"{medians[better] / medians['cnnexec']:.2f}", f"{min(ratios):.2f} to {max(ratios):.2f}"]


def peer():
    """Compares step times of ResNet-50 on one core with those of PyTorch in the better of its two layouts."""
    rows, kernel = [], ""
    for batch in BATCHES:
        case = Case("resnet50", batch, 1)
        case.profile()
        plan = case.solve()
        for layout in LAYOUTS:
            check(batch, layout, plan)
        times, kernel = rounds(case, plan)
        rows.append(row(batch, times))
    return table(f"ResNet-50, 224x224, one core: seconds per step. OpenBLAS of PyTorch runs {kernel} kernels",
                 ["", "cnnexec", *(f"PyTorch {layout}" for layout in LAYOUTS), "ratio to the better", "rounds"], rows)
