"""The benchmark `link` compares the solver's plans with data parallelism on two nodes that a real TCP link joins."""

import statistics

from benchmarks.common import BIN, OUT, PREDICTION_ROUNDS, Case, read, run, signed_error, table
from benchmarks.two_nodes import TwoNodes, reason_not_to

RATES = (("100mbit", "100 Mbit/s"), ("1gbit", "1 Gbit/s"), ("10gbit", "10 Gbit/s"))
FASTEST = "10gbit"
CASES = (  # network, batch, image, the usual split that the solver's plan is compared with
    ("resnet50", 8, "96x96", "n2"), ("vgg16", 4, "96x96", "n2"), ("unet-2d", 2, "128x128", "n2"), ("mesh-1k", 1, "256x256", "h2"))
ALGORITHMS = ("library", "ring", "recursive_doubling")
STEPS = 6
LONG_STEP_S = 5.0  # beyond it, one round of fewer steps has to do
LONG_STEPS = 3
HEADER = ["plan", "predicted", "measured", "spread", "error", "error of kernels", "times as fast as the usual split"]
KERNEL_PARTS = ("forward", "backward_data", "backward_filter", "statistics", "update")


class LinkCase(Case):
    """A case on two nodes, which has a platform for each rate and one profile."""

    def __init__(self, network, batch, size, usual):
        super().__init__(network, batch, 2, size, uniform=(usual,))
        self.usual = usual
        self.profile_file = OUT / f"profile-link-{self.name}.json"

    def time_kernels(self, nodes):
        """Times kernels on the fastest link. They are the same on a slow one, where each pass would wait for seconds."""
        self.profile_file.unlink(missing_ok=True)
        nodes.set_rate(FASTEST)
        nodes.mpirun(BIN.resolve() / "cnnplan", "profile", *self.where(), "--axes", "ncdhw", "--uniform", self.usual, "-o",
                     self.profile_file)
        nodes.set_rate(nodes.rate)

    def plan(self, rate, name, *choice):
        """Returns the plan of a choice for the link of this rate."""
        plan = OUT / f"plan-link-{self.name}-{rate}-{name}.json"
        run([BIN / "cnnplan", "solve", *self.where(), "--platform", OUT / f"platform-link-{rate}.json", "--profile",
             self.profile_file, *choice, "-o", plan])
        return plan

    def plans(self, rate):
        """Returns the usual split with each algorithm and with the planner's choice of one, and the solver's plan."""
        usual = ("--uniform", self.usual)
        return {"solver": self.plan(rate, "solver"), self.usual: self.plan(rate, self.usual, *usual),
                **{f"{self.usual}, {name}": self.plan(rate, f"{self.usual}-{name}", *usual, "--allreduce", name)
                   for name in ALGORITHMS}}


def kernels_s(operations, field):
    """Returns the seconds of kernels among the operations of a plan or of a run."""
    return sum(operation[field] for operation in operations if operation["part"] in KERNEL_PARTS)


def execute(nodes, plan, steps):
    """Returns the measured seconds of a step, and of its kernels."""
    out = plan.with_name(plan.name.replace("plan-", "run-"))
    nodes.mpirun(BIN.resolve() / "cnnexec", "--strategy", plan, "--steps", steps, "-o", out)
    measured = read(out)
    return measured["step"]["median_s"], kernels_s(measured["operations"], "median_s")


def measure(nodes, case, rate):
    """Runs the plans of a case in turns, and returns a row for each.

    Every second round has the reverse order, so that no plan always follows the same one.
    """
    plans = case.plans(rate)
    predictions = {name: read(plan)["prediction"] for name, plan in plans.items()}
    rounds, steps = (1, LONG_STEPS) if predictions[case.usual]["step_s"] > LONG_STEP_S else (PREDICTION_ROUNDS, STEPS)
    times = {name: [] for name in plans}
    for number in range(rounds):
        for name in list(plans) if number % 2 == 0 else reversed(plans):
            times[name].append(execute(nodes, plans[name], steps))
    steps_s = {name: [step for step, _ in values] for name, values in times.items()}
    medians = {name: statistics.median(values) for name, values in steps_s.items()}
    rows = []
    for name, prediction in predictions.items():
        predicted = prediction["step_s"]
        kernels = statistics.median(kernels for _, kernels in times[name])
        rows.append([f"{case.network}, {case.size}, batch {case.batch}, {name}", f"{predicted:.3f}", f"{medians[name]:.3f}",
                     f"{min(steps_s[name]):.3f} to {max(steps_s[name]):.3f}", signed_error(predicted, medians[name]),
                     signed_error(kernels_s(prediction["operations"], "predicted_s"), kernels),
                     f"{medians[case.usual] / medians[name]:.2f}"])
    return rows


def link():
    """Measures steps on two nodes for several rates of the link between them, beside what was predicted."""
    reason = reason_not_to()
    if reason:
        print(f"link: skipped: {reason}")
        return f"skipped: {reason}\n"
    cases = [LinkCase(*case) for case in CASES]
    tables = []
    for rate, title in RATES:
        with TwoNodes(rate) as nodes:
            links = nodes.mpirun(BIN.resolve() / "cnnplan", "profile", "--links", "-o", OUT / f"platform-link-{rate}.json")
            (OUT / f"links-{rate}.txt").write_text(links, encoding="utf-8")
            rows = []
            for case in cases:
                case.time_kernels(nodes)  # for each rate, since the speed of a machine drifts
                rows += measure(nodes, case, rate)
        tables.append(table(f"Two nodes, one core each, joined by {title}: seconds per step", HEADER, rows))
    return "\n".join(tables)
