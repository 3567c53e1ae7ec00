"""Counts test cases in what a doctest program printed with --duration, also if it was ended before its summary.

doctest prints a case's failures, then its duration and name; so a case without such a line has not ended."""

import re
from dataclasses import dataclass, field

ENDED = re.compile(r"^\d+\.\d+ s: (.+)$", re.MULTILINE)
WRONG = re.compile(r": (?:FATAL )?ERROR: ")
SUMMARY = re.compile(r"test cases:\s*(\d+) \|\s*(\d+) passed \|\s*(\d+) failed")
LISTED = re.compile(r"unskipped test cases passing the current filters: (\d+)")
EQUAL = re.compile(r"MESSAGE: (\w+), (\w+): (\d+) cases equal")


@dataclass
class Counts:
    """By name, over all ranks that printed; `equal` counts random plans of the training tests."""

    passed: list = field(default_factory=list)
    failed: list = field(default_factory=list)
    equal: int = 0
    has_summary: bool = False


def counted(text):
    counts = Counts(has_summary=bool(SUMMARY.search(text)),
                    equal=sum(int(row[2]) for row in EQUAL.findall(text)))
    begin = 0
    for end in ENDED.finditer(text):
        is_wrong = WRONG.search(text, begin, end.start())
        (counts.failed if is_wrong else counts.passed).append(end.group(1).strip())
        begin = end.end()
    if WRONG.search(text, begin):
        counts.failed.append("a test case that has not ended")
    return by_summary(counts, text)


def by_summary(counts, text):
    """A summary knows better: ranks that print at the same time mix their lines."""
    rows = SUMMARY.findall(text)
    passed, failed = (sum(int(row[column]) for row in rows) for column in (1, 2))
    if passed > len(counts.passed) and not counts.failed:
        counts.passed += ["unnamed"] * (passed - len(counts.passed))
    if failed > len(counts.failed):
        counts.failed += ["unnamed"] * (failed - len(counts.failed))
    return counts


def listed(text):
    """Names of test cases. @throws ValueError where the listing is not whole"""
    names = [line.strip() for line in text.splitlines()
             if line.strip() and not line.startswith(("[doctest]", "==="))]
    wanted = LISTED.search(text)
    if wanted is None or int(wanted.group(1)) != len(names):
        raise ValueError("no whole list of test cases")
    return names


def filter_of(names):
    """The option that chooses exactly these, with separators and wildcards escaped."""
    return "--test-case=" + ",".join(name.replace("\\", "\\\\").replace(",", "\\,") for name in names)
