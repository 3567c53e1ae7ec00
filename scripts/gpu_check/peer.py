"""Compares cnnexec with PyTorch on one network, in rounds that take turns."""

import statistics

from gpu_check import torch_server, workloads
from gpu_check.bundle import Skip, StageError
from gpu_check.torch_server import VARIANTS

LEAST_RATIO = 1.2
FIRST_TRY, SECOND_TRY = 0.4, 0.5  # parts of the time that is left; the rest is for the rounds


def require_peer(context):
    if not context.has_peer:
        raise Skip("the kernels run on the CPU; scripts/bench peer compares there")


def server_of(context, workload):
    if workload.name not in context.servers:
        torch_server.start(context, workload)
    return context.servers[workload.name]


def start_stage(workload):
    """Waits until PyTorch has compiled; if that takes too long, it is stopped until its turn comes."""
    def work(context, stage):
        require_peer(context)
        server = server_of(context, workload)
        deadline = context.bundle.deadline
        try:
            server.settle(deadline)
        finally:
            server.pause()
        stage.data.update(torch=server.hello.get("version"), warmed=server.warmed)
        for variant, seconds in server.warmed.items():
            if isinstance(seconds, (int, float)):
                stage.figure(f"PyTorch ({variant}), build and first steps", seconds, "s")
    return work


class Rounds:
    """Keeps the median seconds of every round as they come, for each side."""

    def __init__(self, stage):
        self.times, self.errors, self.last = {}, {}, {}
        stage.data.update(rounds_s=self.times, not_run=self.errors, last=self.last)

    def add(self, name, median_s):
        if not isinstance(median_s, (int, float)) or not median_s > 0:
            raise StageError(f"{name}: a median of {median_s!r} s")
        self.times.setdefault(name, []).append(median_s)

    def add_answer(self, variant, answer):
        if "error" in answer:
            self.errors[variant] = answer["error"]
            return
        self.add(variant, answer.get("median_s"))
        self.last[variant] = answer


def own_round(context, workload, plan, rounds):
    limit_s = workloads.STEP_SHARE * context.bundle.left_s()
    run = workloads.execute(context, workload, plan, "-peer", limit_s=limit_s)
    rounds.add("cnnexec", run["step"]["median_s"])


def run_rounds(context, stage, server, workload, plan):
    """Lets both sides take turns; a side that fails does not end the turns of the other."""
    rounds = Rounds(stage)
    for _ in range(context.rounds):
        stage.part(own_round, context, workload, plan, rounds)
        stage.part(report_times, stage, workload, rounds.times)
        for variant in VARIANTS if server else ():
            if variant in rounds.errors:
                continue
            try:
                rounds.add_answer(variant, server.measure(variant, context.steps, context.bundle.deadline))
            except StageError as error:
                stage.problems.append(str(error))
                rounds.errors[variant] = str(error)
            stage.part(report_times, stage, workload, rounds.times)
    return rounds


def settle_again(context, stage, workload):
    """Waits for PyTorch; if it died or hangs, it gets a second try in a new process."""
    server, bundle = server_of(context, workload), context.bundle
    try:
        server.settle(bundle.deadline - (1 - FIRST_TRY) * bundle.left_s())
    except StageError as error:
        stage.data["restarted"] = str(error)
        close(context, workload)
        server = server_of(context, workload)
        stage.part(server.settle, bundle.deadline - (1 - SECOND_TRY) * bundle.left_s())
    return server


def close(context, workload):
    server = context.servers.pop(workload.name, None)
    if server:
        server.close()


def peer_stage(workload):
    """Makes the stage that compares cnnexec with the faster variant of PyTorch."""
    def work(context, stage):
        require_peer(context)
        try:
            compare(context, stage, workload, settle_again(context, stage, workload))
        finally:
            close(context, workload)
    return work


def compare(context, stage, workload, server):
    """Runs the rounds; if PyTorch does not work, cnnexec runs alone."""
    plan = workloads.plan_of(context, stage, workload)
    rounds = run_rounds(context, stage, server if server.warmed is not None else None, workload, plan)
    if server.hello:
        stage.data["torch"] = server.hello.get("version")
    if "cnnexec" in rounds.times and len(rounds.times) > 1:
        report_ratio(stage, rounds.times)
    elif server.warmed is not None:
        raise StageError(f"no comparison: {rounds.errors or 'cnnexec has not run'}")


def summary(values):
    return {"median_s": statistics.median(values), "min_s": min(values), "max_s": max(values),
            "count": len(values)}


def report_times(stage, workload, times):
    for name, values in times.items():
        stage.figure(f"{name}, throughput", workload.batch / statistics.median(values), "images/s",
                     times=summary(values))


def report_ratio(stage, times):
    theirs = [name for name in times if name != "cnnexec"]
    best = min(theirs, key=lambda name: statistics.median(times[name]))
    stage.figure(f"faster than PyTorch ({best})",
                 statistics.median(times[best]) / statistics.median(times["cnnexec"]), "times",
                 at_least=LEAST_RATIO)
    if len(times[best]) != len(times["cnnexec"]):
        return  # a side failed in a round, so it is unknown which rounds belong together
    ratios = [other / own for own, other in zip(times["cnnexec"], times[best])]
    stage.data.update(best=best, ratios=ratios)
    stage.figure("smallest ratio of a round", min(ratios), "times")
    stage.figure("largest ratio of a round", max(ratios), "times")
