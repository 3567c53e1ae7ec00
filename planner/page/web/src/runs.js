// Draws predicted against measured times, by layer and for the whole step.
import * as Plot from "@observablehq/plot";

import {chart} from "./chart.js";
import {figure, html, legend, tableOf, timed} from "./dom.js";
import {bytes, duration, listed, percent} from "./format.js";
import {colour} from "./parts.js";
import {labelsOf, rowLabel, rowsShown} from "./rows.js";

export function drawRun(run, plan, width) {
  const {step, layers} = run.comparison;
  const error = step.predicted_s / step.measured_s - 1;
  const within = step.predicted_s >= step.min_s && step.predicted_s <= step.max_s;
  const text = `The measured step takes ${duration(step.measured_s)} (${duration(step.min_s)} to ${duration(step.max_s)} in ${step.count} steps); ` +
    `the prediction of ${duration(step.predicted_s)} is ${percent(Math.abs(error))} ${error < 0 ? "too short" : "too long"}${within ? " and within that range" : ""}.`;
  const {rows: order, others} = rowsShown(layers, (row) => Math.max(row.measured_s, row.predicted_s));
  const spread = order.filter((row) => run.spread[row.name]).map((row) => ({name: rowLabel(row.name), min: run.spread[row.name][1] * 1e3, max: run.spread[row.name][2] * 1e3}));
  const {left, short} = labelsOf(order.map((row) => rowLabel(row.name)), width);
  const dots = order.flatMap((row) => [{name: rowLabel(row.name), which: "predicted", ms: row.predicted_s * 1e3}, {name: rowLabel(row.name), which: "measured", ms: row.measured_s * 1e3}]);
  const drawing = timed("run", () => chart({
    width,
    height: 50 + order.length * 20,
    marginLeft: left,
    ariaLabel: text,
    x: {label: "milliseconds, mean over ranks", grid: true, zero: true},
    y: {domain: order.map((row) => rowLabel(row.name)), label: null, tickFormat: short},
    color: {domain: ["predicted", "measured"], range: [colour("allreduce"), colour("backward_data")]},
    symbol: {domain: ["predicted", "measured"], range: ["times", "circle"]},
    marks: [
      Plot.ruleY(spread, {y: "name", x1: "min", x2: "max", stroke: colour("backward_data"), strokeWidth: 5, strokeOpacity: 0.35}),
      Plot.dot(dots, {x: "ms", y: "name", stroke: "which", symbol: "which", r: 4, strokeWidth: 2, title: (dot) => `${dot.name}: ${dot.which} ${dot.ms.toPrecision(3)} ms`}),
    ],
  }));
  const worst = [...layers].filter((row) => row.measured_s > 0).sort((a, b) => Math.abs(b.predicted_s - b.measured_s) - Math.abs(a.predicted_s - a.measured_s)).slice(0, 3);
  const memory = run.comparison.memory;
  return figure("run", text,
    html("p", {}, `Most of the error comes from ${listed(worst.map((row) => `${rowLabel(row.name)} (${duration(row.predicted_s)} predicted, ${duration(row.measured_s)} measured)`))}.`),
    legend([[colour("allreduce"), "× predicted"], [colour("backward_data"), "○ measured: the median of the steps, with the range of single operations as a bar"]]), drawing,
    others > 0 ? html("p", {class: "note"}, `The ${order.length} rows with the most time are drawn; the table has all ${layers.length}.`) : "",
    memory.process_peak_bytes > 0 ? html("p", {}, `A rank used ${bytes(memory.process_peak_bytes)} at its peak; ${bytes(memory.predicted_bytes)} were predicted${plan.memory.process_bytes > 0 ? "" : ", without what the process itself takes, which is not known"}.`) : "",
    tableOf(`predicted and measured times of ${run.file}`, [{title: "row", left: true}, {title: "predicted"}, {title: "measured"}, {title: "shortest"}, {title: "longest"}, {title: "error"}],
      [["whole step", step.predicted_s, step.measured_s, step.min_s, step.max_s], ...layers.map((row) => [rowLabel(row.name), row.predicted_s, row.measured_s, ...(run.spread[row.name]?.slice(1) ?? [NaN, NaN])])]
        .map(([name, predicted, measured, min, max]) => [name, ...[predicted, measured, min, max].map(duration), measured > 0 ? percent(predicted / measured - 1) : "-"])));
}
