"""Renames what C++ files define in unnamed namespaces, so that one file may include all of them.

Names are found by reading lines (cpp_names.py), not by parsing C++. In doubt, a name stays as it is.
"""

import re

from cpp_names import code_of, names_of
from cpp_text import replace_code

FUNCTION = re.compile(r"^[^(={]*?(?<![\w:])([a-z]\w*)\((.*)")
QUALIFIED = re.compile(r"(?<!\w)(\w+)::(?=(\w+))")
PARAMETER_NAME = re.compile(r" \w+(?=,|\)|$)")
FIELD = re.compile(r"(?:\.|->)(\w+)\b(?!\()")
METHOD = re.compile(r"^ +(?! |return\b|throw\b|new\b|else\b)[^=\n(]*[\w>&*] (\w+)\(", re.MULTILINE)
DEFINED_MACRO = re.compile(r"^# *define (?:.*\\\n)*.*", re.MULTILINE)
WORD = re.compile(r"\w+")
# Libraries look for some of these functions by their names. The others are words of the language.
FIXED = {"begin", "end", "from_json", "main", "swap", "to_json", "alignas", "requires", "static_assert",
         "void"}


def overload(match):
    """Returns a function's name with the types of the parameters in its first line."""
    return f"{match[1]}({PARAMETER_NAME.sub('', match[2])}"


def split_names(root, file, seen):
    """Returns (names that `with_renamed` may replace, own names that may clash with those of other files).

    `seen` are the qualified names of the headers that `file` includes. A name stays if a header has it in the same
    namespace. It also stays if a macro or a library may need it, or if it is the name of a field or method, too. So do
    names after their namespace. A function that a header overloads clashes with functions of the same parameters.
    """
    _, own, local = names_of(root, file)
    spaces = {part for space, _ in local.lines for part in space.split("::")}
    code = code_of(root, file)
    macros = " ".join(DEFINED_MACRO.findall((root / file).read_text(encoding="utf-8")))
    stay = FIXED.union(FIELD.findall(code), METHOD.findall(code), WORD.findall(macros))
    stay |= {name for space, name in QUALIFIED.findall(code) if space in spaces}
    renamed, clashing = set(), own.qualified - local.qualified
    for namespace, line in local.lines:
        function = FUNCTION.match(line)
        for name in [function[1]] if function else local.defined_in(line)[:1]:
            is_seen = (namespace, name) in seen
            if name not in stay and not is_seen:
                renamed.add(name)
            else:
                clashing.add((namespace, overload(function) if function and is_seen else name))
    return renamed, {(space, name) for space, name in clashing if name.split("::")[0] not in renamed}


def with_renamed(text, names, number):
    """Returns the text of a file with `number` at the end of each of its `names`, in the style of types or others."""
    if not names:
        return text
    either = "|".join(sorted(names))
    constructor = re.compile(rf"\b({either})::(~?)\1\b")
    word = re.compile(rf"(?<![\w.])(?<!->)(?<!::)(?<!::~)(?:{either})\b")

    def renamed(name):
        return name + ("" if name[0].isupper() else "_") + str(number)

    def with_new_names(code):
        code = constructor.sub(lambda match: f"{renamed(match[1])}::{match[2]}{renamed(match[1])}", code)
        return word.sub(lambda match: renamed(match[0]), code)

    return replace_code(text, with_new_names)
