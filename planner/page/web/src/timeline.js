// Draws what ranks do during the step, on a canvas with one lane for ranks that do the same.
import {figure, html, legend, styleValue, tableOf, timed} from "./dom.js";
import {duration, listed, percent, plural, ranksText} from "./format.js";
import {PARTS, colour} from "./parts.js";
import {LETTER} from "./rows.js";

const FIELDS = 5; // operation, lane, start, waiting, busy
const ROW = 26;
const AXIS = 22;

// Returns rows of the picture: one for each track and stream or lane that has events.
function rowsOf(timeline) {
  const rows = [];
  for (const track of timeline.tracks) {
    const byRow = new Map();
    for (let i = 0; i < track.events.length; i += FIELDS) {
      const stream = timeline.operations[track.events[i]][3];
      const key = timeline.overlap && stream !== "compute" && stream !== "io" ? stream : `lane ${track.events[i + 1]}`;
      if (!byRow.has(key)) byRow.set(key, []);
      byRow.get(key).push(i);
    }
    for (const key of [...byRow.keys()].sort()) {
      const suffix = byRow.size === 1 ? "" : key.startsWith("lane") ? (key === "lane 0" ? ", kernels" : `, ${key}`) : `, ${key === "reduce" ? "sums" : "halos"}`;
      rows.push({track, events: byRow.get(key), label: `${ranksText(track.ranks)}${suffix}`});
    }
  }
  return rows;
}

function totals(timeline) {
  const sums = new Map();
  let ranks = 0;
  let waiting = 0;
  for (const track of timeline.tracks) {
    ranks += track.ranks.length;
    for (let i = 0; i < track.events.length; i += FIELDS) {
      const words = PARTS[timeline.operations[track.events[i]][1]][1];
      sums.set(words, (sums.get(words) ?? 0) + track.events[i + 4] * track.ranks.length);
      waiting += track.events[i + 3] * track.ranks.length;
    }
  }
  return {rows: [...sums].map(([words, us]) => [words, us / ranks]).sort((a, b) => b[1] - a[1]), waiting: waiting / ranks};
}

function caption(timeline, sums) {
  const share = (us) => percent(us / timeline.step_us);
  const top = sums.rows.slice(0, 3).map(([words, us]) => `${share(us)} for ${words}`);
  return `Of the step of ${duration(timeline.step_us / 1e6)}, a rank needs ${listed(top)} in the mean. It waits for others in ${share(sums.waiting)}.`;
}

export function drawTimeline(plan, width) {
  const timeline = plan.timeline;
  if (!timeline) {
    return figure("timeline", "The timeline is missing.", html("p", {}, `${plan.no_timeline || "It needs the prices of the plan"}.`));
  }
  const rows = rowsOf(timeline);
  const sums = totals(timeline);
  const colours = Object.fromEntries(Object.entries(PARTS).map(([part, [name]]) => [part, name]));
  const label = Math.min(10 + LETTER * Math.max(...rows.map((row) => row.label.length)), width * 0.28);
  const canvas = html("canvas", {role: "img", "aria-label": caption(timeline, sums)});
  const said = html("p", {class: "note", "aria-live": "polite"}, "Point at the lanes to read single operations.");
  const view = {begin: 0, end: timeline.step_us};
  const height = AXIS + rows.length * ROW;
  const draw = () => timed("timeline", () => {
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const at = (us) => label + ((us - view.begin) / (view.end - view.begin)) * (width - label);
    const paint = Object.fromEntries([...new Set(Object.values(colours)), "waiting", "text", "line"].map((name) => [name, styleValue(name)]));
    pen.font = "11px system-ui, sans-serif";
    rows.forEach((row, r) => {
      const top = AXIS + r * ROW + 3;
      const {events} = row.track;
      let painted = -1; // where the last drawn operation ends; of many short ones, one in each half pixel is drawn
      for (const i of row.events) {
        const begin = events[i + 2];
        const end = begin + events[i + 3] + events[i + 4];
        if (end < view.begin || begin > view.end) continue;
        const [left, middle, right] = [at(begin), at(begin + events[i + 3]), at(end)].map((x) => Math.min(Math.max(x, label), width));
        if (right - painted < 0.5) continue;
        painted = right;
        if (middle > left) {
          pen.fillStyle = paint.waiting;
          pen.fillRect(left, top, middle - left, ROW - 6);
        }
        pen.fillStyle = paint[colours[timeline.operations[events[i]][1]]];
        pen.fillRect(middle, top, Math.max(right - middle, 0.6), ROW - 6);
      }
      pen.fillStyle = paint.text;
      pen.fillText(row.label, 0, top + 14, label - 6);
    });
    const ticks = width < 560 ? 2 : 4;
    for (let i = 0; i <= ticks; i += 1) {
      const us = view.begin + ((view.end - view.begin) * i) / ticks;
      pen.textAlign = i === 0 ? "left" : i === ticks ? "right" : "center";
      pen.fillStyle = paint.text;
      pen.fillText(duration(us / 1e6), at(us), 12);
      pen.fillStyle = paint.line;
      pen.fillRect(Math.min(at(us), width - 1), 16, 1, height - 16);
    }
  });
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const row = rows[Math.floor((event.clientY - box.top - AXIS) / ROW)];
    const us = view.begin + ((event.clientX - box.left - label) / (box.width - label)) * (view.end - view.begin);
    const found = row?.events.find((i) => row.track.events[i + 2] <= us && us < row.track.events[i + 2] + row.track.events[i + 3] + row.track.events[i + 4]);
    if (found === undefined) return;
    const [id, part] = timeline.operations[row.track.events[found]];
    said.textContent = `${id} (${PARTS[part][1]}) on ${ranksText(row.track.ranks)}: ${duration(row.track.events[found + 4] / 1e6)} of work after ${duration(row.track.events[found + 3] / 1e6)} of waiting, from ${duration(row.track.events[found + 2] / 1e6)} on.`;
  });
  const zoom = (factor, shift) => {
    const length = Math.min((view.end - view.begin) * factor, timeline.step_us);
    const middle = (view.begin + view.end) / 2 + shift * (view.end - view.begin);
    view.begin = Math.min(Math.max(middle - length / 2, 0), timeline.step_us - length);
    view.end = view.begin + length;
    draw();
  };
  const tool = (text, factor, shift) => html("button", {type: "button", onclick: () => zoom(factor, shift)}, text);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  draw();
  const names = [...new Map(timeline.operations.map(([, part]) => [PARTS[part][1], PARTS[part][0]]))];
  const longest = () => {
    const list = [];
    for (const track of timeline.tracks) {
      for (let i = 0; i < track.events.length; i += FIELDS) list.push([track, i]);
    }
    return list.sort(([a, i], [b, j]) => b.events[j + 3] + b.events[j + 4] - a.events[i + 3] - a.events[i + 4]).slice(0, 200).map(([track, i]) => {
      const [id, part] = timeline.operations[track.events[i]];
      return [id, PARTS[part][1], ranksText(track.ranks), duration(track.events[i + 2] / 1e6), duration(track.events[i + 3] / 1e6), duration(track.events[i + 4] / 1e6)];
    });
  };
  return figure("timeline", caption(timeline, sums),
    legend([...names.map(([words, name]) => [colour(name), words]), [colour("waiting"), "waiting for data or other ranks"]]),
    html("div", {class: "tools"}, tool("Zoom in", 0.5, 0), tool("Zoom out", 2, 0), tool("Earlier", 1, -0.4), tool("Later", 1, 0.4), tool("Whole step", Infinity, 0)),
    canvas, said,
    timeline.tracks_left_out > 0 ? html("p", {class: "note"}, `${plural(timeline.tracks_left_out, "lane")} with higher ranks are left out.`) : "",
    tableOf("mean time of a rank by part", [{title: "part", left: true}, {title: "time"}, {title: "of the step"}],
      [...sums.rows, ["waiting for data or other ranks", sums.waiting]].map(([words, us]) => [words, duration(us / 1e6), percent(us / timeline.step_us)])),
    tableOf("the 200 longest operations", [{title: "operation", left: true}, {title: "part", left: true}, {title: "ranks", left: true}, {title: "begins"}, {title: "waits"}, {title: "works"}], longest()));
}
