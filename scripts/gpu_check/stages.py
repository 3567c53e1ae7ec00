"""Runs stages within a budget of time, and keeps what each has found even if it fails later."""

import datetime
import itertools
import math
import sys
import threading
import time
import traceback
from dataclasses import dataclass, field
from typing import Callable

from gpu_check import sticky
from gpu_check.bundle import NoDevice, Skip, StageError

RESERVE_S = 5  # are left to end programs and to write the report
LEAST_S = 5    # is the least time that is of use to a stage


def no_notice():
    """Does nothing about a new figure."""


@dataclass
class Stage:
    """Holds a stage and its findings. It starts only if `expected_s` are left, and ends after `limit_s`."""

    name: str
    work: Callable
    expected_s: float
    limit_s: float
    together: str = ""  # neighbours with the same word run at the same time
    has_engines: bool = False  # it can be repeated with one engine per convolution
    status: str = "not run"
    reason: str = ""
    seconds: float = 0.0
    date: str = ""
    figures: list = field(default_factory=list)
    data: dict = field(default_factory=dict)
    problems: list = field(default_factory=list)
    notice: Callable = no_notice

    def figure(self, name, value, unit, *, at_least=None, at_most=None, times=None):
        """Keeps a number, its target, and the raw median, min and max that it comes from. It replaces the
        figure of that name."""
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
            raise StageError(f"{name}: {value!r} is no finite number")
        entry = {"name": name, "value": value, "unit": unit}
        if at_least is not None:
            entry.update(target=at_least, better="higher", reached=value >= at_least)
        if at_most is not None:
            entry.update(target=at_most, better="lower", reached=value <= at_most)
        if times:
            entry["times"] = {key: times[key] for key in ("median_s", "min_s", "max_s", "count")}
        names = [known["name"] for known in self.figures]
        if name in names:
            self.figures[names.index(name)] = entry
        else:
            self.figures.append(entry)
        self.notice()

    def part(self, work, *arguments, **named):
        """Returns what the work returns, or None if it fails: the stage goes on, and has failed in the end."""
        try:
            return work(*arguments, **named)
        except (Skip, NoDevice):
            raise
        except StageError as error:
            self.problems.append(str(error))
        except Exception:  # pylint: disable=broad-except
            self.problems.append(unexpected())
        return None

    def document(self):
        keys = ("name", "status", "reason", "seconds", "date", "expected_s", "limit_s", "figures", "data")
        return {key: getattr(self, key) for key in keys}


def unexpected():
    """Describes the current error. Its last line comes first, since tables show one line."""
    lines = traceback.format_exc(limit=-3).rstrip().splitlines()
    return "\n".join([lines[-1], *lines])


def say(message):
    print(message, file=sys.stderr, flush=True)


def settle(stage, status, reason=""):
    stage.status = status
    stage.reason = "\n".join([*stage.problems, *([reason] if reason else [])])


def perform(stage, context):
    """Runs the stage and sets its status; its findings stay, whatever happens."""
    try:
        stage.work(context, stage)
        settle(stage, "failed" if stage.problems else "passed")
    except Skip as skip:
        settle(stage, "failed" if stage.problems else "skipped", str(skip))
    except NoDevice as missing:
        settle(stage, "no device", str(missing))
    except StageError as error:
        settle(stage, "failed", str(error))
    except Exception:  # pylint: disable=broad-except
        settle(stage, "failed", unexpected())


def run_once(stage, context, limit_s):
    attempt = context.of_stage(stage.name, limit_s)
    attempt.bundle.outputs.write(f"==== {stage.name}, at most {limit_s:.0f} s\n")
    stage.problems = []
    perform(stage, attempt)
    found = sticky.found_in(attempt.bundle.results)
    if found:
        stage.data.setdefault("sticky_errors", []).append(found)
    return found


def run_stage(stage, context, end):
    """Runs a stage, and repeats it with one engine per convolution after an error that no process survives."""
    left_s = end - time.monotonic()
    if left_s < max(LEAST_S, stage.expected_s):
        stage.status = "dropped"
        stage.reason = (f"needs about {stage.expected_s:.0f} s, {max(0.0, left_s):.0f} s of the budget "
                        "are left; --budget or --only")
        return
    begin = time.monotonic()
    stage.status = "running"
    stage.date = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    found = run_once(stage, context, min(stage.limit_s, left_s))
    left_s = end - time.monotonic()
    if found and stage.status == "failed" and stage.has_engines and left_s >= LEAST_S:
        first = {"reason": stage.reason, "figures": list(stage.figures)}
        stage.data["first_attempt"] = first
        stage.notice()
        run_once(stage, context.with_one_engine(), min(stage.limit_s, left_s))
        if stage.status == "passed":
            settle(stage, "repeated", sticky.sentence(found) + "; with one engine each it passed")
        else:
            stage.reason = sticky.sentence(found) + "\n" + stage.reason
    elif found and stage.status == "failed":
        stage.reason = sticky.sentence(found) + "\n" + stage.reason
    stage.seconds = round(time.monotonic() - begin, 3)


def run_group(group, context, end):
    """Runs stages at the same time; each has its own programs and its own limit."""
    threads = [threading.Thread(target=run_stage, args=(stage, context, end)) for stage in group[1:]]
    for thread in threads:
        thread.start()
    run_stage(group[0], context, end)
    for thread in threads:
        thread.join()


def groups_of(stages):
    keyed = [(stage.together or stage.name, stage) for stage in stages]
    return [[stage for _, stage in group] for _, group in itertools.groupby(keyed, key=lambda pair: pair[0])]


def run_stages(stages, context, end, after_each):
    """Runs the stages in order, which is that of importance: the last ones may no longer fit."""
    end -= RESERVE_S
    done = 0
    for group in groups_of(stages):
        run_group(group, context, end)
        for stage in group:
            done += 1
            first_line = (stage.reason.strip().splitlines() or [""])[0]
            say(f"[{done:2}/{len(stages)}] {stage.name:<22} {stage.status:<9} {stage.seconds:6.1f} s"
                f"  {first_line}".rstrip())
        after_each()
        if context.processes.stopped_by or any(stage.status == "no device" for stage in group):
            return
