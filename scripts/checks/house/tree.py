"""Lists the files of the repository that check-house reads, by part of the tree."""

import functools
from pathlib import Path

CPP = (".hpp", ".cpp", ".cu")
SOURCE_FOLDERS = ("planner", "executor", "profiler")
CODE_FOLDERS = (*SOURCE_FOLDERS, "tests", "scripts")
# These folders of the root hold files that are not the project's.
LEFT_OUT = {"build", "data", "venv", ".git"}


class Tree:
    """Gives the files below `root` by kind. Paths are relative to `root`, texts are read once."""

    def __init__(self, root):
        self.root = root
        tops = (path for path in sorted(root.iterdir()) if path.name not in LEFT_OUT)
        found = (path for top in tops for path in (sorted(top.rglob("*")) if top.is_dir() else [top]))
        self.files = [path.relative_to(root).as_posix() for path in found
                      if path.is_file() and "__pycache__" not in path.parts]

    @functools.cache
    def text(self, file):
        return (self.root / file).read_text(encoding="utf-8")

    def is_code(self, file):
        """Says whether a file is a C++, Python, shell or CMake file."""
        path = Path(file)
        if path.suffix in (*CPP, ".py", ".sh", ".cmake") or path.name == "CMakeLists.txt":
            return True
        return not path.suffix and (self.root / file).read_bytes()[:2] == b"#!"

    @functools.cached_property
    def code(self):
        """Returns all files whose comments are checked."""
        return [file for file in self.files if self.is_code(file)]

    @functools.cached_property
    def sources(self):
        """Returns the C++ files of the programs, without their tests."""
        return [file for file in self.code
                if file.startswith(tuple(f"{folder}/" for folder in SOURCE_FOLDERS)) and file.endswith(CPP)]

    @functools.cached_property
    def documents(self):
        return [file for file in self.files if file.endswith(".md")]

    def part_of(self, file):
        """Returns the part of the tree that a file counts for. Files for CMake count as scripts."""
        if file.startswith("tests/"):
            return "tests"
        is_source = file.split("/")[0] in SOURCE_FOLDERS and file.endswith(CPP)
        return "sources" if is_source else "scripts"
