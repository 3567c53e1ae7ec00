"""Links, the loop of profile, solve, execute and compare for each workload, and the profile for many ranks."""

import json
from dataclasses import dataclass

EXIT_OUTSIDE = 6  # cnnplan compare: the prediction is off by more than allowed
CONCURRENCY, CONCURRENCY_GAIN = 8, 2
STEP_ERROR, LAYER_ERROR, LAYER_SHARE = 0.05, 0.10, 0.90
PROFILE_LIMIT_S = 300


@dataclass(frozen=True)
class Workload:
    network: str
    batch: int
    precision: str = ""  # empty: not given to the programs, for builds that know fp32 alone
    input: str = ""
    least_images_per_s: float | None = None
    expected_s: float = 30

    @property
    def name(self):
        return f"{self.network}-{self.precision or 'fp32'}-b{self.batch}"

    def where(self, bundle, ranks=1):
        """Options that profile and solve share."""
        words = [bundle.network(self.network), "--ranks", ranks, "--batch", self.batch]
        words += ["--precision", self.precision] if self.precision else []
        return words + (["--input", self.input] if self.input else [])


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def measure_links(context, ranks):
    path = context.files / f"platform-{ranks}.json"
    context.bundle.mpirun(ranks, "cnnplan", "profile", "--links", "--backend", context.backend, "-o", path)
    return path


def links(context, stage):
    """Of one rank, for its memory and copies, and of two ranks that share the card."""
    measure_links(context, 1)
    platform = read(measure_links(context, 2))
    longest = platform["levels"][0]["segments"][-1]
    stage.data["platform"] = platform
    if longest["beta_s_per_byte"] > 0:
        stage.figure("long messages, 2 ranks on the card", 1 / longest["beta_s_per_byte"], "B/s")
    stage.figure("short message", platform["levels"][0]["segments"][0]["alpha_s"], "s")
    if platform.get("copy_s_per_byte", 0) > 0:
        stage.figure("copy between buffers", 1 / platform["copy_s_per_byte"], "B/s")


def platform_options(context, profile):
    """The links of one rank, unless they are of another device than the profile."""
    path = context.files / "platform-1.json"
    if not path.exists() or read(path)["device"] != profile["fingerprint"]["device"]:
        return []
    return ["--platform", path]


def solve(context, workload, profile):
    plan = context.files / f"plan-{workload.name}.json"
    context.bundle.run(
        context.bundle.bin / "cnnplan", "solve", *workload.where(context.bundle), "--profile", profile,
        *platform_options(context, read(profile)), "--strict", "-o", plan)
    return plan


def execute(context, workload, plan, suffix="", options=()):
    path = context.files / f"run-{workload.name}{suffix}.json"
    context.bundle.mpirun(1, "cnnexec", "--strategy", plan, "--backend", context.backend,
                          "--steps", context.steps, *options, "-o", path)
    return read(path)


def by_layer(operations, key):
    seconds = {}
    for operation in operations:
        layer = operation["id"].split("/")[0]
        seconds[layer] = seconds.get(layer, 0.0) + operation[key]
    return seconds


def layer_shares(plan, run):
    """Of the layers, and of their measured time, what lies within LAYER_ERROR; none where the run has
    no times of operations."""
    predicted = by_layer(plan["prediction"]["operations"], "predicted_s")
    measured = by_layer(run["operations"], "median_s")
    layers = [layer for layer, seconds in measured.items() if seconds > 0 and layer in predicted]
    if not layers:
        return None
    good = [layer for layer in layers if abs(predicted[layer] / measured[layer] - 1) <= LAYER_ERROR]
    whole = sum(measured[layer] for layer in layers)
    return {"of_layers": len(good) / len(layers), "of_time": sum(measured[layer] for layer in good) / whole,
            "layers": {layer: [predicted[layer], measured[layer]] for layer in layers}}


def shares_of_run(context, workload, plan, run):
    """Graphs hide the operations; then they are timed once more without."""
    shares = layer_shares(read(plan), run)
    if shares is None:
        run = execute(context, workload, plan, "-operations", ("--graphs", "off"))
        shares = layer_shares(read(plan), run)
    return shares


def report_run(context, stage, workload, plan, run):
    step, predicted = run["step"], read(plan)["prediction"]
    least = workload.least_images_per_s if context.backend == "cudnn" else None
    stage.figure("throughput", workload.batch / step["median_s"], "images/s", at_least=least, times=step)
    error = abs(predicted["step_s"] / step["median_s"] - 1)
    stage.figure("step, error of the prediction", error, "", at_most=STEP_ERROR, times=step)
    stage.figure("peak memory", run.get("peak_memory_bytes", 0), "B")
    stage.data.update(predicted_s=predicted["step_s"], memory=predicted.get("memory"), loss=run["loss"],
                      device=run.get("device"), run_environment=run.get("environment"))


def concurrency(context, stage):
    """Multigrid over the layers of a chain of small kernels: groups of them in one stream, and in several at the same time."""
    network = context.bundle.network("residual-16" if context.small else "residual-64")
    steps = {}
    for groups in (1, CONCURRENCY):
        plan, path = (context.files / f"{what}-concurrency-{groups}.json" for what in ("plan", "run"))
        context.bundle.run(context.bundle.bin / "cnnplan", "solve", network, "--ranks", 1, "--batch", 1, "--axes", "n",
                           "--allow", "multigrid", "--partitions", 1, "--coarsening", 2 if context.small else 8,
                           "--concurrency", groups, "-o", plan)
        context.bundle.mpirun(1, "cnnexec", "--strategy", plan, "--backend", context.backend,
                              "--steps", context.steps, "-o", path)
        steps[groups] = read(path)["step"]
        stage.data[f"step_s_{groups}"] = steps[groups]["median_s"]
    gain = steps[1]["median_s"] / steps[CONCURRENCY]["median_s"]
    stage.figure(f"{CONCURRENCY} groups at the same time beside one", gain, "",
                 at_least=CONCURRENCY_GAIN if context.backend == "cudnn" else None, times=steps[CONCURRENCY])


def workload_stage(workload):
    def work(context, stage):
        profile = context.files / f"profile-{workload.name}.json"
        profile.unlink(missing_ok=True)
        taken = context.bundle.mpirun(1, "cnnplan", "profile", *workload.where(context.bundle),
                                      "--backend", context.backend, "-o", profile)
        stage.data.update(profile_s=round(taken.seconds, 3), kernels=len(read(profile)["kernels"]),
                          fingerprint=read(profile)["fingerprint"])
        plan = solve(context, workload, profile)
        run = execute(context, workload, plan)
        report_run(context, stage, workload, plan, run)
        compared = context.bundle.run(
            context.bundle.bin / "cnnplan", "compare", plan,
            context.files / f"run-{workload.name}.json", "--max-error", STEP_ERROR, allowed=(0, EXIT_OUTSIDE))
        stage.data["compare"] = compared.tail(4)
        shares = shares_of_run(context, workload, plan, run)
        if shares:
            stage.figure("layers within 10 %", shares["of_layers"], "", at_least=LAYER_SHARE)
            stage.figure("time in such layers", shares["of_time"], "")
            stage.data["layers"] = shares["layers"]
    return work


def many_ranks_stage(workload, rank_counts):
    """Times what plans of up to that many ranks can need, all into one new file."""
    def work(context, stage):
        profile = context.files / f"profile-{workload.name}-ranks.json"
        profile.unlink(missing_ok=True)
        seconds = stage.data["seconds_by_ranks"] = {}
        for ranks in rank_counts:
            taken = context.bundle.mpirun(1, "cnnplan", "profile", *workload.where(context.bundle, ranks),
                                          "--backend", context.backend, "-o", profile)
            seconds[ranks] = round(taken.seconds, 3)
            stage.data["kernels"] = len(read(profile)["kernels"])
        stage.figure(f"profile for up to {rank_counts[-1]} ranks", sum(seconds.values()), "s",
                     at_most=PROFILE_LIMIT_S)
    return work
