"""Draws cases of the campaign on networks: a network, ranks, options of the planner and of the training, and plans."""

import json
import random
from pathlib import Path

from campaigns.networks_chain import draw_chain
from campaigns.networks_draw import NetworkDrawer

ALLREDUCES = ("ring", "recursive_doubling", "rabenseifner", "hierarchical", "library")
HALVES = ("ring", "library")
TREES = ("recursive_doubling", "rabenseifner")
MODES = {"search": 32, "uniform": 12, "edited": 42, "reproducible": 7, "multigrid": 7}
RANKS = {1: 10, 2: 20, 3: 8, 4: 12, 5: 2, 6: 3, 7: 2, 8: 5}
PRECISIONS = {"fp64": 60, "fp32": 25, "bf16": 6, "fp16": 5, "tf32": 4}
ISAS = ("", "", "AVX512_CORE", "AVX2", "SSE41")


def chosen(draw, weights):
    return draw.choices(list(weights), list(weights.values()))[0]


def mesh_text(sizes):
    return "".join(f"{axis}{size}" for axis, size in sizes.items() if size > 1) or "1"


def random_mesh(draw, ranks, axes):
    """Returns a mesh of all ranks over axes in random order."""
    sizes = {axis: 1 for axis in draw.sample(axes, len(axes))}
    factor = 2
    while ranks > 1:
        while ranks % factor == 0:
            sizes[draw.choice(axes)] *= factor
            ranks //= factor
        factor += 1
    return mesh_text(sizes)


def has_bf16_kernels():
    """Returns true if oneDNN has kernels in bf16 for this processor."""
    return "avx512_bf16" in Path("/proc/cpuinfo").read_text(encoding="utf-8")


def draw_backend(draw, precision):
    if precision == "fp32" or (precision == "bf16" and has_bf16_kernels()):
        return draw.choice(["onednn", "onednn", "onednn", "reference"])
    return "reference"


def draw_case(seed):
    """Returns (case, network). The case has everything but the network, data and weights."""
    draw = random.Random(seed)
    mode, ranks, precision = chosen(draw, MODES), chosen(draw, RANKS), chosen(draw, PRECISIONS)
    batch, blocks = draw.randint(1, 6), 1
    if mode == "reproducible":
        ranks = draw.choice([1, 2, 4, 8])
        blocks = max(2, ranks * draw.choice([1, 1, 2]))
        batch = blocks * draw.randint(1, 2)
    elif mode == "multigrid":
        ranks, batch, precision = draw.choice([2, 3, 4, 6, 8]), draw.randint(2, 6), "fp64"
    network = draw_chain(draw, batch) if mode == "multigrid" else NetworkDrawer(draw, batch).draw()
    backend = draw_backend(draw, precision)
    case = {"seed": seed, "mode": mode, "ranks": ranks, "batch": batch, "blocks": blocks, "precision": precision,
            "backend": backend, "isa": draw.choice(ISAS) if (backend, precision) == ("onednn", "fp32") else "",
            **draw_training(draw, precision)}
    case["solve"] = draw_options(draw, case, network)
    return case, network


def draw_training(draw, precision):
    """Returns options of the training, after which weights, gradients and running values are compared."""
    steps = draw.choice([1, 1, 2, 3])
    return {"steps": steps, "learning_rate": draw.choice([0.0, 0.02, 0.1]), "momentum": draw.choice([0.0, 0.5, 0.9]),
            "weight_decay": draw.choice([0.0, 0.01, 0.1]), "loss_scale": draw_loss_scale(draw, precision),
            "seed_of_training": draw.randint(1, 1 << 40), "passes": draw.randint(1, steps),
            "bytes": draw.randrange(6) == 0, "infer": draw.randrange(8) == 0}


def draw_loss_scale(draw, precision):
    return 1024 if precision == "fp16" else draw.choice([1, 1, 1, 64, 3])


def draw_options(draw, case, network):
    """Returns options of `cnnplan solve`."""
    mode, ranks = case["mode"], case["ranks"]
    words = ["--recompute", draw.choice(["never", "where_needed", "always"])]
    words += ["--bucket-bytes", draw.choice([1, 256, 4096])] if draw.randrange(2) else []
    if mode == "reproducible":
        words += ["--allreduce", draw.choice(TREES)] if draw.randrange(2) else []
        return words + ["--reproducible", case["blocks"]]
    sharded = draw.randrange(4) == 0 and mode != "multigrid"
    words += ["--sharded-update"] if sharded else []
    words += ["--allreduce", draw.choice(HALVES if sharded else ALLREDUCES)] if draw.randrange(2) else []
    words += ["--batch-norm", draw.choice(["global", "local", "spatial"])]
    if mode == "multigrid":
        return words + draw_multigrid(draw, case, network)
    if mode == "search":
        words += ["--axes", "".join(draw.sample("ncdhw", draw.randint(2, 4)))] if draw.randrange(3) == 0 else []
        words += ["--search", "longest_path"] if draw.randrange(3) == 0 else []
        return words
    return words + ["--uniform", random_mesh(draw, ranks, draw.choice(["nhw", "hw", "nc", "ndhw"]))]


def draw_multigrid(draw, case, network):
    """Returns options with which multigrid reaches the results of the layers in order: as many cycles as C-points."""
    steps = next(layer["repeat"] for layer in network["layers"] if "repeat" in layer)
    ranks, coarse = case["ranks"], steps // 2
    partitions = draw.choice([each for each in range(1, ranks + 1) if ranks % each == 0 and each <= coarse
                              and ranks // each <= case["batch"]] or [ranks])
    words = ["--allow", "multigrid", "--partitions", partitions]
    if draw.randrange(3) == 0:
        return words + ["--cycles", 0]
    return words + ["--cycles", coarse + 1, "--coarsening", 2, "--levels", 2, "--relaxation", draw.choice(["f", "fcf"]),
                    "--first-guess", draw.choice(["coarse", "previous"]), "--concurrency", draw.choice([1, 1, 2])]


def draw_platform(seed, ranks):
    """Returns a machine whose links and rates make the search choose other splits from case to case."""
    draw = random.Random(seed)

    def level(name, size):
        line = {"alpha_s": 10 ** draw.uniform(-9, -5), "beta_s_per_byte": 10 ** draw.uniform(-12, -8)}
        return {"name": name, "ranks_per_group": size, "segments": [{"max_bytes": 1 << 62, **line}]}

    node = draw.choice([each for each in range(1, ranks + 1) if ranks % each == 0])
    levels = [level("node", node)] if node > 1 else []
    levels += [level("cluster", ranks)] if node < ranks or not levels else []
    return {"schema": "cnnplan.platform/1", "name": "drawn", "gamma_s_per_byte": 1e-10,
            "copy_s_per_byte": 10 ** draw.uniform(-11, -9), "levels": levels}


def edited(plan, seed):
    """Gives every layer a split of its own, or that of the layer before, and draws how gradients are summed."""
    draw = random.Random(seed)
    plan = {key: value for key, value in plan.items() if key not in ("prediction", "inputs")}
    kinds = {layer["name"]: layer["kind"] for layer in plan["network"]["layers"]}
    size = plan["network"]["layers"][0]["size"]
    axes = "nhwr" + ("d" if isinstance(size, list) and len(size) == 3 else "")
    layers, mesh = [], random_mesh(draw, plan["ranks"], axes)
    for layer in plan["layers"]:
        if draw.randrange(3) == 0:
            mesh = random_mesh(draw, plan["ranks"], draw.choice([axes, axes[:-1], axes[1:], axes + "c", "c", "nc"]))
        layers.append(edited_layer(draw, layer["name"], kinds[layer["name"]], mesh))
    plan |= {"layers": layers, "statistics_allreduce": draw.choice(ALLREDUCES),
             "ranks_per_node": draw.randint(1, plan["ranks"])}
    algorithms = HALVES if plan.get("sharded_update") else ALLREDUCES
    plan["gradient_allreduce"] = draw.choice(algorithms)
    plan["small_gradient_allreduces"] = [{"max_bytes": size, "algorithm": draw.choice(algorithms)}
                                         for size in (64, 512)] if draw.randrange(2) else []
    return plan


def edited_layer(draw, name, kind, mesh):
    layer = {"name": name, "mesh": mesh}
    if kind == "convolution":
        layer["halo"] = draw.choice(["exchange_first", "interior_strips"])
    if kind in ("convolution", "fully_connected"):
        layer["channel_algorithm"] = draw.choice(["stationary_y", "stationary_x", "stationary_w"])
    if kind in ("batch_norm", "relu", "add"):
        layer["recompute"] = draw.randrange(3) == 0
    if kind == "batch_norm":
        layer["statistics"] = draw.choice(["global", "local", "spatial"])
    return layer


def without_channels(plan, index):
    """Returns the plan after samples have taken the place of channels in the split of a layer."""
    layer = plan["layers"][index]
    layers = list(plan["layers"])
    layers[index] = {key: value for key, value in layer.items() if key != "channel_algorithm"}
    mesh, sizes = layer["mesh"], {}
    for axis, size in pairs(mesh):
        axis = "n" if axis == "c" else axis
        sizes[axis] = sizes.get(axis, 1) * size
    layers[index]["mesh"] = mesh_text(sizes)
    return plan | {"layers": layers}


def pairs(mesh):
    """Returns [("n", 2), ("h", 4)] of "n2h4", and nothing of "1"."""
    found, text = [], ""
    for letter in reversed("" if mesh == "1" else mesh):
        if letter.isdigit():
            text = letter + text
        else:
            found.insert(0, (letter, int(text)))
            text = ""
    return found


def write_json(path, value):
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
