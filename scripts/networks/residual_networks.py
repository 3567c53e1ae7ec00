"""Builds deep residual nets for 28x28 images: u + h F(u) many times, where F is the ReLU of a convolution."""


def residual(network, channels, count, hidden=0):
    """Adds an opening convolution, `count` residual layers, `hidden` fully connected layers as wide as the image, and a
    last layer of ten classes.

    The step h is 1 / count: however deep, a chain covers the time from 0 to 1.
    """
    network.convolution("open", channels, 7, padding=1, bias=True)
    network.relu("open_relu")
    network.repeat(
        "res",
        count,
        [
            {"name": "conv", "kind": "convolution", "filters": channels, "kernel": 7, "padding": 3, "bias": True},
            {"name": "relu", "kind": "relu"},
            {"name": "add", "kind": "add", "inputs": ["repeat_input", "prev"], "scale": 1 / count},
        ],
    )
    if hidden:
        image = channels * 24 * 24
        network.repeat(
            "hidden",
            hidden,
            [
                {"name": "fc", "kind": "fully_connected", "outputs": image},
                {"name": "relu", "kind": "relu"},
            ],
        )
    network.fully_connected("fc", 10)
    return network
