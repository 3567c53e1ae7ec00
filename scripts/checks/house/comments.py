"""Finds the blocks of comments in C++, Python, shell and CMake files, and the docstrings of Python files."""

import ast
import dataclasses
import re
import textwrap
from pathlib import Path

CPP = (".hpp", ".cpp", ".cu")
HASH = (".py", ".cmake", ".sh", ".txt", "")
CPP_COMMENT = re.compile(r"^\s*//+ ?(.*)$")
HASH_COMMENT = re.compile(r"^\s*# ?(.*)$")
# These comments speak to a tool.
DIRECTIVE = re.compile(r"^(?:NOLINT|clang-format |shellcheck |group \||noqa|pylint:|!|-\*-|=+$|-+$)")


@dataclasses.dataclass(frozen=True)
class Comment:
    """Holds the text of a block without its markers. `line` is the number of its first line."""

    file: str
    line: int
    text: str


def blocks_of_lines(file, lines, pattern):
    """Yields a comment for each run of lines that hold nothing else."""
    start, found = 0, []
    for number, line in enumerate([*lines, "end"], start=1):
        match = pattern.match(line)
        if match and not DIRECTIVE.match(match[1]):
            start = start or number
            found.append(match[1])
        elif found:
            yield Comment(file, start, "\n".join(found))
            start, found = 0, []


def docstrings(file, text):
    """Yields the docstrings of a Python file. @throws SyntaxError where the file is not Python"""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            if docstring := ast.get_docstring(node):
                yield Comment(file, node.body[0].lineno, docstring)


def is_python(path, text):
    return path.suffix == ".py" or re.match(r"#!.*\bpython3$", text.split("\n", 1)[0]) is not None


def comments_of(root, file):
    """Returns the comments of one file, in order. `file` is relative to `root`."""
    text = (root / file).read_text(encoding="utf-8")
    path = Path(file)
    pattern = CPP_COMMENT if path.suffix in CPP else HASH_COMMENT
    found = list(blocks_of_lines(file, text.splitlines(), pattern))
    if is_python(path, text):
        found += docstrings(file, text)
    return sorted(found, key=lambda comment: comment.line)


def paragraphs(text):
    """Yields the paragraphs of prose in a comment. Indented lines are formulas, tables or commands."""
    prose = []
    for line in [*textwrap.dedent(text).splitlines(), ""]:
        if line.strip() and not line.startswith(("  ", "usage:", "@")):
            prose.append(re.sub(r"^- ", "", line))
        else:
            if prose:
                yield " ".join(prose)
            prose = [line] if line.startswith("@") else []
    if prose:
        yield " ".join(prose)
