"""Splits prose into sentences and counts their words."""

import re

CODE = re.compile(r"`[^`]*`")
ABBREVIATION = re.compile(r"\b(e\.g|i\.e|vs|cf|Fig|Sec|al|ca|no|approx)\.(?=\s)")
END = re.compile(r"(?<=[.!?])[)\"]?\s+(?=[A-Z`\"(@0-9])")


def sentences(paragraph):
    """Returns the sentences of a paragraph. A piece of code counts as one word."""
    text = " ".join(paragraph.split())
    text = ABBREVIATION.sub(r"\1", CODE.sub("`x`", text))
    return [part for part in END.split(text) if part]


def words(sentence):
    """Returns the words of a sentence without punctuation."""
    found = (word.strip(".,;:!?()\"'") for word in sentence.split())
    return [word for word in found if word]
