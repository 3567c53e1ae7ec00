"""Builds networks of depthwise convolutions for scripts/make-networks. Each function fills a NetworkBuilder."""


def clipped_convolution(network, name, filters, kernel, **options):
    """Adds a convolution with batch norm, and a ReLU that ends at 6."""
    network.convolution(name, filters, kernel, **options)
    network.add(f"{name}_bn", "batch_norm")
    return network.add(f"{name}_relu", "relu", max=6)


def inverted_residual(network, block, source, channels, expansion, filters, stride):
    """Adds a 1x1 to more channels, a 3x3 on each of them, and a 1x1 to fewer. An identity goes around where it fits."""
    inner = expansion * channels
    if expansion > 1:
        clipped_convolution(network, f"{block}_expand", inner, 1)
    clipped_convolution(
        network, f"{block}_depthwise", inner, 3, stride=stride, padding=1, groups=inner
    )
    network.convolution(f"{block}_project", filters, 1)
    projected = network.add(f"{block}_project_bn", "batch_norm")
    if stride > 1 or channels != filters:
        return projected
    return network.add(block, "add", inputs=[source, projected])


def mobilenet_v2(network):
    source = clipped_convolution(network, "conv1", 32, 3, stride=2, padding=1)
    channels = 32
    stages = (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    )
    for stage, (expansion, filters, blocks, stride) in enumerate(stages, start=2):
        for index in range(blocks):
            block = f"block{stage}{chr(ord('a') + index)}"
            step = stride if index == 0 else 1
            source = inverted_residual(
                network, block, source, channels, expansion, filters, step
            )
            channels = filters
    clipped_convolution(network, "conv9", 1280, 1)
    network.add("pool9", "global_pooling", mode="average")
    network.add("drop", "dropout", rate=0.2)
    network.fully_connected("fc1000", 1000)
    return network


def normalised(network, name, filters, kernel, relu=True, **options):
    """Adds a convolution with batch norm, and a ReLU if wanted."""
    network.convolution(name, filters, kernel, **options)
    batch_norm = network.add(f"{name}_bn", "batch_norm")
    return network.relu(f"{name}_relu") if relu else batch_norm


def depthwise(network, name, channels, stride, **options):
    """Adds a 3x3 convolution of each channel with batch norm, but without a ReLU."""
    options |= {"padding": 1, "stride": stride, "groups": channels}
    return normalised(network, name, channels, 3, relu=False, **options)


def shuffled_unit(network, block, source, channels, filters, stride):
    """Joins two branches and shuffles their channels.

    With a stride, both branches read all channels. Without one, each branch reads one half.
    """
    half = filters // 2
    if stride > 1:
        depthwise(network, f"{block}_a1", channels, stride, input=source)
        kept = normalised(network, f"{block}_a2", half, 1)
    else:
        kept = network.add(f"{block}_a", "slice", input=source, first_channel=0, channels=half)
        source = network.add(f"{block}_b", "slice", input=source, first_channel=half, channels=half)
    normalised(network, f"{block}_b1", half, 1, input=source)
    depthwise(network, f"{block}_b2", half, stride)
    other = normalised(network, f"{block}_b3", half, 1)
    network.concat(f"{block}_joined", [kept, other])
    return network.add(block, "channel_shuffle", groups=2)


def shufflenet_v2(network):
    """Builds ShuffleNet v2 of width 1.0."""
    normalised(network, "conv1", 24, 3, stride=2, padding=1)
    source = network.max_pooling("pool1", 3, 2, padding=1)
    channels = 24
    for stage, (filters, blocks) in enumerate(((116, 4), (232, 8), (464, 4)), start=2):
        for index in range(blocks):
            block = f"stage{stage}{chr(ord('a') + index)}"
            stride = 2 if index == 0 else 1
            source = shuffled_unit(network, block, source, channels, filters, stride)
            channels = filters
    normalised(network, "conv5", 1024, 1)
    network.add("pool5", "global_pooling", mode="average")
    network.fully_connected("fc1000", 1000)
    return network
