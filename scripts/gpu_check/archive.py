"""Writes everything that a check has found into one compressed file, which is whole at any moment."""

import io
import tarfile

LEVEL = 1  # the fastest, since the archive is made anew after every stage


def add(archive, path, name):
    """Adds as many bytes as there are now, since programs may still write to the file."""
    try:
        content, changed = path.read_bytes(), path.stat().st_mtime
    except FileNotFoundError:
        return
    entry = tarfile.TarInfo(name)
    entry.size, entry.mtime = len(content), int(changed)
    archive.addfile(entry, io.BytesIO(content))


def write(target, report, files):
    """Replaces `target` in one step, so that a reader finds the old archive or the new one."""
    part = target.with_name(target.name + ".part")
    with tarfile.open(part, "w:gz", compresslevel=LEVEL) as archive:
        add(archive, report, f"{report.stem}/{report.name}")
        for path in sorted(files.rglob("*")):
            if path.is_file() and path not in (target, part):
                add(archive, path, f"{report.stem}/{path.relative_to(files.parent)}")
    part.replace(target)
