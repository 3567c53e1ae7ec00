"""Finds the project's C++ files, their includes, and the flags that they are compiled with."""

import functools
import json
import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDERS = ("planner", "executor", "profiler", "tests")
INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def source_files(root, suffixes=(".hpp", ".cpp", ".cu")):
    """Returns the paths of all sources relative to `root`, sorted."""
    found = []
    for folder in FOLDERS:
        found += [p for p in (root / folder).rglob("*") if p.suffix in suffixes and p.is_file()]
    return sorted(p.relative_to(root).as_posix() for p in found)


@functools.cache
def _includes_in(path, _time_ns, _size):
    """Returns what `includes_of` yields. A file is read again if its time or its size has changed."""
    lines = enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
    matches = ((number, INCLUDE.match(line)) for number, line in lines)
    return tuple((number, match[2], match[1] == '"') for number, match in matches if match)


def includes_of(path):
    """Yields (line number, name, whether the name is in quotes) for every include in the file."""
    status = path.stat()
    yield from _includes_in(path, status.st_mtime_ns, status.st_size)


def closure(root, file, seen=None):
    """Returns `file` and all files of the project that it includes, directly or not."""
    seen = set() if seen is None else seen
    if file not in seen and (root / file).is_file():
        seen.add(file)
        for _, name, quoted in includes_of(root / file):
            if quoted:
                closure(root, name, seen)
    return seen


def compiled_with(path):
    """Returns the sources that the compiler reads with `path`: `path`, or several that cmake/together.cmake includes
    in one file."""
    if path.parent.parent.name != "together":
        return [path]
    return [ROOT / name for _, name, _ in includes_of(path)]


def compile_commands(build):
    """Returns the compiler's arguments for each file of the project (relative to the root), without nvcc's files."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        arguments = shlex.split(entry["command"])
        if any(Path(program).name == "nvcc" for program in arguments[:2]):
            continue
        for path in compiled_with(Path(entry["file"])):
            if path.is_relative_to(ROOT) and path.relative_to(ROOT).parts[0] in FOLDERS:
                commands[path.relative_to(ROOT).as_posix()] = arguments
    return commands


def frontend_flags(arguments):
    """Returns the flags of a compile command that change the meaning of the source, or its warnings."""
    flags = []
    for i, argument in enumerate(arguments):
        if argument in ("-isystem", "-I"):
            flags.append(argument + arguments[i + 1])
        elif argument == "-x":
            flags.append("-x" + arguments[i + 1])
        elif argument.startswith(("-I", "-D", "-W", "-m", "-std=")):
            flags.append(argument)
    return flags
