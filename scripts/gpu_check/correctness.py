"""The check programs: every kernel against the reference in double, several ranks on one card, and
compute-sanitizer."""

import re
import shutil

from gpu_check.bundle import EXIT_SKIPPED, EXIT_TIME_LIMIT, NoDevice, Skip, StageError

SANITIZER_CASES = 12
SUMMARY = re.compile(r"test cases:\s*(\d+) \|\s*(\d+) passed \|\s*(\d+) failed(?: \|\s*(\d+) skipped)?")
# A dry run on the CPU takes tests of the same kind that every build has.
PROGRAMS = {"cudnn": ("cudnn_check", "equivalence_cudnn_check")}
DRY_PROGRAMS = ("convolution_test", "equivalence_test")


def programs(context):
    return PROGRAMS.get(context.backend, DRY_PROGRAMS)


def counted(result):
    """Passed and failed test cases, over all ranks that printed a summary."""
    found = SUMMARY.findall(result.stdout)
    return sum(int(row[1]) for row in found), sum(int(row[2]) for row in found)


def checked(result, stage, name):
    if result.code == EXIT_SKIPPED:
        raise NoDevice(f"{name}: {result.tail(1)}")
    passed, failed = counted(result)
    if passed + failed > 0:
        stage.figure(f"{name}, failed test cases", failed, f"of {passed + failed}", at_most=0)
    stage.data[name] = {"passed": passed, "failed": failed, "seconds": round(result.seconds, 3)}
    if result.code != 0:
        raise StageError(f"{name}: exit code {result.code}\n{result.tail(30)}")
    if passed == 0:
        raise StageError(f"{name}: no test case ran\n{result.tail()}")


def any_code():
    return range(-64, 256)  # below 0: the signal that ended it


def ended_by_itself():
    return [code for code in any_code() if code != EXIT_TIME_LIMIT]


def kernels(context, stage):
    program = programs(context)[0]
    result = context.bundle.run(context.bundle.bin / program, allowed=ended_by_itself())
    checked(result, stage, program)


def ranks(context, stage):
    program = programs(context)[1]
    for count in context.rank_counts:
        result = context.bundle.mpirun(count, program, allowed=ended_by_itself())
        checked(result, stage, f"{program}, {count} ranks" if count > 1 else f"{program}, 1 rank")


def spaced(cases, wanted):
    """That many of them, evenly spread."""
    if len(cases) <= wanted:
        return cases
    return [cases[index * len(cases) // wanted] for index in range(wanted)]


def test_cases(bundle, program):
    """Names, with what doctest takes for a separator or a wildcard escaped."""
    listing = bundle.run(bundle.bin / program, "--list-test-cases", "--no-version").stdout
    names = [line.strip() for line in listing.splitlines() if not line.startswith(("[doctest]", "==="))]
    return [name.replace("\\", "\\\\").replace(",", "\\,") for name in names if name]


def sanitizer(context, stage):
    """memcheck, one test case at a time, as many as there is time for."""
    tool = shutil.which("compute-sanitizer", path=context.bundle.environment.get("PATH"))
    if context.backend != "cudnn":
        raise Skip("the kernels run on the CPU")
    if tool is None:
        raise Skip("no compute-sanitizer on the PATH")
    program = programs(context)[0]
    cases = spaced(test_cases(context.bundle, program), SANITIZER_CASES)
    clean = []
    for case in cases:
        result = context.bundle.run(
            tool, "--tool", "memcheck", "--error-exitcode", "99", "--leak-check", "no",
            context.bundle.bin / program, f"--test-case={case}", allowed=any_code())
        if result.code == EXIT_TIME_LIMIT:
            break
        if result.code == EXIT_SKIPPED:
            raise NoDevice(result.tail(1))
        if result.code != 0:
            stage.data["clean"] = clean
            stage.figure("memcheck, test cases with findings", 1, "", at_most=0)
            raise StageError(f"memcheck, {case}: exit code {result.code}\n{result.tail(30)}")
        clean.append(case)
    stage.data.update(clean=clean, chosen=cases)
    if not clean:
        raise StageError("no test case ended within the time limit")
    stage.figure("memcheck, test cases with findings", 0, f"of {len(clean)}", at_most=0)
