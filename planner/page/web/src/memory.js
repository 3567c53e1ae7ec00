// Draws the memory of the rank that needs most, over the step and by layer.
import * as Plot from "@observablehq/plot";

import {chart} from "./chart.js";
import {figure, html, legend, tableOf, timed} from "./dom.js";
import {bytes, duration, listed, percent, plural} from "./format.js";
import {labelsOf, rowsShown} from "./rows.js";
import {colour} from "./parts.js";

const MOST_POINTS = 1200;
const LAYERS = [
  ["process", "the process itself", "other"],
  ["parameters", "weights, gradients and momentum", "update"],
  ["buffers", "messages, workspaces and statistics", "shuffle"],
  ["kept", "samples and places between buffers", "channels"],
  ["arena", "activations and error signals", "forward"],
];

// Returns pairs of microseconds and bytes. In each of many short spans, the largest value counts.
function thinned(points, step) {
  const pairs = [];
  for (let i = 0; i < points.length; i += 2) pairs.push([points[i], points[i + 1]]);
  if (pairs.length <= MOST_POINTS) return pairs;
  const spans = new Map();
  for (const [us, value] of pairs) {
    const span = Math.floor((us / step) * MOST_POINTS);
    if (!spans.has(span) || spans.get(span)[1] < value) spans.set(span, [us, value]);
  }
  return [...spans.values()];
}

const USES = [
  ["parameters_bytes", "weights, gradients and momentum"],
  ["activations_bytes", "activations, error signals and samples"],
  ["buffers_bytes", "messages, workspaces and statistics"],
  ["process_bytes", "the process itself"],
];

const sumOf = (use) => USES.reduce((sum, [name]) => sum + use[name], 0);

// Says how much the rank that needs most needs, and for what.
export function memoryWords(plan) {
  const use = plan.memory;
  const total = sumOf(use);
  const limit = use.available_bytes;
  const rank = plan.timeline ? `Rank ${plan.timeline.memory.rank}` : "The rank that needs most";
  const parts = USES.filter(([name]) => use[name] >= 0.01 * total).sort(([a], [b]) => use[b] - use[a]).map(([name, words]) => `${percent(use[name] / total)} are ${words}`);
  return `${rank} needs ${plan.explanation.any_estimated ? "at least " : ""}${bytes(total)} at its peak${limit > 0 ? `, which is ${percent(total / limit)} of the ${bytes(limit)} that a rank has` : "; the limit is not known"}. ` +
    `Of it, ${parts.join("; ")}.`;
}

export function drawMemory(plan, width) {
  const use = plan.memory;
  const total = sumOf(use);
  const limit = use.available_bytes;
  const points = plan.timeline ? thinned(plan.timeline.memory.points, plan.timeline.step_us) : [];
  const most = points.reduce((found, [, value]) => Math.max(found, value), 0);
  const kept = Math.max(use.activations_bytes - most, 0);
  const mib = (value) => value / 2 ** 20;
  const fixed = {process: use.process_bytes, parameters: use.parameters_bytes, buffers: use.buffers_bytes, kept};
  const times = points.length ? [...points, [plan.timeline.step_us, points[points.length - 1][1]]] : [[0, use.activations_bytes - kept], [1, use.activations_bytes - kept]];
  const data = times.flatMap(([us, value]) => LAYERS.map(([name]) => ({ms: us / 1e3, name, mib: mib(fixed[name] ?? value)})));
  const used = LAYERS.filter(([name]) => data.some((point) => point.name === name && point.mib > 0));
  const near = limit > 0 && limit < 4 * total;
  const text = memoryWords(plan);
  const drawing = timed("memory", () => chart({
    width,
    height: 260,
    marginLeft: 64,
    ariaLabel: text,
    x: {label: points.length ? "milliseconds of the step" : null, axis: points.length ? "bottom" : null},
    y: {label: "MiB", grid: true, domain: [0, mib(near ? Math.max(limit, total) : total) * 1.08]},
    color: {domain: used.map(([name]) => name), range: used.map(([, , name]) => colour(name))},
    marks: [
      Plot.areaY(data, {x: "ms", y: "mib", fill: "name", order: used.map(([name]) => name), curve: "step-after"}),
      near ? Plot.ruleY([mib(limit)], {stroke: "currentColor", strokeWidth: 2, strokeDasharray: "6 3"}) : null,
      near ? Plot.text([`limit ${bytes(limit)}`], {x: data[0].ms, y: mib(limit), text: (d) => d, textAnchor: "start", dx: 6, dy: -8}) : null,
    ],
  }));
  return figure("memory", text, legend(used.map(([, words, name]) => [colour(name), words])), drawing,
    limit > 0 && !near ? html("p", {class: "note"}, `The limit of ${bytes(limit)} is far above the picture.`) : "",
    html("p", {class: "note"}, "“Places between buffers” is memory that the shared arena needs because buffers cannot be packed without gaps."),
    tableOf("shares of the memory", [{title: "share", left: true}, {title: "bytes"}, {title: "of the peak"}],
      USES.map(([name, words]) => [words, bytes(use[name]), percent(use[name] / total)])),
    points.length ? tableOf("memory over time", [{title: "time"}, {title: "activations and error signals"}], points.map(([us, value]) => [duration(us / 1e6), bytes(value)])) : "");
}

const SHARES = [
  ["kept", "kept for the backward pass", "forward"],
  ["parameters", "weights, gradients and momentum", "update"],
];

// Draws which layers the memory of that rank belongs to, as far as it belongs to single layers.
export function drawMemoryOfLayers(plan, width) {
  const {rank, kept, parameters} = plan.timeline.memory;
  const all = plan.explanation.layers.map((layer, i) => ({name: layer.name, kept: kept[i], parameters: parameters[i], total: kept[i] + parameters[i]}));
  const {rows, others} = rowsShown(all, (row) => row.total);
  const sum = all.reduce((bytesOfAll, row) => bytesOfAll + row.total, 0);
  const top = [...rows].sort((a, b) => b.total - a.total).slice(0, 3);
  const text = `When the backward pass begins, rank ${rank} holds ${bytes(sum)} for its layers; the most is for ${listed(top.map((row) => `${row.name} (${bytes(row.total)})`))}.`;
  const data = rows.flatMap((row) => SHARES.map(([share, words]) => ({name: row.name, share, words, mib: row[share] / 2 ** 20})));
  const {left, short} = labelsOf(rows.map((row) => row.name), width);
  const drawing = timed("memory of layers", () => chart({
    width,
    height: 50 + rows.length * 20,
    marginLeft: left,
    ariaLabel: text,
    x: {label: "MiB", grid: true},
    y: {domain: rows.map((row) => row.name), label: null, tickFormat: short},
    color: {domain: SHARES.map(([share]) => share), range: SHARES.map(([, , name]) => colour(name))},
    marks: [Plot.barX(data, {x: "mib", y: "name", fill: "share", order: SHARES.map(([share]) => share), title: (bar) => `${bar.name}: ${bar.mib.toPrecision(3)} MiB ${bar.words}`})],
  }));
  return figure("memory-layers", text, legend(SHARES.map(([, words, name]) => [colour(name), words])), drawing,
    others > 0 ? html("p", {class: "note"}, `The ${plural(rows.length, "layer")} with the most memory are drawn; the table has all ${plural(all.length, "layer")}.`) : "",
    tableOf("memory by layer", [{title: "layer", left: true}, ...SHARES.map(([, words]) => ({title: words})), {title: "all"}],
      all.map((row) => [row.name, bytes(row.kept), bytes(row.parameters), bytes(row.total)])));
}
