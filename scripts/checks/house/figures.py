"""Measures the figures of check-house. Every figure is a list of the places that count for it."""

import collections
import dataclasses
import re
from pathlib import Path

from house import casts, class_sizes, markdown, named_options
from house.comments import comments_of, paragraphs
from house.sentences import sentences, words
from house.tree import CODE_FOLDERS
from house.verbs import has_verb

# A class with fewer methods is a record, whose fields are not counted.
METHODS_OF_RECORDS = 5
FORMULA = re.compile(r"[^`'\"]* (?:=|->|\+|\*) ")


@dataclasses.dataclass(frozen=True)
class Place:
    """Says where something counts for a figure, and what it is."""

    file: str
    line: int
    text: str

    def __str__(self):
        return f"{self.file}:{self.line}: {self.text}"


def cast_places(tree):
    """Returns the casts of the sources. A helper in a header counts everywhere, another one in its file."""
    everywhere = set()
    for file in tree.sources:
        if file.endswith(".hpp"):
            everywhere |= casts.helpers_in(tree.text(file))
    found = []
    for file in tree.sources:
        helpers = everywhere | casts.helpers_in(tree.text(file))
        found += [Place(file, line, kind) for line, kind in casts.casts_in(tree.text(file), helpers)]
    return found


def all_comments(tree):
    return [comment for file in tree.code for comment in comments_of(tree.root, file)]


def of_comments(comments):
    return [Place(comment.file, comment.line, comment.text.splitlines()[0])
            for comment in comments if comment.text.startswith("Of ")]


def first_sentence(comment):
    """Returns the first sentence of a comment, or nothing where it has but formulas and lines such as @throws."""
    prose = (part for part in paragraphs(comment.text) if not part.startswith("@"))
    found = sentences(next(prose, ""))
    return found[0] if found and not FORMULA.match(found[0]) else ""


def verbless_comments(comments):
    firsts = ((comment, first_sentence(comment)) for comment in comments)
    return [Place(comment.file, comment.line, first) for comment, first in firsts
            if first and not has_verb(first)]


def long_sentences(comments, limit):
    return [Place(comment.file, comment.line, f"{len(words(sentence))} words: {sentence[:60]}...")
            for comment in comments for paragraph in paragraphs(comment.text)
            for sentence in sentences(paragraph) if len(words(sentence)) > limit]


def by_part(tree, places):
    """Returns the places of each part of the tree."""
    found = collections.defaultdict(list)
    for place in places:
        found[tree.part_of(place.file)].append(place)
    return found


def counted(tree, aims):
    """Returns {figure: {part of the tree: places}} for the figures that are counts."""
    comments = all_comments(tree)
    return {
        "casts": by_part(tree, cast_places(tree)),
        "of_comments": by_part(tree, of_comments(comments)),
        "verbless_comments": by_part(tree, verbless_comments(comments)),
        "long_sentences": by_part(tree, long_sentences(comments, aims["sentence_words"])),
    }


def folder_sizes(tree):
    """Returns the number of source files in each folder. READMEs and files for CMake do not count."""
    names = (file for file in tree.code if file.split("/")[0] in CODE_FOLDERS)
    return collections.Counter(str(Path(file).parent) for file in names
                               if not file.endswith((".cmake", "CMakeLists.txt")))


def classes(tree):
    """Returns {class: its methods, fields and place}. Of classes with one name, the largest counts."""
    found = {}
    for file in tree.sources:
        for size in class_sizes.class_sizes(tree.text(file)):
            fields = size.fields if size.methods > METHODS_OF_RECORDS else 0
            known = found.setdefault(size.name, {"methods": 0, "fields": 0, "where": f"{file}:{size.line}"})
            if size.methods > known["methods"]:
                known["where"] = f"{file}:{size.line}"
            known["methods"] = max(known["methods"], size.methods)
            known["fields"] = max(known["fields"], fields)
    return found


def long_lines_of(tree, file, aims):
    limit = aims["markdown_columns"]
    return [Place(file, line, f"{columns} columns, not {limit}")
            for line, columns in markdown.long_lines(tree.text(file), limit)]


def long_sentences_of(tree, file, aims):
    limit = aims["sentence_words"]
    return [Place(file, line, f"a sentence of {count} words, not {limit}")
            for line, count in markdown.long_sentences(tree.text(file), limit)]


def broken_links(tree):
    return [Place(file, line, f"{target} {problem}") for file in tree.documents
            for line, target, problem in markdown.broken_links(tree.root, file, tree.text(file))]


def unknown_options(tree, of_other_programs):
    offered = set(of_other_programs).union(*(named_options.options_in(tree.root / file) for file in tree.code))
    return [Place(file, line, f"no program or script has {option}") for file in tree.documents
            for line, option in named_options.unknown_options(tree.text(file), offered)]
