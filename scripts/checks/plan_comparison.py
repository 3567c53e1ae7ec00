"""Lists the values that differ between two plan.json files, for `compare-plans` and `kept_plans_test`.

Keys of objects may be added and may stand in another order. Everything else that changes is a difference.
"""

import dataclasses
import json
import re

# Each JSON pointer has the reason why its value may change. No plan holds a time of day or a time of solving.
EXCEPTED = {"/generator": "it names the version of the program"}
# The number in `schema` may change, in the plan and in the network that it contains.
SCHEMA = re.compile(r"^(cnnplan\.[a-z]+)/[0-9]+$")
MOST_CHARACTERS = 100  # A line of the report shows this much of a value.


class Absent:
    """Stands for a value that only the other plan has."""

    def __repr__(self):
        return "nothing"


ABSENT = Absent()


@dataclasses.dataclass(frozen=True)
class Difference:
    """Holds the two values of a place in the plan, which a JSON pointer names."""

    pointer: str
    old: object
    new: object

    def __str__(self):
        return f"{self.pointer or '/'}: {shortened(self.old)} -> {shortened(self.new)}"


def shortened(value):
    text = repr(value) if value is ABSENT else json.dumps(value)
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}... ({len(text)} characters)"


def below(pointer, key):
    return f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def are_equal(pointer, old, new, tolerance):
    """Compares two values that are not both objects or both lists. `tolerance` is relative, for fractions alone."""
    if is_number(old) and is_number(new):
        if isinstance(old, float) or isinstance(new, float):
            return abs(old - new) <= tolerance * max(abs(old), abs(new))
        return old == new
    if pointer.endswith("/schema") and isinstance(old, str) and isinstance(new, str):
        names = [SCHEMA.match(value) for value in (old, new)]
        if all(names):
            return names[0].group(1) == names[1].group(1)
    return type(old) is type(new) and old == new


def differences(old, new, tolerance=0.0, pointer=""):
    """Returns a Difference for each value that changed or is gone, and for each added item of a list."""
    if pointer in EXCEPTED and new is not ABSENT:
        return []
    if isinstance(old, dict) and isinstance(new, dict):
        pairs = [(key, value, new.get(key, ABSENT)) for key, value in old.items()]
    elif isinstance(old, list) and isinstance(new, list):
        pairs = [(place, old[place] if place < len(old) else ABSENT, new[place] if place < len(new) else ABSENT)
                 for place in range(max(len(old), len(new)))]
    else:
        return [] if are_equal(pointer, old, new, tolerance) else [Difference(pointer, old, new)]
    return [one for key, before, after in pairs for one in differences(before, after, tolerance, below(pointer, key))]
