"""Trains a network with PyTorch in double, on one process, as the reference of the campaign on networks."""

import dataclasses

import numpy
import torch
import torch.nn.functional as F

from campaigns.networks_chain import written_out
from campaigns.networks_layers import FUNCTIONS, LOSSES
from campaigns.networks_plan import pairs
from campaigns.networks_random import dropout_mask, sample_order

torch.set_num_threads(1)
DIMS = {"d": 2, "h": 3, "w": 4}


@dataclasses.dataclass
class Noise:
    """Changes all values by up to `relative` of their size, in both directions, and error signals by `absolute`."""
    relative: float
    absolute: float
    generator: torch.Generator

    def of(self, x):
        uniform = 2 * torch.rand(x.shape, generator=self.generator, dtype=x.dtype) - 1
        root = x.pow(2).mean().sqrt() if x.numel() else 0.0
        return self.relative * (x.abs() + 0.1 * root) * uniform

    def of_sums(self, x):
        """Returns what roundings in double change in sums of this size."""
        return 2.0**-50 * x * (2 * torch.rand(x.shape, generator=self.generator, dtype=x.dtype) - 1)

    def of_error(self, x):
        uniform = 2 * torch.rand(x.shape, generator=self.generator, dtype=x.dtype) - 1
        return self.of(x) + self.absolute * uniform


class NoisyIdentity(torch.autograd.Function):
    """Adds noise to activations, and backward to their error signals."""

    @staticmethod
    def forward(context, x, noise):
        context.noise = noise
        return x + noise.of(x)

    @staticmethod
    def backward(context, dy):
        return dy + context.noise.of_error(dy), None


def parts(length, count):
    """Returns the blocks of a dim: the first ones are longer by one where they cannot be equal."""
    size, more = divmod(length, count)
    begins = [i * size + min(i, more) for i in range(count + 1)]
    return [slice(*pair) for pair in zip(begins, begins[1:])]


class Network:
    """Holds the parameters of a network under a plan, whose batch norms say which ranks share statistics."""

    def __init__(self, plan, weights, seed, noise=None):
        self.layers = written_out(plan["network"])
        self.plans = {layer["name"]: layer for layer in plan["layers"]}
        self.seed, self.noise = seed, noise
        self.parameters, self.running = {}, {}
        self.peak = 0.0
        for name, value in weights.items():
            tensor = torch.tensor(value, dtype=torch.float64)
            if name.rpartition("/")[2] in ("mean", "variance"):
                self.running[name] = tensor
            else:
                tensor = tensor + noise.of(tensor) if noise else tensor
                self.parameters[name] = tensor.requires_grad_()
        self.blocks = {}  # by batch norm: the running values of each block of samples and positions

    def parameters_of(self, name):
        return {key.rpartition("/")[2]: value for key, value in self.parameters.items()
                if key.rpartition("/")[0] == name}

    def forward(self, samples, step):
        """Returns the outputs of all layers but losses. Without a step, batch norms take their running values."""
        values = {}
        for index, layer in enumerate(self.layers):
            if layer["kind"] in LOSSES:
                continue
            inputs = [values[name] for name in layer["inputs"]]
            y = samples if layer["kind"] == "input" else self.output(index, layer, inputs, step)
            if self.noise:
                y = NoisyIdentity.apply(y, self.noise)
            values[layer["name"]] = y
            self.peak = max(self.peak, y.detach().abs().max().item())
        return values

    def output(self, index, layer, inputs, step):
        kind = layer["kind"]
        if kind == "add":
            return inputs[0] + layer.get("scale", 1) * inputs[1]
        if kind == "concat":
            return torch.cat(inputs, 1)
        if kind == "batch_norm":
            return self.normalised(inputs[0], layer, step is not None)
        if kind == "dropout":
            rate = layer.get("rate", 0.5)
            if step is None:
                return inputs[0]
            mask = dropout_mask(tuple(inputs[0].shape), rate, self.seed, index, step)
            return inputs[0] * torch.tensor(mask) / (1 - rate)
        return FUNCTIONS[kind](inputs[0], layer, self.parameters_of(layer["name"]))

    def statistic_blocks(self, shape, name):
        """Returns the blocks of samples and positions that have statistics of their own."""
        sizes = dict(pairs(self.plans[name]["mesh"]))
        shared = self.plans[name].get("statistics", "spatial")
        count = {"n": 1 if shared == "global" else sizes.get("n", 1)}
        count |= {axis: sizes.get(axis, 1) if shared == "local" else 1 for axis in "dhw"}
        blocks = [[n] for n in parts(shape[0], count["n"])]
        for axis in "dhw":
            blocks = [[*block, part] for block in blocks for part in parts(shape[DIMS[axis]], count[axis])]
        return [(n, slice(None), d, h, w) for n, d, h, w in blocks]

    def normalised(self, x, layer, training):
        name, parameters = layer["name"], self.parameters_of(layer["name"])
        scale, shift = (parameters[key].view(1, -1, 1, 1, 1) for key in ("scale", "shift"))
        epsilon = layer.get("epsilon", 1e-5)
        if not training:
            mean, variance = (self.running[f"{name}/{key}"].view(1, -1, 1, 1, 1) for key in ("mean", "variance"))
            return (x - mean) / (variance + epsilon).sqrt() * scale + shift
        y = torch.zeros_like(x)
        for place in self.statistic_blocks(x.shape, name):
            part = x[place]
            if part.numel() == 0:
                continue
            mean = part.mean((0, 2, 3, 4), keepdim=True)
            variance = ((part - mean) ** 2).mean((0, 2, 3, 4), keepdim=True)
            if self.noise:
                variance = self.rounded(part, mean.detach(), variance, epsilon)
            y[place] = (part - mean) / (variance + epsilon).sqrt() * scale + shift
            self.remember(layer, str(place), part, mean, variance)
        return y

    def rounded(self, part, mean, variance, epsilon):
        """Returns a variance off by what cancels out in a mean of squares, as cnnexec computes it in double. Normalised
        values are then off, too, so their products with error signals do not cancel out as they should.
        """
        if part.requires_grad:
            digits = 1 + mean**2 / (variance.detach() + epsilon)
            part.register_hook(lambda dx: dx + self.noise.of_sums(digits * dx.abs().amax((0, 2, 3, 4), keepdim=True)
                                                                  * torch.ones_like(dx)))
        return (variance + self.noise.of_sums(mean**2)).clamp(min=0)

    def remember(self, layer, place, part, mean, variance):
        """Updates the running values of a block, with the unbiased variance."""
        name, momentum = layer["name"], layer.get("momentum", 0.1)
        count = part.numel() // part.shape[1]
        unbiased = variance * (count / (count - 1) if count > 1 else 1)
        blocks = self.blocks.setdefault(name, {})
        first = (self.running[f"{name}/mean"], self.running[f"{name}/variance"])
        old = blocks.get(place, (count, *first))[1:]
        new = [(1 - momentum) * before + momentum * now.detach().flatten()
               for before, now in zip(old, (mean, unbiased))]
        blocks[place] = (count, *new)

    def average_running(self):
        """Averages the running values of all blocks, weighted by their numbers of elements."""
        for name, blocks in self.blocks.items():
            total = sum(count for count, _, _ in blocks.values())
            for i, key in ((1, "mean"), (2, "variance")):
                self.running[f"{name}/{key}"] = sum(block[0] * block[i] for block in blocks.values()) / total

    def loss(self, values, labels):
        """Returns the sum of all losses times their weights."""
        total = 0.0
        for layer in self.layers:
            if layer["kind"] not in LOSSES:
                continue
            x = values[layer["inputs"][0]]
            if layer["kind"] == "mean_squared_error":
                one = F.mse_loss(x, labels)
            else:
                one = F.cross_entropy(self.with_rounded_errors(x, layer).flatten(2), labels)
            total = total + layer.get("weight", 1) * one
        return total

    def with_rounded_errors(self, x, layer):
        """Adds noise to the differences of probabilities and labels, which may cancel out."""
        if not self.noise:
            return x
        size = min(self.noise.relative, 2.0**-22) * layer.get("weight", 1) * x.shape[1] / x.numel()
        return NoisyIdentity.apply(x, Noise(0.0, size, self.noise.generator))

    def logits(self):
        return self.layers[-1]["inputs"][0]


def batch_of(data, case, step):
    """Returns samples and labels of a step as (N, C, D, H, W) and (N, D H W), or targets as (N, C, D, H, W)."""
    count = len(data["samples"])
    steps = count // case["batch"]
    order = sample_order(count, case["seed_of_training"], step // steps)
    chosen = order[step % steps * case["batch"]:][:case["batch"]]
    samples = data["samples"][chosen].astype(float)
    if data["samples"].dtype == numpy.uint8:
        samples /= 255
    by_channel = (1, -1, *[1] * (samples.ndim - 2))
    samples = (samples - data["mean"].reshape(by_channel)) / data["std"].reshape(by_channel)
    labels = torch.tensor(data["labels"][chosen])
    return in_five_dims(torch.tensor(samples)), labels.flatten(1) if labels.dim() > 1 else labels.view(-1, 1)


def in_five_dims(x):
    return x if x.dim() == 5 else x.unsqueeze(2)


def trained(case, plan, weights, data, noise=None):
    """Returns the loss, the output, and by name all gradients, weights and running values after the last step."""
    network = Network(plan, weights, case["seed_of_training"], noise)
    momenta = {name: torch.zeros_like(value) for name, value in network.parameters.items()}
    for step in range(case["steps"]):
        samples, labels = batch_of(data, case, step)
        samples = samples + noise.of(samples) if noise else samples
        values = network.forward(samples, step)
        output = values[network.logits()]
        if labels.is_floating_point():
            labels = labels.view(output.shape).double()
        loss = network.loss(values, labels)
        gradients = torch.autograd.grad(loss, list(network.parameters.values()), allow_unused=True)
        with torch.no_grad():
            for (name, value), gradient in zip(network.parameters.items(), gradients):
                assert gradient is not None, name
                momenta[name] = case["momentum"] * momenta[name] + gradient + case["weight_decay"] * value
                value -= case["learning_rate"] * momenta[name]
                if noise:
                    value += Noise(min(noise.relative, 2.0**-23), 0, noise.generator).of(value)
    network.average_running()
    found = {f"{name}_gradient": gradient for name, gradient in zip(network.parameters, gradients)}
    found |= network.parameters | network.running | {f"{network.logits()}/output": output, "loss": loss.view(1)}
    if case["infer"]:
        found["inferred"] = network.forward(in_five_dims(in_order(data)), None)[network.logits()]
    return {name: value.detach().numpy() for name, value in found.items()}, network.peak


def in_order(data):
    samples = data["samples"].astype(float) / (255 if data["samples"].dtype == numpy.uint8 else 1)
    by_channel = (1, -1, *[1] * (samples.ndim - 2))
    return torch.tensor((samples - data["mean"].reshape(by_channel)) / data["std"].reshape(by_channel))
