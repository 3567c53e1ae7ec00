"""U-Nets of two and three dims for scripts/make-networks: each fills a NetworkBuilder."""


def convolutions(network, block, filters):
    """3x3 with padding, batch norm and ReLU, one after the other; the last ReLU's name."""
    for index, width in enumerate(filters, start=1):
        name = f"{block}_conv{index}"
        network.convolution(name, width, 3, padding=1)
        network.add(f"{name}_bn", "batch_norm")
        last = network.relu(f"{name}_relu")
    return last


def unet(network, widths, up_widths, classes, up_bias):
    """`widths` of every level's convolutions going down; going up, those of the first but the last.

    An up-convolution is an upsampling and a convolution of 2 in every dim, padded at the end.
    """
    skips = []
    for level, filters in enumerate(widths, start=1):
        if level > 1:
            network.max_pooling(f"pool{level - 1}", 2, 2)
        skips.append(convolutions(network, f"down{level}", filters))
    for level in range(len(widths) - 1, 0, -1):
        network.add(f"raise{level}", "upsample")
        raised = network.convolution(
            f"raise{level}_conv", up_widths[level - 1], 2, padding_end=1, bias=up_bias
        )
        network.concat(f"join{level}", [skips[level - 1], raised])
        convolutions(network, f"up{level}", [widths[level - 1][-1]] * 2)
    network.convolution("prediction", classes, 1, bias=True)
    return network


def unet_2d(network):
    widths = [(64 << level, 64 << level) for level in range(5)]
    return unet(network, widths, [filters[-1] for filters in widths], 2, up_bias=True)


def unet_3d(network):
    """Widths double before the pooling, and up-convolutions keep them."""
    widths = [(32 << level, 64 << level) for level in range(4)]
    return unet(network, widths, [filters[-1] for filters in widths[1:]], 3, up_bias=False)
