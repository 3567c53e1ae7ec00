"""Holds everything that the stages of one check share: programs, files, options, PyTorch's process."""

import copy
import os

from gpu_check import machine

PRECISIONS = ("fp32", "tf32", "bf16", "fp16")


class Context:
    def __init__(self, options, bundle, files, chosen):
        self.bundle, self.files, self.backend = bundle, files, options.backend
        self.processes, self.chosen = bundle.processes, chosen  # `chosen` are names of stages
        self.peer_device, self.peer_program = options.peer_device, options.peer_program
        self.small, self.continues = options.small, bool(options.only)
        self.machine = machine.describe(self.processes, files)
        self.cards = self.machine["cards"]
        self.steps = options.steps or (4 if options.small else 30)
        self.rounds = 1 if options.small else 3
        self.rank_counts = (1, 2) if options.small or options.quick else (1, 2, 4)
        # A dry run has one process for each number of ranks, which checks all precisions.
        self.precisions = PRECISIONS if options.backend == "cudnn" and not options.small else ("",)
        self.cores = len(os.sched_getaffinity(0))
        self.caller_environment = dict(os.environ)
        self.engine_options = ()
        self.servers = {}  # PyTorch's processes by workload
        self.links_tried = []  # stages of workloads that have measured the links of one rank

    def of_stage(self, name, limit_s):
        """Returns a context with the stage's deadline."""
        other = copy.copy(self)
        other.bundle = self.bundle.of_stage(name, limit_s)
        return other

    def with_one_engine(self):
        """Returns a context in which only the first engine of each convolution is tried."""
        other = copy.copy(self)
        other.engine_options = ("--engine-trials", 1)
        return other

    def peer_options(self):
        return ["--device", "cpu", "--input", 32] if self.peer_device == "cpu" else []

    @property
    def has_peer(self):
        return self.backend == "cudnn" or bool(self.peer_device)
