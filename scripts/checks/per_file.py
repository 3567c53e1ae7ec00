"""Runs a check once per file, in parallel, and skips files that have passed it and have not changed since.

What has passed is known to all clones of a user, since its key leaves out where the clone is.
"""

import concurrent.futures
import hashlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

from source_files import ROOT, closure

KEPT_DAYS = 30


def _passed_files(name):
    """Returns the folder with an empty file for each key that has passed, without keys that were not used for long."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    passed = cache / "cnnplan" / name
    passed.mkdir(parents=True, exist_ok=True)
    for marker in passed.iterdir():
        if marker.stat().st_mtime < time.time() - KEPT_DAYS * 86400:
            marker.unlink(missing_ok=True)
    return passed


def _libraries():
    """Returns the versions of the packages that have headers, or nothing on a system without Debian's packages."""
    if shutil.which("dpkg-query") is None:
        return b""
    return subprocess.run(["dpkg-query", "-W", "*-dev"], stdout=subprocess.PIPE, check=True).stdout


def _key(file, command, salt):
    """Returns a digest that changes with the file, its includes, the command, and `salt` (version, options)."""
    command = [str(argument).replace(str(ROOT), "") for argument in command]
    digest = hashlib.sha256(repr((command, salt)).encode())
    for part in sorted(closure(ROOT, file)):
        digest.update(part.encode() + b"\0" + (ROOT / part).read_bytes())
    return digest.hexdigest()


def _run(command):
    result = subprocess.run(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return result.returncode, result.stdout


def _parts(group, output):
    """Splits a group into the files that errors name and the others, or into halves if either of them is empty."""
    errors = [line for line in output.splitlines() if ": error:" in line]
    named = [file for file in group if any(f"{file}:" in line for line in errors)]
    others = [file for file in group if file not in named]
    if named and others:
        return named, others
    return group[: len(group) // 2], group[len(group) // 2 :]


def _statuses(groups, command_of_group):
    """Yields (file, status, output) for every file.

    A group that fails is looked at in parts, since a file may fail only because of the others.
    """
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        while groups:
            parts = []
            for group, (status, output) in zip(groups, pool.map(_run, map(command_of_group, groups))):
                if status == 0 or len(group) == 1:
                    yield from ((file, status, output) for file in group)
                else:
                    parts += _parts(group, output)
            groups = parts


def check_files(name, command_of, files, salt="", groups_of=None, command_of_group=None):
    """Prints what fails and a closing line, and returns the exit status of the check.

    `command_of(file)` is the command that exits 0 when `file` is fine. `groups_of(files)` may divide files into lists
    that `command_of_group(group)` looks at together.
    """
    passed = _passed_files(name)
    salt = (salt, _libraries())
    keys = {file: _key(file, command_of(file), salt) for file in files}
    todo = [file for file in files if not (passed / keys[file]).exists()]
    for file in set(files).difference(todo):
        (passed / keys[file]).touch()
    failed = 0
    groups = groups_of(todo) if groups_of else [[file] for file in todo]
    for file, status, output in _statuses(
        groups, lambda group: command_of(group[0]) if len(group) == 1 else command_of_group(group)
    ):
        if status == 0:
            (passed / keys[file]).touch()
        else:
            failed += 1
            print(f"{file}:\n{output}")
    print(f"{name}: {len(files)} files, {len(files) - len(todo)} unchanged, {failed} failed")
    return 1 if failed else 0


def tool_version(tool):
    """Returns the output of `tool --version`. The program ends if the tool is missing."""
    try:
        return subprocess.run([tool, "--version"], stdout=subprocess.PIPE, check=True).stdout
    except OSError as error:
        sys.exit(f"{tool}: {error.strerror}; scripts/setup installs it")
