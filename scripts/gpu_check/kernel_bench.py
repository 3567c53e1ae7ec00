"""Runs cudnn_bench, which times own kernels and cuDNN's engines, and sums up the lines that it prints."""

import json
import re

from gpu_check.bundle import Skip, any_code
from gpu_check.processes import EXIT_TIME_LIMIT

PROGRAM = "cudnn_bench"
SKIP_ENGINE = "--skip-engine"
STATISTICS = "--statistics"
# The program names everything on stderr before it first runs. An engine comes before its kernel.
NAMED = re.compile(r"^cudnn_bench: (.*)$", re.MULTILINE)
ENGINE = re.compile(r"^first run of (engine \d+)\b")
LEAST_S = 10  # are needed for a second run
RESERVE_S = 5  # this part of the stage's time is left, so that the program ends by itself
FILE = "cudnn-bench.jsonl"


def lines_in(path):
    """Returns the JSON objects, and the numbers of the lines that are none."""
    found, garbage = [], []
    for number, line in enumerate(path.read_bytes().decode("utf-8", errors="replace").splitlines(), 1):
        try:
            entry = json.loads(line)
        except ValueError:
            entry = None
        if isinstance(entry, dict):
            found.append(entry)
        elif line.strip():
            garbage.append(number)
    return found, garbage


def is_positive(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value > 0


def of_kind(lines, kind, *numbers):
    """Returns the lines of that kind that have the named numbers."""
    return [line for line in lines if line.get("line") == kind
            and all(is_positive(line.get(number)) for number in numbers)]


def weighted_rate(own):
    """Returns bytes per second of all own kernels together, each as often as a step runs it."""
    seconds = sum(line["count"] * line["median_s"] for line in own)
    return sum(line["count"] * line["median_s"] * line["bytes_per_s"] for line in own) / seconds


def report_peaks(stage, lines):
    """Returns the largest rates of the copy and the product, or None."""
    rates = []
    for kind, key, unit in (("copy", "bytes_per_s", "B/s"), ("product", "flops_per_s", "flop/s")):
        found = [line[key] for line in of_kind(lines, kind, key)]
        rates.append(max(found, default=None))
        if found:
            stage.figure(f"measured {kind}", max(found), unit)
    return rates


def report_own(stage, lines, copy_rate):
    own = of_kind(lines, "own", "count", "median_s", "bytes_per_s")
    failed = [line for line in lines if line.get("line") == "own" and "error" in line]
    stage.problems += [f"own kernel: {json.dumps(line)[:500]}" for line in failed]
    if not own:
        return
    stage.figure("own kernels, timed", len(own), "")
    stage.figure("own kernels of a step together", sum(line["count"] * line["median_s"] for line in own), "s")
    rate = weighted_rate(own)
    stage.figure("own kernels, bytes per second", rate, "B/s")
    if copy_rate:
        stage.figure("own kernels", rate / copy_rate, "of copy")


def sums_outputs(line):
    return str(line.get("variant", "")).endswith("statistics")


def gain_by_statistics(lines):
    """Returns the seconds of a step that engines save which compute the statistics of batch norms, too. Without them,
    the fastest other engine runs, and an own kernel reads its output. The result is None where nothing was timed."""
    own = {str(line.get("out")): line["median_s"] for line in of_kind(lines, "own", "median_s")
           if (line.get("kind"), line.get("phase")) == ("batch_norm", "forward_statistics")}
    plain, summing, counts = {}, {}, {}
    for line in of_kind(lines, "engine", "median_s", "before_batch_norm"):
        key = json.dumps([line.get(name) for name in ("in", "out", "window", "groups")])
        counts[key] = line["before_batch_norm"], str(line.get("out"))
        fastest = summing if sums_outputs(line) else plain
        fastest[key] = min(line["median_s"], fastest.get(key, line["median_s"]))
    gains = [count * max(0, plain[key] + own[out] - summing[key]) for key, (count, out) in counts.items()
             if key in plain and key in summing and out in own]
    return sum(gains) if gains else None


def report_statistics(stage, lines):
    gain = gain_by_statistics(lines)
    if gain is not None:
        stage.figure("statistics in convolutions would save, of a step", gain, "s")


def report_engines(stage, lines):
    good = of_kind(lines, "engine", "flops_per_s")
    failed = [line for line in lines if line.get("line") == "engine" and "error" in line]
    for phase in sorted({str(line.get("phase")) for line in good}):
        best = max((line for line in good if str(line.get("phase")) == phase),
                   key=lambda line: line["flops_per_s"])
        stage.figure(f"fastest engine, {phase}", best["flops_per_s"], "flop/s")
        stage.data.setdefault("fastest", {})[phase] = best
    if good or failed:
        stage.figure("engines, timed", len(good), f"of {len(good) + len(failed)}")
        stage.data["failed engines"] = failed


def summarise(stage, path):
    lines, garbage = lines_in(path)
    copy_rate, _ = report_peaks(stage, lines)
    report_own(stage, lines, copy_rate)
    report_engines(stage, lines)
    report_statistics(stage, lines)
    ends = of_kind(lines, "done")
    stage.data.update(lines=len(lines), garbage_lines=garbage[:100], end=ends[-1] if ends else None)
    stage.figure("lines", len(lines), "")
    if garbage:
        stage.problems.append(f"{path.name}: {len(garbage)} lines are no JSON object, the first is line {garbage[0]}")
    elif not ends or ends[-1].get("done") is False:
        stage.problems.append(f"{path.name}: the benchmark has not come to its end")


def run_once(context, stage, workload, *options):
    """Keeps the lines in a file as they come, and sums them up however the program ends."""
    bundle, path = context.bundle, free_path(context.files)
    taken = bundle.run(
        bundle.bin / PROGRAM, "--network", bundle.network(workload.network), "--batch", workload.batch,
        "--precision", workload.precision or "fp32", *options, "--budget", max(1, int(bundle.left_s() - RESERVE_S)),
        allowed=any_code(), out=path)
    stage.data.setdefault("files", []).append(path.name)
    stage.part(summarise, stage, path)
    if taken.code != 0:
        stage.problems.append(bundle.failure(taken))
    return taken


def culprit(stderr):
    """Returns the engine that was named last; nothing if another kernel was."""
    named = NAMED.findall(stderr)
    engine = ENGINE.search(named[-1]) if named else None
    return engine.group(1) if engine else ""


def bench_stage(workload):
    """Makes the stage. After an engine that ends the program, it goes on without this engine, once."""
    def work(context, stage):
        bundle = context.bundle
        if context.backend != "cudnn":
            raise Skip("the kernels run on the CPU")
        if not bundle.has(PROGRAM):
            raise Skip(f"the bundle has no {PROGRAM}")
        more = [STATISTICS] if context.continues else []  # cuDNN compiles these engines for half a minute
        taken = run_once(context, stage, workload, *more)
        engine = culprit(taken.stderr) if taken.code not in (0, EXIT_TIME_LIMIT) else ""
        if engine and bundle.left_s() > LEAST_S and SKIP_ENGINE in bundle.run(bundle.bin / PROGRAM, "--help").stdout:
            stage.data["without"] = engine
            run_once(context, stage, workload, SKIP_ENGINE, engine)
    return work


def free_path(files):
    """Returns a new name, so that no run overwrites the file of another one."""
    path, number = files / FILE, 1
    while path.exists():
        number += 1
        path = files / FILE.replace(".", f"-{number}.", 1)
    return path
