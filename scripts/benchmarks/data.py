"""The benchmark `data` measures what reading samples from a file adds to a step."""

import json
import statistics

from benchmarks.common import BIN, NETWORKS, OUT, ROUNDS, mpirun, read, run, table


def small_images():
    """Writes a network of two convolutions on images of CIFAR-10's size, with little to compute for each image."""
    convolution = {"kind": "convolution", "filters": 32, "kernel": 5, "padding": 2, "bias": True}
    pooling = {"kind": "pooling", "mode": "max", "kernel": 2}
    layers = [{"name": "data", "kind": "input", "channels": 3, "size": [32, 32]}]
    for number in (1, 2):
        layers += [{"name": f"conv{number}", **convolution}, {"name": f"relu{number}", "kind": "relu"},
                   {"name": f"pool{number}", **pooling}]
    layers += [{"name": "fc", "kind": "fully_connected", "outputs": 10},
               {"name": "loss", "kind": "softmax_cross_entropy"}]
    file = OUT / "small-images.json"
    file.write_text(json.dumps({"schema": "cnnplan.network/1", "name": "small-images", "layers": layers}),
                    encoding="utf-8")
    return file


def data_file(name, samples, element, labels):
    """Writes random samples (N, C, H, W) and labels of two classes to a file."""
    import h5py
    import numpy
    random = numpy.random.default_rng(1)
    with h5py.File(OUT / name, "w") as file:
        stored = file.create_dataset("samples", samples, element)
        for sample in range(samples[0]):
            values = random.standard_normal(samples[1:], numpy.float32)
            stored[sample] = values if element == "f4" else (32 * values).clip(-128, 127) + 128
        file["labels"] = random.integers(0, 2, labels, numpy.uint8)
    return OUT / name


def loaded_run(plan, ranks, steps, options):
    """Returns the seconds of a step and of its loading."""
    out = OUT / "run-data.json"
    mpirun(ranks, BIN / "cnnexec", "--strategy", plan, "--steps", steps, "--warmup", max(1, steps // 10), *options,
           "-o", out)
    found = read(out)
    return found["step"]["median_s"], next(one["median_s"] for one in found["operations"] if one["part"] == "load")


def data():
    """Compares steps that read a file with steps that use one made-up mini-batch again and again."""
    cases = (("3x32x32, uint8, 64 samples a rank", small_images(), (1, 2), 64, 200,
              data_file("small.h5", (8192, 3, 32, 32), "u1", (8192,)), {"as stored": [], "--crop=4 --mirror":
                                                                        ["--crop=4", "--mirror"]}),
             ("18x2048x2048, float32, 1 sample", NETWORKS / "mesh-2k.json", (2,), None, 3,
              data_file("large.h5", (4, 18, 2048, 2048), "f4", (4, 32, 32)), {"as stored": []}))
    rows = []
    for name, network, rank_counts, batch, steps, file, ways in cases:
        for ranks in rank_counts:
            plan = OUT / "plan-data.json"
            run([BIN / "cnnplan", "solve", network, "--ranks", ranks, "--batch", batch * ranks if batch else 1,
                 "-o", plan])
            options = {"made up": [], **{way: ["--data", file, *words] for way, words in ways.items()}}
            found = {way: [] for way in options}
            for _ in range(ROUNDS):
                for way, words in options.items():
                    found[way].append(loaded_run(plan, ranks, steps, words))
            single = [step for step, _ in found["made up"]]
            for way, runs in found.items():
                step = [one for one, _ in runs]
                ratios = [own / first for own, first in zip(step, single)]
                rows.append([f"{name}, {ranks} ranks, {way}", f"{1e3 * statistics.median(step):.2f}",
                             f"{1e3 * statistics.median(load for _, load in runs):.2f}",
                             f"{statistics.median(ratios):.3f}", f"{min(ratios):.3f} to {max(ratios):.3f}"])
    for stale in ("small.h5", "large.h5"):
        (OUT / stale).unlink()
    return table("Reading samples: milliseconds of a step and of its loading",
                 ["samples", "step", "loading", "step compared with made up", "rounds"], rows)
