"""Runs stages in order within a budget of time, and keeps what each found even if it fails."""

import sys
import time
import traceback
from dataclasses import dataclass, field
from typing import Callable

from gpu_check.bundle import NoDevice, Skip, StageError

RESERVE_S = 5  # to end programs and write the report
LEAST_S = 5    # less is no use to any stage


@dataclass
class Stage:
    """`expected_s`: it does not start with less than that left; `limit_s`: it is ended then."""

    name: str
    work: Callable
    expected_s: float
    limit_s: float
    status: str = "not run"
    reason: str = ""
    seconds: float = 0.0
    figures: list = field(default_factory=list)
    data: dict = field(default_factory=dict)

    def figure(self, name, value, unit, *, at_least=None, at_most=None, times=None):
        """A number, its target where it has one, and the raw median, min and max behind it."""
        entry = {"name": name, "value": value, "unit": unit}
        if at_least is not None:
            entry.update(target=at_least, better="higher", reached=value >= at_least)
        if at_most is not None:
            entry.update(target=at_most, better="lower", reached=value <= at_most)
        if times:
            entry["times"] = {key: times[key] for key in ("median_s", "min_s", "max_s", "count")}
        self.figures.append(entry)

    def document(self):
        return {key: getattr(self, key) for key in
                ("name", "status", "reason", "seconds", "expected_s", "limit_s", "figures", "data")}


def say(message):
    print(message, file=sys.stderr, flush=True)


def perform(stage, context, limit_s):
    context.bundle.deadline = time.monotonic() + limit_s
    context.bundle.log.write(f"==== {stage.name}, at most {limit_s:.0f} s\n")
    try:
        stage.work(context, stage)
        stage.status = "passed"
    except Skip as skip:
        stage.status, stage.reason = "skipped", str(skip)
    except NoDevice as missing:
        stage.status, stage.reason = "no device", str(missing)
    except StageError as error:
        stage.status, stage.reason = "failed", str(error)
    except Exception:  # pylint: disable=broad-except
        stage.status, stage.reason = "failed", traceback.format_exc(limit=-3)


def run_stage(stage, context, left_s):
    if left_s < max(LEAST_S, stage.expected_s):
        stage.status = "dropped"
        stage.reason = (f"needs about {stage.expected_s:.0f} s, {max(0.0, left_s):.0f} s of the budget "
                        "are left; --budget or --only")
        return
    begin = time.monotonic()
    perform(stage, context, min(stage.limit_s, left_s))
    stage.seconds = round(time.monotonic() - begin, 3)


def run_stages(stages, context, budget_s, after_each):
    """The stages come by falling importance, so what no longer fits is what matters least."""
    begin = time.monotonic()
    for index, stage in enumerate(stages):
        run_stage(stage, context, budget_s - RESERVE_S - (time.monotonic() - begin))
        first_line = (stage.reason.strip().splitlines() or [""])[0]
        say(f"[{index + 1:2}/{len(stages)}] {stage.name:<22} {stage.status:<9} {stage.seconds:6.1f} s"
            f"  {first_line}".rstrip())
        after_each()
        if stage.status == "no device":
            return
