"""Draws random networks with every kind of layer, small enough to train within a second."""

MAX_ELEMENTS, MANY_ELEMENTS = 4000, 40000  # of the output of a layer, for all samples
CHANNELS = (1, 2, 3, 4, 5, 6, 8, 12, 16, 17)
LONG = 1.25  # a clipped ReLU ends here, so that many values lie on both sides


def output_length(length, window, dim):
    """Returns the number of outputs of a window along a dim, or 0 if the window does not fit."""
    reach = window["dilation"][dim] * (window["kernel"][dim] - 1) + 1
    padded = length + window["padding"][dim] + window["padding_end"][dim]
    return (padded - reach) // window["stride"][dim] + 1 if padded >= reach else 0


def transposed_length(length, window, dim):
    reach = window["dilation"][dim] * (window["kernel"][dim] - 1) + 1
    return ((length - 1) * window["stride"][dim] - window["padding"][dim] - window["padding_end"][dim] + reach
            + window["output_padding"][dim])


class NetworkDrawer:
    """Adds one block of layers after another. Shapes are (channels, depth, height, width) of a sample."""

    def __init__(self, random, batch):
        self.random, self.batch = random, batch
        self.layers, self.shapes, self.last = [], {}, None
        self.deep, self.is_large = self.one_in(3), self.one_in(12)

    def draw(self):
        """Returns a network of up to 6 blocks, or up to 2 where the extents are large."""
        self.add_input()
        for _ in range(self.random.randint(0, 2 if self.is_large else 6)):
            self.random.choice(self.blocks())()
        self.add_heads()
        return {"schema": "cnnplan.network/1", "name": "drawn", "layers": self.needed_layers()}

    def blocks(self):
        often = [self.add_convolutions, self.add_pooling, self.add_upsample, self.add_transposed, self.add_dropout]
        return 2 * often + [self.add_residual, self.add_concat, self.add_slices, self.add_shuffle,
                            self.add_response_norm, self.add_pointwise, self.add_connected]

    def one_in(self, count):
        return self.random.randrange(count) == 0

    @property
    def shape(self):
        return self.shapes[self.last]

    def dims(self):
        """Returns the spatial dims that parameters name: the depth only where the input has one."""
        return (1, 2, 3) if self.deep else (2, 3)

    def fits(self, shape):
        elements = self.batch
        for extent in shape:
            elements *= extent
        return min(shape) > 0 and elements <= (MANY_ELEMENTS if self.is_large else MAX_ELEMENTS)

    def add(self, kind, shape, inputs=None, **parameters):
        name = f"{kind}{len(self.layers)}"
        layer = {"name": name, "kind": kind}
        if kind != "input":
            inputs = inputs or [self.last]
            layer |= {"inputs": inputs} if kind in ("add", "concat") else {"input": inputs[0]}
        self.layers.append(layer | parameters)
        self.shapes[name] = tuple(shape)
        self.last = name
        return name

    def needed_layers(self):
        """Returns the layers that a loss reads. Inputs that are the layer before are often not named."""
        needed, layers = set(), []
        for layer in reversed(self.layers):
            if layer["name"] in needed or layer["kind"] in ("softmax_cross_entropy", "mean_squared_error"):
                needed |= {layer.get("input"), *layer.get("inputs", [])}
                layers.insert(0, layer)
        for before, layer in zip(layers, layers[1:]):
            if layer.get("input") == before["name"] and not self.one_in(4):
                del layer["input"]
        return layers

    def add_input(self):
        draw = self.random.randint
        most = (7, 15, 20, 70)[2 * self.is_large + (not self.deep)]
        rows, columns = draw(1, most), draw(1, most)
        if not self.deep and self.one_in(6):
            rows, columns = self.random.choice([(1, draw(5, 300)), (draw(5, 300), 1)])
        size = [draw(1, 6), rows, columns] if self.deep else [rows, columns]
        channels = draw(1, 5)
        self.add("input", (channels, *([1] + size)[-3:]), channels=channels, size=size)

    def add_same_shape(self, kind, **parameters):
        self.add(kind, self.shape, **parameters)

    def window(self, transposed=False):
        """Draws kernels, strides, dilations and paddings, which are often not the same at both ends."""
        names = ("kernel", "stride", "padding", "padding_end", "dilation") + (("output_padding",) if transposed else ())
        window = {name: [] for name in names}
        for _ in self.dims():
            kernel, stride = self.random.randint(1, 4 if transposed else 7), self.random.randint(1, 3)
            dilation = self.random.randint(1, 3) if self.one_in(3) else 1
            reach = dilation * (kernel - 1) + 1
            usual = 0 if transposed else reach // 2
            ends = [self.random.randint(0, reach - 1) if self.one_in(3) else min(usual, reach - 1) for _ in range(2)]
            values = (kernel, stride, *ends, dilation) + ((self.random.randint(0, stride - 1),) if transposed else ())
            for name, value in zip(names, values):
                window[name].append(value)
        return window

    def shape_after(self, window, filters, length=output_length):
        shape = [filters, *self.shape[1:]]
        for i, dim in enumerate(self.dims()):
            shape[dim] = length(self.shape[dim], window, i)
        return tuple(shape)

    def groups_and_filters(self):
        """Draws groups, often as many as channels, and filters that they divide."""
        if not self.one_in(3):
            return 1, self.random.choice(CHANNELS)
        channels = self.shape[0]
        groups = self.random.choice([each for each in range(1, channels + 1) if channels % each == 0] + [channels])
        return groups, groups * self.random.randint(1, 3)

    def same_window(self, stride):
        """Returns a window of odd kernels whose outputs depend on the stride alone."""
        kernel = [2 * self.random.randint(0, 2) + 1 for _ in self.dims()]
        half = [each // 2 for each in kernel]
        ones = [1] * len(kernel)
        return {"kernel": kernel, "stride": [stride] * len(kernel), "padding": half, "padding_end": half,
                "dilation": ones}

    def add_windowed(self, window, filters, groups=1):
        shape = self.shape_after(window, filters)
        if not self.fits(shape):
            return False
        self.add("convolution", shape, filters=filters, groups=groups, bias=self.one_in(2), **window)
        return True

    def add_convolutions(self):
        groups, filters = self.groups_and_filters()
        if self.add_windowed(self.window(), filters, groups):
            self.add_batch_norm()
            if self.one_in(2):
                self.add_relu()

    def add_batch_norm(self):
        _, depth, height, width = self.shape
        if self.batch * depth * height * width >= 4 and not self.one_in(3):
            self.add_same_shape("batch_norm", epsilon=self.random.choice([1e-5, 1e-3, 0.1]),
                                momentum=self.random.choice([0.1, 0.25, 1, 0]))

    def add_relu(self):
        self.add_same_shape("relu", **({"max": LONG} if self.one_in(3) else {}))

    def add_pointwise(self):
        if self.one_in(2):
            self.add_relu()
        else:
            self.add_same_shape("leaky_relu", slope=self.random.choice([0, 0.25, 0.01, 2]))

    def add_dropout(self):
        self.add_same_shape("dropout", rate=self.random.choice([0.1, 0.25, 0.5]))

    def add_pooling(self):
        window = self.window()
        for i, dim in enumerate(self.dims()):  # Taps further apart than the input is long may miss it.
            window["dilation"][i] = min(window["dilation"][i], self.shape[dim])
            reach = window["dilation"][i] * (window["kernel"][i] - 1) + 1
            for end in ("padding", "padding_end"):
                window[end][i] = min(window[end][i], reach - 1)
        shape = self.shape_after(window, self.shape[0])
        if self.fits(shape):
            self.add("pooling", shape, mode=self.random.choice(["max", "average"]),
                     count_include_padding=self.one_in(2), **window)

    def add_transposed(self):
        groups, filters = self.groups_and_filters()
        window = self.window(transposed=True)
        shape = self.shape_after(window, filters, transposed_length)
        if self.fits(shape):
            self.add("transposed_convolution", shape, filters=filters, groups=groups, bias=self.one_in(2), **window)
            self.add_batch_norm()

    def add_upsample(self):
        factor = [self.random.randint(1, 3) for _ in self.dims()]
        shape = list(self.shape)
        for i, dim in enumerate(self.dims()):
            shape[dim] *= factor[i]
        if not self.fits(shape):
            return
        mode = self.random.choice(["nearest", "linear"])
        corners = {"align_corners": self.one_in(2)} if mode == "linear" else {}
        self.add("upsample", shape, factor=factor, mode=mode, **corners)
        if not self.one_in(3):
            self.add_convolutions()

    def add_residual(self):
        """Adds a sum of a tensor with itself, with a branch, or of two branches that halve its extents."""
        source, stride = self.last, self.random.randint(1, 2)
        scale = {"scale": self.random.choice([0.25, -0.5, 1.5])} if self.one_in(3) else {}
        if self.one_in(6):
            self.add("add", self.shape, [source, source], **scale)
            return
        filters = self.shape[0] if stride == 1 else self.random.choice(CHANNELS)
        if not self.add_windowed(self.same_window(stride), filters):
            return
        self.add_batch_norm()
        branch, shortcut = self.last, source
        if stride == 2:
            self.last = source
            ones, zeros = [1] * len(self.dims()), [0] * len(self.dims())
            pointwise = {"kernel": ones, "stride": [2] * len(ones), "dilation": ones}
            self.add_windowed(pointwise | {"padding": zeros, "padding_end": zeros}, filters)
            self.add_batch_norm()
            shortcut = self.last
        inputs = [branch, shortcut] if self.one_in(2) else [shortcut, branch]
        self.add("add", self.shapes[branch], inputs, **scale)
        if self.one_in(2):
            self.add_relu()

    def add_joined(self, inputs):
        shape = (sum(self.shapes[name][0] for name in inputs), *self.shapes[inputs[0]][1:])
        if self.fits(shape):
            self.add("concat", shape, inputs)

    def add_concat(self):
        """Concatenates branches of one tensor. A branch may come twice, and the tensor may be one of them."""
        source, stride = self.last, 2 if self.one_in(3) else 1
        branches = [source] if stride == 1 and self.one_in(3) else []
        for _ in range(self.random.randint(1, 3)):
            self.last = source
            if self.add_windowed(self.same_window(stride), self.random.choice(CHANNELS)):
                if self.one_in(2):
                    self.add_batch_norm()
                    self.add_relu()
                branches.append(self.last)
        if branches and (len(branches) == 1 or self.one_in(5)):
            branches.append(branches[0])
        if branches:
            self.add_joined(branches)

    def add_slices(self):
        """Concatenates slices of one tensor, which may overlap, leave channels out, or go through a layer."""
        source, channels, slices = self.last, self.shape[0], []
        for _ in range(self.random.randint(1, 3)):
            first = self.random.randrange(channels)
            count = self.random.randint(1, channels - first)
            self.add("slice", (count, *self.shapes[source][1:]), [source], first_channel=first, channels=count)
            if self.one_in(3):
                self.add_pointwise()
            slices.append(self.last)
        if self.one_in(3):
            slices.append(source)
        if len(slices) > 1:
            self.add_joined(slices)

    def add_shuffle(self):
        divisors = [each for each in range(1, self.shape[0] + 1) if self.shape[0] % each == 0]
        self.add_same_shape("channel_shuffle", groups=self.random.choice(divisors))

    def add_response_norm(self):
        self.add_same_shape("local_response_norm", size=self.random.randint(1, 7),
                            alpha=0.25 * self.random.randint(1, 8), beta=self.random.choice([0.5, 0.75]),
                            k=self.random.choice([1, 2]))

    def add_connected(self):
        if self.one_in(3):
            mode = self.random.choice(["max", "average"])
            self.add("global_pooling", (self.shape[0], 1, 1, 1), mode=mode)
        else:
            self.add_outputs(self.random.choice(CHANNELS))
            self.add_pointwise()

    def add_outputs(self, outputs):
        self.add("fully_connected", (outputs, 1, 1, 1), outputs=outputs, bias=self.one_in(2))

    def add_heads(self):
        """Adds the main loss, per image or per pixel, and now and then losses of other layers."""
        sources = [name for name in self.shapes if name != self.last]
        classes = self.random.randint(2, 7)
        window = self.window() if self.one_in(2) else self.same_window(1)
        if not (self.one_in(3) and self.add_windowed(window, classes)):
            self.add_outputs(classes)
        loss = "mean_squared_error" if self.one_in(4) else "softmax_cross_entropy"
        logits = self.last
        for source in sources:
            if len(sources) <= 8 * self.random.random() and self.one_in(4):
                self.add_auxiliary(loss, source, logits)
        self.last = logits
        self.add(loss, self.shape)

    def add_auxiliary(self, loss, source, logits):
        shape, self.last = self.shapes[logits], source
        if shape[1:] == (1, 1, 1):
            self.add_outputs(shape[0])
        elif self.shape[1:] == shape[1:]:
            self.add("convolution", shape, [source], filters=shape[0], kernel=[1] * len(self.dims()))
        else:
            return
        self.add(loss, shape, weight=self.random.choice([0.25, 0.5, 2]))
