// Draws how far kernels are above the least time that the memory and the arithmetic of the device allow.
import * as Plot from "@observablehq/plot";

import {chart} from "./chart.js";
import {figure, html, legend, tableOf, timed} from "./dom.js";
import {duration, listed, percent, plural, significant} from "./format.js";
import {PARTS, colour} from "./parts.js";
import {labelsOf, rowLabel, rowsShown} from "./rows.js";

const SHARES = [
  ["memory", "least time by memory", "halo"],
  ["arithmetic", "least time by arithmetic", "channels"],
  ["above", "timed, above the least time", "allreduce"],
  ["estimated", "estimated, above the least time: time these kernels", "other"],
];
const NAMED = 3; // rows that a sentence names

const SHORT_PARTS = {forward: "fwd", backward_data: "bwd data", backward_filter: "bwd weights"};
const LABEL_SHARE = 0.58; // of the width, at most

// Updates of weights are a row and a part.
function labelled({name, part}, more, words) {
  const label = rowLabel(name);
  return `${label}${more}${label === PARTS[part][1] ? "" : `, ${words}`}`;
}
const rowText = (row) => `${labelled(row, "", PARTS[row.part][1])}${row.kernels > 1 ? ` (${row.kernels} equal kernels)` : ""}`;
const shortText = (row) => labelled(row, row.kernels > 1 ? ` +${row.kernels - 1}` : "", SHORT_PARTS[row.part] ?? PARTS[row.part][1]);
const above = (row) => Math.max(row.predicted_s - row.bound_s, 0);
const named = (rows, secondsOf) => listed(rows.slice(0, NAMED).map((row) => `${rowText(row)} (${duration(secondsOf(row))})`));

function caption({bound_s: bound, memory_s: memory, arithmetic_s: arithmetic}, step) {
  return `Kernels that memory bounds take ${percent(memory / step)} of the step, and kernels that arithmetic bounds take ${percent(arithmetic / step)}. ` +
    `At their bounds, all of them would take ${duration(bound)}, which is ${percent(bound / step)} of the step.`;
}

// Says which kernels lose most. An estimate says nothing about what the device loses, so it says which kernels to time.
function lossWords(rows, command) {
  const words = [];
  const losing = rows.filter((row) => !row.estimated && above(row) > 0);
  if (losing.length) words.push(`Most time above the bounds is lost by ${named(losing, above)}. `);
  const estimated = rows.filter((row) => row.estimated);
  if (estimated.length) {
    const which = estimated.length === rows.length ? "All times are" : `${estimated.length} of ${plural(rows.length, "row")} ${estimated.length === 1 ? "is" : "are"}`;
    const whose = estimated.length === rows.length ? "" : estimated.length === 1 ? "its " : "their ";
    words.push(`${which} estimated, so what ${whose}kernels lose is not known. Time them, first ${named(estimated, (row) => row.predicted_s)}, with `,
      html("code", {}, command));
  }
  return words;
}

// Says what the least times are of, and why some times are below them.
function boundText(roofline) {
  const texts = [`The rates are ${significant(roofline.bytes_per_s / 1e9, 4)} GB/s and ${significant(roofline.flops_per_s / 1e12, 4)} Tflop/s (${roofline.source}).`];
  const saving = Math.max(1, ...roofline.rows.map((row) => row.saving));
  if (saving > 1) texts.push(`Operations are those of direct convolution. Methods that save some, as Winograd’s does, make least times up to ${saving.toFixed(2)} times shorter.`);
  const below = roofline.rows.filter((row) => row.below_bound).length;
  if (below > 0) texts.push(`${plural(below, "row")} ${below === 1 ? "takes" : "take"} less than the least time, because a method saves operations, a cache saves bytes, or the device is faster than its rates.`);
  texts.push(`The kernels are those of rank ${roofline.rank}, which has the most work.`);
  return texts.join(" ");
}

function shareText(row) {
  if (row.estimated) return "estimated: time it";
  return row.predicted_s > 0 ? percent(row.bound_s / row.predicted_s) : "-";
}

export function drawRoofline(plan, width) {
  const {roofline} = plan;
  const {rows, others} = rowsShown(roofline.rows, (row) => (row.estimated ? row.predicted_s : above(row)));
  const labels = rows.map(shortText);
  const {left, short} = labelsOf(labels, width, LABEL_SHARE);
  const data = rows.flatMap((row, y) => [
    {y, share: row.bound, ms: 1e3 * Math.min(row.bound_s, row.predicted_s)}, {y, share: row.estimated ? "estimated" : "above", ms: 1e3 * above(row)}]);
  const used = SHARES.filter(([share]) => data.some((bar) => bar.share === share && bar.ms > 0));
  const text = caption(roofline, plan.explanation.step_s);
  const drawing = timed("roofline", () => chart({
    width,
    height: 50 + rows.length * 20,
    marginLeft: left,
    ariaLabel: text,
    x: {label: "milliseconds of all kernels of a row", grid: true},
    y: {domain: rows.map((_, y) => y), label: null, tickFormat: (y) => short(labels[y])},
    color: {domain: used.map(([share]) => share), range: used.map(([, , name]) => colour(name))},
    marks: [Plot.barX(data, {x: "ms", y: "y", fill: "share", order: used.map(([share]) => share),
      title: (bar) => `${rowText(rows[bar.y])}: ${bar.ms.toPrecision(3)} ms ${SHARES.find(([share]) => share === bar.share)[1]}`})],
  }));
  return figure("roofline", text, html("p", {}, ...lossWords(roofline.rows, plan.profile_command)), legend(used.map(([, words, name]) => [colour(name), words])), drawing,
    html("p", {class: "note"}, [others > 0 ? `The ${plural(rows.length, "row")} with the most time to gain or to confirm are drawn; the table has all ${plural(roofline.rows.length, "row")}.` : "",
      rows.some((row) => row.kernels > 1) ? "“+3” counts the kernels that are equal to the first one." : "", boundText(roofline)].filter((words) => words).join(" ")),
    tableOf("kernels and their least times", [{title: "kernels", left: true}, {title: "GB"}, {title: "Gflop"}, {title: "bound by", left: true}, {title: "bound"}, {title: "predicted"}, {title: "share"}],
      roofline.rows.map((row) => [rowText(row), (row.bytes / 1e9).toFixed(3), (row.flops / 1e9).toFixed(1), row.bound, duration(row.bound_s), duration(row.predicted_s), shareText(row)])));
}
