"""Measures links, groups of kernels that run at the same time, and the profile for many ranks."""

from gpu_check import workloads
from gpu_check.bundle import StageError

CONCURRENCY, CONCURRENCY_GAIN = 8, 2
PROFILE_LIMIT_S = 300
LINKS_BYTES = "4MiB"  # messages of two ranks on one card go through the host, which is slow


def links(context, stage):
    """Measures one rank, for its memory and copies, and two ranks that share the card.

    The two ranks take turns on the card, so their times are kept, but not reported as figures.
    """
    alone = stage.part(workloads.measure_links, context, 1, limit_s=0.5 * context.bundle.left_s())
    if alone:
        stage.part(report_copy, stage, workloads.read(alone))
    stage.data["platform"] = workloads.read(workloads.measure_links(context, 2, "--max-bytes", LINKS_BYTES))


def report_copy(stage, platform):
    stage.data["platform of one rank"] = platform
    if platform.get("copy_s_per_byte", 0) > 0:
        stage.figure("copy between buffers", 1 / platform["copy_s_per_byte"], "B/s")


def step_of(context, network, groups):
    """Returns the times of a step with that number of groups at the same time."""
    plan, path = (context.files / f"{what}-concurrency-{groups}.json" for what in ("plan", "run"))
    path.unlink(missing_ok=True)
    context.bundle.run(context.bundle.bin / "cnnplan", "solve", network, "--ranks", 1, "--batch", 1, "--axes", "n",
                       "--allow", "multigrid", "--partitions", 1, "--coarsening", 2 if context.small else 8,
                       "--concurrency", groups, "-o", plan)
    context.bundle.mpirun(1, "cnnexec", "--strategy", plan, "--backend", context.backend,
                          "--steps", context.steps, *workloads.engine_options(context, "cnnexec"), "-o", path)
    return workloads.read(path)["step"]


def concurrency(context, stage):
    """Runs multigrid over the layers of a chain of small kernels, with its groups in one stream and in several."""
    network = context.bundle.network("residual-16" if context.small else "residual-64")
    steps = {}
    for groups in (1, CONCURRENCY):
        step = stage.part(step_of, context, network, groups)
        if step:
            steps[groups] = step
            stage.figure(f"step, {groups} at the same time", step["median_s"], "s", times=step)
    if len(steps) < 2:
        raise StageError("no gain, since one of the two runs is missing")
    gain = steps[1]["median_s"] / steps[CONCURRENCY]["median_s"]
    stage.figure(f"{CONCURRENCY} groups at the same time, compared with one", gain, "",
                 at_least=CONCURRENCY_GAIN if context.backend == "cudnn" else None, times=steps[CONCURRENCY])


def many_ranks_stage(workload, rank_counts):
    """Times all kernels that plans of up to that number of ranks can need, into one new file."""
    def work(context, stage):
        profile = context.files / f"profile-{workload.name}-ranks.json"
        workloads.put_aside(profile)
        seconds = stage.data["seconds_by_ranks"] = {}
        for ranks in rank_counts:
            taken = stage.part(
                context.bundle.mpirun, 1, "cnnplan", "profile", *workload.where(context.bundle, ranks),
                "--backend", context.backend, *workloads.engine_options(context, "cnnplan", "profile"),
                "-o", profile)
            if taken is None:
                continue
            seconds[ranks] = round(taken.seconds, 3)
            stage.part(report_many_ranks, stage, profile, seconds, rank_counts)
    return work


def report_many_ranks(stage, profile, seconds, rank_counts):
    stage.data["kernels"] = len(workloads.read(profile)["kernels"])
    latest = max(seconds)
    stage.figure(f"profile for up to {latest} ranks", sum(seconds.values()), "s",
                 at_most=PROFILE_LIMIT_S if latest == rank_counts[-1] else None)
