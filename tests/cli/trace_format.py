"""Checks files of Chrome trace events: slices nest, messages have both ends, times rise, and all has a name.

Values have the types that the JSON importer of Perfetto needs. It drops an event with another value, and does not say
where.
"""

import collections
import gzip
import itertools
import json
import math

MOST_LETTERS = 1_000_000  # of a name; a viewer holds each different name once
METADATA = {"process_name": ("name", str), "process_sort_index": ("sort_index", int),
            "thread_name": ("name", str), "thread_sort_index": ("sort_index", int)}
HALF_NS = 0.0005  # of a microsecond: decimals of a file are exact, but sums of floats are not


def events_of(file):
    """Returns the events of a trace, compressed or not."""
    data = file.read_bytes()
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return json.loads(text)["traceEvents"]


def is_number(value, kind=(int, float)):
    return isinstance(value, kind) and not isinstance(value, bool) and math.isfinite(value)


def is_index(value):
    return is_number(value, int) and value >= 0


def value_problems(event):
    """Yields a text for each value of an event that Perfetto would not read."""
    kind, args = event["ph"], event.get("args", {})
    if kind not in ("M", "X", "C", "s", "f"):
        yield f"events of the kind {kind} are unknown"
    if not isinstance(event["name"], str) or not 0 < len(event["name"]) <= MOST_LETTERS:
        yield f"an event of the kind {kind} has no name, or one of over {MOST_LETTERS} letters"
    has_thread = kind != "M" or event["name"].startswith("thread")
    if not is_index(event["pid"]) or (has_thread and not is_index(event["tid"])):
        yield f"{event['name']} has a process or a thread that is no number"
    if kind == "M":
        key, wanted = METADATA.get(event["name"], (None, None))
        if key is None or list(args) != [key] or not isinstance(args[key], wanted) or args[key] == "":
            yield f"metadata {event['name']} has the values {args}"
        return
    if not is_number(event["ts"]) or event["ts"] < 0 or (kind == "X" and not is_number(event["dur"])):
        yield f"{event['name']} has a time that is no number"
    if kind == "C" and not (args and all(map(is_number, args.values()))):
        yield f"counter {event['name']} at {event['ts']} has values that are no numbers"
    if kind in "sf" and not is_index(event["id"]):
        yield f"message {event['id']} has an id that is no number"
    if kind == "f" and event.get("bp") != "e":
        yield f"message {event['id']} ends at the next slice, not in the one around it"


def name_problems(events):
    """Yields a text for each process whose names do not follow each other.

    Perfetto finds the thread of a name by its number alone, and takes the process that had this number last.
    """
    named = [event["pid"] for event in events if event["ph"] == "M"]
    groups = [process for process, _ in itertools.groupby(named)]
    for process, count in collections.Counter(groups).items():
        if count > 1:
            yield f"names of process {process} are in {count} places"


def nesting_problems(slices):
    """Yields a text for each slice of one thread that ends after the slice in which it begins."""
    open_ends = []
    for event in slices:
        begin, end = event["ts"], event["ts"] + event["dur"]
        while open_ends and open_ends[-1] <= begin + HALF_NS:
            open_ends.pop()
        if open_ends and end > open_ends[-1] + HALF_NS:
            yield f"slice {event['name']} at {begin} ends after the slice around it"
        if event["dur"] > 0:
            open_ends.append(end)


def flow_problems(flows, slices):
    """Yields a text for each message without one begin and one end, in this order, in slices of their threads."""
    for number, ends in flows.items():
        if sorted(event["ph"] for event in ends) != ["f", "s"]:
            yield f"message {number} has not one begin and one end"
            continue
        if any(ends[0].get(key) != ends[1].get(key) for key in ("name", "cat")):
            yield f"message {number} has another name or category at its end"
        if ends[0]["ph"] == "f" and ends[0]["ts"] < ends[1]["ts"]:
            yield f"message {number} ends before it begins"
        for event in ends:
            around = slices[event["pid"], event["tid"]]
            if not any(other["ts"] - HALF_NS <= event["ts"] <= other["ts"] + other["dur"] + HALF_NS for other in around):
                yield f"message {number} has an end outside of all slices"


def problems(events):
    """Yields a text for each fault of the format."""
    for event in events:
        yield from value_problems(event)
    yield from name_problems(events)
    names = {(event["name"], event["pid"], event.get("tid")) for event in events if event["ph"] == "M"}
    slices, flows = collections.defaultdict(list), collections.defaultdict(list)
    last = 0.0
    for event in events:
        if event["ph"] == "M":
            continue
        if event["ts"] < last:
            yield f"an event at {event['ts']} follows one at {last}"
        last = event["ts"]
        if ("process_name", event["pid"], None) not in names:
            yield f"process {event['pid']} has no name"
        if event["ph"] != "C" and ("thread_name", event["pid"], event["tid"]) not in names:
            yield f"thread {event['tid']} of process {event['pid']} has no name"
        if event["ph"] == "X":
            slices[event["pid"], event["tid"]].append(event)
            if event["dur"] < 0:
                yield f"slice {event['name']} at {event['ts']} ends before it begins"
        elif event["ph"] in "sf":
            flows[event["id"]].append(event)
    for thread in slices.values():
        yield from nesting_problems(thread)
    yield from flow_problems(flows, slices)
