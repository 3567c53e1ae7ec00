"""Compares the figures of check-house with its limits, and lowers limits that are higher than they need to be."""

import dataclasses
import re

from house import figures
from house.changes import among, changed_lines

MOST_SHOWN = 20


@dataclasses.dataclass
class Verdict:
    """Holds what breaks a limit, and the limits that can be lowered."""

    errors: list = dataclasses.field(default_factory=list)
    loose: list = dataclasses.field(default_factory=list)


def too_many(tree, name, part, places, limit):
    """Yields an error, and the places on lines that changed."""
    yield f"{name} of {part}: {len(places)}, limit {limit}; check-house --list {name} shows all, these changed:"
    for place in among(places, changed_lines(tree.root))[:MOST_SHOWN]:
        yield f"  {place}"


def compare_counts(tree, counted, limits, verdict):
    for name, parts in limits["counts"].items():
        for part, limit in parts.items():
            places = counted[name][part]
            if len(places) > max(limit["now"], limit["aim"]):
                verdict.errors += too_many(tree, name, part, places, limit["now"])
            elif len(places) < limit["now"] and limit["now"] > limit["aim"]:
                verdict.loose.append(f"{name} of {part}: {len(places)}, limit {limit['now']}")


def compare_folders(sizes, limits, verdict):
    """Compares folders with the aim. Folders above it have a limit of their own."""
    aim = limits["aims"]["files_per_folder"]
    for folder, files in sizes.items():
        limit = max(aim, limits["folders"].get(folder, 0))
        if files > limit:
            verdict.errors.append(f"{folder}: {files} source files, limit {limit}")
    for folder, limit in limits["folders"].items():
        if sizes.get(folder, 0) < limit:
            verdict.loose.append(f"{folder}: {sizes.get(folder, 0)} source files, limit {limit}")


def class_aims(limits):
    return {"methods": limits["aims"]["class_methods"], "fields": limits["aims"]["class_fields"]}


def compare_classes(sizes, limits, verdict):
    """Compares classes with the aims. Classes above them have limits of their own."""
    for name, size in sizes.items():
        own = limits["classes"].get(name, {})
        for kind, aim in class_aims(limits).items():
            limit = max(aim, own.get(kind, 0))
            if size[kind] > limit:
                verdict.errors.append(f"{size['where']}: {name} has {size[kind]} {kind}, limit {limit}")
    for name, own in limits["classes"].items():
        for kind, limit in own.items():
            now = sizes[name][kind] if name in sizes else 0
            if now < limit:
                verdict.loose.append(f"{name}: {now} {kind}, limit {limit}")


def compare_documents(tree, limits, verdict):
    """Checks the lines and sentences of all documents."""
    for file in tree.documents:
        verdict.errors += map(str, figures.long_lines_of(tree, file, limits["aims"]))
        verdict.errors += map(str, figures.long_sentences_of(tree, file, limits["aims"]))


def compare(tree, measured, limits):
    """Returns the verdict on all figures."""
    verdict = Verdict()
    compare_counts(tree, measured["counted"], limits, verdict)
    compare_folders(measured["folders"], limits, verdict)
    compare_classes(measured["classes"], limits, verdict)
    compare_documents(tree, limits, verdict)
    verdict.errors += map(str, figures.broken_links(tree))
    verdict.errors += map(str, figures.unknown_options(tree, limits["options"]["of_other_programs"]))
    return verdict


def lower(match, now, aim):
    """Returns the text of a match with the limit in its second group lowered to `now`, but not below the aim."""
    limit = int(match[2])
    return f"{match[1]}{min(limit, max(now, aim))}{match[3]}"


def tightened_counts(text, counted, limits):
    for name, parts in limits["counts"].items():
        for part, limit in parts.items():
            pattern = re.compile(rf"(\[counts\.{name}\](?:\n[^\[\n]*)*?\n{part} = \{{ now = )(\d+)(,)")
            text = pattern.sub(lambda match: lower(match, len(counted[name][part]), limit["aim"]), text)
    return text


def class_line(name, own):
    return f'"{name}" = {{ {", ".join(f"{kind} = {limit}" for kind, limit in own.items())} }}\n'


def tightened_classes(text, sizes, limits):
    """Lowers the limits of classes, and removes the classes that need none."""
    aims = class_aims(limits)
    for name, own in limits["classes"].items():
        now = {kind: min(limit, sizes[name][kind] if name in sizes else 0) for kind, limit in own.items()}
        needed = {kind: limit for kind, limit in now.items() if limit > aims[kind]}
        text = text.replace(class_line(name, own), class_line(name, needed) if needed else "")
    return text


def tightened_folders(text, sizes, limits):
    for folder, limit in limits["folders"].items():
        files = min(sizes.get(folder, 0), limit)
        needed = files > limits["aims"]["files_per_folder"]
        text = text.replace(f'"{folder}" = {limit}\n', f'"{folder}" = {files}\n' if needed else "")
    return text


def tightened(text, measured, limits):
    """Returns the text of limits.toml with each limit as low as the tree allows now."""
    text = tightened_counts(text, measured["counted"], limits)
    text = tightened_folders(text, measured["folders"], limits)
    return tightened_classes(text, measured["classes"], limits)
