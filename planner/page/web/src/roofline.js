// Draws how far kernels are above the least time that the memory and the arithmetic of the device allow.
import * as Plot from "@observablehq/plot";

import {chart} from "./chart.js";
import {figure, html, legend, tableOf, timed} from "./dom.js";
import {duration, percent, plural, significant} from "./format.js";
import {PARTS, colour} from "./parts.js";
import {labelsOf, rowLabel, rowsShown} from "./rows.js";

const SHARES = [
  ["memory", "least time by memory", "halo"],
  ["arithmetic", "least time by arithmetic", "channels"],
  ["above", "time above it", "other"],
];

const rowText = (row) => `${rowLabel(row.name)}, ${PARTS[row.part][1]}${row.kernels > 1 ? ` (${row.kernels} equal kernels)` : ""}`;
const above = (row) => Math.max(row.predicted_s - row.bound_s, 0);

function caption({bound_s: bound, memory_s: memory, arithmetic_s: arithmetic}, step) {
  return `Kernels that memory bounds take ${percent(memory / step)} of the step, and kernels that arithmetic bounds take ${percent(arithmetic / step)}. ` +
    `At their bounds, all of them would take ${duration(bound)}, which is ${percent(bound / step)} of the step.`;
}

export function drawRoofline(plan, width) {
  const {roofline} = plan;
  const {rows, others} = rowsShown(roofline.rows, above);
  const labels = rows.map(rowText);
  const {left, short} = labelsOf(labels, width);
  const data = rows.flatMap((row, y) => [
    {y, share: row.bound, ms: 1e3 * Math.min(row.bound_s, row.predicted_s)}, {y, share: "above", ms: 1e3 * above(row)}]);
  const text = caption(roofline, plan.explanation.step_s);
  const drawing = timed("roofline", () => chart({
    width,
    height: 50 + rows.length * 20,
    marginLeft: left,
    ariaLabel: text,
    x: {label: "milliseconds of all kernels of a row", grid: true},
    y: {domain: rows.map((_, y) => y), label: null, tickFormat: (y) => short(labels[y])},
    color: {domain: SHARES.map(([share]) => share), range: SHARES.map(([, , name]) => colour(name))},
    marks: [Plot.barX(data, {x: "ms", y: "y", fill: "share", order: SHARES.map(([share]) => share),
      title: (bar) => `${labels[bar.y]}: ${bar.ms.toPrecision(3)} ms ${SHARES.find(([share]) => share === bar.share)[1]}`})],
  }));
  return figure("roofline", text, legend(SHARES.map(([, words, name]) => [colour(name), words])), drawing,
    others > 0 ? html("p", {class: "note"}, `The ${plural(rows.length, "row")} that lose most are drawn; the table has all ${plural(roofline.rows.length, "row")}.`) : "",
    html("p", {class: "note"}, `The rates are ${significant(roofline.bytes_per_s / 1e9, 4)} GB/s and ${significant(roofline.flops_per_s / 1e12, 4)} Tflop/s (${roofline.source}). The kernels are those of rank ${roofline.rank}, which has the most work.`),
    tableOf("kernels and their least times", [{title: "kernels", left: true}, {title: "GB"}, {title: "Gflop"}, {title: "bound by", left: true}, {title: "bound"}, {title: "predicted"}, {title: "share"}],
      roofline.rows.map((row) => [rowText(row), (row.bytes / 1e9).toFixed(3), (row.flops / 1e9).toFixed(1), row.bound, duration(row.bound_s), duration(row.predicted_s), row.predicted_s > 0 ? percent(row.bound_s / row.predicted_s) : "-"])));
}
