"""Tells code from comments, strings and lines for the preprocessor in the text of a C++ file."""

import re

NO_CODE = re.compile(
    r'R"(?P<mark>\w*)\(.*?\)(?P=mark)"'  # a raw string
    r'|"(?:[^"\\\n]|\\.)*"'
    r"|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'"  # a character; 1'000 is a number
    r"|//[^\n]*|/\*.*?\*/"
    r"|^[ \t]*#(?:[^\n\\]|\\.)*",  # a line for the preprocessor, with the lines that continue it
    re.MULTILINE | re.DOTALL)


def code_of(text):
    """Returns the text with texts as "" and without comments and lines for the preprocessor."""

    def blank(match):
        is_text = match[0].startswith(('"', 'R"', "'"))
        return ('""' if is_text else "") + "\n" * match[0].count("\n")

    return NO_CODE.sub(blank, text)


def replace_code(text, replace):
    """Returns the text with `replace(part)` in the place of every part that is code."""
    parts, end = [], 0
    for match in NO_CODE.finditer(text):
        parts += [replace(text[end:match.start()]), match[0]]
        end = match.end()
    return "".join(parts) + replace(text[end:])


def line_of(text, position):
    return text.count("\n", 0, position) + 1
