"""Builds U-Nets of two and three dims for scripts/make-networks. Each function fills a NetworkBuilder."""


def convolutions(network, block, filters):
    """Adds 3x3 convolutions with padding, each with batch norm and ReLU. Returns the name of the last ReLU."""
    for index, width in enumerate(filters, start=1):
        name = f"{block}_conv{index}"
        network.convolution(name, width, 3, padding=1)
        network.add(f"{name}_bn", "batch_norm")
        last = network.relu(f"{name}_relu")
    return last


def up_convolution(network, level, filters, bias, transposed):
    """Adds a transposed convolution of 2 at stride 2, or an upsampling and a convolution of 2 that is padded at the
    end.
    """
    name = f"raise{level}_conv"
    if transposed:
        return network.convolution(name, filters, 2, kind="transposed_convolution", stride=2, bias=bias)
    network.add(f"raise{level}", "upsample")
    return network.convolution(name, filters, 2, padding_end=1, bias=bias)


def unet(network, widths, up_widths, classes, up_bias, transposed=False):
    """Builds a U-Net.

    `widths` holds the filters of each level's convolutions on the way down. `up_widths` has those of the
    up-convolutions.
    """
    skips = []
    for level, filters in enumerate(widths, start=1):
        if level > 1:
            network.max_pooling(f"pool{level - 1}", 2, 2)
        skips.append(convolutions(network, f"down{level}", filters))
    for level in range(len(widths) - 1, 0, -1):
        raised = up_convolution(network, level, up_widths[level - 1], up_bias, transposed)
        network.concat(f"join{level}", [skips[level - 1], raised])
        convolutions(network, f"up{level}", [widths[level - 1][-1]] * 2)
    network.convolution("prediction", classes, 1, bias=True)
    return network


def unet_2d(network, transposed=False):
    widths = [(64 << level, 64 << level) for level in range(5)]
    up_widths = [filters[-1] for filters in widths]
    return unet(network, widths, up_widths, 2, up_bias=True, transposed=transposed)


def unet_3d(network):
    """Doubles the widths before each pooling. Up-convolutions keep the width."""
    widths = [(32 << level, 64 << level) for level in range(4)]
    return unet(network, widths, [filters[-1] for filters in widths[1:]], 3, up_bias=False)
