// Draws the time of each layer, stacked by part, for the plan and for plans that it is compared with.
import * as Plot from "@observablehq/plot";

import {chart} from "./chart.js";
import {figure, html, legend, tableOf, timed} from "./dom.js";
import {duration, listed, percent, plural} from "./format.js";
import {COLUMNS, COSTS, colour, secondsOf} from "./parts.js";
import {labelsOf, rowLabel, rowsShown} from "./rows.js";

const rowsOf = (source) => [...source.layers, ...source.groups];

function plansOf(plan) {
  return [{name: "this plan", rows: rowsOf(plan.explanation)}, ...plan.rivals.map((rival) => ({name: rival.name, rows: rowsOf(rival)}))];
}

// Returns the names of all rows with the longest time that any plan takes for them, in the order of the network.
function longestTimes(plans) {
  const longest = new Map();
  for (const plan of plans) {
    for (const row of plan.rows) longest.set(row.name, Math.max(longest.get(row.name) ?? 0, row.total_s));
  }
  return [...longest].map(([name, seconds]) => ({name, seconds}));
}

function bars(plans, names) {
  const data = [];
  for (const plan of plans) {
    for (const row of plan.rows.filter(({name}) => names.has(name))) {
      for (const [column, words] of COLUMNS) {
        const ms = secondsOf(row, column) * 1e3;
        if (ms > 0) data.push({layer: rowLabel(row.name), plan: plan.name, column, words, ms});
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

// Says why other plans have no bars.
function missingNote(plan) {
  const missing = plan.steps.length - 1 - plan.rivals.length;
  if (missing === 0) return "";
  const reason = plan.timeline ? "an older version wrote the plan file, which does not list their layers" : "prices are missing";
  return html("p", {class: "note"}, `${plural(missing, "other plan")} ${missing === 1 ? "has" : "have"} no bars here, because ${reason}.`);
}

export function drawCosts(plan, width) {
  const plans = plansOf(plan);
  const {rows, others} = rowsShown(longestTimes(plans), (row) => row.seconds);
  const names = new Set(rows.map(({name}) => name));
  const data = bars(plans, names);
  const restS = plans[0].rows.filter(({name}) => !names.has(name)).reduce((sum, row) => sum + row.total_s, 0);
  const used = COLUMNS.filter(([column]) => data.some((bar) => bar.column === column));
  const several = plans.length > 1;
  const labels = rows.map(({name}) => rowLabel(name));
  const {left, short} = labelsOf(labels, width);
  const drawing = timed("cost", () => chart({
    width,
    height: 50 + labels.length * (several ? 9 * plans.length + 8 : 20),
    marginLeft: left,
    marginRight: 20,
    ariaLabel: `Predicted milliseconds by row: ${caption(plan)}`,
    x: {label: "milliseconds, mean over ranks", grid: true},
    y: {axis: null, domain: plans.map((one) => one.name), padding: several ? 0.1 : 0},
    fy: {domain: labels, label: null, axis: "left", tickFormat: short, padding: 0.22},
    color: {domain: used.map(([column]) => column), range: used.map(([column, , name]) => colour(name ?? column))},
    marks: [Plot.barX(data, {x: "ms", y: "plan", fy: "layer", fill: "column", order: used.map(([column]) => column),
      title: (bar) => `${bar.layer}, ${bar.plan}: ${bar.words} ${bar.ms.toPrecision(3)} ms`})],
  }));
  const columns = [{title: "row", left: true}, {title: "split", left: true}, ...used.map(([, words]) => ({title: words})), {title: "all"}, {title: "on the critical path"}];
  const tables = plans.map((one) => tableOf(`times of ${one.name} by layer`, columns, one.rows.map((row) => [
    rowLabel(row.name), row.split ?? "", ...used.map(([column]) => duration(secondsOf(row, column))), duration(row.total_s), duration(row.critical_s)])));
  return figure("cost", caption(plan),
    several ? html("p", {class: "note"}, `The bars of a row are, from the top: ${listed(plans.map((one) => one.name))}.`) : "",
    legend(used.map(([column, words, name]) => [colour(name ?? column), words])), drawing,
    others > 0 ? html("p", {class: "note"}, `The ${labels.length} rows with the most time are drawn. ${plural(others, "other row")} of this plan ${others === 1 ? "takes" : "take"} ${duration(restS)} in sum; the tables have all rows.`) : "",
    missingNote(plan), ...tables);
}

// Says which costs the step waits for.
function costText({costs, step_s: stepS}) {
  const most = COSTS.map(([cost, words]) => [words, costs[cost] ?? 0]).sort((a, b) => b[1] - a[1]).filter(([, seconds]) => seconds >= 0.01 * stepS).slice(0, 3);
  return most.length ? `, of which ${listed(most.map(([words, seconds], i) => `${words}${i === 0 ? " take" : ""} ${percent(seconds / stepS)}`))}` : "";
}

// Says what other splits could save.
function savedText(plan) {
  if (!(plan.bound_s > 0)) return "";
  const saved = 1 - plan.bound_s / plan.explanation.step_s;
  return `other splits can save ${saved < 0.0005 ? "nothing" : `at most ${percent(saved)}`}`;
}

// Says in a sentence or two what bounds the step.
export function timeWords(plan) {
  const [own] = plan.steps;
  const saved = savedText(plan);
  return `The step takes ${duration(own.step_s)}${costText(own)}.${saved ? ` ${saved[0].toUpperCase()}${saved.slice(1)}.` : ""}`;
}

// Says which costs the step waits for, and what other plans take.
function stepCaption(plan) {
  const [own, ...others] = plan.steps;
  const text = `The step takes ${duration(own.step_s)}${costText(own)}.`;
  const rivals = listed(others.map((step) => `${step.name} takes ${duration(step.step_s)}${step.fits ? "" : " and does not fit"}`));
  return rivals ? `${text} ${rivals[0].toUpperCase()}${rivals.slice(1)}.` : text;
}

// Says what bounds the step from below.
function boundNote(plan) {
  const stepS = plan.explanation.step_s;
  const texts = [`In the mean, a rank communicates or waits in ${percent(plan.exposed_s / stepS)} of the step, and its kernels do not run meanwhile.`];
  if (plan.bound_s > 0) texts.push(`No split among the candidates makes the step shorter than ${duration(plan.bound_s)}, so ${savedText(plan)}.`);
  return html("p", {}, texts.join(" "));
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
  const text = stepCaption(plan);
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
    html("p", {class: "note"}, "The critical path has the operations that the step waits for. Their times add up to the step."), boundNote(plan));
}
