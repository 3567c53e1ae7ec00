"""Compares the results of a case with those of PyTorch in double, within what rounding may change."""

import torch

from campaigns.networks_peer import Noise, trained

SMALL = 1e-3  # of the largest norm of a group of tensors: smaller tensors may be all cancellation
FACTOR = 10  # between the largest change that noise makes and the limit: equal values are rounded in one direction
FIRST_RUNS, MORE_RUNS = 2, 24
UNSTABLE = 0.5  # A tensor with a larger limit says nothing.
# Each precision has (size of the noise, smallest noise of error signals, smallest limit).
PRECISIONS = {"fp64": (2.0**-50, 0.0, 1e-11), "fp32": (2.0**-22, 0.0, 2e-5), "tf32": (2.0**-10, 0.0, 1e-3),
              "bf16": (2.0**-8, 0.0, 4e-3), "fp16": (2.0**-10, 2.0**-14, 1e-3)}
LARGEST = 1e4  # Beyond it, a training diverges, fp16 overflows, and roundings of fp32 grow without bound.
GROUPS = {"_gradient": "gradient", "/mean": "mean", "/variance": "variance", "/output": "output"}


def group_of(name):
    return next((group for end, group in GROUPS.items() if name.endswith(end)), "weight" if "/" in name else name)


def as_changes(tensors, weights):
    """Returns tensors in double. Weights that are trained become their change since the beginning."""
    changed = {}
    for name, value in tensors.items():
        start = weights[name].reshape(-1) if group_of(name) == "weight" else 0.0
        changed[name] = value.astype(float).reshape(-1) - start
    return changed


def norm(values):
    return float((values**2).sum() ** 0.5)


def differences(expected, seen):
    """Returns the norm of the difference of every tensor, relative to the norm of what is expected."""
    largest = {}
    for name, value in expected.items():
        group = group_of(name)
        largest[group] = max(largest.get(group, 0.0), norm(value))
    found = {}
    for name, value in expected.items():
        scale = max(norm(value), SMALL * largest[group_of(name)])
        error = norm(value - seen[name])
        found[name] = error / (scale or 1.0)
    return found


class Comparison:
    """Holds how far results are off, and how far they may be, by name of the tensor."""

    def __init__(self, case, plan, weights, data):
        self.arguments, self.weights = (case, plan, weights, data), weights
        self.relative, self.absolute, self.floor = PRECISIONS[case["precision"]]
        self.absolute /= case["loss_scale"]
        if plan.get("multigrid"):
            self.floor *= 100  # Cycles add corrections, whose roundings do not cancel out.
        results, self.peak = trained(*self.arguments)
        self.expected = as_changes(results, weights)
        self.results = results
        self.changes = dict.fromkeys(self.expected, 0.0)
        self.runs = 0
        self.perturb(FIRST_RUNS if case["precision"] != "fp64" else 0)

    def perturb(self, runs):
        """Finds how much noise of the size of roundings changes every tensor."""
        for _ in range(runs):
            self.runs += 1
            noise = Noise(self.relative, self.absolute, torch.Generator().manual_seed(self.runs))
            noisy = as_changes(trained(*self.arguments, noise)[0], self.weights)
            for name, change in differences(self.expected, noisy).items():
                self.changes[name] = max(self.changes[name], change)

    def limit(self, name):
        return self.floor + FACTOR * self.changes[name]

    def beyond(self, errors):
        return [name for name, error in errors.items() if not error <= self.limit(name)]

    def unequal_names(self, seen):
        """Returns tensors that only one side has, or that have other numbers of elements."""
        sizes = [{name: value.size for name, value in tensors.items()} for tensors in (self.results, seen)]
        return sorted({name for name, _ in sizes[0].items() ^ sizes[1].items()})

    def errors(self, seen):
        """Returns the errors of results, after more runs with noise where one is beyond its limit."""
        errors = differences(self.expected, as_changes(seen, self.weights))
        if self.beyond(errors):
            self.perturb(MORE_RUNS)
        return errors

    def is_stable(self):
        """Returns true if the loss, the output and most other tensors have limits that say something."""
        limits = [self.limit(name) for name in self.expected]
        main = [self.limit(name) for name in self.expected if group_of(name) in ("loss", "output")]
        return max(main) < UNSTABLE and sorted(limits)[len(limits) // 2] < UNSTABLE

    def diverges(self):
        return self.arguments[0]["precision"] != "fp64" and not self.peak <= LARGEST
