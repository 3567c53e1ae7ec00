"""Finds in the text of an option or argument which values a completion can offer."""

import re
from dataclasses import dataclass

WORDS_OF_NAMES = ("NAME", "WHEN", "METHOD")  # words of --help for values with fixed names, or for a layer
NAME = re.compile(r"[a-z][a-z0-9_]*")
ANY_FILE = ("*",)


@dataclass(frozen=True)
class Values:
    names: tuple = ()
    suffixes: tuple = ()  # of files, or ANY_FILE
    folder: bool = False
    layer: bool = False


def as_names(text):
    """Returns the names that a text lists, or nothing where it is prose."""
    names = tuple(re.split(r", | or ", text.strip()))
    return names if all(map(NAME.fullmatch, names)) else ()


def fixed_names(text):
    """Returns the names in "one of a, b, c", in "Method: a, b or c", or before the colon of "a: what it does"."""
    plain = re.sub(r" \([^)]*\)", "", text)
    listed = re.search(r"; one of ([^;]+)", plain)
    if listed:
        return as_names(listed[1])
    clause = plain.split(";", maxsplit=1)[0]
    before, _, after = clause.partition(": ")
    return as_names(after or before) or as_names(before if after else "")


def shipped_names(solve, kind):
    """Returns the names of the networks or platforms that ship."""
    text = " ".join(line.strip() for line in solve.sections.get("NAMES", []))
    listed = re.search(rf"{kind} that ship: ([^.]*)\.", text)
    return tuple(listed[1].split(", ")) if listed else ()


class Catalogue:
    """Answers what each option and argument takes, from the help of all programs."""

    def __init__(self, helps):
        self.helps = {text.page: text for text in helps}

    def of_option(self, option):
        if option.text.startswith("As for cnnplan import"):
            return self.of_option(next(
                other for other in self.helps["cnnplan-import"].options if other.long == option.long))
        if option.long == "--layer":
            return Values(layer=True)
        if option.value in WORDS_OF_NAMES:
            return Values(names=fixed_names(option.text))
        if option.value == "FOLDER":
            return Values(folder=True)
        return self.of_file(option.long, option.text) if option.value == "FILE" else Values()

    def of_argument(self, argument):
        return self.of_file(argument.name, argument.text)

    def of_file(self, name, text):
        if name == "--output":
            return Values(suffixes=ANY_FILE)
        if name == "--platform":
            return Values(shipped_names(self.helps["cnnplan-solve"], "Platforms"), ("json",))
        if name in ("network", "networks"):
            return Values(shipped_names(self.helps["cnnplan-solve"], "Networks"), ("json", "onnx"))
        if "HDF5" in text:
            return Values(suffixes=("h5",))
        suffixes = (("json",) if "ONNX file" not in text else ()) + (("onnx",) if "ONNX" in text else ())
        return Values(suffixes=suffixes)
