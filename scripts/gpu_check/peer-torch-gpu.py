#!/usr/bin/env python3
"""Times training steps of PyTorch on a GPU, the peer of scripts/gpu-check: ResNet-50, channels-last, SGD.

peer-torch-gpu.py --precision bf16 --batch 256     one JSON line for each way of running it
peer-torch-gpu.py --roofline                       one JSON line: bandwidth of copies, flop/s of products
peer-torch-gpu.py --serve                          answers requests from stdin, for rounds that take turns

Requests are JSON lines such as {"variant": "eager", "steps": 20}, and answers are JSON lines, too. The request
{"warm": ["eager", "compiled"]} builds and compiles both variants, and runs their first steps. Times are taken
between CUDA events of consecutive steps. No step waits in between, so PyTorch is at its best."""

import argparse
import gc
import json
import statistics
import sys
import time

EXIT_ENVIRONMENT = 5
VARIANTS = ("eager", "compiled")
CLASSES = 1000
COPY_BYTES = 1 << 30
PRODUCT_SIZE = 8192
BLOCKS = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))  # each row: width, bottlenecks, stride


def refuse(message):
    print(f"peer-torch-gpu.py: {message}", file=sys.stderr)
    raise SystemExit(EXIT_ENVIRONMENT)


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--precision", choices=("bf16", "fp16", "tf32", "fp32"), default="bf16")
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--input", type=int, default=224, help="height and width")
    parser.add_argument("--steps", type=int, default=20, help="timed steps")
    parser.add_argument("--warmup", type=int, default=5, help="steps before the timed steps, each time")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--roofline", action="store_true")
    parser.add_argument("--serve", action="store_true")
    return parser.parse_args()


def load_torch(options):
    try:
        import torch
    except ImportError as error:
        refuse(str(error))
    if options.device == "cuda" and not torch.cuda.is_available():
        refuse("PyTorch finds no CUDA device")
    torch.manual_seed(0)
    torch.backends.cudnn.benchmark = True
    allowed = options.precision != "fp32"
    torch.backends.cuda.matmul.allow_tf32 = allowed
    torch.backends.cudnn.allow_tf32 = allowed
    return torch


def bottleneck_class(torch):
    nn = torch.nn

    def normalised(channels, filters, kernel, stride=1):
        convolution = nn.Conv2d(channels, filters, kernel, stride, kernel // 2, bias=False)
        return nn.Sequential(convolution, nn.BatchNorm2d(filters))

    class Bottleneck(nn.Module):
        """Adds convolutions 1x1, 3x3 (with the stride) and 1x1 to the identity or to a projection."""

        def __init__(self, channels, width, stride):
            super().__init__()
            self.first = normalised(channels, width, 1)
            self.second = normalised(width, width, 3, stride)
            self.third = normalised(width, 4 * width, 1)
            has_projection = stride != 1 or channels != 4 * width
            self.projection = normalised(channels, 4 * width, 1, stride) if has_projection else None
            self.relu = nn.ReLU(inplace=True)

        def forward(self, x):
            y = self.relu(self.second(self.relu(self.first(x))))
            shortcut = x if self.projection is None else self.projection(x)
            return self.relu(self.third(y) + shortcut)

    return Bottleneck


def own_resnet50(torch):
    """Builds the network as torchvision defines it (version 1.5), for machines without torchvision."""
    nn, bottleneck = torch.nn, bottleneck_class(torch)
    layers = [nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(inplace=True),
              nn.MaxPool2d(3, 2, 1)]
    channels = 64
    for width, count, stride in BLOCKS:
        for index in range(count):
            layers.append(bottleneck(channels, width, stride if index == 0 else 1))
            channels = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(channels, CLASSES))


def resnet50(torch):
    try:
        import torchvision.models
    except (ImportError, RuntimeError):  # a RuntimeError says that it was built for another PyTorch
        return own_resnet50(torch), "own definition"
    return torchvision.models.resnet50(weights=None), "torchvision"


class Training:
    """Holds a network and everything that one training step needs, on the device."""

    def __init__(self, torch, options, variant):
        self.torch, self.options = torch, options
        network, self.definition = resnet50(torch)
        self.network = network.to(options.device, memory_format=torch.channels_last).train()
        if variant == "compiled":
            if not hasattr(torch, "compile"):
                raise RuntimeError(f"PyTorch {torch.__version__} has no torch.compile")
            self.network = torch.compile(self.network)
        self.optimizer = self.make_optimizer()
        self.criterion = torch.nn.CrossEntropyLoss()
        size = (options.batch, 3, options.input, options.input)
        samples = torch.randn(size, device=options.device)
        self.samples = samples.contiguous(memory_format=torch.channels_last)
        self.labels = torch.randint(0, CLASSES, (options.batch,), device=options.device)

    def make_optimizer(self):
        settings = {"lr": 0.01, "momentum": 0.9, "weight_decay": 1e-4}
        try:
            return self.torch.optim.SGD(self.network.parameters(), fused=True, **settings)
        except (TypeError, RuntimeError):  # PyTorch has it since 2.3, and not on every device
            return self.torch.optim.SGD(self.network.parameters(), **settings)

    def step(self):
        low = {"bf16": self.torch.bfloat16, "fp16": self.torch.float16}.get(self.options.precision)
        self.optimizer.zero_grad(set_to_none=True)
        with self.torch.autocast(self.options.device, dtype=low or self.torch.bfloat16, enabled=bool(low)):
            loss = self.criterion(self.network(self.samples), self.labels)
        loss.backward()
        self.optimizer.step()
        return loss


def time_on_gpu(torch, work, steps):
    events = [torch.cuda.Event(enable_timing=True) for _ in range(steps + 1)]
    events[0].record()
    for event in events[1:]:
        work()
        event.record()
    torch.cuda.synchronize()
    return [first.elapsed_time(second) * 1e-3 for first, second in zip(events, events[1:])]


def time_on_cpu(work, steps):
    times = []
    for _ in range(steps):
        begin = time.perf_counter()
        work()
        times.append(time.perf_counter() - begin)
    return times


def time_steps(torch, device, work, steps, warmup):
    for _ in range(warmup):
        work()
    if device == "cpu":
        return time_on_cpu(work, steps)
    torch.cuda.synchronize()
    return time_on_gpu(torch, work, steps)


class Peer:
    """Keeps one training for each variant once it was asked for, since compiling takes a minute."""

    def __init__(self, torch, options):
        self.torch, self.options, self.trainings = torch, options, {}

    def training_of(self, variant):
        if variant not in self.trainings:
            self.trainings[variant] = Training(self.torch, self.options, variant)
        return self.trainings[variant]

    def first_steps(self, variant):
        """Compiles and lets cuDNN choose its algorithms. Returns seconds, or the text of an error."""
        begin = time.perf_counter()
        try:
            training = self.training_of(variant)
            time_steps(self.torch, self.options.device, training.step, 1, self.options.warmup)
            return time.perf_counter() - begin
        except Exception as error:  # pylint: disable=broad-except
            return f"{type(error).__name__}: {error}"[:2000]

    def warm(self, variants):
        """Does everything that takes long and happens once, and then frees the card's memory."""
        warmed = {variant: self.first_steps(variant) for variant in variants}
        self.release()
        return {"warmed": warmed}

    def measure(self, variant, steps):
        training = self.training_of(variant)
        times = time_steps(self.torch, self.options.device, training.step, steps, self.options.warmup)
        loss = float(training.step())
        median = statistics.median(times)
        return {
            "variant": variant, "version": self.torch.__version__, "definition": training.definition,
            "precision": self.options.precision, "batch": self.options.batch, "loss": loss,
            "median_s": median, "min_s": min(times), "max_s": max(times), "count": len(times),
            "images_per_s": self.options.batch / median, "peak_memory_bytes": self.release(),
        }

    def release(self):
        """Leaves the card's memory to the program that takes turns with this one."""
        if self.options.device == "cpu":
            return 0
        peak = self.torch.cuda.max_memory_reserved()
        for training in self.trainings.values():
            training.optimizer.zero_grad(set_to_none=True)
        gc.collect()
        self.torch.cuda.empty_cache()
        return peak

    def answer(self, request):
        """A variant that fails says so, and the others still run."""
        if "warm" in request:
            return self.warm(request["warm"])
        try:
            return self.measure(request["variant"], request["steps"])
        except Exception as error:  # pylint: disable=broad-except
            return {"variant": request["variant"], "error": f"{type(error).__name__}: {error}"[:2000]}


def roofline(torch, options):
    """Measures a copy and a matrix product alone: bytes read and written, and flops in the precision."""
    small = options.device == "cpu"
    count, size = (COPY_BYTES // 4, PRODUCT_SIZE) if not small else (1 << 22, 512)
    source = torch.randn(count, device=options.device)
    target = torch.empty_like(source)
    copy = time_steps(torch, options.device, lambda: target.copy_(source), 20, 5)
    low = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(options.precision, torch.float32)
    left, right = (torch.randn(size, size, device=options.device, dtype=low) for _ in range(2))
    product = time_steps(torch, options.device, lambda: left @ right, 20, 5)
    return {"version": torch.__version__, "precision": options.precision,
            "copy_bytes_per_s": 8 * count / statistics.median(copy),
            "product_flops_per_s": 2 * size**3 / statistics.median(product)}


def say(answer):
    print(json.dumps(answer), flush=True)


def main():
    options = arguments()
    torch = load_torch(options)
    if options.roofline:
        say(roofline(torch, options))
        return 0
    peer = Peer(torch, options)
    if options.serve:
        say({"ready": True, "version": torch.__version__})
        for line in sys.stdin:
            say(peer.answer(json.loads(line)))
        return 0
    answers = [peer.answer({"variant": variant, "steps": options.steps}) for variant in VARIANTS]
    for answer in answers:
        say(answer)
    return int(all("error" in answer for answer in answers))


if __name__ == "__main__":
    sys.exit(main())
