// Takes figures out of a report, and writes each as an SVG that is as good in light as in dark documents.
//
// usage: node figures.mjs FOLDER_OF_PACKAGES CHROMIUM REPORT FOLDER
import {readFileSync, writeFileSync} from "node:fs";
import {dirname, join, resolve} from "node:path";
import {fileURLToPath} from "node:url";

import {launch, newPage, open} from "./browser.mjs";

const [packages, chromium, report, folder] = process.argv.slice(2).map((path) => resolve(path));
const STYLE = readFileSync(join(dirname(fileURLToPath(import.meta.url)), "../../planner/page/web/style.css"), "utf8");

const FIGURES = {steps: "report-steps.svg", timeline: "report-timeline.svg"};
const WIDTH = 900; // of a figure
const MARGIN = 16;
const CAPTION = {size: 15, letter: 9, line: 21};
const LABEL = {size: 11, letter: 6.4};
const LEGEND = {size: 13, letter: 7.4, line: 20, box: 18, gap: 14};

// Runs in the page, before its scripts. A canvas then keeps what is painted on it.
function recordCanvases() {
  const original = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function getContext(...kind) {
    const pen = original.apply(this, kind);
    this.painted = [];
    if (pen.isRecorded) return pen;
    pen.isRecorded = true;
    const {fillRect, fillText} = pen;
    pen.fillRect = (x, y, width, height) => {
      this.painted.push({x, y, width, height, colour: pen.fillStyle});
      fillRect.call(pen, x, y, width, height);
    };
    pen.fillText = (text, x, y, most) => {
      this.painted.push({text, x, y, most, align: pen.textAlign, colour: pen.fillStyle});
      fillText.call(pen, text, x, y, most);
    };
    return pen;
  };
}

// Runs in the page. Returns a figure with its legend. Colours have the names of the style sheet.
function figureOf(name, colourNames) {
  const figure = document.querySelector(`figure[data-figure=${name}]`);
  const pen = document.createElement("canvas").getContext("2d");
  const names = new Map(colourNames.map((colour) => {
    pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(colour).trim();
    return [pen.fillStyle, colour];
  }));
  const drawing = figure.querySelector("svg")?.cloneNode(true);
  for (const title of drawing?.querySelectorAll("title") ?? []) title.remove();
  const canvas = figure.querySelector("canvas");
  return {
    caption: figure.querySelector("figcaption").textContent,
    legend: [...figure.querySelectorAll(".legend li")].map((entry) => [entry.querySelector("i").style.background, entry.textContent]),
    svg: drawing ? new XMLSerializer().serializeToString(drawing) : undefined,
    height: (figure.querySelector("svg") ?? canvas).getBoundingClientRect().height,
    painted: canvas?.painted.map((one) => ({...one, colour: names.get(one.colour)})),
  };
}

const escapeXml = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
const number = (value) => `${Math.round(value * 10) / 10}`;

// Joins rectangles of one colour that touch, since thousands of short operations become one bar.
function joined(painted) {
  const found = [];
  for (const one of painted) {
    const last = found[found.length - 1];
    const touches = last && !last.text && !one.text && last.colour === one.colour && last.y === one.y && one.x <= last.x + last.width + 0.25;
    if (touches) last.width = Math.max(last.width, one.x + one.width - last.x);
    else found.push({...one});
  }
  return found;
}

function drawingOf(figure) {
  if (figure.svg) return figure.svg;
  const anchors = {left: "start", start: "start", center: "middle", right: "end", end: "end"};
  const narrowed = (one) => (one.text.length * LABEL.letter > one.most ? ` textLength="${number(one.most)}" lengthAdjust="spacingAndGlyphs"` : "");
  return joined(figure.painted).map((one) => one.text ?
    `<text x="${number(one.x)}" y="${number(one.y)}" text-anchor="${anchors[one.align]}" font-size="${LABEL.size}"${narrowed(one)}>${escapeXml(one.text)}</text>` :
    `<rect x="${number(one.x)}" y="${number(one.y)}" width="${number(Math.max(one.width, 0.3))}" height="${number(one.height)}" fill="var(${one.colour})"/>`).join("\n");
}

function wrapped(text, most) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const line = lines[lines.length - 1];
    if (line && line.length + 1 + word.length > most) lines.push(word);
    else lines[lines.length - 1] = line ? `${line} ${word}` : word;
  }
  return lines;
}

// Returns the lines of the legend, and where they end.
function legendOf(entries, top) {
  let x = MARGIN;
  let y = top;
  const parts = entries.map(([colour, text]) => {
    const width = LEGEND.box + text.length * LEGEND.letter;
    if (x > MARGIN && x + width > WIDTH + MARGIN) {
      x = MARGIN;
      y += LEGEND.line;
    }
    const part = `<rect x="${number(x)}" y="${y - 10}" width="11" height="11" fill="${colour}" stroke="var(--faint)"/>` +
      `<text x="${number(x + LEGEND.box)}" y="${y}" font-size="${LEGEND.size}">${escapeXml(text)}</text>`;
    x += width + LEGEND.gap;
    return part;
  });
  return {parts, end: y};
}

// Returns the values of the used colours, from one of the two blocks of the style sheet.
function colours(block, used) {
  return [...block.matchAll(/(--\w+): (#\w+);/g)].filter(([, name]) => used.has(name)).map(([, name, value]) => `${name}: ${value};`).join(" ");
}

function picture(figure) {
  const lines = wrapped(figure.caption, Math.floor(WIDTH / CAPTION.letter));
  const caption = lines.map((line, i) => `<text x="${MARGIN}" y="${30 + i * CAPTION.line}" font-size="${CAPTION.size}" font-weight="600">${escapeXml(line)}</text>`);
  const legend = legendOf(figure.legend, 30 + lines.length * CAPTION.line + 4);
  const top = legend.end + 14;
  const height = Math.round(top + figure.height + MARGIN);
  const width = WIDTH + 2 * MARGIN;
  const body = [...caption, ...legend.parts, `<g transform="translate(${MARGIN},${top})">`, drawingOf(figure), "</g>"].join("\n");
  const used = new Set(["--back", "--text", "--line", "--faint", ...[...body.matchAll(/var\((--\w+)\)/g)].map(([, name]) => name)]);
  const [light, dark] = STYLE.split("@media (prefers-color-scheme: dark)");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>${escapeXml(figure.caption)}</title>
<style>
  svg { font-family: system-ui, -apple-system, 'Segoe UI', Helvetica, Arial, sans-serif; color: var(--text); ${colours(light, used)} }
  text { fill: currentColor }
  @media (prefers-color-scheme: dark) { svg { ${colours(dark, used)} } }
</style>
<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="8" fill="var(--back)" stroke="var(--line)"/>
${body}
</svg>
`;
}

const browser = await launch(packages, chromium);
try {
  const page = await newPage(browser);
  await page.evaluateOnNewDocument(recordCanvases);
  await page.setViewport({width: WIDTH + 32, height: 900}); // the page has margins of 16 pixels
  await page.emulateMediaFeatures([{name: "prefers-color-scheme", value: "light"}]);
  await open(page, report);
  const names = [...new Set([...STYLE.matchAll(/(--\w+):/g)].map(([, name]) => name))];
  for (const [name, file] of Object.entries(FIGURES)) {
    writeFileSync(join(folder, file), picture(await page.evaluate(figureOf, name, names)));
  }
} finally {
  await browser.close();
}
