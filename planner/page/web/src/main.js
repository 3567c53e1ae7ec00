// Reads the document in the page, and builds the sections of the report from it.
import {drawCosts, drawSteps, timeWords} from "./cost.js";
import {drawCut} from "./cut.js";
import {html, timed} from "./dom.js";
import {firstLayer} from "./first_layer.js";
import {bytes, count, duration, plural, significant} from "./format.js";
import {drawGraph} from "./graph.js";
import {heldReport} from "./held.js";
import {drawMemory, drawMemoryOfLayers, memoryWords} from "./memory.js";
import {provenance} from "./provenance.js";
import {drawRoofline} from "./roofline.js";
import {drawRun} from "./runs.js";
import {drawScaling} from "./scaling.js";
import {drawTimeline} from "./timeline.js";

const TITLES = {
  network: "How the network is split", times: "Where the time goes", memory: "Where the memory goes", sources: "Where the figures come from",
};

let report; // set by start()
const content = document.getElementById("content");

// Knows which layer is shown, and tells the figures when it changes.
function selectionOf() {
  const listeners = [];
  let layer = -1;
  return {
    listen: (listener) => listeners.push(listener),
    choose: (next) => {
      if (next === layer) return;
      layer = next;
      for (const listener of listeners) listener(layer);
    },
  };
}

// Draws a figure now, and again when the width of its place changes.
function place(draw) {
  const box = html("div");
  let width = 0;
  const redraw = () => {
    const next = Math.floor(box.clientWidth);
    if (next === 0 || next === width) return;
    width = next;
    box.replaceChildren(draw(width));
  };
  new ResizeObserver(redraw).observe(box);
  queueMicrotask(redraw);
  return box;
}

function section(id, title, ...children) {
  return html("section", {id, "aria-labelledby": `${id}-title`}, html("h2", {id: `${id}-title`}, title), ...children);
}

// Returns the lines of the summary by their labels. In its text, labels take eight columns, and so do the blanks
// before a line that goes on with the line before it.
function summaryLines(text) {
  const entries = [["", ""]];
  for (const line of text.trim().split("\n")) {
    const [, label, words] = /^(\w+) +(.*)$/.exec(line) ?? [];
    const isLabelled = label && label.length < 8 && line.slice(0, 8).trim() === label;
    if (isLabelled && line.length > 8 && line[7] === " ") entries.push([label, words]);
    else entries[entries.length - 1][1] += ` ${line.trim()}`;
  }
  return Object.fromEntries(entries);
}

// Returns the words with a full stop, and with no line break between a number and its unit.
const sentence = (words) => words.replace(/[^.]$/, "$&.").replace(/(\d) (ms|us|s|x|%|[KMGT]iB)(?!\w)/g, "$1\u00a0$2");

// Says how layers are split and why, what bounds the step, where the memory goes, and how sure the choice is. Each
// answer has a link to the section that shows it.
function answers(plan) {
  const lines = summaryLines(plan.summary);
  const rows = [
    ["plan", lines.plan, "network"], ["why", lines.why, "times"], ["time", timeWords(plan), "times"],
    ["memory", memoryWords(plan), "memory"], ["sure", lines.sure, "sources"],
  ];
  return html("dl", {class: "words"}, rows.filter(([, words]) => words).flatMap(([label, words, id]) =>
    [html("dt", {}, label), html("dd", {}, `${sentence(words)} `, html("a", {href: `#${id}`}, TITLES[id]))]));
}

// Returns the range of the predicted step where estimates make it uncertain.
function rangeText({step_s: step, low_s: low, high_s: high}) {
  return low > 0 && high - low > 0.05 * step ? `${duration(low)} to ${duration(high)}` : "";
}

// Returns the name of a rival, in the words of the summary.
function rivalName({kind, plan, ranks}, own) {
  if (kind === "next") return `the next plan (${plan})`;
  return `data parallelism${ranks === own ? "" : ` on ${plural(ranks, "rank")}`}`;
}

// Returns the rival that wins in most draws of errors, and the number of draws in which the plan beats it.
function sureFact({sure, rivals, ranks}) {
  if (!sure) return ["beats the closest other plan in", "not known", ""];
  const {draws} = sure.wins.find((win) => win.rival === sure.closest);
  return [`beats ${rivalName(rivals[sure.closest], ranks)} in`, `${draws} of ${sure.draws}`, "draws of likely errors, fewest of all rivals"];
}

// Returns how fast the plan is compared with data parallelism, in the words of the summary.
function ratioText({times_data_parallel: ratio, is_data_parallel: isItself}, overlap) {
  if (!ratio) return ["not known", ""];
  const number = ratio.toFixed(2);
  const remark = isItself ? "it is data parallelism" : overlap ? "both with overlap" : "both without overlap";
  return [number === "1.00" ? "as fast" : `${number} times as fast`, remark];
}

// Returns pairs of what, value and a remark.
function factsOf(plan) {
  const explained = plan.explanation;
  const limit = explained.available_bytes > 0 ? `of ${bytes(explained.available_bytes)}` : "the limit is not known";
  return [
    ["predicted step", duration(explained.step_s), rangeText(explained)],
    ["samples per second", explained.samples_per_s >= 100 ? count(Math.round(explained.samples_per_s)) : significant(explained.samples_per_s), ""],
    ["compared with data parallelism", ...ratioText(explained, plan.overlap)],
    sureFact(explained),
    ["memory per rank", bytes(explained.memory_bytes), explained.any_estimated ? `at least, ${limit}` : limit],
  ];
}

function facts(plan) {
  return html("dl", {class: "facts"}, factsOf(plan).map(([what, value, remark]) =>
    html("div", {}, html("dt", {}, what), html("dd", {}, value), remark ? html("dd", {class: "remark"}, remark) : "")));
}

// Says what the step would take if the layer alone were split otherwise, or why this is not known.
function reasonOf(plan, layer) {
  const {reason} = plan.layers[layer];
  const words = reason === undefined ? plan.no_reason : plan.reasons[reason];
  return html("p", {class: "reason"}, words ? `Why this split? ${sentence(words)}` : "");
}

// Offers all layers in a list, with a filter and a choice of the rank.
function layerSection(plan, selection) {
  const names = plan.explanation.layers.map((layer) => layer.name);
  const list = html("select", {size: "10", "aria-label": "Layers", onchange: () => selection.choose(Number(list.value))});
  const options = names.map((name, i) => html("option", {value: `${i}`}, `${name}: ${plan.layers[i].words}`));
  list.append(...options);
  const filter = html("input", {type: "search", oninput: () => {
    const wanted = filter.value.toLowerCase();
    list.replaceChildren(...options.filter((option) => option.textContent.toLowerCase().includes(wanted)));
  }});
  const rank = html("input", {type: "number", min: "0", max: `${plan.explanation.ranks - 1}`, value: "0", onchange: () => show(layer)});
  const picture = html("div", {"aria-live": "polite"});
  let layer = 0;
  const show = (next) => {
    layer = next;
    const chosen = Math.min(Math.max(Math.round(Number(rank.value)) || 0, 0), plan.explanation.ranks - 1);
    rank.value = `${chosen}`;
    picture.replaceChildren(drawCut(plan, layer, chosen), reasonOf(plan, layer));
    if (list.value !== `${next}`) list.value = `${next}`;
  };
  selection.listen(show);
  return [html("div", {class: "tools"}, html("label", {}, "find a layer", filter), html("label", {}, "rank", rank)), list, picture];
}

function planSections(plan) {
  const selection = selectionOf();
  const runs = report.runs.filter((run) => report.plans[run.plan] === plan);
  const sections = [
    section("summary", "Summary", facts(plan), answers(plan)),
    html("div", {class: "two"},
      section("network", TITLES.network, drawGraph(plan, selection)),
      section("layer", "How a layer is cut", ...layerSection(plan, selection))),
    section("times", TITLES.times, place((width) => drawSteps(plan, width)), place((width) => drawCosts(plan, width)),
      ...(plan.roofline ? [place((width) => drawRoofline(plan, width))] : [])),
    section("step", "What happens in a step", place((width) => drawTimeline(plan, width))),
    section("memory", TITLES.memory, place((width) => drawMemory(plan, width)),
      ...(plan.timeline ? [place((width) => drawMemoryOfLayers(plan, width))] : [])),
    ...(runs.length === 0 ? [] : [section("runs", "What was measured", ...runs.map((run) =>
      html("div", {}, html("h3", {}, run.file), place((width) => drawRun(run, plan, width)))))]),
    ...(report.scaling.length < 2 ? [] : [section("scaling", "More ranks", place((width) => drawScaling(report.scaling, width)))]),
    section("sources", TITLES.sources, ...provenance(report, plan)),
  ];
  queueMicrotask(() => selection.choose(firstLayer(plan)));
  return sections;
}

function show(index) {
  const plan = report.plans[index];
  const explained = plan.explanation;
  timed("sections", () => content.replaceChildren(...planSections(plan)));
  document.title = `${explained.network} on ${plural(explained.ranks, "rank")}: cnnplan report`;
  document.getElementById("title").textContent = `${explained.network} on ${plural(explained.ranks, "rank")}, batch ${count(explained.batch)}, ${explained.precision}`;
  document.getElementById("contents").replaceChildren(html("ul", {}, [...content.querySelectorAll("section")].map((one) =>
    html("li", {}, html("a", {href: `#${one.id}`}, one.querySelector("h2").textContent)))));
}

async function start() {
  const head = document.getElementById("head");
  head.append(html("h1", {id: "title"}));
  try {
    report = await heldReport(document.getElementById("report").textContent);
  } catch (error) {
    document.getElementById("title").textContent = "cnnplan report";
    content.append(html("p", {role: "alert"}, error.message));
    return;
  }
  if (report.plans.length > 1) head.append(planChoice());
  show(0);
}

// Lets the reader choose one of several plans.
function planChoice() {
  const choice = html("select", {onchange: () => show(Number(choice.value))},
    report.plans.map((plan, i) => html("option", {value: `${i}`}, `${plan.file}: ${plan.explanation.network} on ${plural(plan.explanation.ranks, "rank")}, ${duration(plan.explanation.step_s)}`)));
  return html("div", {class: "tools"}, html("label", {}, "plan", choice));
}

start();
