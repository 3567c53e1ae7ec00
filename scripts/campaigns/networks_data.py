"""Draws weights, samples and labels of a case of the campaign on networks, and keeps them in HDF5 files."""

import h5py
import numpy
import torch

from campaigns.networks_chain import written_out
from campaigns.networks_layers import LOSSES, spatial
from campaigns.networks_peer import Network

WEIGHTS, DATA = "weights.h5", "data.h5"


def stored(extents):
    """Returns (N, C, D, H, W) without D where it is 1."""
    return (*extents[:2], *extents[3:]) if extents[2] == 1 else tuple(extents)


def draw_parameters(generator, layer, shape):
    """Returns the parameters of a layer whose input has a shape (1, C, D, H, W). All are numbers of fp32."""
    kind, channels, name = layer["kind"], shape[1], layer["name"]

    def normal(extents, mean=0.0, deviation=0.3):
        return generator.normal(mean, deviation, extents).astype(numpy.float32).astype(float)

    if kind == "batch_norm":
        variance = generator.uniform(0.5, 1.5, channels).astype(numpy.float32).astype(float)
        return {f"{name}/scale": normal(channels, 1), f"{name}/shift": normal(channels),
                f"{name}/mean": normal(channels), f"{name}/variance": variance}
    if kind == "fully_connected":
        outputs, extents = layer["outputs"], (layer["outputs"], *shape[1:])
    elif kind in ("convolution", "transposed_convolution"):
        groups, kernel, outputs = layer.get("groups", 1), spatial(layer, "kernel", 1), layer["filters"]
        is_plain = kind == "convolution"
        extents = (outputs, channels // groups, *kernel) if is_plain else (channels, outputs // groups, *kernel)
    else:
        return {}
    deviation = (2 / numpy.prod(extents[1:])) ** 0.5
    found = {f"{name}/weight": normal(stored(extents), 0, deviation)}
    return found | ({f"{name}/bias": normal(outputs)} if layer.get("bias", kind == "fully_connected") else {})


def draw_weights(generator, network):
    """Returns (weights by name, shape of the logits of one sample)."""
    layers = written_out(network)
    plan = {"network": network, "layers": [{"name": layer["name"], "mesh": "1"} for layer in layers]}
    weights, shapes = {}, {}
    for index, layer in enumerate(layers):
        if layer["kind"] == "input":
            size = spatial(layer, "size", 1)
            shapes[layer["name"]] = (1, layer["channels"], *size)
        elif layer["kind"] not in LOSSES:
            inputs = [torch.zeros(shapes[name], dtype=torch.float64) for name in layer["inputs"]]
            own = draw_parameters(generator, layer, shapes[layer["inputs"][0]])
            weights |= own
            shapes[layer["name"]] = tuple(Network(plan, own, 1).output(index, layer, inputs, None).shape)
    return weights, shapes[layers[-1]["inputs"][0]]


def draw_data(generator, case, network, logits):
    """Returns samples, labels or targets, and the mean and deviation that are taken out of samples."""
    first = written_out(network)[0]
    count = case["batch"] * case["passes"]
    shape = stored((count, first["channels"], *spatial(first, "size", 1)))
    data = {"mean": numpy.zeros(shape[1]), "std": numpy.ones(shape[1])}
    if case["bytes"]:
        data = {"mean": generator.uniform(0.2, 0.6, shape[1]), "std": generator.uniform(0.2, 0.4, shape[1]),
                "samples": generator.integers(0, 256, shape, numpy.uint8)}
    else:
        data["samples"] = generator.normal(0, 1, shape).astype(numpy.float32)
    if network["layers"][-1]["kind"] == "mean_squared_error":
        extents = (count, *stored(logits)[1:]) if logits[2:] != (1, 1, 1) else (count, logits[1])
        return data | {"labels": generator.normal(0, 1, extents).astype(numpy.float32)}
    extents = (count, *stored(logits)[2:]) if logits[2:] != (1, 1, 1) else (count,)
    return data | {"labels": generator.integers(0, logits[1], extents)}


def write_files(folder, weights, data):
    with h5py.File(folder / WEIGHTS, "w") as file:
        for name, value in weights.items():
            file[name] = value
    with h5py.File(folder / DATA, "w") as file:
        samples = file.create_dataset("samples", data=data["samples"])
        samples.attrs["mean"], samples.attrs["std"] = data["mean"], data["std"]
        file["targets" if data["labels"].dtype == numpy.float32 else "labels"] = data["labels"]


def read_tensors(path):
    """Returns all datasets of a file by name."""
    found = {}
    with h5py.File(path) as file:
        file.visititems(lambda name, node: found.update({name: node[()]}) if isinstance(node, h5py.Dataset) else None)
    return found


def read_data(folder):
    tensors = read_tensors(folder / DATA)
    with h5py.File(folder / DATA) as file:
        attributes = {key: file["samples"].attrs[key] for key in ("mean", "std")}
    return {"samples": tensors["samples"], "labels": tensors.get("targets", tensors.get("labels")), **attributes}
