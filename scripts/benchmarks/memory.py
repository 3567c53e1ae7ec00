"""The benchmark `memory` compares the memory that plans predict with the peaks of the processes that run them."""

from benchmarks.common import Case, read, table

CASES = (("resnet50", 4, None), ("vgg16", 2, "96x96"), ("unet-2d", 2, "128x128"), ("mesh-1k", 1, "512x512"))
RANKS = (1, 2)
STEPS = 3
MIB = 1048576


def total_bytes(memory):
    return sum(value for share, value in memory.items() if share != "available_bytes")


def measured(case):
    """Plans a case from kernels that were timed, and returns the plan's memory and the run that followed."""
    case.profile()
    plan = case.solve()
    case.complete(plan)
    plan = case.solve()
    case.execute(plan, STEPS)
    return read(plan)["prediction"]["memory"], read(plan.with_name(plan.name.replace("plan-", "run-")))


def memory():
    rows = []
    for network, batch, size in CASES:
        for ranks in RANKS:
            predicted, run_report = measured(Case(network, batch, ranks, size))
            bytes_predicted, peak = total_bytes(predicted), run_report["process_peak_bytes"]
            rows.append([f"{network}{' at ' + size if size else ''}, batch {batch}, {ranks} ranks",
                         *(f"{value / MIB:.0f}" for value in (
                             bytes_predicted, predicted.get("process_bytes", 0),
                             run_report["peak_memory_bytes"], peak)),
                         f"{peak / bytes_predicted:.2f}"])
    return table("Memory of the rank that needs most [MiB]",
                 ["plan", "predicted", "of it process", "allocated", "peak of the process", "peak / predicted"],
                 rows)
