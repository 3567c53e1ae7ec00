"""The benchmark `configurations` predicts and measures steps of a hundred configurations that nothing was fitted to."""

import json
import math
import statistics

from benchmarks.common import BIN, OUT, ROUNDS, Case, convolution_layers, read, run, signed_error, table

# Each row has a network, its input size, and the batches that are measured.
CONFIGURATIONS = (("resnet50", "96x96", (4, 16)), ("alexnet", None, (8, 32)), ("vgg16", "64x64", (4, 8)),
                  ("mesh-1k", "128x128", (2, 4)), ("unet-2d", "128x128", (2, 4)), ("mobilenet_v2", "96x96", (8, 16)),
                  ("densenet121", "96x96", (4, 8)), ("googlenet", "96x96", (4, 16)), ("lenet", None, (64, 256)),
                  ("cosmoflow", "64x64x64", (2, 4)))


def one_line(platform):
    """Writes a platform whose messages cost one latency and one bandwidth, and whose ranks copy and add for free."""
    figures = read(platform)
    segments = figures["levels"][0]["segments"]
    line = {"max_bytes": segments[-1]["max_bytes"], "alpha_s": segments[0]["alpha_s"],
            "beta_s_per_byte": segments[-1]["beta_s_per_byte"]}
    level = {"name": "node", "ranks_per_group": figures["levels"][0]["ranks_per_group"], "segments": [line],
             "gap_s": 0}
    figures.update(levels=[level], allreduce=[], gamma_s_per_byte=0, copy_s_per_byte=0)
    path = platform.with_name(platform.name.replace("platform", "one-line"))
    path.write_text(json.dumps(figures), encoding="utf-8")
    return path


def convolutions_s(plan):
    """Adds up what the model of Dryden et al. 2019 counts: kernels and halos of convolutions, and the reductions."""
    layers = convolution_layers(plan)
    return sum(operation["predicted_s"] for operation in read(plan)["prediction"]["operations"]
               if operation["part"] == "gradient_reduction" or operation.get("layer") in layers)


def two_plans(case, mesh):
    """Plans the case with the full model, and with the model of convolutions alone. Returns None where the mesh does
    not fit the layers.
    """
    plan = OUT / f"plan-{case.name}-{mesh or 'solver'}.json"
    simple = plan.with_name(plan.name.replace("plan-", "simple-"))
    options = ["--profile", case.profile_file, *(["--uniform", mesh] if mesh else [])]
    for platform, out in ((case.platform, plan), (one_line(case.platform), simple)):
        out.unlink(missing_ok=True)
        run([BIN / "cnnplan", "solve", *case.where(), "--platform", platform, *options, "-o", out], allowed=(0, 3))
        if not out.exists():
            return None
    return plan, simple


def configurations_of(case, meshes):
    """Returns by mesh the step as predicted, by convolutions alone, and as measured.

    The runs take turns, and each lasts a second or ten steps."""
    found = {mesh: two_plans(case, mesh) for mesh in meshes}
    plans = {mesh: both for mesh, both in found.items() if both is not None}
    predicted = {mesh: read(plan)["prediction"]["step_s"] for mesh, (plan, _) in plans.items()}
    measured = {mesh: [] for mesh in plans}
    for _ in range(ROUNDS):
        for mesh, (plan, _) in plans.items():
            measured[mesh].append(case.execute(plan, max(10, math.ceil(1 / predicted[mesh]))))
    return {mesh: (predicted[mesh], convolutions_s(simple), statistics.median(measured[mesh]))
            for mesh, (plan, simple) in plans.items()}


def kendall_tau(pairs):
    """Returns the share of pairs of configurations in equal order, less the share in opposite order."""
    signs = [(a[0] - b[0]) * (a[1] - b[1]) for i, a in enumerate(pairs) for b in pairs[:i]]
    return (sum(sign > 0 for sign in signs) - sum(sign < 0 for sign in signs)) / len(signs)


def errors_text(pairs):
    errors = [abs(predicted / measured - 1) for predicted, measured in pairs]
    return [len(pairs), f"{100 * statistics.mean(errors):.1f} %", f"{100 * max(errors):.1f} %",
            f"{kendall_tau(pairs):.3f}"]


def configurations():
    """Predicts and measures steps that nothing was fitted to: networks, batches, ranks and plans."""
    rows, ours, simple, regrets = [], [], [], []
    for network, size, batches in CONFIGURATIONS:
        for batch in batches:
            best = {}
            for ranks, meshes in ((1, ("1",)), (2, ("n2", "h2", "w2", None))):
                case = Case(network, batch, ranks, size, uniform=meshes[:-1] if ranks > 1 else ())
                case.profile()
                for mesh, (predicted, by_convolutions, measured) in configurations_of(case, meshes).items():
                    ours.append((predicted, measured))
                    simple.append((by_convolutions, measured))
                    if ranks > 1:
                        best[mesh] = measured
                    rows.append([f"{network}, {size or 'full size'}, batch {batch}, {mesh or 'solver'}",
                                 f"{predicted * 1e3:.2f}", f"{measured * 1e3:.2f}",
                                 signed_error(predicted, measured),
                                 signed_error(by_convolutions, measured)])
            regrets.append(best[None] / min(best.values()) - 1)
    summary = [["full model", *errors_text(ours)], ["convolutions, one line", *errors_text(simple)]]
    return (table("Configurations: milliseconds of a step", ["plan", "predicted", "measured", "error",
                                                             "convolutions, one line"], rows) + "\n" +
            table("Errors", ["", "configurations", "mean", "largest", "Kendall's tau"], summary) + "\n" +
            table("The solver's plan beside the best measured one", ["cases", "median", "largest"],
                  [[len(regrets), f"{100 * statistics.median(regrets):+.1f} %", f"{100 * max(regrets):+.1f} %"]]))
