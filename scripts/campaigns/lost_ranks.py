"""Stops or kills a rank in random phases of a run, under three launchers, and asks for an end of all ranks.

A case draws a phase, a rank and a moment, and sends the rank SIGSTOP or SIGKILL. Within the limit of --comm-timeout and
the time of --grace, the launcher and all ranks must have ended. Ranks that were not lost must end with exit code 8, or
have been ended by the launcher, and a message must name the lost rank.

mpirun ends the other ranks by itself when one of them is killed, and so does Slurm's PMIx, but not mpirun with
--enable-recovery. srun is left out where Slurm does not run. Set SLURM_CONF where its configuration is not in /etc.
"""

import argparse
import collections
import random
import signal
import sys
import tempfile
import time
from pathlib import Path

BEGIN_LIMIT_S = 60  # until a phase has begun, else the case is drawn again
SAMPLES = 4096


def arguments_of(words):
    parser = argparse.ArgumentParser(prog="scripts/campaign lost-ranks", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="seed of the first case; each further one adds 1")
    parser.add_argument("--stops", type=int, default=16, help="cases with SIGSTOP, for each launcher")
    parser.add_argument("--kills", type=int, default=32, help="cases with SIGKILL, for each launcher")
    parser.add_argument("--ranks", type=int, default=4)
    parser.add_argument("--timeout", type=float, default=5, help="--comm-timeout, in seconds")
    parser.add_argument("--grace", type=float, default=5, help="seconds after the limit, until all have ended")
    parser.add_argument("--launchers", nargs="+", default=["mpirun", "recovery", "srun"],
                        choices=["mpirun", "recovery", "srun"])
    parser.add_argument("--bin", type=Path, default=Path("build/release/bin"), help="folder of the programs")
    return parser.parse_args(words)


def write_data(folder):
    """Writes data.h5, and returns False where h5py is missing."""
    try:
        import h5py
        import numpy
    except ImportError:
        return False
    numbers = numpy.random.default_rng(1)
    with h5py.File(folder / "data.h5", "w") as file:
        file["samples"] = numbers.random((SAMPLES, 2, 16, 16), dtype=numpy.float32)
        file["labels"] = numbers.integers(0, 5, SAMPLES).astype(numpy.int32)
    return True


class Phase:
    """Names a command, the line of stderr after which the phase has begun, and the longest further delay."""

    def __init__(self, name, command, begins, delay_s):
        self.name, self.command, self.begins, self.delay_s = name, command, begins, delay_s


def phases(binaries, has_data):
    backend = ["--backend", "reference"]
    endless = ["--steps", 10**9, "-v"]
    train = [binaries / "cnnexec", *backend]
    profile = [binaries / "cnnplan-profile", *backend]
    found = [Phase("set-up", [*train, *endless], None, 0.3),
             Phase("steps", [*train, *endless], "rank  host", 0.5),
             Phase("checkpoint", [*train, *endless, "--checkpoint", "state", "--checkpoint-every", 1], "state saved", 0.2),
             Phase("verify", [*train, "--verify"], None, 1.0),
             Phase("links", [*profile, "--links", "-o", "platform-new.json"], None, 3.0),
             Phase("profile", [*profile, "network.json", "-o", "profile-new.json", "--repetitions", 1000], None, 2.0)]
    if has_data:
        found += [Phase("data", [*train, "--data", "data.h5", "--epochs", 10**6, "-v"], "rank  host", 1.0),
                  Phase("evaluation", [*train, "--data", "data.h5", "--epochs", 10**6, "--test", "data.h5"],
                        "test accuracy", 3.0),
                  Phase("inference", [*train, "--data", "data.h5", "--infer", "outputs.h5"], None, 1.0)]
    return found


class Case:
    """Loses one rank, and finds out what is wrong with the end of the others."""

    def __init__(self, phase, launcher, number, draw, options):
        self.phase, self.launcher, self.number, self.draw, self.options = phase, launcher, number, draw, options
        self.victim = draw.randrange(options.ranks)
        self.seconds = 0.0

    def run(self, folder):
        """Returns a list of faults, or None where the phase was over before the rank was lost."""
        from campaigns.lost_ranks_run import Launch
        for name in ("profile-new.json", "outputs.h5"):
            (folder / name).unlink(missing_ok=True)
        launch = Launch(self.launcher, self.options.ranks,
                        [*self.phase.command, "--comm-timeout", self.options.timeout], folder)
        try:
            if not self.lose(launch):
                launch.wait_for_end(1)
                return None
            begin = time.monotonic()
            code = launch.wait_for_end(self.options.timeout + self.options.grace)
            self.seconds = time.monotonic() - begin
            others = [found for rank, found in launch.codes().items() if rank != self.victim]
            if others == [0] * (self.options.ranks - 1):
                return None  # the rank had done all its work
            return self.faults(launch, code)
        finally:
            launch.clear()

    def lose(self, launch):
        """Returns whether the rank got the signal while all ranks ran."""
        begins = self.phase.begins
        if not launch.wait_for_pids(BEGIN_LIMIT_S):
            return False
        if begins is not None and not launch.wait_for(lambda: begins in launch.text(), BEGIN_LIMIT_S):
            return False
        time.sleep(self.draw.uniform(0, self.phase.delay_s))
        return not launch.codes() and launch.send(self.number, [self.victim])

    def faults(self, launch, code):
        from campaigns.lost_ranks_run import PEER_LOST
        faults = []
        if code is None:
            faults.append(f"hangs: ranks {launch.orphans()} still run, launcher ended: {launch.has_ended()}")
        ends_others = self.launcher != "recovery"
        codes = launch.codes()
        for rank in range(self.options.ranks):
            expected = {PEER_LOST, None, 143, 137} if ends_others else {PEER_LOST}
            if rank != self.victim and codes.get(rank) not in expected:
                faults.append(f"rank {rank} ended with {codes.get(rank)}")
        told = f"rank {self.victim} " in launch.text() or "has not returned" in launch.text()
        if not told and not (ends_others and self.number == signal.SIGKILL):
            faults.append("no message names the rank")
        return [*faults, *launch.lines] if faults else []


def run_launcher(launcher, options, folder):
    """Returns the number of finds."""
    has_data = write_data(folder)
    all_phases = phases(options.bin.resolve(), has_data)
    finds, longest, met = 0, 0.0, collections.Counter()
    numbers = [signal.SIGSTOP] * options.stops + [signal.SIGKILL] * options.kills
    for index, number in enumerate(numbers):
        seed = options.seed + index
        draw = random.Random(seed)
        found = None
        while found is None:
            phase = all_phases[draw.randrange(len(all_phases))]
            case = Case(phase, launcher, number, draw, options)
            found = case.run(folder)
        met[phase.name] += 1
        longest = max(longest, case.seconds)
        if found:
            finds += 1
            print(f"{launcher} seed {seed}: {number.name} of rank {case.victim} in {phase.name}, "
                  f"{case.seconds:.1f} s: " + "\n    ".join(found), flush=True)
    lost = ", ".join(f"{name} {count}" for name, count in sorted(met.items()))
    print(f"{launcher:9} {options.stops:3} stopped  {options.kills:3} killed  {finds:3} finds  longest end "
          f"{longest:4.1f} s  ({lost})", flush=True)
    return finds


def main(arguments):
    from campaigns.lost_ranks_run import has_slurm, write_plan
    options = arguments_of(arguments)
    finds = 0
    print(f"limit {options.timeout:g} s, {options.ranks} ranks", flush=True)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_plan(options.bin.resolve(), folder, options.ranks)
        for launcher in options.launchers:
            if launcher == "srun" and not has_slurm():
                print("srun      left out: Slurm does not run here", file=sys.stderr)
                continue
            finds += run_launcher(launcher, options, folder)
    return 1 if finds else 0
