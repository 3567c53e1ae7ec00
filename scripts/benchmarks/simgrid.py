"""The benchmark `simgrid` compares predicted steps with steps that SimGrid replays."""

import re

from benchmarks.common import BIN, NETWORKS, OUT, run, table

# A case has network, platform, batch, ranks and the mesh of all layers. Without a mesh, each rank is a partition of the
# chain, which runs by multigrid.
SIMGRID_CASES = (("resnet50", "dgx-h100", 128, 16, "n16"), ("resnet50", "lassen", 64, 16, "n8h2"),
                 ("unet-2d", "dgx-h200", 4, 16, "n4h4"), ("cosmoflow", "dgx-h200", 4, 16, "n4d2h2"),
                 ("mesh-1k", "lassen", 4, 64, "n4h4w4"), ("mesh-1k", "dgx-h100", 4, 64, "n4h4w4"),
                 ("densenet121", "dgx-h200", 64, 64, "n32h2"), ("mesh-1k", "dgx-h200", 32, 512, "n32h4w4"),
                 ("mesh-1k", "lassen", 128, 512, "n128h4"), ("resnet50", "dgx-h100", 4096, 512, "n512"),
                 ("mesh-1k", "lassen", 512, 2048, "n512h4"), ("resnet50", "lassen", 8192, 2048, "n2048"),
                 ("residual-64", "tx-gaia", 1, 4, None), ("residual-64", "tx-gaia", 1, 16, None),
                 ("residual-4093", "tx-gaia", 1, 16, None), ("residual-4093", "tx-gaia", 1, 64, None),
                 ("residual-4093", "tx-gaia", 1, 512, None))


def simulated(case, out=OUT, program=BIN / "cnnplan", allowed=(0,)):
    """Plans one of SIMGRID_CASES and leaves its traces in `out` / simulation. Returns what `simulate` prints."""
    network, machine_name, batch, ranks, mesh = case
    plan, where = out / "plan-simgrid.json", ["--platform", f"configs/platforms/{machine_name}.json"]
    choice = ["--uniform", mesh] if mesh else ["--axes", "n", "--allow", "multigrid", "--partitions", ranks]
    run([program, "solve", NETWORKS / f"{network}.json", *where, "--ranks", ranks, "--batch", batch,
         *choice, "-o", plan])
    return run([program, "simulate", plan, *where, "-o", out / "simulation"], allowed)


def simgrid():
    """Compares predicted steps with steps that SimGrid replays. Nothing is timed."""
    rows = []
    for case in SIMGRID_CASES:
        network, machine_name, batch, ranks, mesh = case
        step, communication = re.search(r"ratio +([\d.]+) +([\d.]+)", simulated(case)).groups()
        rows.append([f"{network}, {machine_name}, batch {batch}, {ranks} ranks, {mesh or 'multigrid'}",
                     step, communication])
    return table("Simulated over predicted", ["plan", "step", "without kernels"], rows)
