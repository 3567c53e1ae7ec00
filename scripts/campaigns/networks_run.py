"""Plans and trains a case of the campaign on networks with the programs of a build."""

import json
import os
import re
import signal
import subprocess

from campaigns.networks_data import DATA, WEIGHTS, read_tensors
from campaigns.networks_plan import draw_platform, edited, without_channels, write_json

REFUSED = (2, 3, 4)  # exit codes of cnnplan with a reason
UNTRAINABLE = "normalises a single value"  # what cnnexec says of a batch norm that an edited plan splits too far
DUMP, INFERRED = "step.h5", "inferred.h5"
ENVIRONMENT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMP_NUM_THREADS": "1"}


class Refused(Exception):
    """Has the reason why there is no plan, or why it cannot be trained."""


class Find(Exception):
    """Has what is wrong with a program: how it ended, or what differs."""


class Programs:
    """Runs cnnplan and cnnexec on the files of the folder of a case."""

    def __init__(self, binaries, folder, limit_s):
        self.binaries, self.folder, self.limit_s = binaries, folder, limit_s

    def run(self, words, environment=None):
        """Returns (exit code, stderr). @throws Find if the time limit is over"""
        words = [str(word) for word in words]
        variables = os.environ | ENVIRONMENT | (environment or {})
        process = subprocess.Popen(words, cwd=self.folder, env=variables, text=True, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, start_new_session=True)
        try:
            text = process.communicate(timeout=self.limit_s)[1]
        except subprocess.TimeoutExpired:
            stop(process)
            raise Find(f"{os.path.basename(words[0])} did not end within {self.limit_s} s") from None
        return process.returncode, text

    def planned(self, case):
        """Writes plan.json and returns it. @throws Refused if there is no plan, Find if cnnplan fails"""
        write_json(self.folder / "platform.json", draw_platform(case["seed"], case["ranks"]))
        self.planner("solve", "network.json", "--ranks", case["ranks"], "--batch", case["batch"], "--precision",
                     case["precision"], *case["solve"])
        path = self.folder / "plan.json"
        plan = json.loads(path.read_text(encoding="utf-8"))
        if case["mode"] == "edited":
            plan = edited(plan, case["seed"])
            write_json(path, plan)
            return self.repaired(plan)
        return plan

    def planner(self, *words):
        code, text = self.run([self.binaries / "cnnplan", *words])
        if code in REFUSED:
            raise Refused(last_line(text))
        if code != 0:
            raise Find(f"cnnplan {words[0]} ended with {code}: {last_line(text)}")

    def repaired(self, plan):
        """Splits samples instead of channels in each layer whose split `cnnplan check` refuses."""
        for _ in plan["layers"]:
            try:
                self.planner("check", "plan.json")
                return plan
            except Refused as refused:
                layer = re.search(r"/layers/(\d+)/mesh", str(refused))
                if not layer:
                    raise
                plan = without_channels(plan, int(layer[1]))
                write_json(self.folder / "plan.json", plan)
        self.planner("check", "plan.json")
        return plan

    def executor(self, case, *words):
        """Returns the command that runs a plan with the data and the seed of a case."""
        launcher = ("mpirun", "--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", 1, "-n",
                    case["ranks"]) if case["ranks"] > 1 else ()
        return [*launcher, self.binaries / "cnnexec", "--strategy", "plan.json", "--backend", case["backend"],
                "--data", DATA, *words]

    def trained(self, case):
        """Trains as the plan says, and returns the tensors of the dump. @throws Find if cnnexec fails"""
        words = ["--weights", WEIGHTS, "--seed", case["seed_of_training"], "--steps", case["steps"], "--dump", DUMP]
        for option in ("learning_rate", "momentum", "weight_decay", "loss_scale"):
            words += ["--" + option.replace("_", "-"), repr(case[option])]
        self.execute(case, words)
        if not (self.folder / DUMP).exists():
            raise Find("cnnexec ended with 0 and without a dump")
        found = read_tensors(self.folder / DUMP)
        if case["infer"]:
            self.execute(case, ["--weights", DUMP, "--infer", INFERRED])
            found["inferred"], = read_tensors(self.folder / INFERRED).values()
        return found

    def execute(self, case, words):
        command = self.executor(case, *words)
        isa = {"DNNL_MAX_CPU_ISA": case["isa"]} if case["isa"] else {}
        with open(self.folder / "commands.txt", "a", encoding="utf-8") as file:
            file.write(" ".join([*(f"{key}={value}" for key, value in isa.items()), *map(str, command)]) + "\n")
        code, text = self.run(command, isa)
        if code in REFUSED and UNTRAINABLE in text:
            raise Refused(last_line(text))
        if code != 0:
            raise Find(f"cnnexec ended with {code}: {last_line(text)}")


def stop(process):
    """Ends a process and its children. mpirun ends its ranks when it gets SIGTERM."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        os.killpg(process.pid, number)
        try:
            process.communicate(timeout=5)
            return
        except subprocess.TimeoutExpired:
            continue


def last_line(text):
    """Returns the line that says why a program ended, without what mpirun adds to it."""
    lines = [line for line in text.splitlines() if line.startswith(("cnnplan:", "cnnexec:"))]
    return (lines or text.strip().splitlines() or ["no message"])[-1]
