"""Finds the lines that a developer has changed, so that a broken limit can point to them."""

import re
import subprocess

HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@")


def output_of(root, *command):
    """Returns what git prints, or nothing where there is no repository or no such revision."""
    done = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else ""


def lines_in_diff(text):
    """Returns {file: numbers of new lines} of a diff without context."""
    found, file = {}, ""
    for line in text.splitlines():
        if line.startswith("+++ "):
            file = line[4:].removeprefix("b/")
        elif match := HUNK.match(line):
            first, count = int(match[1]), int(match[2] or 1)
            found.setdefault(file, set()).update(range(first, first + count))
    return found


def changed_lines(root):
    """Returns the lines that differ from HEAD, or from its parent where none do. Untracked files have all lines."""
    untracked = output_of(root, "ls-files", "--others", "--exclude-standard").splitlines()
    for revision in ("HEAD", "HEAD~1"):
        found = lines_in_diff(output_of(root, "diff", "-U0", "--no-color", "--relative", revision))
        for file in untracked:
            found[file] = range(1, 1 << 30)
        if found:
            return found
    return {}


def among(places, changed):
    """Returns the places on changed lines, or else those in changed files."""
    in_files = [place for place in places if place.file in changed]
    return [place for place in in_files if place.line in changed[place.file]] or in_files
