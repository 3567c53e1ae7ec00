"""The benchmark `convolutions` times the convolutions of ResNet-50 by oneDNN and over packed panels in turns."""

from benchmarks.common import BIN, NETWORKS, OUT, PREDICTION_ROUNDS, mpirun, run, table


def convolutions():
    """Times convolutions of ResNet-50 by oneDNN and over packed panels in turns. It does not matter which of them the
    backend chooses on this processor.
    """
    plan, found = OUT / "plan-convolutions.json", {}
    run([BIN / "cnnplan", "solve", NETWORKS / "resnet50.json", "--ranks", 1, "--batch", 8, "-o", plan])
    for line in mpirun(1, BIN / "kernel_turns", plan, 2 * PREDICTION_ROUNDS + 1).splitlines():
        phase, kind, count, library, packed, ratio, _ = line.split("\t")
        found.setdefault((phase.replace("_", " "), kind), []).append(
            (int(count), float(library), float(packed), float(ratio)))
    rows = []
    for (phase, kind), kernels in found.items():
        library, packed = (sum(one[0] * one[i] for one in kernels) for i in (1, 2))
        ratios = [one[3] for one in kernels]
        rows.append([phase, kind, sum(one[0] for one in kernels), f"{library:.4f}", f"{packed:.4f}",
                     f"{packed / library:.2f}", f"{min(ratios):.2f} to {max(ratios):.2f}"])
    return table("ResNet-50, batch 8, one core: seconds of the convolutions of a step",
                 ["phase", "kind", "kernels", "oneDNN", "packed panels", "ratio", "of single kernels"], rows)
