"""Runs the check programs: every kernel against the reference in double, several ranks on one card, and
compute-sanitizer. Processes run at the same time, and each counts as soon as it has ended."""

import concurrent.futures
import os
import shutil

from gpu_check import doctest_output
from gpu_check.bundle import EXIT_SKIPPED, Skip, StageError, any_code

# A dry run on the CPU takes similar tests that every build has.
PROGRAMS = {"cudnn": ("cudnn_check", "equivalence_cudnn_check")}
DRY_PROGRAMS = ("convolution_test", "equivalence_test")
MOST_PROCESSES = 16
RANDOM_PLANS = 4  # for each precision and kind of split
RANDOM_KERNELS, SMOKE_KERNELS = 12, 2  # for each test case that has random kernels
SUM_POSITIONS = 10_000_000  # of the sums over many positions
EXIT_MEMCHECK = 99
TOOLKIT = "/usr/local/cuda/bin"  # is often there without being on the PATH
# Each kind of kernel has one or two cases here, and none of them is slow.
SMOKE = ("convolution: depthwise", "convolution: windows over many channels",
         "batch_norm: all phases on dense blocks", "pooling: random windows in two and three dims",
         "softmax_cross_entropy: random blocks, per image and per pixel",
         "sgd: momentum and weight decay as in PyTorch, by hand", "sgd: random vectors of every length")
# These kernels index memory themselves. A case of 80 convolutions would take minutes under memcheck.
MEMCHECK = ("convolution: depthwise", "convolution: strides wider than the block",
            "pooling: random windows in two and three dims", "pooling: empty blocks",
            "batch_norm: all phases on dense blocks", "batch_norm: all phases on blocks inside larger buffers",
            "softmax_cross_entropy: random blocks, per image and per pixel",
            "element-wise functions: both phases on random blocks", "accumulate: random blocks",
            "sgd: random vectors of every length")
SLOWEST_FIRST = ("sums: ", "convolution: random", "convolution: fp32 keeps", "convolution: ", "gradient: ")


def programs(context):
    return PROGRAMS.get(context.backend, DRY_PROGRAMS)


def environment_of(context, cases, **further):
    """Asks for few random cases, long sums, and a line per test case, so that cases of a killed program count."""
    environment = dict(context.bundle.environment, CNNPLAN_CASE_LINES="1", **further)
    environment.setdefault("CNNPLAN_CASES", str(cases))
    environment.setdefault("CNNPLAN_SUM_POSITIONS", str(SUM_POSITIONS))
    return environment


def at_the_same_time(works, most):
    """Calls the works without arguments, and yields their results in the order in which they end."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=most) as pool:
        for future in concurrent.futures.as_completed([pool.submit(work) for work in works]):
            yield future.result()


class Tally:
    """Adds up the figures of several processes of one check program while they end."""

    def __init__(self, stage, name, total=None):
        self.stage, self.name, self.total = stage, name, total
        self.passed, self.failed, self.equal = 0, 0, 0
        self.processes = stage.data.setdefault("processes", {}).setdefault(name, [])

    def add(self, result, counts):
        self.passed += counts.passed
        self.failed += counts.failed
        self.equal += counts.equal
        self.processes.append({
            "code": result.code, "seconds": round(result.seconds, 3), "output": result.out.name,
            "passed": counts.passed, "failed": counts.failed})
        ended = self.passed + self.failed
        if ended:
            self.stage.figure(f"{self.name}, failed test cases", self.failed, f"of {ended}", at_most=0)
        if self.total:
            self.stage.figure(f"{self.name}, test cases that ended", ended, f"of {self.total}")
        if self.equal:
            self.stage.figure(f"{self.name}, random plans that are equal", self.equal, "plans")


def problem_of(result, counts, bundle):
    """Says why this process does not count as good; the text is empty if it does."""
    if result.code == EXIT_SKIPPED:
        return f"{result.name}: no device: {result.tail(1)}"
    if result.code != 0:
        return bundle.failure(result)
    if not counts.has_summary:
        return f"{result.name}: the summary is missing\n{result.tail()}"
    if counts.failed or not counts.passed:
        return f"{result.name}: {'failed' if counts.failed else 'no test case ran'}\n{result.tail()}"
    return ""


def count(stage, tally, result, bundle):
    counts = doctest_output.counted(result.stdout)
    stage.part(tally.add, result, counts)
    for found in doctest_output.sums(result.stdout):
        stage.part(stage.figure, found.name, found.error, "", at_most=found.bound)
    problem = problem_of(result, counts, bundle)
    if problem:
        stage.problems.append(problem)


def test_cases(bundle, program):
    """Returns all names. @throws StageError"""
    listing = bundle.run(bundle.bin / program, "--list-test-cases", "--no-version")
    try:
        return doctest_output.listed(listing.stdout)
    except ValueError as error:
        raise StageError(f"{program}: {error}\n{listing.tail()}") from error


def named_cases(stage, bundle, program, wanted):
    """Returns the names of `wanted` that the program has. @throws StageError where it has none"""
    there = set(test_cases(bundle, program))
    stage.data["not in the program"] = [name for name in wanted if name not in there]
    chosen = [name for name in wanted if name in there]
    if not chosen:
        raise StageError(f"{program} has none of: {', '.join(wanted)}")
    return chosen


def smoke(context, stage):
    """Runs one case of each kind of kernel, each in a process of its own."""
    names = named_cases(stage, context.bundle, programs(context)[0], SMOKE)
    check_cases(context, stage, [[name] for name in names], SMOKE_KERNELS)


def check_cases(context, stage, shards, random_cases):
    bundle, program = context.bundle, programs(context)[0]
    tally = Tally(stage, program, sum(len(shard) for shard in shards))
    environment = environment_of(context, random_cases)

    def run(shard):
        return lambda: stage.part(bundle.run, bundle.bin / program, doctest_output.filter_of(shard),
                                  environment=environment, allowed=any_code())

    for result in at_the_same_time([run(shard) for shard in shards], context.cores):
        if result:
            count(stage, tally, result, bundle)


def shards_of(names, wanted):
    """Deals the cases out one by one, slow ones first, so that each process has its share of them."""
    def weight(name):
        return next((place for place, start in enumerate(SLOWEST_FIRST) if name.startswith(start)),
                    len(SLOWEST_FIRST))
    ordered = sorted(names, key=weight)
    return [ordered[place::wanted] for place in range(min(wanted, len(ordered)))]


def kernels(context, stage):
    """Runs all cases, dealt out to more processes than there are cores."""
    names = test_cases(context.bundle, programs(context)[0])
    check_cases(context, stage, shards_of(names, min(MOST_PROCESSES, 2 * context.cores)), RANDOM_KERNELS)


def ranks(context, stage):
    """Runs random plans, for each precision and number of ranks in an mpirun of its own."""
    bundle, program = context.bundle, programs(context)[1]
    tallies = {number: Tally(stage, f"{program}, {number} rank{'s' if number > 1 else ''}")
               for number in context.rank_counts}

    def run(number, precision):
        environment = environment_of(context, RANDOM_PLANS, **({"CNNPLAN_PRECISION": precision} if precision else {}))
        return lambda: (number, stage.part(bundle.mpirun, number, program, environment=environment,
                                           allowed=any_code()))

    works = [run(number, precision) for precision in context.precisions for number in context.rank_counts]
    for number, result in at_the_same_time(works, max(2, context.cores // 4)):
        if result:
            count(stage, tallies[number], result, bundle)


def sanitizer(context, stage):
    """Runs memcheck on cases by name, each in a process of its own."""
    bundle = context.bundle
    folders = bundle.environment.get("PATH", os.defpath)
    tool = shutil.which("compute-sanitizer", path=f"{folders}:{TOOLKIT}")
    if context.backend != "cudnn":
        raise Skip("the kernels run on the CPU")
    if tool is None:
        raise Skip(f"no compute-sanitizer on the PATH or in {TOOLKIT}")
    program = programs(context)[0]
    cases = named_cases(stage, bundle, program, MEMCHECK)

    def run(case):
        return lambda: (case, stage.part(
            bundle.run, tool, "--tool", "memcheck", "--error-exitcode", EXIT_MEMCHECK, "--leak-check", "no",
            bundle.bin / program, doctest_output.filter_of([case]), allowed=any_code(),
            environment=environment_of(context, SMOKE_KERNELS)))

    clean, bad = stage.data.setdefault("clean", []), stage.data.setdefault("with findings", [])
    for case, result in at_the_same_time([run(case) for case in cases], max(2, context.cores // 2)):
        if result:
            report_memcheck(stage, case, result, bundle)
    if not clean and not bad:
        raise StageError("no test case ended within the time limit")


def report_memcheck(stage, case, result, bundle):
    """Counts the case, unless it was killed: then it is neither clean nor wrong."""
    clean, bad = stage.data["clean"], stage.data["with findings"]
    problem = problem_of(result, doctest_output.counted(result.stdout), bundle)
    if problem:
        stage.problems.append(f"memcheck: {problem}")
    if not problem:
        clean.append(case)
    elif result.code == EXIT_MEMCHECK:
        bad.append(case)
    if clean or bad:
        stage.figure("memcheck, test cases with findings", len(bad), f"of {len(clean) + len(bad)}", at_most=0)
