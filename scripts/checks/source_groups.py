"""Finds sources that can be compiled as one file, because their names do not clash.

source_groups.py LIMIT    prints a line `GROUP PATH` for each source; a group has at most LIMIT sources, all of one folder

Names are found by reading lines (cpp_names.py), not by parsing C++.
"""

import functools
import os
import re
import sys

from cpp_names import names_of
from source_files import ROOT, closure, includes_of, source_files

USED_NAMESPACE = re.compile(r"^using namespace ([\w:]+)", re.MULTILINE)
# Sources that read such headers take several times as long as others.
LARGE_LIBRARIES = {"boost", "CLI", "onnx", "google"}


@functools.cache
def enclosing(namespace):
    """Returns the namespace and those around it, of which the global one is the last."""
    parts = namespace.split("::") if namespace else []
    return tuple("::".join(parts[:n]) for n in range(len(parts), -1, -1))


class Homes:
    """Holds qualified names, so that it is quickly known whether a name is in a namespace, or in one within it."""

    def __init__(self):
        self.names, self.within = set(), set()

    def add(self, qualified):
        self.names |= qualified
        self.within |= {(outer, name) for namespace, name in qualified for outer in enclosing(namespace)}

    def has_related(self, qualified):
        """Says whether one of `qualified` is also a name here, in its namespace, around it or within it."""
        return any(
            home in self.within or any((outer, home[1]) in self.names for outer in enclosing(home[0]))
            for home in qualified
        )


class Group:
    """Holds sources whose own names none of the others sees through its includes."""

    def __init__(self):
        self.files, self.all, self.own = [], Homes(), Homes()

    def takes(self, seen, own, limit):
        """Says whether no own name of the new file is a name of the group, and no own name of the group is seen by it."""
        fits = len(self.files) < limit
        return fits and not self.all.has_related(own) and not self.own.has_related(seen)

    def add(self, file, seen, own):
        self.files.append(file)
        self.all.add(seen | own)
        self.own.add(own)


def libraries_of(files):
    """Returns the properties that sources of one group share: whether they read large libraries, and which names they
    use.
    """
    headers = {name.split("/")[0] for file in files for _, name, quoted in includes_of(ROOT / file) if not quoted}
    used = {name for file in files for name in USED_NAMESPACE.findall((ROOT / file).read_text(encoding="utf-8"))}
    return bool(headers & LARGE_LIBRARIES), "nlohmann" in headers, frozenset(used)


def own_names_of(file, _seen):
    return names_of(ROOT, file)[1].qualified


def groups_of(files, limit, meaning, own_names=own_names_of):
    """Returns groups of at most `limit` files that agree in `meaning` and libraries. A file goes to the first group
    that takes it. `own_names(file, seen)` are those that may clash, where the headers of `file` have the names `seen`.
    """
    groups = {}
    for file in files:
        parts = closure(ROOT, file)
        seen = set().union(*(names_of(ROOT, part)[0].qualified for part in parts - {file}))
        own = own_names(file, seen)
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
