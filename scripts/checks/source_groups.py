"""Finds sources that can be compiled as one file, because their names do not clash.

source_groups.py LIMIT    prints a line `GROUP PATH` for each source; a group has at most LIMIT sources, all of one folder

Names are found by reading lines (cpp_names.py), not by parsing C++.
"""

import os
import re
import sys

from cpp_names import Names, names_of
from source_files import ROOT, closure, includes_of, source_files

USED_NAMESPACE = re.compile(r"^using namespace ([\w:]+)", re.MULTILINE)
# Sources that read such headers take several times as long as others.
LARGE_LIBRARIES = {"boost", "CLI", "onnx", "google"}


def clashes(own, other_own, other_seen):
    """Says whether a name that one group keeps to itself stands for something else in another group."""
    others = other_own.functions | other_own.others | other_seen.functions | other_seen.others
    return not (own.functions.isdisjoint(others) and own.others.isdisjoint(others))


class Group:
    """Holds sources whose own names none of the others sees through its includes."""

    def __init__(self):
        self.files, self.seen, self.own = [], Names(), Names()

    def takes(self, seen, own, limit):
        fits = len(self.files) < limit
        return fits and not clashes(own, self.own, self.seen) and not clashes(self.own, own, seen)

    def add(self, file, seen, own):
        self.files.append(file)
        self.seen.add(seen)
        self.own.add(own)


def libraries_of(files):
    """Returns the properties that sources of one group share: whether they read large libraries, and which names they
    use.
    """
    headers = {name.split("/")[0] for file in files for _, name, quoted in includes_of(ROOT / file) if not quoted}
    used = {name for file in files for name in USED_NAMESPACE.findall((ROOT / file).read_text(encoding="utf-8"))}
    return bool(headers & LARGE_LIBRARIES), "nlohmann" in headers, frozenset(used)


def groups_of(files, limit, meaning):
    """Returns groups of at most `limit` files that agree in `meaning` and libraries. A file goes to the first group
    that takes it.
    """
    groups = {}
    for file in sorted(files):
        parts = closure(ROOT, file)
        seen = Names()
        for part in parts - {file}:
            seen.add(names_of(ROOT, part)[0])
        own = names_of(ROOT, file)[1]
        alike = groups.setdefault((meaning(file), libraries_of(parts)), [])
        group = next((group for group in alike if group.takes(seen, own, limit)), None)
        if group is None:
            group = Group()
            alike.append(group)
        group.add(file, seen, own)
    return [group.files for alike in groups.values() for group in alike]


def main():
    sources = source_files(ROOT, (".cpp",))
    for number, group in enumerate(groups_of(sources, int(sys.argv[1]), os.path.dirname)):
        print("".join(f"{number} {file}\n" for file in group), end="")


if __name__ == "__main__":
    main()
