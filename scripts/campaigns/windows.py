"""Searches convolutions of oneDNN's backend that are wrong, crash or are refused, on every instruction set.

The space has all phases, 1 to 3 dims, kernels of 1 to 11, strides, dilation, asymmetric padding, extents from 1, odd
channels and groups. Build the program windows_campaign first. The finds are printed with the command that repeats them.
"""

import argparse
import collections
import os
import subprocess
import sys

PROGRAM = "build/release/bin/windows_campaign"
INSTRUCTION_SETS = ("SSE41", "AVX", "AVX2", "AVX512_CORE", "DEFAULT")
CANNOT_RUN = 77  # the exit code where the instruction set lacks the precision


def environment(instruction_set, threads):
    values = dict(os.environ, DNNL_MAX_CPU_ISA=instruction_set, OMP_NUM_THREADS=str(threads))
    values.pop("ONEDNN_MAX_CPU_ISA", None)
    return values


class Campaign:
    """Runs the program on one instruction set in one precision, and collects its finds."""

    def __init__(self, instruction_set, precision, options):
        self.instruction_set, self.precision, self.options = instruction_set, precision, options
        self.implementations = collections.Counter()
        self.finds = 0

    def name(self):
        return f"{self.instruction_set} {self.precision}"

    def repeat(self, case):
        return (f"DNNL_MAX_CPU_ISA={self.instruction_set} OMP_NUM_THREADS={self.options.threads} "
                f"{PROGRAM} --case '{case}'")

    def report(self, case, implementation, fault):
        self.finds += 1
        print(f"{self.name()}: {implementation or 'no kernel'}: {fault}\n    {self.repeat(case)}", flush=True)

    def run_until_crash(self, first, count):
        """Returns the seed after the last one that was tried, and the exit code."""
        command = [PROGRAM, str(first), str(count), self.precision]
        result = subprocess.run(command, env=environment(self.instruction_set, self.options.threads), text=True,
                                capture_output=True, check=False)
        seed, case, implementation, open_case = first - 1, "", "", False
        for line in result.stdout.splitlines():
            word, number, text = (line.split("\t") + ["", ""])[:3]
            if word == "try":
                seed, case, open_case = int(number), text, True
            elif word == "ran":
                implementation, open_case = text, False
                self.implementations[text or "none"] += 1
            elif word == "find":
                self.report(case, implementation, text)
        if open_case or result.returncode < 0:
            self.report(case, "unknown kernel", f"exit code {result.returncode}: {result.stderr.strip()[-200:]}")
        elif result.returncode not in (0, 1, CANNOT_RUN):
            sys.exit(f"scripts/campaign: exit code {result.returncode} of {' '.join(command)}\n{result.stderr}")
        return seed + 1, result.returncode

    def run(self):
        """Returns False where the instruction set lacks the precision."""
        seed, end = self.options.seed, self.options.seed + self.options.count
        while seed < end:
            seed, code = self.run_until_crash(seed, end - seed)
            if code == CANNOT_RUN:
                return False
        return True

    def summary(self):
        kernels = ", ".join(f"{count} {name}" for name, count in self.implementations.most_common())
        return f"{self.name()}: {self.finds} finds in {self.options.count} convolutions: {kernels}"


def main(arguments):
    parser = argparse.ArgumentParser(prog="scripts/campaign windows", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the first convolution; default: 1")
    parser.add_argument("--count", type=int, default=2000, help="convolutions for each instruction set and precision; default: 2000")
    parser.add_argument("--isa", nargs="+", choices=INSTRUCTION_SETS, default=INSTRUCTION_SETS,
                        help="values of DNNL_MAX_CPU_ISA; default: all")
    parser.add_argument("--precision", nargs="+", choices=("fp32", "bf16"), default=("fp32", "bf16"),
                        help="default: both, where the instruction set has them")
    parser.add_argument("--threads", type=int, default=1, help="of a kernel; default: 1")
    options = parser.parse_args(arguments)
    if not os.path.exists(PROGRAM):
        sys.exit("scripts/campaign: build the program first: scripts/build release windows_campaign")
    finds = 0
    for isa in options.isa:
        for precision in options.precision:
            campaign = Campaign(isa, precision, options)
            if campaign.run():
                print(campaign.summary(), flush=True)
            finds += campaign.finds
    return 1 if finds else 0
