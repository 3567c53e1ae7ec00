"""Runs profile, solve, execute and compare for each workload; these steps also serve other stages."""

import json

from gpu_check.bundle import StageError

EXIT_OUTSIDE = 6  # cnnplan compare says so if the prediction is off by more than allowed
STEP_ERROR, LAYER_ERROR, LAYER_SHARE = 0.05, 0.10, 0.90
PROFILE_SHARE = 0.6  # part of the time that is left; the rest is for a run, even if the profile hangs
STEP_SHARE = 0.5     # part of the time that is left, for a command after which others follow
LINKS_SHARE = 0.2    # part of the time that is left, for the links of the first workload
LINKS_AGAIN_S = 8    # limits the links of further workloads, if the first one could not measure them


def read(path):
    """Returns the JSON of a file that a program wrote. @throws StageError"""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StageError(f"{path.name}: {error}") from error


def measure_links(context, ranks, *options, **named):
    """Writes the file in one step: a failed measurement leaves the file of an earlier one."""
    path = context.files / f"platform-{ranks}.json"
    new = path.with_suffix(".new.json")
    new.unlink(missing_ok=True)
    alone = ["--device-only"] if ranks == 1 else []
    context.bundle.mpirun(ranks, "cnnplan", "profile", "--links", *alone, "--backend", context.backend,
                          *options, "-o", new, **named)
    read(new)
    new.replace(path)
    return path


def measure_own_links(context, stage):
    """Measures the links of one rank for all workloads. If that hangs, it must not take long from each of them."""
    if (context.files / "platform-1.json").exists():
        return
    limit_s = LINKS_SHARE * context.bundle.left_s()
    if context.links_tried:
        limit_s = min(limit_s, LINKS_AGAIN_S)
    context.links_tried.append(stage.name)
    stage.part(measure_links, context, 1, limit_s=limit_s)


def platform_options(context, profile):
    """Returns the option for the links of one rank, if profile and links come from one device."""
    path = context.files / "platform-1.json"
    if not path.exists() or read(path)["device"] != profile["fingerprint"]["device"]:
        return []
    return ["--platform", path]


def engine_options(context, program, *words):
    """Returns the option that limits a program to one engine, if it is wanted and the program has it."""
    if not context.engine_options:
        return ()
    usage = context.bundle.run(context.bundle.bin / program, *words, "--help")
    return context.engine_options if context.engine_options[0] in usage.stdout else ()


def profile_path(context, workload):
    return context.files / f"profile-{workload.name}.json"


def plan_path(context, workload):
    return context.files / f"plan-{workload.name}.json"


def put_aside(path):
    """Keeps the file of an earlier run under another name, since the new run begins without it."""
    number = 1
    while path.with_suffix(f".earlier-{number}.json").exists():
        number += 1
    if path.exists():
        path.rename(path.with_suffix(f".earlier-{number}.json"))


def take_profile(context, stage, workload):
    path = profile_path(context, workload)
    taken = context.bundle.mpirun(
        1, "cnnplan", "profile", *workload.where(context.bundle), "--backend", context.backend,
        *engine_options(context, "cnnplan", "profile"), "-o", path,
        limit_s=PROFILE_SHARE * context.bundle.left_s())
    profile = read(path)
    stage.data.update(profile_s=round(taken.seconds, 3), kernels=len(profile["kernels"]),
                      fingerprint=profile["fingerprint"])
    return path


def solve(context, workload, profile=None):
    """Writes a plan. Without a profile it comes from estimates, and cnnexec chooses the engines itself."""
    plan = plan_path(context, workload)
    plan.unlink(missing_ok=True)
    known = ["--profile", profile, *platform_options(context, read(profile)), "--strict"] if profile else []
    context.bundle.run(context.bundle.bin / "cnnplan", "solve", *workload.where(context.bundle), *known, "-o", plan,
                       limit_s=STEP_SHARE * context.bundle.left_s())
    read(plan)
    return plan


def plan_of(context, stage, workload):
    """Returns the plan of the workload's stage; if that stage has failed, a plan from estimates."""
    plan = plan_path(context, workload)
    try:
        read(plan)
        return plan
    except StageError:
        stage.data["plan"] = f"from estimates, since stage {workload.name} left none"
        return solve(context, workload)


def execute(context, workload, plan, suffix="", options=(), limit_s=None):
    path = context.files / f"run-{workload.name}{suffix}.json"
    path.unlink(missing_ok=True)
    context.bundle.mpirun(1, "cnnexec", "--strategy", plan, "--backend", context.backend, "--steps", context.steps,
                          *options, *engine_options(context, "cnnexec"), "-o", path, limit_s=limit_s)
    return read(path)


def report_throughput(context, stage, workload, run):
    step = run["step"]
    least = workload.least_images_per_s if context.backend == "cudnn" else None
    stage.figure("throughput", workload.batch / step["median_s"], "images/s", at_least=least, times=step)
    stage.data.update(loss=run.get("loss"), device=run.get("device"), run_environment=run.get("environment"))
    stage.figure("peak memory", run.get("peak_memory_bytes", 0), "B")


def report_prediction(context, stage, workload, plan, run):
    step, predicted = run["step"], read(plan)["prediction"]
    error = abs(predicted["step_s"] / step["median_s"] - 1)
    stage.figure("step, error of the prediction", error, "", at_most=STEP_ERROR, times=step)
    stage.data.update(predicted_s=predicted["step_s"], memory=predicted.get("memory"))
    compared = context.bundle.run(
        context.bundle.bin / "cnnplan", "compare", plan, context.files / f"run-{workload.name}.json",
        "--max-error", STEP_ERROR, allowed=(0, EXIT_OUTSIDE), limit_s=STEP_SHARE * context.bundle.left_s())
    stage.data["compare"] = compared.tail(4)


def by_layer(operations, key):
    """Sums up times by layer; operations that serve no single layer, such as gradient reductions, by their part."""
    seconds = {}
    for operation in operations:
        layer = operation.get("layer", operation["part"])
        seconds[layer] = seconds.get(layer, 0.0) + operation[key]
    return seconds


def layer_shares(plan, run):
    """Returns the shares of layers, and of their measured time, that lie within LAYER_ERROR; None if the run
    has no times of operations."""
    predicted = by_layer(plan["prediction"]["operations"], "predicted_s")
    measured = by_layer(run["operations"], "median_s")
    layers = [layer for layer, seconds in measured.items() if seconds > 0 and layer in predicted]
    if not layers:
        return None
    good = [layer for layer in layers if abs(predicted[layer] / measured[layer] - 1) <= LAYER_ERROR]
    whole = sum(measured[layer] for layer in layers)
    return {"of_layers": len(good) / len(layers), "of_time": sum(measured[layer] for layer in good) / whole,
            "layers": {layer: [predicted[layer], measured[layer]] for layer in layers}}


def report_layers(context, stage, workload, plan, run):
    """Reports the layers. Graphs hide the operations; then they are timed once more without graphs."""
    shares = layer_shares(read(plan), run)
    if shares is None:
        run = execute(context, workload, plan, "-operations", ("--graphs", "off"))
        shares = layer_shares(read(plan), run)
    if shares:
        stage.figure("layers within 10 %", shares["of_layers"], "", at_least=LAYER_SHARE)
        stage.figure("time in such layers", shares["of_time"], "")
        stage.data["layers"] = shares["layers"]


def workload_stage(workload):
    """Makes the stage. Each step is kept if a later one fails, and a throughput needs no whole profile."""
    def work(context, stage):
        put_aside(profile_path(context, workload))
        put_aside(plan_path(context, workload))
        measure_own_links(context, stage)
        profile = stage.part(take_profile, context, stage, workload)
        plan = stage.part(solve, context, workload, profile) if profile else None
        is_predicted = plan is not None
        if not is_predicted:
            plan = solve(context, workload)
            stage.data["plan"] = "from estimates"
        run = execute(context, workload, plan)
        report_throughput(context, stage, workload, run)
        if is_predicted:
            stage.part(report_prediction, context, stage, workload, plan, run)
            stage.part(report_layers, context, stage, workload, plan, run)
    return work
