"""Finds casts in C++ code, also those that a constructor's or a helper's call hides."""

import re

from cpp_text import code_of, line_of

INTEGER = r"(?:(?:std::)?(?:size_t|ptrdiff_t|u?int(?:8|16|32|64)_t)|int|long|unsigned|(?:\w+::)*\w+Index)"
STATIC_CAST = re.compile(r"\bstatic_cast<")
# This is the name of a type before brackets that hold a name, as in std::size_t(rank) or std::int64_t{rank}.
CONSTRUCTED = re.compile(rf"(?<![\w:<.~>])(?<!explicit )(?<!constexpr ){INTEGER}"
                         r"(?:\((?=[^()]*[A-Za-z_])(?![^()]*\)\s*[{>])|\{(?=[^{}]*[A-Za-z_]))")
C_STYLE = re.compile(rf"(?<![\w>\])])\({INTEGER}\) ?[\w(]")
# This is a function that does nothing but cast its last parameter.
HELPER = re.compile(rf"\b(\w+)\((?:[^(){{}};]*[\s&*])?(\w+)\)[^(){{}};]*\{{\s*return "
                    rf"(?:static_cast<{INTEGER}>\(|{INTEGER}[({{])\s*\2[)}}];\s*\}}")


def helpers_in(text):
    """Returns the names of the functions that do nothing but cast."""
    return {match[1] for match in HELPER.finditer(code_of(text))}


def calls_of(helpers):
    """Returns a pattern for calls of `helpers`, not for members and not for their declarations."""
    names = "|".join(map(re.escape, sorted(helpers)))
    return re.compile(rf"(?<![\w.>:~])(?<!\w )(?:{names})\(|(?<=return )(?:{names})\(")


def casts_in(text, helpers):
    """Yields (line, kind) for every cast in the text of a file, in no order."""
    code = code_of(text)
    kinds = {"static_cast": STATIC_CAST, "constructor": CONSTRUCTED, "C style": C_STYLE}
    if helpers:
        kinds["helper"] = calls_of(helpers)
    for kind, pattern in kinds.items():
        for match in pattern.finditer(code):
            yield line_of(code, match.start()), kind
