// Opens reports in headless Chromium, and checks what a reader meets: figures, errors, requests, widths and themes.
//
// usage: node page_test.mjs FOLDER_OF_PACKAGES CHROMIUM PICTURES REPORT...
//
// Prints a line for every fault. The exit code is 1 if there is any. PICTURES is a folder for screenshots, or "-".
import {createRequire} from "node:module";
import {readFileSync} from "node:fs";
import {basename, join, resolve} from "node:path";
import {gunzipSync} from "node:zlib";

import {addressOf, launch, newPage, open, waitUntilDrawn} from "../../scripts/pictures/browser.mjs";

const [packages, chromium, pictures, ...reports] = process.argv.slice(2);
const load = createRequire(join(resolve(packages), "package.json"));
const axe = readFileSync(load.resolve("axe-core/axe.min.js"), "utf8");

const WIDTHS = [400, 1000, 1600];
const THEMES = ["light", "dark"];
// A page of thousands of layers is looked at once. axe would take a minute for all its rows in all themes.
const MANY_LAYERS = 1000;
// A figure has to be drawn within a second. A machine that other programs use gets three, and several tries.
const MOST_MS = 3000;
const TRIES = 4;
const ALWAYS = ["graph", "cut", "steps", "cost", "memory"];

const faults = [];
const fault = (report, text) => faults.push(`${basename(report)}: ${text}`);

// Returns the document of a report, which is compressed if it is long.
function documentOf(report) {
  const held = JSON.parse(readFileSync(report, "utf8").split('id="report">')[1].split("</script>")[0]);
  return held.gzip ? JSON.parse(gunzipSync(Buffer.from(held.gzip, "base64"))) : held;
}

function figuresOf({plans, runs, scaling}) {
  return [...ALWAYS, ...(plans[0].timeline ? ["timeline", "memory-layers", "roofline"] : []), ...(runs.length ? ["run"] : []), ...(scaling.length > 1 ? ["scaling"] : [])];
}

// Runs in the page. Returns the figures that are drawn, and what is wrong with them.
function lookAtFigures() {
  return [...document.querySelectorAll("figure")].map((figure) => {
    const picture = figure.querySelector("svg, canvas");
    const box = picture?.getBoundingClientRect();
    const marks = figure.querySelectorAll("svg rect, svg path, svg circle").length;
    const canvas = figure.querySelector("canvas");
    let coloured = 0; // the share of pixels that are not grey
    if (canvas) {
      const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      for (let i = 0; i < data.length; i += 4) {
        const [red, green, blue] = data.subarray(i, i + 3);
        if (Math.max(red, green, blue) - Math.min(red, green, blue) > 40) coloured += 4 / data.length;
      }
    }
    return {
      name: figure.dataset.figure, caption: figure.querySelector("figcaption")?.textContent ?? "",
      drawn: Boolean(box && box.width > 50 && box.height > 20 && (canvas ? coloured > 0.1 : marks > 1)),
      tables: figure.querySelectorAll("details table, details summary").length,
    };
  });
}

async function checkFigures(page, report, where, data) {
  const [plan] = data.plans;
  const found = await page.evaluate(lookAtFigures);
  for (const name of figuresOf(data)) {
    const figure = found.find((one) => one.name === name);
    if (!figure?.drawn) fault(report, `${where}: the figure ${name} is not drawn`);
    else if (figure.caption.length < 20) fault(report, `${where}: the figure ${name} has no caption`);
    else if (figure.tables === 0) fault(report, `${where}: the figure ${name} has no table`);
    if (name === "cost" && plan.timeline && figure?.tables !== plan.steps.length) fault(report, `${where}: the figure cost lacks layers of a plan`);
    if (/undefined|NaN|Infinity/.test(figure?.caption ?? "")) fault(report, `${where}: "${figure.caption}"`);
  }
  const text = await page.evaluate(() => document.querySelector("main").innerText);
  const odd = /[^\n]*\b(undefined|NaN|\[object)[^\n]*/.exec(text);
  if (odd) fault(report, `${where}: the text has "${odd[0]}"`);
}

// The summary answers what a reader asks first, with links to the sections that show it.
async function checkAnswers(page, report, where, {plans: [plan]}) {
  const found = await page.evaluate(() => [...document.querySelectorAll("#summary dd a")].map((link) => [link.hash, document.querySelector(link.hash)?.tagName]));
  const wanted = ["#network", "#times", "#memory", ...(plan.explanation.why ? ["#times"] : []), ...(plan.explanation.sure ? ["#sources"] : [])];
  if (found.map(([hash]) => hash).sort().join() !== wanted.sort().join()) fault(report, `${where}: the summary has links to ${found.map(([hash]) => hash)}`);
  if (found.some(([, tag]) => tag !== "SECTION")) fault(report, `${where}: the summary has a link to nothing`);
}

async function checkWidth(page, report, where, width) {
  const inner = await page.evaluate(() => document.documentElement.scrollWidth);
  if (inner > width) fault(report, `${where}: the page is ${inner} pixels wide`);
}

async function checkAxe(page, report, where) {
  const found = await page.evaluate(async () => {
    const result = await window.axe.run(document, {resultTypes: ["violations"]});
    return result.violations.map((one) => `${one.id}: ${one.nodes.slice(0, 2).map((node) => node.html.slice(0, 160)).join(" | ")}`);
  });
  for (const text of found) fault(report, `${where}: axe finds ${text}`);
}

async function longestDrawing(page) {
  const measures = await page.evaluate(() => performance.getEntriesByType("measure").map(({name, duration}) => ({name, duration})));
  return measures.reduce((most, one) => (one.duration > most.duration ? one : most), {name: "none", duration: 0});
}

// A try that takes too long may be chance, so the report is then opened again.
async function checkTimes(page, report) {
  let longest = await longestDrawing(page);
  for (let tries = 1; longest.duration > MOST_MS && tries < TRIES; tries += 1) {
    await open(page, report);
    longest = await longestDrawing(page);
  }
  if (longest.duration > MOST_MS) fault(report, `${longest.name} took ${Math.round(longest.duration)} ms`);
  console.log(`${basename(report)}: longest drawing ${longest.name}, ${Math.round(longest.duration)} ms`);
}

// Chooses layers in the list and with the arrow keys of the graph, and compares the picture of the cut.
async function checkChoice(page, report, data) {
  const caption = () => page.evaluate(() => document.querySelector("figure[data-figure=cut] figcaption").textContent);
  await page.focus("section#layer select");
  await page.keyboard.press("Home");
  const before = await caption();
  await page.keyboard.press("End");
  const after = await caption();
  if (before === after) fault(report, "choosing a layer in the list changes nothing");
  await page.focus(".graph");
  await page.keyboard.press("ArrowUp");
  if ((await caption()) === after) fault(report, "an arrow key in the graph changes nothing");
  await page.click(".graph .node");
  const {name} = data.plans[0].explanation.layers[0];
  await page.evaluate(() => { document.querySelector(".graph").scrollTop = 0; });
  if (!(await caption()).startsWith(name)) {
    await page.evaluate(() => document.querySelector(".graph .node").dispatchEvent(new MouseEvent("click", {bubbles: true})));
    if (!(await caption()).startsWith(name)) fault(report, "a click on a layer of the graph changes nothing");
  }
  const zoomed = await page.evaluate(() => {
    const canvas = document.querySelector("canvas");
    if (!canvas) return true;
    const first = canvas.toDataURL();
    document.querySelector("figure[data-figure=timeline] button").click();
    return canvas.toDataURL() !== first;
  });
  if (!zoomed) fault(report, "the timeline does not zoom");
}

// Chooses the first and the last layer, and compares the reason for the split with that of the document.
async function checkReason(page, report, {plans: [plan]}) {
  for (const [key, layer] of [["Home", 0], ["End", plan.layers.length - 1]]) {
    await page.focus("section#layer select");
    await page.keyboard.press(key);
    const shown = await page.evaluate(() => document.querySelector("section#layer .reason").textContent);
    const {reason} = plan.layers[layer];
    const words = reason === undefined ? plan.no_reason : plan.reasons[reason];
    const plain = (text) => text.replaceAll("\u00a0", " ").replace(/\.$/, "");
    if (plain(shown) !== plain(words ? `Why this split? ${words}` : "")) fault(report, `the reason for layer ${layer} is "${shown}"`);
  }
}

async function check(browser, report) {
  const address = addressOf(report);
  const data = documentOf(report);
  const isLong = data.plans[0].layers.length > MANY_LAYERS;
  for (const theme of isLong ? THEMES.slice(0, 1) : THEMES) {
    for (const width of isLong ? WIDTHS.slice(-1) : WIDTHS) {
      const page = await newPage(browser);
      page.on("console", (message) => {
        if (["error", "warning", "warn"].includes(message.type())) fault(report, `console: ${message.text()}`);
      });
      page.on("pageerror", (error) => fault(report, `error: ${error.message}`));
      page.on("request", (request) => {
        if (request.url() !== address && !request.url().startsWith("data:")) fault(report, `request: ${request.url()}`);
      });
      await page.setViewport({width, height: 900});
      await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: theme}]);
      await open(page, report);
      const where = `${width} pixels, ${theme}`;
      await checkFigures(page, report, where, data);
      await checkAnswers(page, report, where, data);
      await checkWidth(page, report, where, width);
      if (pictures !== "-") await page.screenshot({path: join(pictures, `${basename(report, ".html")}-${width}-${theme}.png`), fullPage: true});
      const isLast = width === WIDTHS[WIDTHS.length - 1];
      // axe sees all that is visible with closed tables when they are open, too.
      if (isLong) {
        await page.evaluate(axe);
        await checkAxe(page, report, where);
      } else if (width === WIDTHS[0] || isLast) {
        await page.evaluate(() => document.querySelectorAll("details").forEach((details) => { details.open = true; }));
        await waitUntilDrawn(page);
        await page.evaluate(axe);
        await checkAxe(page, report, `${where}, tables open`);
        await checkWidth(page, report, `${where}, tables open`, width);
      }
      if (isLast && theme === THEMES[0]) {
        await checkTimes(page, report);
        await checkChoice(page, report, data);
        await checkReason(page, report, data);
      }
      await page.close();
    }
  }
}

const browser = await launch(packages, chromium);
try {
  for (const report of reports) await check(browser, report);
} finally {
  await browser.close();
}
for (const text of new Set(faults)) console.log(`FAULT ${text}`);
process.exit(faults.length > 0 ? 1 : 0);
