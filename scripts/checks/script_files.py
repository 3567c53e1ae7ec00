"""Lists the project's scripts, and finds which scripts start, source or import another one."""

import functools
import re
from pathlib import Path

from source_files import ROOT

FOLDERS = ("scripts", "tests")
NO_SCRIPTS = (".cpp", ".hpp", ".cu", ".cmake", ".md", ".txt", ".pyc")


@functools.cache
def all_scripts():
    """Returns the paths of all scripts relative to the root, sorted."""
    found = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*")
             if path.is_file() and path.suffix not in NO_SCRIPTS and not path.name.startswith(".")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


@functools.cache
def text_of(file):
    return (ROOT / file).read_text(encoding="utf-8", errors="replace")


def word(text):
    return rf"(?<![\w-]){re.escape(text)}(?![\w-])"


@functools.cache
def mention_of(script):
    """Returns a pattern that finds a mention of the script in another one.

    A mention is its path, an import, or its name, unless the name is a plain word.
    """
    path = Path(script)
    patterns = [word(script)]
    if not path.name.isalpha():
        patterns.append(word(path.name))
    if path.suffix == ".py":
        patterns.append(rf"^\s*(?:from|import) [^#\n]*\b{path.stem}\b")
    return re.compile("|".join(patterns), re.MULTILINE)


@functools.cache
def mentioned_by(script):
    return [other for other in all_scripts() if other != script and mention_of(other).search(text_of(script))]


@functools.cache
def parts_of(script):
    """Returns the script and all scripts that it reaches, directly or not."""
    found, open_ones = set(), [script]
    while open_ones:
        part = open_ones.pop()
        if part not in found:
            found.add(part)
            open_ones += mentioned_by(part)
    return frozenset(found)
