"""Networks of depthwise convolutions for scripts/make-networks: each fills a NetworkBuilder."""


def clipped_convolution(network, name, filters, kernel, **options):
    """With batch norm and a ReLU that ends at 6."""
    network.convolution(name, filters, kernel, **options)
    network.add(f"{name}_bn", "batch_norm")
    return network.add(f"{name}_relu", "relu", max=6)


def inverted_residual(network, block, source, channels, expansion, filters, stride):
    """1x1 to more channels, 3x3 on each of them, 1x1 to fewer, around an identity where it fits."""
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
