"""Counts what the campaign on networks has compared, so that its end shows what was covered."""

import collections
import re

from campaigns.networks_chain import written_out
from campaigns.networks_layers import LOSSES
from campaigns.networks_plan import pairs

AXES = "ncdhwrl"


class Counts:
    """Counts verdicts of cases, and of compared cases the kinds, axes, options and numbers of ranks."""

    def __init__(self):
        self.verdicts, self.reasons = collections.Counter(), collections.Counter()
        self.kinds = collections.defaultdict(collections.Counter)
        self.tables = collections.defaultdict(collections.Counter)

    def refuse(self, reason):
        """Counts a refusal. Numbers and names in its reason do not matter."""
        short = re.sub(r'"[^"]*"', '"..."', re.sub(r"\d+", "#", reason))
        self.reasons[short] += 1

    def compare(self, case, plan):
        meshes = {layer["name"]: pairs(layer["mesh"]) for layer in plan["layers"]}
        used = set()
        for layer in written_out(plan["network"]):
            axes = {axis for axis, size in meshes[layer["name"]] if size > 1}
            used |= axes
            self.kinds[layer["kind"]].update(["all", *axes])
        self.tables["axis"].update(used)
        self.tables["ranks"].update([str(case["ranks"])])
        self.tables["plans"].update([case["mode"]])
        self.tables["precision"].update([f"{case['precision']} {case['backend']} {case['isa']}".strip()])
        self.tables["option"].update(options_of(case, plan))

    def text(self):
        lines = ["", "verdicts: " + counted(self.verdicts)]
        lines += [f"  {count} refused: {reason}" for reason, count in self.reasons.most_common()]
        lines += ["compared cases:"]
        lines += [f"  {title}: {counted(table)}" for title, table in sorted(self.tables.items())]
        lines += ["compared layers by kind, and how many of them were split over an axis:",
                  f"  {'kind':24}" + "".join(f"{axis:>7}" for axis in ("all", *AXES))]
        for kind, found in sorted(self.kinds.items()):
            lines.append(f"  {kind:24}" + "".join(f"{found[axis]:7}" for axis in ("all", *AXES)))
        return "\n".join(lines)


def counted(counter):
    return ", ".join(f"{name} {count}" for name, count in sorted(counter.items()))


def options_of(case, plan):
    """Returns the options of a plan and of its training that differ from the simplest."""
    layers = plan["layers"]
    found = {layer.get("channel_algorithm", "stationary_y") for layer in layers if "c" in layer["mesh"]}
    found |= {f"{layer['statistics']} statistics" for layer in layers if "statistics" in layer}
    found |= {"interior_strips" for layer in layers if layer.get("halo") == "interior_strips"}
    found |= {"recompute" for layer in layers if layer.get("recompute")}
    found |= {name for name in ("sharded_update", "multigrid") if plan.get(name)}
    found |= {f"allreduce {plan['gradient_allreduce']}"} if plan["ranks"] > 1 else set()
    found |= {"sample_blocks"} if plan.get("sample_blocks", 1) > 1 else set()
    found |= {name for name in ("momentum", "weight_decay", "infer", "bytes") if case[name]}
    found |= {"several steps"} if case["steps"] > 1 else set()
    kinds = [layer["kind"] for layer in written_out(plan["network"])]
    found |= {"auxiliary loss"} if any(kind in LOSSES for kind in kinds[:-1]) else set()
    found |= {"loss_scale"} if case["loss_scale"] != 1 else set()
    return found
