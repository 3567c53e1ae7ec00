#!/usr/bin/python3
"""Times training steps of PyTorch, the peer of scripts/bench: prints one JSON line."""

import argparse
import ctypes
import json
import multiprocessing
import os
import statistics
import sys
import tempfile
import time

EXIT_ENVIRONMENT = 5
DEFAULT_INPUT = {"resnet50": (224, 224), "mesh": (1024, 1024)}
MESH_CHANNELS, MESH_FILTERS, MESH_CLASSES = 18, 128, 2
MESH_BLOCKS, MESH_CONVOLUTIONS = 6, 3
LAYOUTS = ("channels_last", "contiguous")
# With these variables, OpenBLAS runs kernels for another processor than this one, which may be several times slower.
HOLD_OPENBLAS_BACK = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")


def size(text):
    height, _, width = text.partition("x")
    if not (height.isdigit() and width.isdigit() and int(height) > 0 and int(width) > 0):
        raise argparse.ArgumentTypeError(f"got {text}; allowed: HxW, for example 224x224")
    return int(height), int(width)


def count(text):
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"got {text}; allowed: a number from 1")
    return int(text)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--network", choices=sorted(DEFAULT_INPUT), default="resnet50")
    parser.add_argument("--batch", type=count, default=4, help="samples of all ranks together")
    parser.add_argument("--input", type=size, help="HxW; default: the size of the network's paper")
    parser.add_argument("--steps", type=count, default=10, help="timed steps")
    parser.add_argument("--warmup", type=count, default=3, help="steps before the timed steps")
    parser.add_argument("--ranks", type=count, default=1, help="processes; with more than 1, DDP over gloo")
    parser.add_argument("--layout", choices=LAYOUTS, default=LAYOUTS[0], help="order of activations in memory")
    parser.add_argument("--export", metavar="FOLDER", help="ResNet-50 only: instead of timing, write weights.h5, "
                        "data.h5 and step.h5, which has the loss and the gradient of the first convolution")
    options = parser.parse_args()
    options.input = options.input or DEFAULT_INPUT[options.network]
    if options.batch % options.ranks:
        parser.error(f"--batch: got {options.batch}; allowed: a multiple of --ranks")
    if options.export and (options.network != "resnet50" or options.ranks > 1):
        parser.error("--export: allowed with --network resnet50 on one rank")
    return options


def refuse(message):
    print(f"peer-torch.py: {message}", file=sys.stderr)
    raise SystemExit(EXIT_ENVIRONMENT)


def cores():
    """Returns one hardware thread of every core that this process may use."""
    chosen = {}
    for thread in sorted(os.sched_getaffinity(0)):
        path = f"/sys/devices/system/cpu/cpu{thread}/topology/thread_siblings_list"
        try:
            with open(path, encoding="ascii") as file:
                core = file.read().strip()
        except OSError:
            core = str(thread)
        chosen.setdefault(core, thread)
    return sorted(chosen.values())


def blas_kernel():
    """Returns the name of the kernels that OpenBLAS runs on this processor. Requires OpenBLAS: without it, Debian's
    PyTorch runs the reference BLAS, which is several times slower.
    """
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = [line.split()[-1] for line in maps if "/libopenblas" in line]
    if not paths:
        refuse("libblas.so.3 is not OpenBLAS; install libopenblas0-pthread, or choose it with update-alternatives")
    name = ctypes.CDLL(paths[0]).openblas_get_corename
    name.restype = ctypes.c_char_p
    return name().decode()


def load_torch():
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[variable] = "1"
    for variable in HOLD_OPENBLAS_BACK:
        os.environ.pop(variable, None)
    try:
        import torch
        import torchvision.models
    except ImportError as error:
        refuse(f"{error}; install python3-torch and python3-torchvision")
    blas_kernel()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    return torch


def mesh_network(torch):
    layers = []
    channels = MESH_CHANNELS
    for _ in range(MESH_BLOCKS):
        for index in range(MESH_CONVOLUTIONS):
            stride = 2 if index == 0 else 1
            layers += [
                torch.nn.Conv2d(channels, MESH_FILTERS, 3, stride, padding=1, bias=False),
                torch.nn.BatchNorm2d(MESH_FILTERS),
                torch.nn.ReLU(inplace=True),
            ]
            channels = MESH_FILTERS
    return torch.nn.Sequential(*layers, torch.nn.Conv2d(channels, MESH_CLASSES, 1))


def network_and_data(torch, options):
    """Returns the network, and this rank's samples and labels, in the order of --layout."""
    batch = options.batch // options.ranks
    if options.network == "resnet50":
        import torchvision.models
        network, channels, classes = torchvision.models.resnet50(weights=None), 3, 1000
    else:
        network, channels, classes = mesh_network(torch), MESH_CHANNELS, MESH_CLASSES
    layout = torch.channels_last if options.layout == "channels_last" else torch.contiguous_format
    network = network.to(memory_format=layout).train()
    samples = torch.randn(batch, channels, *options.input).contiguous(memory_format=layout)
    try:
        with torch.no_grad():
            positions = network(samples).shape[2:]
    except (RuntimeError, ValueError) as error:
        refuse(f"PyTorch cannot train this: {error}")
    return network, samples, torch.randint(0, classes, (batch, *positions))


def join_ranks(torch, rank, options, store):
    os.environ.setdefault("GLOO_SOCKET_IFNAME", "lo")
    torch.distributed.init_process_group(
        "gloo", init_method=f"file://{store}", rank=rank, world_size=options.ranks)


def slowest(torch, times, options):
    """Returns for each step the time of its slowest rank."""
    times = torch.tensor(times, dtype=torch.float64)
    if options.ranks > 1:
        torch.distributed.all_reduce(times, torch.distributed.ReduceOp.MAX)
    return times.tolist()


def time_steps(torch, network, samples, labels, steps):
    optimizer = torch.optim.SGD(
        network.parameters(), lr=0.01, momentum=0.9, weight_decay=1e-4)
    criterion = torch.nn.CrossEntropyLoss()
    times = []
    for _ in range(steps):
        begin = time.perf_counter()
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(network(samples), labels)
        loss.backward()
        optimizer.step()
        loss.item()
        times.append(time.perf_counter() - begin)
    return times


def report(torch, options, times):
    median = statistics.median(times)
    return json.dumps({
        "peer": "pytorch",
        "version": torch.__version__,
        "layout": options.layout,
        "blas_kernel": blas_kernel(),
        "network": options.network,
        "input": list(options.input),
        "batch": options.batch,
        "ranks": options.ranks,
        "steps_s": [round(value, 6) for value in times],
        "median_s": round(median, 6),
        "images_per_s": round(options.batch / median, 3),
    })


def layer_name(module):
    """Returns the layer of configs/networks/resnet50.json that is a module of torchvision's ResNet-50."""
    words = module.split(".")
    if len(words) == 1:
        return {"conv1": "conv1", "bn1": "bn_conv1", "fc": "fc1000"}[module]
    kind = "bn" if words[2].startswith("bn") or words[2:] == ["downsample", "1"] else "res"
    branch = "1" if words[2] == "downsample" else "2" + "abc"[int(words[2][-1]) - 1]
    return f"{kind}{int(words[0][-1]) + 1}{'abcdef'[int(words[1])]}_branch{branch}"


def export_step(torch, network, samples, labels, folder):
    """Writes what cnnexec needs for the step that PyTorch makes, and what it finds in that step."""
    import h5py
    parts = {"running_mean": "mean", "running_var": "variance"}
    with h5py.File(os.path.join(folder, "weights.h5"), "w") as file:
        for name, value in network.state_dict().items():
            module, _, part = name.rpartition(".")
            if part == "num_batches_tracked":
                continue
            layer = layer_name(module)
            own = {"weight": "scale", "bias": "shift"} if layer.startswith("bn") else {}
            value = value.view(*value.shape, 1, 1) if name == "fc.weight" else value
            file[f"{layer}/{parts.get(part, own.get(part, part))}"] = value.contiguous().numpy()
    with h5py.File(os.path.join(folder, "data.h5"), "w") as file:
        file["samples"], file["labels"] = samples.contiguous().numpy(), labels.numpy()
    loss = torch.nn.CrossEntropyLoss()(network(samples), labels)
    loss.backward()
    with h5py.File(os.path.join(folder, "step.h5"), "w") as file:
        file["loss"] = [loss.item()]
        file["conv1/weight_gradient"] = network.conv1.weight.grad.contiguous().numpy()


def run_rank(rank, options, store, core):
    os.sched_setaffinity(0, {core})
    torch = load_torch()
    network, samples, labels = network_and_data(torch, options)
    if options.export:
        return export_step(torch, network, samples, labels, options.export)
    torch.set_flush_denormal(True)
    if options.ranks > 1:
        join_ranks(torch, rank, options, store)
        network = torch.nn.parallel.DistributedDataParallel(network)
    times = time_steps(torch, network, samples, labels, options.warmup + options.steps)
    times = slowest(torch, times[options.warmup:], options)
    if rank == 0:
        print(report(torch, options, times), flush=True)
    if options.ranks > 1:
        torch.distributed.destroy_process_group()


def run_all(options, chosen):
    """Starts the ranks, ends all when one fails, and returns the exit code."""
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "store")
        processes = [
            context.Process(target=run_rank, args=(rank, options, store, chosen[rank]))
            for rank in range(options.ranks)
        ]
        for process in processes:
            process.start()
        while any(process.is_alive() for process in processes):
            if any(process.exitcode for process in processes):
                for process in processes:
                    process.terminate()
            time.sleep(0.05)
    codes = [process.exitcode for process in processes]
    return max(codes) or int(any(codes))


def main():
    options = arguments()
    chosen = cores()
    if options.ranks > len(chosen):
        refuse(f"--ranks: got {options.ranks}; allowed: up to the {len(chosen)} cores")
    if options.ranks == 1:
        run_rank(0, options, None, chosen[0])
        return 0
    return run_all(options, chosen)


if __name__ == "__main__":
    sys.exit(main())
