"""Writes the JSON of a check, which grows with every figure and keeps stages of earlier runs, and the table."""

import datetime
import json
import math
import sys
import threading

SCHEMA = "cnnplan.gpu-check/1"
WRONG = ("failed", "dropped", "repeated", "running")  # one that still runs at the end is a mistake
PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def origin(bundle):
    """Returns the notes of scripts/gpu-bundle (commit, build, glibc), or the build folder."""
    path = bundle.folder / "ORIGIN"
    if not path.exists():
        return {"folder": str(bundle.folder)}
    return dict(line.split(None, 1) for line in path.read_text(encoding="utf-8").splitlines())


def plain(value):
    """Returns the value with text in place of all that JSON cannot hold, such as not-a-number."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (str, bool, int, float)) else str(value)


def write_whole(path, text):
    """Replaces the file in one step."""
    temporary = path.with_name(path.name + ".part")
    temporary.write_text(text + "\n", encoding="utf-8", errors="backslashreplace")
    temporary.replace(path)


def earlier_document(path):
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
        is_report = document["schema"] == SCHEMA and all(stage["name"] for stage in document["stages"])
        return document if is_report else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def put_aside(path, files):
    """Keeps the report of an earlier run with the files."""
    number = 1
    while (files / f"earlier-{number}.json").exists():
        number += 1
    if path.exists():
        path.replace(files / f"earlier-{number}.json")


class Report:
    """Writes one file; with --only, stages of an earlier run of the same bundle stay in it."""

    def __init__(self, path, context, options, stages):
        self.path, self.stages, self.lock = path, stages, threading.Lock()
        self.processes, self.has_ended = context.processes, False
        self.head = {
            "schema": SCHEMA, "generator": "scripts/gpu-check", "origin": origin(context.bundle),
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "machine": context.machine, "options": options,
        }
        self.earlier = self.continued() if context.continues else None
        put_aside(path, context.files)
        for stage in stages:
            stage.notice = self.write

    def continued(self):
        """Returns the earlier report if it belongs to the same bundle, else None."""
        earlier = earlier_document(self.path)
        if earlier is None or earlier.get("origin") != self.head["origin"]:
            return None
        self.head["earlier_runs"] = [*earlier.get("earlier_runs", []),
                                     {key: earlier.get(key) for key in ("date", "options", "machine")}]
        return earlier

    def exit_code(self):
        if any(stage.status == "no device" for stage in self.stages):
            return 5
        return int(any(stage.status in WRONG for stage in self.stages) or bool(self.processes.stopped_by))

    def stage_documents(self):
        """Returns all stages; a stage that has begun replaces the earlier one, which moves into it."""
        now = {stage.name: stage for stage in self.stages}
        found = []
        for before in self.earlier["stages"] if self.earlier else ():
            stage = now.pop(before["name"], None)
            if stage is None or not stage.date:
                found.append(before)
                continue
            alone = {key: value for key, value in before.items() if key != "earlier"}
            found.append(dict(stage.document(), earlier=[*before.get("earlier", []), alone]))
        return found + [stage.document() for stage in now.values()]

    def document(self):
        """Has no exit code before the end, so that the report of a killed check does not look like a good one."""
        return dict(self.head, exit_code=self.exit_code() if self.has_ended else None,
                    stopped_by=self.processes.stopped_by, stages=self.stage_documents())

    def write(self, indent=None):
        """Returns whether the file was written. It throws nothing, since a full disk must not end a check."""
        with self.lock:
            try:
                write_whole(self.path, self.text(indent))
                return True
            except OSError as error:
                print(f"gpu-check: {self.path}: {error}", file=sys.stderr)
                return False

    def text(self, indent):
        """Reads the data again if a stage that runs at the same time has just added some."""
        while True:
            try:
                return json.dumps(plain(self.document()), indent=indent)
            except RuntimeError:
                continue

    def table(self):
        rows = [("stage", "figure", "value", "target", "")]
        for stage in self.stages:
            rows += [(stage.name, entry["name"], shown(entry["value"], entry["unit"]), target(entry),
                      {True: "reached", False: "MISSED"}.get(entry.get("reached"), ""))
                     for entry in stage.figures]
            if stage.status != "passed":
                reason = (stage.reason.strip().splitlines() or [""])[0]
                rows.append((stage.name, f"{stage.status.upper()}: {reason}", "", "", ""))
        widths = [max(len(row[column]) for row in rows if row[2] or column == 0) for column in range(5)]
        return "\n".join(line(row, widths) for row in rows)

    def verdict(self):
        counts = {}
        for stage in self.stages:
            counts[stage.status] = counts.get(stage.status, 0) + 1
        reached = [entry["reached"] for stage in self.stages for entry in stage.figures if "reached" in entry]
        return (", ".join(f"{count} {status}" for status, count in counts.items()) +
                f"; {sum(reached)} of {len(reached)} targets reached; {self.path}{self.repeated()}")

    def repeated(self):
        """Says which stages of the earlier run were repeated; the text is empty without such a run."""
        if not self.earlier:
            return ""
        begun = {stage.name for stage in self.stages if stage.date}
        names = [before["name"] for before in self.earlier["stages"]]
        again = [name for name in names if name in begun]
        return (f"; repeated: {', '.join(again) or 'none'}; kept of the earlier run: "
                f"{len(names) - len(again)} stages")


def line(row, widths):
    if not row[2]:
        return f"{row[0]:<{widths[0]}}  {row[1]}"
    return (f"{row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]:>{widths[2]}}  "
            f"{row[3]:>{widths[3]}}  {row[4]}").rstrip()


def shown(value, unit):
    """Prints three digits or more, with a prefix for bytes and flops."""
    if unit == "B":
        return f"{value / (1 << 20):.0f} MiB"
    if unit in ("B/s", "flop/s"):
        for factor, prefix in PREFIXES:
            if value >= factor:
                return f"{value / factor:.3g} {prefix}{unit}"
    number = f"{value:.0f}" if value == int(value) or value >= 1000 else f"{value:.3g}"
    return f"{number} {unit}".rstrip()


def target(entry):
    if "target" not in entry:
        return ""
    sign = ">=" if entry["better"] == "higher" else "<="
    return f"{sign} {shown(entry['target'], '')}"
