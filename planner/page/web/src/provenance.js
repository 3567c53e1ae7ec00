// Says what the figures of the report come from.
import {html, tableOf} from "./dom.js";
import {plural} from "./format.js";

function fileRows(report, plan) {
  const rows = [["plan", plan.file, plan.sha256], ...plan.inputs.map((input, i) => [i === 0 ? "network" : "figures of the machine", input.file, input.sha256])];
  for (const run of report.runs) {
    if (report.plans[run.plan] === plan) rows.push(["run", run.file, run.sha256]);
  }
  return rows;
}

export function provenance(report, plan) {
  const estimated = plan.estimated_kernels.length;
  const runs = report.runs.filter((run) => report.plans[run.plan] === plan);
  return [
    html("p", {}, estimated === 0 ? "All kernels of this plan were timed." :
      `${plural(estimated, "kernel")} of this plan ${estimated === 1 ? "is" : "are"} estimated, because the profile has no time of ${estimated === 1 ? "it" : "them"}.`),
    plan.assumptions ? html("pre", {tabindex: "0", "aria-label": "Assumptions"}, plan.assumptions.trim()) : "",
    html("p", {}, plan.device ? `The kernels were timed on: ${plan.device}.` : "The plan does not name a machine on which kernels were timed."),
    ...runs.map((run) => html("p", {}, `${run.file} was measured with the backend ${run.backend}${run.device ? ` on ${run.device}` : ""}.`)),
    html("pre", {tabindex: "0", "aria-label": "Version of the program"}, report.program.trim()),
    tableOf("files and their digests", [{title: "what", left: true}, {title: "file", left: true}, {title: "SHA-256", left: true}], fileRows(report, plan), true),
    estimated > 0 ? tableOf("estimated kernels by family", [{title: "family", left: true}, {title: "kernels"}], plan.estimated_families.map((entry) => [`${entry.kind} ${entry.phase}`.replaceAll("_", " "), entry.kernels])) : "",
    estimated > 0 ? tableOf("estimated kernels", [{title: "kernel", left: true}], plan.estimated_kernels.map((kernel) => [kernel])) : "",
    ...runs.map((run) => tableOf(`environment of ${run.file}`, [{title: "what", left: true}, {title: "value", left: true}], Object.entries(run.environment))),
  ];
}
