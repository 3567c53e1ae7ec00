"""Compares training steps of random networks, plans and options on 1 to 8 ranks with PyTorch in double.

A case draws a network, ranks, options of the planner and of the training. cnnplan plans it, and cnnexec trains one to
three steps with given weights and data. The output, the loss, and all gradients, trained weights and running values
are compared with PyTorch's. The limit of fp64 is 1e-11 of the norm. Other precisions may be ten times as far off as
PyTorch is when noise of the size of roundings is added to all its values.

A find leaves a folder with network, plan, weights, data, commands, and expected and seen values. --replay runs it
again.
"""

import argparse
import concurrent.futures
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path

EXIT_ENVIRONMENT = 5
COMPARED_PART = 0.8


def arguments_of(words):
    parser = argparse.ArgumentParser(prog="scripts/campaign networks", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="seed of the first case; each further one adds 1")
    parser.add_argument("--cases", type=int, default=100)
    parser.add_argument("--seconds", type=float, help="start no case after this time")
    parser.add_argument("--jobs", type=int, default=1, help="cases that run at the same time")
    parser.add_argument("--bin", type=Path, default=Path("build/release/bin"), help="folder of cnnplan and cnnexec")
    parser.add_argument("--finds", type=Path, default=Path("build/campaigns/networks"), help="gets a folder per find")
    parser.add_argument("--replay", type=Path, help="run the case of this folder, as a find leaves it, instead")
    parser.add_argument("--limit", type=float, default=60, help="seconds after which a program counts as hanging")
    return parser.parse_args(words)


def require_peer():
    """Ends the program where PyTorch or h5py is missing."""
    try:
        import h5py  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        print(f"scripts/campaign networks: {error}; scripts/setup --bench installs it", file=sys.stderr)
        sys.exit(EXIT_ENVIRONMENT)


class Case:
    """Runs one case in a folder, which keeps all its files."""

    def __init__(self, folder, options):
        from campaigns.networks_run import Programs
        self.folder = folder
        self.programs = Programs(options.bin.resolve(), folder, options.limit)
        self.case = self.plan = None

    def draw(self, seed):
        """Writes the network, weights and data of a seed."""
        import numpy
        from campaigns.networks_data import draw_data, draw_weights, write_files
        from campaigns.networks_plan import draw_case, write_json
        self.case, network = draw_case(seed)
        generator = numpy.random.default_rng(seed)
        weights, logits = draw_weights(generator, network)
        write_files(self.folder, weights, draw_data(generator, self.case, network, logits))
        write_json(self.folder / "network.json", network)
        write_json(self.folder / "case.json", self.case)

    def load(self):
        """Takes the files of a find, its plan included."""
        self.case = json.loads((self.folder / "case.json").read_text(encoding="utf-8"))
        if (self.folder / "plan.json").exists():
            self.plan = json.loads((self.folder / "plan.json").read_text(encoding="utf-8"))

    def compare(self):
        """Returns (verdict, text). @throws Refused, Find"""
        from campaigns.networks_compare import Comparison
        from campaigns.networks_data import WEIGHTS, read_data, read_tensors
        from campaigns.networks_run import Find
        self.plan = self.plan or self.programs.planned(self.case)
        weights, data = read_tensors(self.folder / WEIGHTS), read_data(self.folder)
        comparison = Comparison(self.case, self.plan, weights, data)
        if comparison.diverges():
            return "unstable", f"the training diverges, with values of {comparison.peak:.0e}"
        seen = self.programs.trained(self.case)
        if comparison.unequal_names(seen):
            raise Find(f"tensors that only one side has: {', '.join(comparison.unequal_names(seen))}")
        errors = comparison.errors(seen)
        worst = max(errors, key=lambda name: errors[name] / comparison.limit(name))
        text = f"{errors[worst]:.1e} of {comparison.limit(worst):.1e} at {worst}"
        if comparison.beyond(errors):
            self.keep_values(comparison.results, seen)
            raise Find(f"{len(comparison.beyond(errors))} of {len(errors)} tensors differ, worst {text}")
        return ("equal" if comparison.is_stable() else "unstable"), text

    def keep_values(self, expected, seen):
        import h5py
        with h5py.File(self.folder / "expected-and-seen.h5", "w") as file:
            for name, value in expected.items():
                file[f"expected/{name}"], file[f"seen/{name}"] = value, seen[name]

    def title(self):
        case = self.case
        return f"{case['ranks']} ranks {case['precision']:4} {case['backend']:9} {case['mode']:12}"


def verdict_of(case):
    """Returns (verdict, text)."""
    from campaigns.networks_run import Find, Refused
    try:
        return case.compare()
    except Refused as refused:
        return "refused", str(refused)
    except Find as find:
        return "FIND", str(find)


def timed(case):
    """Returns (verdict, text, seconds)."""
    begin = time.monotonic()
    return *verdict_of(case), time.monotonic() - begin


def record(case, outcome, counts):
    """Prints the line of a case and counts it."""
    verdict, text, seconds = outcome
    counts.verdicts[verdict] += 1
    if verdict == "refused":
        counts.refuse(text)
    if verdict == "equal":
        counts.compare(case.case, case.plan)
    print(f"seed {case.case['seed']} {case.title()} {verdict}: {text} ({seconds:.1f} s)", flush=True)


def run_seed(seed, options, end):
    """Draws and runs the case of a seed. Returns it with its outcome, or nothing if the time is over."""
    if time.monotonic() > end:
        return None
    with tempfile.TemporaryDirectory() as folder:
        case = Case(Path(folder), options)
        case.draw(seed)
        outcome = timed(case)
        if outcome[0] == "FIND":
            kept = options.finds / str(seed)
            shutil.rmtree(kept, ignore_errors=True)
            shutil.copytree(case.folder, kept)
        return case, outcome


def run_seeds(options, counts):
    """Runs the cases of all seeds, several at a time, and says where finds are."""
    end = time.monotonic() + (options.seconds or float("inf"))
    pool = concurrent.futures.ThreadPoolExecutor(options.jobs)
    try:
        seeds = range(options.seed, options.seed + options.cases)
        for done in pool.map(lambda seed: run_seed(seed, options, end), seeds):
            if done:
                record(*done, counts)
            if done and done[1][0] == "FIND":
                kept = options.finds / str(done[0].case["seed"])
                print(f"  files in {kept}; repeat with: scripts/campaign networks --replay {kept}", flush=True)
    finally:
        pool.shutdown(cancel_futures=True)  # Cases that have not begun do not begin after a failure.


def replay(options, counts):
    """Runs the case of a find again. Returns the exit code."""
    with tempfile.TemporaryDirectory() as folder:
        case = Case(Path(shutil.copytree(options.replay, folder, dirs_exist_ok=True)), options)
        case.load()
        record(case, timed(case), counts)
    return int(counts.verdicts["FIND"] > 0)


def main(arguments):
    """Runs the cases, and prints what they covered. Returns 1 after a find, or if too few cases were compared."""
    options = arguments_of(arguments)
    require_peer()
    from campaigns.networks_counts import Counts
    counts = Counts()
    if options.replay:
        return replay(options, counts)
    run_seeds(options, counts)
    print(counts.text())
    return ending(counts)


def ending(counts):
    """Prints what the campaign says, and returns its exit code."""
    cases, finds, compared = sum(counts.verdicts.values()), counts.verdicts["FIND"], counts.verdicts["equal"]
    print(f"{cases} cases, {compared} equal, {finds} finds")
    if compared + finds < COMPARED_PART * cases:
        print(f"fewer than {COMPARED_PART:.0%} of the cases were compared")
        return 1
    return int(finds > 0)
