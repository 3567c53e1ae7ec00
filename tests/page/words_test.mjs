// Tests how the page writes numbers and ranks, and which rows a chart shows.
//
// usage: node --test words_test.mjs
import assert from "node:assert/strict";
import test from "node:test";
import {gzipSync} from "node:zlib";

import {firstLayer} from "../../planner/page/web/src/first_layer.js";
import {bytes, duration, listed, percent, plural, ranksText, significant} from "../../planner/page/web/src/format.js";
import {heldReport} from "../../planner/page/web/src/held.js";
import {labelsOf, rowLabel, rowsShown} from "../../planner/page/web/src/rows.js";

test("times have three digits and a unit that suits them", () => {
  for (const [seconds, text] of [[0, "0"], [1.5e-7, "0.150 µs"], [4.25e-5, "42.5 µs"], [0.00544, "5.44 ms"], [0.9999, "1,000 ms"], [12.345, "12.3 s"], [NaN, "-"]]) {
    assert.equal(duration(seconds), text.replace(" ", "\u00a0"));
  }
});

test("large numbers have no exponent", () => {
  assert.equal(significant(123456), "123,456");
  assert.equal(bytes(1536), "1.50\u00a0KiB");
  assert.equal(bytes(17), "17\u00a0B");
  assert.equal(percent(0.1234), "12.3\u00a0%");
  assert.equal(plural(1, "layer"), "1 layer");
  assert.equal(plural(4093, "layer"), "4,093 layers");
});

test("lists end with and", () => {
  assert.equal(listed([]), "");
  assert.equal(listed(["a"]), "a");
  assert.equal(listed(["a", "b", "c"]), "a, b and c");
});

test("ranks are named by ranges or steps", () => {
  assert.equal(ranksText([3]), "rank 3");
  assert.equal(ranksText([0, 1, 2, 3]), "ranks 0 to 3");
  assert.equal(ranksText([0, 1]), "ranks 0, 1");
  assert.equal(ranksText([0, 4, 8, 12]), "ranks 0, 4 to 12");
  assert.equal(ranksText([0, 1, 2, 7]), "ranks 0 to 2, 7");
});

test("a chart shows the largest rows in their order, and counts the others", () => {
  const rows = Array.from({length: 30}, (_, i) => ({name: `row${i}`, size: i % 2 === 0 ? 100 + i : i}));
  const {rows: shown, others} = rowsShown(rows, (row) => row.size);
  assert.equal(shown.length, 24);
  assert.equal(others, 6);
  assert.deepEqual(shown, rows.filter((row) => shown.includes(row)));
  const least = Math.min(...shown.map((row) => row.size));
  assert.ok(rows.every((row) => shown.includes(row) || row.size <= least));
});

test("labels that have no room are cut", () => {
  const long = "features.denseblock4.denselayer16.conv2";
  const {left, short} = labelsOf(["conv1", long], 400);
  assert.ok(left <= 140);
  assert.equal(short("conv1"), "conv1");
  assert.ok(short(long).endsWith("…") && short(long).length < long.length);
  assert.equal(labelsOf(["conv1", long], 1600).short(long), long);
  assert.equal(rowLabel("sgd"), "updates of weights");
  assert.equal(rowLabel("conv1"), "conv1");
});

test("the picture of a cut begins at halos, then blocks of images, channels, changes of the split, and the longest layer", () => {
  const whole = {mesh: [["n", 4]], inputs: [{owner_mesh: [["n", 4]]}]};
  const cuts = [whole, {...whole, mesh: [["n", 2], ["h", 2]]}, {...whole, mesh: [["c", 4]]}, {...whole, mesh: [["n", 2]]}];
  const first = (...layers) => firstLayer({
    cuts, layers: layers.map(([cut]) => ({cut})), explanation: {layers: layers.map(([, total_s, halo_s]) => ({total_s, halo_s}))}});
  assert.equal(first([0, 9], [1, 1, 0.1], [1, 2, 0.1], [1, 5], [2, 7]), 2);
  assert.equal(first([0, 9], [1, 1], [2, 7]), 1);
  assert.equal(first([0, 9], [3, 8], [2, 7]), 2);
  assert.equal(first([0, 9], [3, 8]), 1);
  assert.equal(first([0, 3], [0, 9], [0, 9]), 1);
});

test("a document is read whether it is compressed or not", async () => {
  const document = {plans: [{file: "plan-ü.json"}]};
  const text = JSON.stringify(document);
  assert.deepEqual(await heldReport(text), document);
  assert.deepEqual(await heldReport(JSON.stringify({gzip: gzipSync(text).toString("base64")})), document);
});
