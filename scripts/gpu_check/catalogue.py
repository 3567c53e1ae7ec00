"""Lists all stages of a check in their order, with the time that each one needs and the time it may take."""

from gpu_check import correctness, further_stages, kernel_bench, machine, peer, roofline, torch_server, workloads
from gpu_check.stages import Stage
from gpu_check.workload import Workload

QUICK = ("environment", "smoke", "kernels", "ranks", "links", "resnet50-bf16-b256")


def chosen_workloads(options):
    if options.small:
        return [Workload("lenet", 8, expected_s=1), Workload("mesh-1k", 1, input="128x128", expected_s=1)]
    if options.backend != "cudnn":
        return [Workload("resnet50", 4), Workload("mesh-1k", 1, input="512x512")]
    return [Workload("resnet50", 256, "bf16", least_images_per_s=6000, expected_s=45),
            Workload("resnet50", 256, "tf32", least_images_per_s=3000, expected_s=45),
            Workload("mesh-2k", 1, "tf32"), Workload("mesh-1k", 8, "tf32"),
            Workload("residual-4093", 32, "tf32")]


def second_peer(options):
    """PyTorch is compared in TF32, too, if the run is a whole one on a card."""
    return chosen_workloads(options)[1] if not options.small and options.backend == "cudnn" else None


def workload(load):
    return Stage(load.name, workloads.workload_stage(load), load.expected_s, 150, has_engines=True)


def with_server(work, load):
    """PyTorch compiles for its next comparison while checks run that are not timed."""
    def both(context, stage):
        if load and context.has_peer and f"peer-{load.name}" in context.chosen:
            stage.part(torch_server.start, context, load)
        work(context, stage)
    return both


def measured(loads):
    """Returns the stages with the figures that matter most, first the network with a target."""
    first = loads[0]
    return [
        workload(first),
        Stage(f"peer-{first.name}", peer.peer_stage(first), 30, 120),
        *[workload(load) for load in loads[1:]],
        Stage("roofline", roofline.roofline_stage(loads), 15, 60),
        Stage("cudnn_bench", kernel_bench.bench_stage(first), 40, 90),
    ]


def checked(options):
    """Returns the checks, of which three run at the same time: they mostly wait for compilers on the CPU."""
    second = second_peer(options)
    return [
        Stage("kernels", with_server(correctness.kernels, second), 60, 120, together="checks"),
        Stage("ranks", correctness.ranks, 60, 120, together="checks"),
        Stage("sanitizer", correctness.sanitizer, 40, 120, together="checks"),
        *([Stage(f"peer-{second.name}", peer.peer_stage(second), 30, 120)] if second else []),
        Stage("links", further_stages.links, 20, 60),
        Stage("concurrency", further_stages.concurrency, 15, 60, has_engines=True),
    ]


def all_stages(options):
    """Returns the stages by falling importance; each comes after the stages whose files it reads."""
    loads = chosen_workloads(options)
    rank_counts = (1, 2) if options.small else (1, 2, 4, 8, 16)
    result = [
        Stage("environment", machine.environment, 2, 30),
        Stage("smoke", correctness.smoke, 20, 40),
        Stage("peer-start", peer.start_stage(loads[0]), 40, 90),
        *measured(loads),
        *checked(options),
        Stage("profile-ranks", further_stages.many_ranks_stage(loads[0], rank_counts), 60, 150,
              has_engines=True),
    ]
    for stage in result:
        stage.expected_s *= 0.1 if options.small else 1
        stage.limit_s = options.limits.get(stage.name, stage.limit_s)
    return result
