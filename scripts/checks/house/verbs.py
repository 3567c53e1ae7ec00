"""Says whether a sentence seems to have a verb, by lists of words and by neighbouring words.

English spells many nouns as verbs. So a word that may be both counts as a verb only where its neighbours allow it. The
check overlooks some comments without a verb. It should never find one in a sentence that has a verb.
"""

import functools
import re
from pathlib import Path

AUXILIARIES = frozenset(
    "is are was were am isn't aren't has have had hasn't haven't do does did don't doesn't didn't can cannot can't "
    "could may might must shall should will would won't it's that's let".split())
# A verb with the ending -s may precede these words. A noun seldom does.
AFTER_VERB = frozenset(
    "a an the this these those each every all any some no none it its them their they itself themselves one two three "
    "what which how whether where when why that nothing everything true false".split())
# The word after one of these is a noun.
BEFORE_NOUN = frozenset(
    "a an the no of in for by with without on at from into over between under per its their our your two three four "
    "five six seven eight nine ten many several few most both own other such same more less".split())
PLURAL_SUBJECTS = frozenset("they we you i that which who these those both all others not never always only also then "
                            "and or people".split())
PUNCTUATION = frozenset(",;:.")
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|\d+|[^\sA-Za-z\d]")


def third_person(verb):
    """Returns the form of a verb with the ending -s."""
    if verb.endswith(("s", "x", "ch", "sh", "o", "z")):
        return verb + "es"
    return verb[:-1] + "ies" if re.search("[^aeiou]y$", verb) else verb + "s"


@functools.cache
def known_verbs():
    """Returns the base forms of the verbs in verbs.txt, and their forms with the ending -s."""
    lines = (Path(__file__).parent / "verbs.txt").read_text(encoding="utf-8").splitlines()
    base = frozenset(word for line in lines if not line.startswith("#") for word in line.split())
    return base, frozenset(map(third_person, base))


def is_verb(before, word, after):
    """Says whether `word` seems to be a verb between its neighbours, which are empty at the ends of a sentence."""
    base, third = known_verbs()
    if word in AUXILIARIES:
        return True
    if before in BEFORE_NOUN or before.endswith("'s"):
        return False
    if word.endswith("s") and not word.endswith(("ss", "us", "'s")):
        is_noun = after == "of" or (not before and after in PUNCTUATION)  # as in "Sums, row by row."
        return after in AFTER_VERB or (word in third and not is_noun) or word == "consists"
    after_subject = before in PLURAL_SUBJECTS or (before.endswith("s") and not before.endswith("ss"))
    return word in base and after != "of" and (not before or after_subject)


def has_verb(sentence):
    """Says whether one of the words of a sentence seems to be a verb."""
    found = ["", *(word.lower() for word in WORD.findall(sentence)), ""]
    return any(map(is_verb, found, found[1:], found[2:]))
