"""Blanks out what is not code in the text of a C++ file, and keeps its lines."""

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


def line_of(text, position):
    return text.count("\n", 0, position) + 1
