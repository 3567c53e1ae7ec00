"""The benchmark `peer` compares step times of ResNet-50 on one core with those of PyTorch."""

import json
import statistics

from benchmarks.common import ROOT, ROUNDS, Case, run, table


def peer():
    """Compares step times of ResNet-50 on one core with those of PyTorch."""
    rows = []
    for batch in (4, 8):
        case = Case("resnet50", batch, 1)
        case.profile()
        plan = case.solve()
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(case.execute(plan, 10))
            line = run([ROOT / "scripts/benchmarks/peer-torch.py", "--network", "resnet50", "--batch", batch,
                        "--steps", 8])
            theirs.append(json.loads(line)["median_s"])
        ratios = [t / o for o, t in zip(ours, theirs)]
        rows.append([f"batch {batch}", f"{statistics.median(ours):.4f}", f"{statistics.median(theirs):.4f}",
                     f"{statistics.median(theirs) / statistics.median(ours):.2f}",
                     f"{min(ratios):.2f} to {max(ratios):.2f}"])
    return table("ResNet-50, 224x224, one core: seconds per step beside PyTorch (channels_last)",
                 ["", "cnnexec", "PyTorch", "ratio", "ratio of rounds"], rows)
