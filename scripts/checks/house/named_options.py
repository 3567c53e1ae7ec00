"""Finds the options that the project's programs and scripts offer, and those that a document names."""

import functools
import re

from house.comments import is_python

NAME = r"--[a-z][a-z0-9-]*"
IN_TEXT = re.compile(rf"(?<![\w/-])({NAME})(?![\w*])")
# CLI11 takes "-p,--platform", argparse takes "-p", "--platform".
CLI11 = re.compile(r'\b(?:add_(?:option|flag)\w*|set_version_flag)\(\s*"([^"]*)"')
ARGPARSE = re.compile(r"\badd_argument\(([^)]*)")
HERE_DOCUMENT = re.compile(r"<<-?'?(\w+)'?\n(.*?)^\s*\1$", re.DOTALL | re.MULTILINE)
CASE_LABEL = re.compile(rf"^\s*(?:\S+ \| )*({NAME})(?: \| \S+)*\)", re.MULTILINE)


def options_in_cpp(text):
    """Returns the options that C++ code adds to a command line."""
    return set(re.findall(NAME, " ".join(CLI11.findall(text))))


def options_in_python(text):
    """Returns the options that Python code adds to a command line, or that its first docstring shows as usage."""
    usage = re.findall(r"^usage:.*(?:\n .*)*", text, re.MULTILINE)
    return set(re.findall(NAME, " ".join(ARGPARSE.findall(text) + usage)))


def options_in_shell(text):
    """Returns the options that a shell script prints in a text, or compares an argument with."""
    texts = " ".join(body for _, body in HERE_DOCUMENT.findall(text))
    return set(IN_TEXT.findall(texts)) | set(CASE_LABEL.findall(text))


@functools.cache
def options_in(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix in (".cpp", ".hpp"):
        return options_in_cpp(text)
    return options_in_python(text) if is_python(path, text) else options_in_shell(text)


def unknown_options(text, offered):
    """Yields (line number, option) for options in a document that nothing offers."""
    for number, line in enumerate(text.splitlines(), start=1):
        for option in IN_TEXT.findall(line):
            if option not in offered and option != "--help":
                yield number, option
