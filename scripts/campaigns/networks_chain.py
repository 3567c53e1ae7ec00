"""Draws networks with a residual chain, and writes networks with repeats out as lists of layers."""

from campaigns.networks_draw import NetworkDrawer

SPATIAL = ("size", "kernel", "stride", "padding", "padding_end", "dilation", "output_padding", "factor")


def draw_chain(random, batch):
    """Returns a network with a residual chain, which multigrid may split over its layers."""
    drawer = NetworkDrawer(random, batch)
    draw = random.randint
    drawer.deep = drawer.is_large = False
    size = [draw(2, 6), draw(2, 6)]
    channels = draw(1, 4)
    drawer.add("input", (2, 1, *size), channels=2, size=size)
    drawer.add_windowed(drawer.same_window(1), channels)
    body = [{"name": "conv", "kind": "convolution", "filters": channels, "bias": drawer.one_in(2),
             **drawer.same_window(1)}]
    body += [{"name": "relu", "kind": "relu"}] if drawer.one_in(2) else []
    body.append({"name": "add", "kind": "add", "inputs": ["repeat_input", "prev"], "scale": 0.25})
    drawer.layers.append({"repeat": random.choice([4, 6, 8]), "name": "res", "layers": body})
    head = {"name": "head", "kind": "fully_connected", "outputs": draw(2, 5)}
    drawer.layers += [head, {"name": "entropy", "kind": "softmax_cross_entropy"}]
    return {"schema": "cnnplan.network/1", "name": "chain", "layers": drawer.layers}


def written_out(network):
    """Returns the layers without repeats, each with the list `inputs`, and with lists where one number stands for all
    spatial dims.
    """
    size = network["layers"][0]["size"]
    dims = len(size) if isinstance(size, list) else 2
    layers, previous = [], None

    def take(layer, name, names, begin):
        nonlocal previous
        layer = {"factor": 2} | layer if layer["kind"] == "upsample" else layer
        given = layer.get("inputs", [layer.get("input", "prev")])
        known = {"prev": previous, "repeat_input": begin}
        inputs = [names.get(each, known.get(each, each)) for each in given] if layer["kind"] != "input" else []
        spatial = SPATIAL if layer["kind"] != "local_response_norm" else ()
        lists = {key: [layer[key]] * dims for key in spatial if isinstance(layer.get(key), int)}
        layers.append(layer | lists | {"name": name, "inputs": inputs})
        previous = name

    for layer in network["layers"]:
        for index in range(1, layer.get("repeat", 1) + 1):
            if "repeat" not in layer:
                take(layer, layer["name"], {}, None)
                continue
            begin, names = previous, {}
            for inner in layer["layers"]:
                name = f"{layer['name']}_{index}_{inner['name']}"
                take(inner, name, names, begin)
                names[inner["name"]] = name
    return layers
