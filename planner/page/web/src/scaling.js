// Draws the step over the number of ranks, where plans differ in their ranks.
import * as Plot from "@observablehq/plot";

import {chart} from "./chart.js";
import {figure, tableOf, timed} from "./dom.js";
import {duration, percent, significant} from "./format.js";
import {colour} from "./parts.js";

export function drawScaling(points, width) {
  const first = points[0];
  const last = points[points.length - 1];
  const ideal = points.map((point) => ({ranks: point.ranks, ms: (first.step_s * first.ranks * 1e3) / point.ranks}));
  const text = `From ${first.ranks} to ${last.ranks} ranks, the step gets ${significant(first.step_s / last.step_s)} times as fast, which is an efficiency of ${percent(last.efficiency)}.`;
  const drawing = timed("scaling", () => chart({
    width: Math.min(width, 720),
    height: 320,
    marginLeft: 60,
    marginTop: 48,
    marginRight: 40,
    ariaLabel: text,
    x: {type: "log", label: "ranks", ticks: points.map((point) => point.ranks), tickFormat: (ranks) => `${ranks}`},
    y: {type: "log", inset: 24, label: "milliseconds of a step", grid: true, ticks: 5, tickFormat: (ms) => significant(ms)},
    marks: [
      Plot.line(ideal, {x: "ranks", y: "ms", stroke: "currentColor", strokeDasharray: "4 4"}),
      Plot.text(ideal.slice(-1), {x: "ranks", y: "ms", text: () => "ideal", textAnchor: "end", dy: 14}),
      Plot.line(points, {x: "ranks", y: (point) => point.step_s * 1e3, stroke: colour("backward_data"), strokeWidth: 2}),
      Plot.dot(points, {x: "ranks", y: (point) => point.step_s * 1e3, fill: colour("backward_data"), r: 5, title: (point) => `${point.ranks} ranks: ${duration(point.step_s)}`}),
      Plot.text(points, {x: "ranks", y: (point) => point.step_s * 1e3, text: (point) => duration(point.step_s), dy: -12}),
    ],
  }));
  return figure("scaling", text, drawing,
    tableOf("steps by ranks", [{title: "ranks"}, {title: "step"}, {title: "samples per second"}, {title: "efficiency"}, {title: "plan", left: true}],
      points.map((point) => [point.ranks, duration(point.step_s), significant(point.images_per_s), percent(point.efficiency), point.plan])));
}
