"""Computes single layers of a network with PyTorch. Tensors are (N, C, D, H, W) in double."""

import math

import torch
import torch.nn.functional as F

LOSSES = ("softmax_cross_entropy", "mean_squared_error")


def spatial(layer, key, default):
    """Returns a spatial parameter as [D, H, W]."""
    value = layer.get(key, default)
    if isinstance(value, int):
        return [value] * 3
    return value if len(value) == 3 else [0 if "padding" in key else 1, *value]


def padded(x, layer, value=0.0, ends=None):
    begin = spatial(layer, "padding", 0)
    end = ends or spatial(layer, "padding_end", layer.get("padding", 0))
    return F.pad(x, [each for pair in zip(reversed(begin), reversed(end)) for each in pair], value=value)


def with_depth(weight):
    return weight if weight.dim() == 5 else weight.unsqueeze(2)


def convolution(x, layer, parameters):
    weight = with_depth(parameters["weight"])
    return F.conv3d(padded(x, layer), weight, parameters.get("bias"), spatial(layer, "stride", 1), 0,
                    spatial(layer, "dilation", 1), layer.get("groups", 1))


def transposed_convolution(x, layer, parameters):
    y = F.conv_transpose3d(x, with_depth(parameters["weight"]), None, spatial(layer, "stride", 1), 0, 0,
                           layer.get("groups", 1), spatial(layer, "dilation", 1))
    ends = spatial(layer, "padding_end", layer.get("padding", 0))
    added = [more - less for more, less in zip(spatial(layer, "output_padding", 0), ends)]
    cut = {"padding": [-each for each in spatial(layer, "padding", 0)]}
    y = padded(y, cut, ends=added)
    return y + parameters["bias"].view(1, -1, 1, 1, 1) if "bias" in parameters else y


def fully_connected(x, _, parameters):
    y = F.linear(x.flatten(1), parameters["weight"].flatten(1), parameters.get("bias"))
    return y.view(*y.shape, 1, 1, 1)


def pooling(x, layer, _):
    kernel = spatial(layer, "kernel", 1)
    stride, dilation = spatial(layer, "stride", layer["kernel"]), spatial(layer, "dilation", 1)
    if layer.get("mode", "max") == "max":
        return F.max_pool3d(padded(x, layer, -math.inf), kernel, stride, 0, dilation)
    ones = torch.ones(1, 1, *kernel, dtype=x.dtype)

    def sums(values):
        separate = padded(values, layer).flatten(0, 1).unsqueeze(1)
        y = F.conv3d(separate, ones, None, stride, 0, dilation)
        return y.view(*values.shape[:2], *y.shape[2:])

    count = ones.numel() if layer.get("count_include_padding", False) else sums(torch.ones_like(x[:1, :1]))
    return sums(x) / count


def global_pooling(x, layer, _):
    flat = x.flatten(2)
    y = flat.max(2)[0] if layer.get("mode", "average") == "max" else flat.mean(2)
    return y.view(*y.shape, 1, 1, 1)


def upsample(x, layer, _):
    size = [a * b for a, b in zip(x.shape[2:], spatial(layer, "factor", 2))]
    if layer.get("mode", "nearest") == "nearest":
        return F.interpolate(x, size, mode="nearest")
    return F.interpolate(x, size, mode="trilinear", align_corners=layer.get("align_corners", False))


def local_response_norm(x, layer, _):
    size, channels = layer["size"], x.shape[1]
    squares = F.pad(x * x, (0, 0, 0, 0, 0, 0, (size - 1) // 2, size // 2))
    around = sum(squares[:, i:i + channels] for i in range(size))
    return x * (layer.get("k", 1) + layer.get("alpha", 1e-4) / size * around) ** -layer.get("beta", 0.75)


def channel_shuffle(x, layer, _):
    separate = x.view(x.shape[0], layer["groups"], -1, *x.shape[2:])
    return separate.transpose(1, 2).reshape(x.shape)


def relu(x, layer, _):
    return torch.relu(x).clamp(max=layer.get("max", math.inf))


def leaky_relu(x, layer, _):
    return torch.where(x > 0, x, layer.get("slope", 0.01) * x)


def sliced(x, layer, _):
    first = layer.get("first_channel", 0)
    return x[:, first:first + layer["channels"]]


FUNCTIONS = {"convolution": convolution, "transposed_convolution": transposed_convolution,
             "fully_connected": fully_connected, "pooling": pooling, "global_pooling": global_pooling,
             "upsample": upsample, "local_response_norm": local_response_norm, "channel_shuffle": channel_shuffle,
             "relu": relu, "leaky_relu": leaky_relu, "slice": sliced}
