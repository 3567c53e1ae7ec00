"""Finds the names that C++ files define, declare and use, by reading lines instead of parsing C++.

This works since the project's style does not indent the contents of a namespace.
"""

import functools
import re

import cpp_text
from source_files import includes_of

TYPE = re.compile(r"^(?:class|struct|enum class|union) (\w+)")
FUNCTION = re.compile(r"(?<![:.])\b([a-z]\w*)\(")
MEMBER = re.compile(r"\b([A-Z]\w*::~?\w+)\(")
VALUE = re.compile(r"(?<![:.])\b([a-zA-Z]\w*)(?: =|[{;]| \{)")
KEYWORDS = {"const", "noexcept", "override"}
BROUGHT_IN = re.compile(r"^using (?:\w+::)+(\w+);")
USED = re.compile(r"(?<![\w.>~:])(?:[A-Z]\w*\b|[a-z]\w*(?=\())")
MACRO = re.compile(r"^# *define (\w+)", re.MULTILINE)
DECLARED_TYPE = re.compile(r"\b(?:class|struct|enum class|union|using|typename|namespace) (\w+)")
DECLARED = re.compile(r"(\w+|[>&*\]])[&*]* +[&*]*([A-Za-z]\w*)(?= ?[({=;,)\]:])")
DECLARED_TOGETHER = re.compile(r"\[((?:\w+, )*\w+)\]")
# A name after one of these words is used, not declared.
NO_TYPES = {"return", "else", "case", "throw", "new", "delete"}
# These words look like functions.
NO_FUNCTIONS = {"alignas", "bool", "decltype", "int", "sizeof", "void"}


class Names:
    """Holds the names that files define outside of functions and classes. `qualified` has pairs of a namespace and a
    name in it, `lines` pairs of a namespace and the line in it that defines names.
    """

    def __init__(self):
        self.qualified, self.lines = set(), []

    def add(self, namespace, names):
        self.qualified |= {(namespace, name) for name in names}

    def add_line(self, namespace, line):
        """Takes the names before ( { = or ; of a line that is not indented."""
        self.lines.append((namespace, line))
        self.add(namespace, FUNCTION.findall(line) + self.defined_in(line))

    @staticmethod
    def defined_in(line):
        """Returns the names in the line, without those of functions. The line defines the first of them."""
        names = BROUGHT_IN.findall(line) or TYPE.findall(line) or VALUE.findall(line)
        return [name for name in names if name not in KEYWORDS]


@functools.cache
def names_of(root, file):
    """Returns (all names, own names, local names) that `file` seems to define.

    Own names are those of unnamed namespaces, of no namespace, those that it brings in from another namespace, and
    members that it defines. Local names are those of unnamed namespaces.
    """
    names, own, local = Names(), Names(), Names()
    text = (root / file).read_text(encoding="utf-8")
    namespace, inside_unnamed = "", False
    for line in text.splitlines():
        if line == "namespace {":
            inside_unnamed = True
        elif line == "}  // namespace":
            inside_unnamed = False
        elif line.startswith(("namespace", "}  // namespace")):
            namespace = line.split()[1] if line[0] == "n" else ""
        elif line[:1].isalpha() and not line.startswith("using namespace"):
            names.add_line(namespace, line)
            own.add(namespace, set(MEMBER.findall(line)))
            if inside_unnamed or not namespace or line.startswith("using "):
                own.add_line(namespace, line)
            if inside_unnamed and not line.startswith("using "):
                local.add_line(namespace, line)
    if "DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN" in text:
        own.add("", {"main"})
    return names, own, local


@functools.cache
def code_of(root, file):
    """Returns the text of `file` without comments, strings, and lines for the preprocessor."""
    return cpp_text.code_of((root / file).read_text(encoding="utf-8"))


def offered_by(root, header):
    """Returns the names that `header` itself defines outside of functions and classes."""
    names, _, _ = names_of(root, header)
    return {name for _, name in names.qualified} | set(MACRO.findall((root / header).read_text(encoding="utf-8")))


@functools.cache
def declared_in(root, file):
    """Returns all names that `file` seems to declare: types, functions, members, parameters and variables."""
    code = code_of(root, file)
    found = offered_by(root, file) | set(DECLARED_TYPE.findall(code))
    found |= {name for before, name in DECLARED.findall(code) if before not in NO_TYPES}
    for together in DECLARED_TOGETHER.findall(code):
        found |= set(together.split(", "))
    return found


def used_in(root, file):
    """Returns the types, macros and called functions that `file` names without an object or a namespace before them."""
    return set(USED.findall(code_of(root, file))) - NO_FUNCTIONS
