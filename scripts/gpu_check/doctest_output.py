"""Counts test cases in the output of a doctest program, also if the program was ended before its summary.

With CNNPLAN_CASE_LINES=1 a program prints `case passed NAME` or `case failed NAME` as soon as a case ends. Tests of
sums over many positions print their errors (tests/executor/backend/cudnn/exact_sums.hpp)."""

import re
from dataclasses import dataclass

ENDED = re.compile(r"^case (passed|failed) .+$", re.MULTILINE)
WRONG = re.compile(r": (?:FATAL )?ERROR: ")
SUMMARY = re.compile(r"test cases:\s*(\d+) \|\s*(\d+) passed \|\s*(\d+) failed")
LISTED = re.compile(r"unskipped test cases passing the current filters: (\d+)")
SUM = re.compile(r"^sum of (\d+): (.+): error (\S+), at most (\S+), (?:PASS|FAIL)$", re.MULTILINE)
EQUAL = re.compile(r"MESSAGE: \w+, \w+: (\d+) cases equal")


@dataclass(frozen=True)
class Counts:
    """Counts over all ranks that printed; `equal` is the number of random plans of the training tests."""

    passed: int = 0
    failed: int = 0
    equal: int = 0
    has_summary: bool = False


@dataclass(frozen=True)
class Sum:
    """Holds the error of a sum over positions, relative to the sum of absolute values, and its bound."""

    name: str
    error: float
    bound: float


def sums(text):
    """Returns the sums in the order of their lines; a line that was cut off is none."""
    return [Sum(f"sum of {terms} positions: {name}", float(error), float(bound))
            for terms, name, error, bound in SUM.findall(text)]


def counted(text):
    """Counts lines and summaries, which agree where both are there; killed ranks have no summary."""
    lines = ENDED.findall(text)
    summaries = SUMMARY.findall(text)
    passed = max(lines.count("passed"), sum(int(row[1]) for row in summaries))
    failed = max(lines.count("failed"), sum(int(row[2]) for row in summaries))
    if failed == 0 and WRONG.search(text):
        failed = 1  # the case has not ended
    return Counts(passed, failed, sum(int(count) for count in EQUAL.findall(text)), bool(summaries))


def listed(text):
    """Returns the names of test cases. @throws ValueError where the listing is not whole"""
    names = [line.strip() for line in text.splitlines()
             if line.strip() and not line.startswith(("[doctest]", "==="))]
    wanted = LISTED.search(text)
    if wanted is None or int(wanted.group(1)) != len(names):
        raise ValueError("no whole list of test cases")
    return names


def filter_of(names):
    """Returns the option that chooses exactly these cases; separators in names are escaped."""
    return "--test-case=" + ",".join(name.replace("\\", "\\\\").replace(",", "\\,") for name in names)
