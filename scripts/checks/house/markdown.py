"""Reads Markdown files: lines of prose, their sentences, headings and links."""

import functools
import re
from pathlib import Path

from house.sentences import sentences, words

FENCE = re.compile(r"^\s*(```|~~~)")
NO_PROSE = re.compile(r"^(?:\||    |\t|<)")
NEW_BLOCK = re.compile(r"^\s*(?:[-*+]|\d+\.) ")
LINK = re.compile(r"\]\(<?([^()<>\s]+(?:\([^()]*\))?)>?(?: \"[^\"]*\")?\)|^\[[^\]]+\]: (\S+)", re.MULTILINE)
LINK_TEXT = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
CODE = re.compile(r"`[^`\n]*`")
ELSEWHERE = re.compile(r"^[a-z][a-z0-9+.-]*:")  # http:, mailto: and others


def lines_outside_code(text):
    """Yields (line number, line) for the lines that are not between fences."""
    inside = False
    for number, line in enumerate(text.splitlines(), start=1):
        if FENCE.match(line):
            inside = not inside
        elif not inside:
            yield number, line


def prose_lines(text):
    """Yields (line number, line) for all lines except tables, code and HTML."""
    return ((number, line) for number, line in lines_outside_code(text) if not NO_PROSE.match(line))


def prose_sentences(text):
    """Yields (line number of the block, sentence). A heading, a list item and a paragraph are blocks."""
    block, start, last = [], 0, 0
    for number, line in [*prose_lines(text), (-1, "")]:
        is_heading = line.startswith("#")
        if block and (not line.strip() or is_heading or NEW_BLOCK.match(line) or number != last + 1):
            for sentence in sentences(LINK_TEXT.sub(r"\1", " ".join(block))):
                yield start, sentence
            block = []
        if line.strip() and not is_heading:
            start = start if block else number
            block.append(NEW_BLOCK.sub("", line))
        last = number


def long_lines(text, limit):
    """Yields (line number, columns) for lines of prose that are longer than the limit."""
    return ((number, len(line)) for number, line in prose_lines(text) if len(line) > limit)


def long_sentences(text, limit):
    """Yields (line number of the block, words) for sentences that are longer than the limit."""
    for number, sentence in prose_sentences(text):
        count = len(words(sentence))
        if count > limit:
            yield number, count


def anchor_of(heading):
    """Returns the anchor that GitHub gives a heading."""
    text = LINK_TEXT.sub(r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


@functools.cache
def anchors_in(path):
    """Returns the anchors of a Markdown file. A heading that repeats another one gets a number."""
    found, counts = set(), {}
    for _, line in lines_outside_code(path.read_text(encoding="utf-8")):
        if match := re.match(r"#{1,6} (.*?)#*$", line):
            anchor = anchor_of(match[1])
            count = counts[anchor] = counts.get(anchor, -1) + 1
            found.add(f"{anchor}-{count}" if count else anchor)
        found.update(re.findall(r'<a (?:id|name)="([^"]+)"', line))
    return found


def problem_of_link(root, file, target):
    """Says what is wrong with the target of a link in `file`, or nothing. Links to other sites are not checked."""
    if ELSEWHERE.match(target):
        return None
    name, _, anchor = target.partition("#")
    path = Path(root / file).parent / name if name else root / file
    if not path.resolve().is_relative_to(root.resolve()):
        return "leads out of the repository"
    if not path.exists():
        return "does not exist"
    if anchor and path.suffix == ".md" and anchor not in anchors_in(path.resolve()):
        return f"has no heading #{anchor}"
    return None


def broken_links(root, file, text):
    """Yields (line number, target, problem) for links that do not resolve."""
    for number, line in lines_outside_code(text):
        if line.startswith("    "):
            continue
        for targets in LINK.findall(CODE.sub("", line)):
            target = targets[0] or targets[1]
            if problem := problem_of_link(root, file, target):
                yield number, target, problem
