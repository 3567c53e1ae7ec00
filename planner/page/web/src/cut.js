// Draws how the tensors of a layer are cut over ranks, with the halos that a rank fetches.
import {figure, html, legend, svg, tableOf, timed} from "./dom.js";
import {count, listed, plural} from "./format.js";

const AXES = ["n", "c", "d", "h", "w"];
const WORDS = ["samples", "channels", "depth", "height", "width"];
const UNITS = ["sample", "channel", "slice", "row", "column"];
const HEIGHT = 3;
const WIDTH = 4;
const PLOT = {width: 260, height: 190, left: 46, top: 22};
const MOST_BLOCKS = 512;
const MOST_LABELS = 64;
const LEAST_HALO = 5; // pixels

// Returns the coordinates of a rank on a mesh, by axis. The last axis varies fastest.
function coordinatesOf(mesh, rank) {
  const found = {};
  let rest = rank;
  for (const [axis, size] of [...mesh].reverse()) {
    found[axis] = rest % size;
    rest = Math.floor(rest / size);
  }
  return found;
}

const rangeAt = (cuts, dim, coordinates) => {
  const i = Math.min(coordinates[AXES[dim]] ?? 0, cuts[dim].length / 2 - 1);
  return [cuts[dim][2 * i], cuts[dim][2 * i + 1]];
};
const boxOf = (cuts, coordinates) => AXES.map((_, dim) => rangeAt(cuts, dim, coordinates));
const sizeOf = (box) => box.reduce((product, [begin, end]) => product * Math.max(end - begin, 0), 1);
const partsOf = (cuts, dim) => cuts[dim].length / 2;

// True if height or width is cut, and no other dim is cut for readers in another way than for owners. A picture of the
// image then shows everything that a rank fetches.
function isImage(tensor) {
  const {shape, owned, needed} = tensor;
  const isCut = (dim) => partsOf(owned, dim) > 1 || (needed && partsOf(needed, dim) > 1);
  const alike = (dim) => !needed || partsOf(owned, dim) === partsOf(needed, dim);
  return shape[HEIGHT] > 1 && shape[WIDTH] > 1 && (isCut(HEIGHT) || isCut(WIDTH)) && !isCut(2) && alike(0) && alike(1);
}

// Chooses the two dims that the picture shows: those of the image, or else dims that are cut come first.
function shownDims(tensor) {
  if (isImage(tensor)) return [WIDTH, HEIGHT];
  const order = [3, 4, 0, 1, 2];
  const cut = (dim) => partsOf(tensor.owned, dim) > 1 || (tensor.needed && partsOf(tensor.needed, dim) > 1);
  const dims = [...order.filter(cut), ...order.filter((dim) => !cut(dim) && tensor.shape[dim] > 1), ...order.filter((dim) => !cut(dim) && tensor.shape[dim] <= 1)].slice(0, 2);
  const rank = {4: 2, 1: 1, 2: 0, 3: 0, 0: -1};
  return dims.sort((a, b) => rank[b] - rank[a]); // x, y
}

function dimText(dim, [begin, end], all) {
  if (begin === 0 && end === all) {
    if (all === 1) return "";
    return dim < 2 ? `all ${count(all)} ${WORDS[dim]}` : `the whole ${WORDS[dim]} of ${count(all)}`;
  }
  if (end === begin + 1) return `${WORDS[dim].replace(/s$/, "")} ${count(begin)} of ${count(all)}`;
  return end <= begin ? `nothing of ${WORDS[dim]}` : `${WORDS[dim]} ${count(begin)} to ${count(end - 1)} of ${count(all)}`;
}
const boxText = (box, shape) => listed(box.map((range, dim) => dimText(dim, range, shape[dim])).filter((text) => text)) || "one value";

function panel(title, tensor, ownMesh, readMesh, rank) {
  const [x, y] = shownDims(tensor);
  const scaleX = (value) => PLOT.left + (value / tensor.shape[x]) * PLOT.width;
  const scaleY = (value) => PLOT.top + (value / tensor.shape[y]) * PLOT.height;
  const rect = (box, attributes) => svg("rect", {x: scaleX(box[x][0]), y: scaleY(box[y][0]),
    width: Math.max(scaleX(box[x][1]) - scaleX(box[x][0]), 1), height: Math.max(scaleY(box[y][1]) - scaleY(box[y][0]), 1), ...attributes});
  const own = boxOf(tensor.owned, coordinatesOf(ownMesh, rank));
  const drawing = svg("svg", {width: PLOT.width + PLOT.left + 8, height: PLOT.height + PLOT.top + 26, viewBox: `0 0 ${PLOT.width + PLOT.left + 8} ${PLOT.height + PLOT.top + 26}`, role: "img", "aria-label": title},
    svg("defs", {}, svg("pattern", {id: "halo-hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"}, svg("rect", {width: 3, height: 6, style: "fill:var(--halo)"}))));
  drawing.append(rect(tensor.shape.map((extent) => [0, extent]), {style: "fill:var(--panel);stroke:var(--faint)"}));
  const blocks = partsOf(tensor.owned, x) * partsOf(tensor.owned, y);
  if (blocks <= MOST_BLOCKS) {
    for (let i = 0; i < partsOf(tensor.owned, x); i += 1) {
      for (let j = 0; j < partsOf(tensor.owned, y); j += 1) {
        const box = tensor.shape.map((extent) => [0, extent]);
        box[x] = [tensor.owned[x][2 * i], tensor.owned[x][2 * i + 1]];
        box[y] = [tensor.owned[y][2 * j], tensor.owned[y][2 * j + 1]];
        if (box[x][1] <= box[x][0] || box[y][1] <= box[y][0]) continue;
        drawing.append(rect(box, {style: "fill:none;stroke:var(--faint)", "stroke-width": blocks > MOST_LABELS ? 0.5 : 1}));
      }
    }
  }
  // A halo of a row or two would be too thin to see.
  const fetched = (box, attributes) => {
    const sides = (dim, scale) => {
      const [begin, end] = box[dim].map(scale);
      const [from, to] = own[dim].map(scale);
      return [box[dim][0] < own[dim][0] ? Math.min(begin, from - LEAST_HALO) : begin, box[dim][1] > own[dim][1] ? Math.max(end, to + LEAST_HALO) : end];
    };
    const [[left, right], [top, bottom]] = [sides(x, scaleX), sides(y, scaleY)];
    return svg("rect", {x: left, y: top, width: Math.max(right - left, 1), height: Math.max(bottom - top, 1), ...attributes});
  };
  const need = tensor.needed ? boxOf(tensor.needed, coordinatesOf(readMesh, rank)) : null;
  if (need && sizeOf(need) > 0) drawing.append(fetched(need, {style: "fill:url(#halo-hatch);stroke:var(--halo)", "stroke-width": 2, "stroke-dasharray": "5 3"}));
  if (sizeOf(own) > 0) drawing.append(rect(own, {style: "fill:var(--forward);stroke:var(--backward_data)", "stroke-width": 2}));
  if (need && sizeOf(need) > 0) drawing.append(fetched(need, {style: "fill:none;stroke:var(--halo)", "stroke-width": 2, "stroke-dasharray": "5 3"}));
  drawing.append(svg("text", {x: PLOT.left + PLOT.width / 2, y: PLOT.top + PLOT.height + 18, "text-anchor": "middle", "font-size": 12}, `${WORDS[x]} (${count(tensor.shape[x])})`),
    svg("text", {x: 14, y: PLOT.top + PLOT.height / 2, "text-anchor": "middle", "font-size": 12, transform: `rotate(-90 14 ${PLOT.top + PLOT.height / 2})`}, `${WORDS[y]} (${count(tensor.shape[y])})`),
    svg("text", {x: PLOT.left, y: 14, "font-size": 12, "font-weight": 600}, title.length > 44 ? `${title.slice(0, 43)}…` : title));
  const texts = [`Rank ${rank} owns ${sizeOf(own) > 0 ? boxText(own, tensor.shape) : "nothing"}.`];
  if (need) texts.push(needText(own, need, tensor.shape));
  return {element: html("div", {}, drawing, html("p", {class: "note", style: `max-width:${PLOT.width + PLOT.left + 8}px`}, texts.join(" "))), own, need};
}

// Says what a rank fetches besides its own block.
function needText(own, need, shape) {
  const shared = own.map(([begin, end], dim) => [Math.max(begin, need[dim][0]), Math.min(end, need[dim][1])]);
  const fetched = sizeOf(need) - sizeOf(shared);
  if (sizeOf(need) === 0) return "It needs nothing of it.";
  if (fetched <= 0) return "It needs nothing from other ranks.";
  const sides = [];
  own.forEach(([begin, end], dim) => {
    const before = begin - need[dim][0];
    const after = need[dim][1] - end;
    if (sizeOf(own) > 0 && before > 0) sides.push(`${plural(before, UNITS[dim])} before its own`);
    if (sizeOf(own) > 0 && after > 0) sides.push(`${plural(after, UNITS[dim])} after its own`);
  });
  return `It needs ${boxText(need, shape)}, so it fetches ${count(fetched)} values from other ranks${sides.length ? ` (${listed(sides)})` : ""}.`;
}

export function drawCut(plan, layerIndex, rank) {
  const layer = plan.layers[layerIndex];
  const cut = plan.cuts[layer.cut];
  const name = plan.explanation.layers[layerIndex].name;
  return timed("cut", () => {
    const panels = cut.inputs.map((input, i) => panel(`input: ${plan.explanation.layers[layer.inputs[i]].name}`, input, input.owner_mesh, cut.mesh, rank));
    panels.push(panel(`output: ${name}`, {shape: cut.shape, owned: cut.owned}, cut.mesh, cut.mesh, rank));
    const halo = cut.inputs.some((_, i) => sizeOf(panels[i].need) > 0 && needText(panels[i].own, panels[i].need, cut.inputs[i].shape).includes("fetches"));
    const rows = [];
    const ranks = Math.min(plan.explanation.ranks, 256);
    for (let one = 0; one < ranks; one += 1) {
      cut.inputs.forEach((input, i) => rows.push([one, `input ${plan.explanation.layers[layer.inputs[i]].name}`,
        boxText(boxOf(input.owned, coordinatesOf(input.owner_mesh, one)), input.shape), boxText(boxOf(input.needed, coordinatesOf(cut.mesh, one)), input.shape)]));
      rows.push([one, "output", boxText(boxOf(cut.owned, coordinatesOf(cut.mesh, one)), cut.shape), ""]);
    }
    return figure("cut", `${name} (${layer.kind}) is split ${layer.words.startsWith("alike") || layer.words.startsWith("on ") ? `so that it is ${layer.words}` : `by ${layer.words}`}; ` +
        `rank ${rank} ${halo ? "fetches parts of its input from other ranks" : "has all that it reads"}.`,
      legend([["var(--forward)", `the block of rank ${rank}`], ["var(--panel)", "blocks of other ranks"], ["var(--halo)", "what the rank needs; hatched where it comes from other ranks, and drawn wider where it is thin"]]),
      html("div", {class: "panels"}, panels.map((one) => one.element)),
      tableOf(`blocks of ${name} by rank${ranks < plan.explanation.ranks ? `, first ${ranks} ranks` : ""}`,
        [{title: "rank"}, {title: "tensor", left: true}, {title: "owns", left: true}, {title: "needs", left: true}], rows));
  });
}
