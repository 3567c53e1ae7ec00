"""Checks files of Chrome trace events: slices nest, messages have both ends, times rise, and all has a name."""

import collections
import gzip
import json

HALF_NS = 0.0005  # of a microsecond: decimals of a file are exact, but sums of floats are not


def events_of(file):
    """Returns the events of a trace, compressed or not."""
    data = file.read_bytes()
    text = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    return json.loads(text)["traceEvents"]


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
        if ends[0]["ph"] == "f" and ends[0]["ts"] < ends[1]["ts"]:
            yield f"message {number} ends before it begins"
        for event in ends:
            around = slices[event["pid"], event["tid"]]
            if not any(other["ts"] - HALF_NS <= event["ts"] <= other["ts"] + other["dur"] + HALF_NS for other in around):
                yield f"message {number} has an end outside of all slices"


def problems(events):
    """Yields a text for each fault of the format."""
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
