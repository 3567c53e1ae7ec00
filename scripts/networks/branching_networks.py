"""Builds networks whose branches end in concats, for scripts/make-networks. Each function fills a NetworkBuilder."""


def same(kernel):
    """Returns the padding with which an odd kernel (H, W) of stride 1 keeps the size."""
    return {"padding": [extent // 2 for extent in kernel]}


def factorised(name, kernels, filters):
    """Lists convolutions such as 1x7 and 7x1. All have filters[0] filters, except the last one with filters[1]."""
    widths = [filters[0]] * (len(kernels) - 1) + [filters[1]]
    return [
        (f"{name}_{index}", width, kernel, same(kernel))
        for index, (kernel, width) in enumerate(zip(kernels, widths), start=2)
    ]


def average_branch(network, block, source, filters):
    pooled = network.pooling(
        f"{block}_average", "average", 3, 1, 1, input=source, count_include_padding=True
    )
    return network.branch(pooled, [(f"{block}_pool", filters, 1, {})])


def inception_a(network, block, source, pool_filters):
    """Joins four branches: 1x1, 5x5, two 3x3, and average pooling."""
    return network.concat(
        block,
        [
            network.branch(source, [(f"{block}_1x1", 64, 1, {})]),
            network.branch(
                source, [(f"{block}_5x5_1", 48, 1, {}), (f"{block}_5x5_2", 64, 5, {"padding": 2})]
            ),
            network.branch(
                source,
                [
                    (f"{block}_3x3_1", 64, 1, {}),
                    (f"{block}_3x3_2", 96, 3, {"padding": 1}),
                    (f"{block}_3x3_3", 96, 3, {"padding": 1}),
                ],
            ),
            average_branch(network, block, source, pool_filters),
        ],
    )


def inception_b(network, block, source):
    """Halves the image in three branches: 3x3, two 3x3 after a 1x1, and max pooling."""
    return network.concat(
        block,
        [
            network.branch(source, [(f"{block}_3x3", 384, 3, {"stride": 2})]),
            network.branch(
                source,
                [
                    (f"{block}_double_1", 64, 1, {}),
                    (f"{block}_double_2", 96, 3, {"padding": 1}),
                    (f"{block}_double_3", 96, 3, {"stride": 2}),
                ],
            ),
            network.max_pooling(f"{block}_pool", 3, 2, input=source),
        ],
    )


def inception_c(network, block, source, filters):
    """Joins four branches: 1x1, a 7x7 in two factors, two 7x7 in four factors, and average pooling."""
    row, column = [1, 7], [7, 1]
    return network.concat(
        block,
        [
            network.branch(source, [(f"{block}_1x1", 192, 1, {})]),
            network.branch(
                source,
                [
                    (f"{block}_7x7_1", filters, 1, {}),
                    *factorised(f"{block}_7x7", [row, column], [filters, 192]),
                ],
            ),
            network.branch(
                source,
                [
                    (f"{block}_double_1", filters, 1, {}),
                    *factorised(f"{block}_double", [column, row, column, row], [filters, 192]),
                ],
            ),
            average_branch(network, block, source, 192),
        ],
    )


def inception_d(network, block, source):
    """Halves the image in three branches: 3x3, a 3x3 after a 7x7 in two factors, and max pooling."""
    return network.concat(
        block,
        [
            network.branch(
                source, [(f"{block}_3x3_1", 192, 1, {}), (f"{block}_3x3_2", 320, 3, {"stride": 2})]
            ),
            network.branch(
                source,
                [
                    (f"{block}_7x7_1", 192, 1, {}),
                    *factorised(f"{block}_7x7", [[1, 7], [7, 1]], [192, 192]),
                    (f"{block}_7x7_4", 192, 3, {"stride": 2}),
                ],
            ),
            network.max_pooling(f"{block}_pool", 3, 2, input=source),
        ],
    )


def side_by_side(network, name, source):
    """Returns two branches from one source: a 1x3 and a 3x1, each of 384 filters."""
    return [
        network.branch(source, [(f"{name}_row", 384, [1, 3], same([1, 3]))]),
        network.branch(source, [(f"{name}_column", 384, [3, 1], same([3, 1]))]),
    ]


def inception_e(network, block, source):
    """Joins four branches: 1x1, a 3x3 and two 3x3 that both end in side_by_side, and average pooling."""
    inputs = [network.branch(source, [(f"{block}_1x1", 320, 1, {})])]
    single = network.branch(source, [(f"{block}_3x3_1", 384, 1, {})])
    inputs.append(
        network.concat(f"{block}_3x3", side_by_side(network, f"{block}_3x3_2", single))
    )
    double = network.branch(
        source,
        [(f"{block}_double_1", 448, 1, {}), (f"{block}_double_2", 384, 3, {"padding": 1})],
    )
    inputs.append(
        network.concat(f"{block}_double", side_by_side(network, f"{block}_double_3", double))
    )
    inputs.append(average_branch(network, block, source, 192))
    return network.concat(block, inputs)


def auxiliary_loss(network, name, weight):
    """Adds the last layer of an auxiliary classifier, and its loss."""
    network.fully_connected(f"{name}_fc1000", 1000)
    network.add(f"{name}_loss", "softmax_cross_entropy", weight=weight)


def inception_v3_auxiliary(network, source):
    network.pooling("aux_pool", "average", 5, 3, input=source)
    network.normalised_convolution("aux_conv0", 128, 1)
    network.normalised_convolution("aux_conv1", 768, 5)
    network.add("aux_average", "global_pooling", mode="average")
    auxiliary_loss(network, "aux", 0.4)


def inception_v3(network, auxiliary=False):
    """Builds Inception v3 with or without its auxiliary classifier."""
    network.normalised_convolution("conv1a", 32, 3, stride=2)
    network.normalised_convolution("conv2a", 32, 3)
    network.normalised_convolution("conv2b", 64, 3, padding=1)
    network.max_pooling("pool1", 3, 2)
    network.normalised_convolution("conv3b", 80, 1)
    network.normalised_convolution("conv4a", 192, 3)
    source = network.max_pooling("pool2", 3, 2)
    for block, pool_filters in (("5b", 32), ("5c", 64), ("5d", 64)):
        source = inception_a(network, f"mixed{block}", source, pool_filters)
    source = inception_b(network, "mixed6a", source)
    for block, filters in (("6b", 128), ("6c", 160), ("6d", 160), ("6e", 192)):
        source = inception_c(network, f"mixed{block}", source, filters)
    if auxiliary:
        inception_v3_auxiliary(network, source)
    source = inception_d(network, "mixed7a", source)
    for block in ("7b", "7c"):
        source = inception_e(network, f"mixed{block}", source)
    network.add("pool3", "global_pooling", mode="average")
    network.add("drop", "dropout", rate=0.5)
    network.fully_connected("fc1000", 1000)
    return network


def googlenet_block(network, block, source, filters):
    """Adds four branches.

    `filters` belong to the 1x1, to both convolutions of each of the two 3x3 branches, and to the convolution after the
    pooling.
    """
    single, narrow_1, wide_1, narrow_2, wide_2, pooled = filters
    pool = (f"{block}_pool", pooled, 1, {})
    return network.concat(
        block,
        [
            network.branch(source, [(f"{block}_1x1", single, 1, {})]),
            network.branch(
                source,
                [(f"{block}_a1", narrow_1, 1, {}), (f"{block}_a2", wide_1, 3, {"padding": 1})],
            ),
            network.branch(
                source,
                [(f"{block}_b1", narrow_2, 1, {}), (f"{block}_b2", wide_2, 3, {"padding": 1})],
            ),
            network.branch(network.max_pooling(f"{block}_max", 3, 1, 1, input=source), [pool]),
        ],
    )


def googlenet_auxiliary(network, name, source):
    network.pooling(f"{name}_pool", "average", 5, 3, input=source)
    network.normalised_convolution(f"{name}_conv", 128, 1)
    network.fully_connected(f"{name}_fc1024", 1024)
    network.relu(f"{name}_relu")
    network.add(f"{name}_drop", "dropout", rate=0.7)
    auxiliary_loss(network, name, 0.3)


def googlenet(network, auxiliary=False):
    """Builds GoogLeNet as torchvision does: with batch norm, and 3x3 in place of 5x5.

    Poolings of torchvision round up. At 224x224, a column and a row of padding at the end have the same effect.
    """
    network.normalised_convolution("conv1", 64, 7, stride=2, padding=3)
    network.max_pooling("pool1", 3, 2, padding_end=1)
    network.normalised_convolution("conv2", 64, 1)
    network.normalised_convolution("conv3", 192, 3, padding=1)
    source = network.max_pooling("pool2", 3, 2, padding_end=1)
    blocks = {
        "3a": (64, 96, 128, 16, 32, 32),
        "3b": (128, 128, 192, 32, 96, 64),
        "4a": (192, 96, 208, 16, 48, 64),
        "4b": (160, 112, 224, 24, 64, 64),
        "4c": (128, 128, 256, 24, 64, 64),
        "4d": (112, 144, 288, 32, 64, 64),
        "4e": (256, 160, 320, 32, 128, 128),
        "5a": (256, 160, 320, 32, 128, 128),
        "5b": (384, 192, 384, 48, 128, 128),
    }
    for block, filters in blocks.items():
        source = googlenet_block(network, f"inception{block}", source, filters)
        if block == "3b":
            source = network.max_pooling("pool3", 3, 2, padding_end=1)
        elif block == "4e":
            source = network.max_pooling("pool4", 2, 2)
        elif auxiliary and block in ("4a", "4d"):
            googlenet_auxiliary(network, "aux1" if block == "4a" else "aux2", source)
    network.add("pool5", "global_pooling", mode="average")
    network.add("drop", "dropout", rate=0.2)
    network.fully_connected("fc1000", 1000)
    return network


def dense_layer(network, name, source):
    """Adds 32 channels to the channels of the source. A chain of such concats copies as much as one concat would."""
    network.add(f"{name}_bn1", "batch_norm", input=source)
    network.relu(f"{name}_relu1")
    network.convolution(f"{name}_conv1", 128, 1)
    network.add(f"{name}_bn2", "batch_norm")
    network.relu(f"{name}_relu2")
    grown = network.convolution(f"{name}_conv2", 32, 3, padding=1)
    return network.concat(name, [source, grown])


def transition(network, name, filters):
    network.add(f"{name}_bn", "batch_norm")
    network.relu(f"{name}_relu")
    network.convolution(f"{name}_conv", filters, 1)
    return network.pooling(f"{name}_pool", "average", 2, 2)


def densenet121(network):
    network.convolution("conv0", 64, 7, stride=2, padding=3)
    network.add("conv0_bn", "batch_norm")
    network.relu("conv0_relu")
    source = network.max_pooling("pool0", 3, 2, padding=1)
    channels = 64
    for block, layers in enumerate((6, 12, 24, 16), start=1):
        for layer in range(1, layers + 1):
            source = dense_layer(network, f"dense{block}_{layer}", source)
        channels += 32 * layers
        if block < 4:
            channels //= 2
            source = transition(network, f"transition{block}", channels)
    network.add("bn5", "batch_norm")
    network.relu("relu5")
    network.add("pool5", "global_pooling", mode="average")
    network.fully_connected("fc1000", 1000)
    return network
