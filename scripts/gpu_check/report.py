"""The JSON of a check, and the table that ends what it prints."""

import datetime
import json

from gpu_check import machine

SCHEMA = "cnnplan.gpu-check/1"
WRONG = ("failed", "dropped")
PREFIXES = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def origin(bundle):
    """What scripts/gpu-bundle wrote down: commit, build, glibc."""
    path = bundle.folder / "ORIGIN"
    if not path.exists():
        return {}
    return dict(line.split(None, 1) for line in path.read_text(encoding="utf-8").splitlines())


class Report:
    def __init__(self, path, context, options, stages):
        self.path, self.stages = path, stages
        self.head = {
            "schema": SCHEMA, "generator": "scripts/gpu-check", "origin": origin(context.bundle),
            "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
            "machine": machine.describe(), "options": options,
        }

    def exit_code(self):
        if any(stage.status == "no device" for stage in self.stages):
            return 5
        return int(any(stage.status in WRONG for stage in self.stages))

    def write(self):
        document = dict(self.head, exit_code=self.exit_code(),
                        stages=[stage.document() for stage in self.stages])
        text = json.dumps(document, indent=1)
        temporary = self.path.with_name(self.path.name + ".part")
        temporary.write_text(text + "\n", encoding="utf-8")
        temporary.replace(self.path)

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
                f"; {sum(reached)} of {len(reached)} targets reached; {self.path}")


def line(row, widths):
    if not row[2]:
        return f"{row[0]:<{widths[0]}}  {row[1]}"
    return (f"{row[0]:<{widths[0]}}  {row[1]:<{widths[1]}}  {row[2]:>{widths[2]}}  "
            f"{row[3]:>{widths[3]}}  {row[4]}").rstrip()


def shown(value, unit):
    """Three digits or more, with a prefix for bytes and flops."""
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
