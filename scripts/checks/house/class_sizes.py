"""Counts the methods and fields of C++ classes, by reading braces and semicolons instead of parsing C++."""

import dataclasses
import re

from cpp_text import code_of, line_of

CLASS = re.compile(r"(?:^|[\s>])(?<!enum )(?:class|struct|union) (?:\[\[\w+\]\] )?(?:alignas\([^)]*\) )?"
                   r"((?:\w+::)*\w+)(?: final)?(?: ?:[^:].*)?$", re.DOTALL)
ACCESS = re.compile(r"\b(?:public|private|protected) ?:(?!:)")
NO_MEMBER = re.compile(r"(?:template ?<.*> ?)?(?:using|typedef|static_assert|enum|class|struct|union)\b", re.DOTALL)
MARK = re.compile(r"[{};]")
SPACE = re.compile(r"\s+")


@dataclasses.dataclass
class ClassSize:
    """Holds the members of a class. A friend that is a function counts as a method, since it reaches the state."""

    name: str
    line: int
    methods: int = 0
    fields: int = 0


def without_arguments(text):
    """Removes the arguments of templates, the innermost first."""
    before = None
    while text != before:
        before, text = text, re.sub(r"<[^<>]*>", "", text)
    return text


def add_member(size, head):
    """Counts one declaration of a class, which ends where `head` ends."""
    head = SPACE.sub(" ", ACCESS.sub("", head)).strip()
    is_friend = head.startswith("friend ")
    head = re.sub(r"\[\[.*?\]\] ?", "", head.removeprefix("friend "))
    if not head or NO_MEMBER.match(head):
        return
    if "operator" in head or "(" in without_arguments(head).split("=")[0]:
        size.methods += 1
    elif not is_friend:
        size.fields += without_arguments(head).count(",") + 1


def end_of_braces(code, begin):
    """Returns the position after the brace that closes the one at `begin`."""
    depth = 0
    for match in re.compile(r"[{}]").finditer(code, begin):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return match.end()
    return len(code)


def is_function(head):
    return "operator" in head or "(" in without_arguments(ACCESS.sub("", head)).split("=")[0]


def class_name(head):
    """Returns the name of the class whose body follows `head`, or nothing."""
    match = CLASS.search(SPACE.sub(" ", head).strip())
    return match[1] if match and not re.search(r"\benum (?:class|struct) ", head) else None


class Reader:
    """Reads one file. The stack holds the open namespaces (None) and classes around the position."""

    def __init__(self, text):
        self.code, self.position = code_of(text), 0
        self.stack, self.head, self.sizes = [], "", []

    def open(self, brace):
        """Reads a brace that opens a class, a namespace, a function's body or an initial value."""
        name = class_name(self.head)
        if name and "(" not in without_arguments(self.head).split(name)[0]:
            outer = [size.name for size in self.stack if size]
            self.stack.append(ClassSize("::".join([*outer[-1:], name]), line_of(self.code, brace)))
            self.sizes.append(self.stack[-1])
            self.head = ""
        elif re.search(r"\bnamespace\b|\bextern \"\"\s*$", self.head):
            self.stack.append(None)
            self.head = ""
        else:
            self.skip_braces(brace)

    def skip_braces(self, brace):
        """Leaves out a body or an initial value. A method ends with its body, a field with a semicolon."""
        self.position = end_of_braces(self.code, brace)
        follows = self.code[self.position:self.position + 20].lstrip()[:1]
        is_whole = self.head.count("(") == self.head.count(")")  # else the braces are in a parameter
        if is_whole and is_function(self.head) and follows not in (",", "{", ";"):
            self.end_declaration()
        elif not self.stack and follows not in (",", "{", ";"):
            self.head = ""

    def end_declaration(self):
        if self.stack and self.stack[-1]:
            add_member(self.stack[-1], self.head)
        self.head = ""

    def read(self):
        for_end = MARK.search(self.code)
        while for_end:
            self.head += self.code[self.position:for_end.start()]
            self.position = for_end.end()
            if for_end[0] == "{":
                self.open(for_end.start())
            elif for_end[0] == ";":
                self.end_declaration()
            elif self.stack:
                self.stack.pop()
                self.head = ""
            for_end = MARK.search(self.code, self.position)
        return self.sizes


def class_sizes(text):
    """Returns the size of every class that the text of a file defines."""
    return Reader(text).read()
