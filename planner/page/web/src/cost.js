// Draws the time of each layer, stacked by part, for the plan and for plans that it is compared with.
import * as Plot from "@observablehq/plot";

import {chart} from "./chart.js";
import {figure, html, legend, tableOf, timed} from "./dom.js";
import {duration, listed, percent, plural} from "./format.js";
import {COLUMNS, COSTS, colour} from "./parts.js";

const MOST_ROWS = 24;

const rowsOf = (source) => [...source.layers, ...source.groups];
const rowLabel = (name) => ({reduce: "sums of gradients", sgd: "updates of weights"}[name] ?? name);

// Returns the rows that take longest in any plan, in the order of the network, and counts the others.
function chosenRows(plans) {
  const totals = new Map();
  for (const plan of plans) {
    for (const row of plan.rows) totals.set(row.name, Math.max(totals.get(row.name) ?? 0, row.total_s));
  }
  const names = [...totals].sort((a, b) => b[1] - a[1]).slice(0, MOST_ROWS).map(([name]) => name);
  const kept = new Set(names);
  return {kept, order: [...totals.keys()].filter((name) => kept.has(name)), others: totals.size - kept.size};
}

function bars(plans, chosen) {
  const data = [];
  for (const plan of plans) {
    for (const row of plan.rows.filter(({name}) => chosen.kept.has(name))) {
      for (const [column, words] of COLUMNS) {
        const ms = (row[`${column}_s`] ?? 0) * 1e3;
        if (ms > 0) data.push({layer: rowLabel(row.name), plan: plan.short, column, words, ms});
      }
    }
  }
  return data;
}

function caption(plan) {
  const rows = rowsOf(plan.explanation);
  const all = rows.reduce((sum, row) => sum + row.total_s, 0);
  const top = [...rows].sort((a, b) => b.total_s - a.total_s).slice(0, 3);
  if (top[0].total_s < 0.05 * all) return `The time is spread over ${plural(rows.length, "row")}; none takes more than ${percent(top[0].total_s / all)} of it.`;
  const text = `${listed(top.map((row) => `${rowLabel(row.name)} (${percent(row.total_s / all)})`))} ` +
    `${top.length === 1 ? "takes" : "take"} the most time of the step's operations.`;
  return top[0].name === "reduce" || top[0].name === "sgd" ? text[0].toUpperCase() + text.slice(1) : text;
}

export function drawCosts(plan, width) {
  const plans = [{name: "this plan", short: "plan", rows: rowsOf(plan.explanation)}];
  plan.rivals.forEach((rival, i) => plans.push({name: rival.name, short: rival.name.startsWith("data") ? "data p." : `next ${i}`, rows: rowsOf(rival)}));
  const chosen = chosenRows(plans);
  const data = bars(plans, chosen);
  const restS = plans[0].rows.filter(({name}) => !chosen.kept.has(name)).reduce((sum, row) => sum + row.total_s, 0);
  const used = COLUMNS.filter(([column]) => data.some((bar) => bar.column === column));
  const several = plans.length > 1;
  const labels = chosen.order.map(rowLabel);
  const left = Math.min(width * 0.34, 16 + 6.6 * Math.max(...labels.map((label) => label.length)));
  const short = (label) => (label.length * 6.6 > left - 10 ? `${label.slice(0, Math.floor((left - 16) / 6.6))}…` : label);
  const drawing = timed("cost", () => chart({
    width,
    height: 50 + labels.length * (several ? 13 * plans.length + 8 : 20),
    marginLeft: left,
    marginRight: several ? 60 : 20,
    ariaLabel: `Predicted milliseconds by row: ${caption(plan)}`,
    x: {label: "milliseconds, mean over ranks", grid: true},
    y: several ? {axis: "right", label: null, domain: plans.map((one) => one.short), padding: 0.1} : {axis: null, domain: ["plan"], padding: 0},
    fy: {domain: labels, label: null, axis: "left", tickFormat: short, padding: 0.22},
    color: {domain: used.map(([column]) => column), range: used.map(([column, , name]) => colour(name ?? column))},
    marks: [Plot.barX(data, {x: "ms", y: "plan", fy: "layer", fill: "column", order: used.map(([column]) => column),
      title: (bar) => `${bar.layer}, ${bar.plan}: ${bar.words} ${bar.ms.toPrecision(3)} ms`})],
  }));
  const missing = several ? "" : plan.steps.length > 1 ?
    html("p", {class: "note"}, "Other plans are shown by their whole steps only, because this report could not price their layers.") : "";
  const columns = [{title: "row", left: true}, {title: "split", left: true}, ...used.map(([, words]) => ({title: words})), {title: "all"}, {title: "on the critical path"}];
  const tables = plans.map((one) => tableOf(`times of ${one.name} by layer`, columns, one.rows.map((row) => [
    rowLabel(row.name), row.split ?? "", ...used.map(([column]) => duration(row[`${column}_s`] ?? 0)), duration(row.total_s), duration(row.critical_s)])));
  return figure("cost", caption(plan),
    several ? html("p", {class: "note"}, `Each row has one bar for ${listed(plans.map((one) => `${one.name} (“${one.short}”)`))}.`) : "",
    legend(used.map(([column, words, name]) => [colour(name ?? column), words])), drawing,
    chosen.others > 0 ? html("p", {class: "note"}, `The ${labels.length} rows with the most time are drawn. ${plural(chosen.others, "other row")} of this plan take ${duration(restS)} in sum; the tables have all rows.`) : "",
    missing, ...tables);
}

// Draws the critical path of the plan and of its rivals.
export function drawSteps(plan, width) {
  const data = [];
  for (const step of plan.steps) {
    for (const [cost, words, name] of COSTS) {
      if (step.costs[cost]) data.push({plan: step.name, cost: name, words, ms: step.costs[cost] * 1e3});
    }
  }
  const used = COSTS.filter(([cost]) => plan.steps.some((step) => step.costs[cost]));
  const others = plan.steps.slice(1);
  const own = plan.steps[0];
  const text = others.length === 0 ? `The step takes ${duration(own.step_s)}.` :
    `The step takes ${duration(own.step_s)}; ${listed(others.map((step) => `${step.name} takes ${duration(step.step_s)}${step.fits ? "" : " and does not fit"}`))}.`;
  const narrow = width < 560;
  const drawing = timed("steps", () => chart({
    width,
    height: 50 + plan.steps.length * (narrow ? 46 : 34),
    marginLeft: narrow ? 8 : Math.min(260, 20 + 6.5 * Math.max(...plan.steps.map((step) => step.name.length))),
    ariaLabel: text,
    x: {label: "milliseconds on the critical path", grid: true},
    y: {domain: plan.steps.map((step) => step.name), label: null, axis: narrow ? null : "left", padding: narrow ? 0.5 : 0.25},
    color: {domain: used.map(([, , name]) => name), range: used.map(([, , name]) => colour(name))},
    marks: [
      Plot.barX(data, {x: "ms", y: "plan", fill: "cost", order: used.map(([, , name]) => name), title: (bar) => `${bar.plan}: ${bar.words} ${bar.ms.toPrecision(3)} ms`}),
      narrow ? Plot.text(plan.steps, {x: 0, y: "name", text: "name", textAnchor: "start", dy: -19}) : null,
    ],
  }));
  return figure("steps", text, legend(used.map(([, words, name]) => [colour(name), words])), drawing,
    tableOf("the critical path by cost", [{title: "plan", left: true}, {title: "ranks"}, {title: "step"}, ...used.map(([, words]) => ({title: words}))],
      plan.steps.map((step) => [step.name, step.ranks, duration(step.step_s), ...used.map(([cost]) => duration(step.costs[cost] ?? 0))])),
    html("p", {class: "note"}, `The critical path has the operations that the step waits for. ${plural(plan.explanation.layers.length, "layer")} are planned.`));
}
