// Draws the network as a graph that is coloured by distribution.
import dagre from "@dagrejs/dagre";

import {figure, html, legend, svg, tableOf, timed} from "./dom.js";
import {count, listed, plural} from "./format.js";
import {splitColours} from "./parts.js";

const MOST_NODES = 240;
const WIDTH = 168;
const HEIGHT = 24;

// Returns ranges of layers that become one node each. In large networks, a node has layers that
// follow each other and are split equally, and at most as many as keep the graph small.
function nodesOf(plan) {
  const layers = plan.layers;
  if (layers.length <= MOST_NODES) return layers.map((_, i) => ({first: i, last: i}));
  const most = Math.ceil(layers.length / (MOST_NODES / 4));
  const nodes = [];
  for (const group of plan.groups) {
    for (let first = group.first; first <= group.last; first += most) {
      nodes.push({first, last: Math.min(first + most - 1, group.last)});
    }
  }
  if (nodes.length <= MOST_NODES) return nodes;
  const joined = Math.ceil(layers.length / MOST_NODES);
  return Array.from({length: Math.ceil(layers.length / joined)}, (_, i) =>
    ({first: i * joined, last: Math.min((i + 1) * joined, layers.length) - 1}));
}

function layOut(plan, nodes) {
  const owner = [];
  nodes.forEach((node, i) => {
    for (let layer = node.first; layer <= node.last; layer += 1) owner[layer] = i;
  });
  const graph = new dagre.graphlib.Graph();
  graph.setGraph({rankdir: "TB", nodesep: 14, ranksep: 16, edgesep: 6, ranker: nodes.length > 120 ? "longest-path" : "network-simplex"});
  graph.setDefaultEdgeLabel(() => ({}));
  nodes.forEach((_, i) => graph.setNode(`${i}`, {width: WIDTH, height: HEIGHT}));
  plan.layers.forEach((layer, i) => {
    for (const input of layer.inputs) {
      if (owner[input] !== owner[i]) graph.setEdge(`${owner[input]}`, `${owner[i]}`);
    }
  });
  dagre.layout(graph);
  return {graph, owner};
}

function caption(plan, colours) {
  const texts = plan.groups.length <= 6 ?
    plan.groups.map((group) => `${group.name}: ${group.words}`) :
    [...colours].slice(0, 4).map(([words, {number}]) => `${plural(number, "layer")}: ${words}`);
  const rest = plan.groups.length > 6 && colours.size > 4 ? `; the others are split in ${colours.size - 4} other ways` : "";
  return `${texts.join("; ")}${rest}.`;
}

const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

export function drawGraph(plan, selection) {
  const colours = splitColours(plan.layers);
  const nodes = nodesOf(plan);
  const names = plan.explanation.layers;
  const {graph, owner} = timed("graph", () => layOut(plan, nodes));
  const {width, height} = graph.graph();
  const drawing = svg("svg", {width: width + 8, height: height + 8, viewBox: `-4 -4 ${width + 8} ${height + 8}`, "aria-hidden": "true"});
  for (const edge of graph.edges()) {
    const points = graph.edge(edge).points;
    drawing.append(svg("path", {class: "edge", d: `M${points.map((point) => `${point.x.toFixed(1)},${point.y.toFixed(1)}`).join("L")}`}));
  }
  const elements = nodes.map((node, i) => {
    const {x, y} = graph.node(`${i}`);
    const layer = plan.layers[node.first];
    const many = node.last - node.first + 1;
    const label = many === 1 ? names[node.first].name : `${names[node.first].name} +${many - 1}`;
    const element = svg("g", {class: "node", transform: `translate(${x - WIDTH / 2},${y - HEIGHT / 2})`, onclick: () => selection.choose(node.first)},
      svg("title", {}, many === 1 ? `${label}, ${layer.kind}: ${layer.words}` : `${names[node.first].name} to ${names[node.last].name}, ${plural(many, "layer")}: ${layer.words}`),
      svg("rect", {width: WIDTH, height: HEIGHT, rx: 4, style: `fill:${colours.get(layer.words).colour}`}),
      svg("text", {x: 6, y: 16, "font-size": 11}, cut(label, 19)),
      svg("text", {x: WIDTH - 6, y: 16, "font-size": 10, "text-anchor": "end"}, cut(names[node.first].split ?? "", 8)));
    drawing.append(element);
    return element;
  });
  const box = html("div", {class: "scroll graph", tabindex: "0", role: "region", "aria-label": "Graph of the network. The arrow keys choose a layer."}, drawing);
  let chosen = -1;
  const show = (layer) => {
    elements[chosen]?.classList.remove("chosen");
    chosen = owner[layer];
    elements[chosen].classList.add("chosen");
    const {x, y} = graph.node(`${chosen}`);
    if (y < box.scrollTop || y > box.scrollTop + box.clientHeight - HEIGHT) box.scrollTop = y - box.clientHeight / 2;
    if (x < box.scrollLeft || x > box.scrollLeft + box.clientWidth) box.scrollLeft = x - box.clientWidth / 2;
  };
  selection.listen(show);
  box.addEventListener("keydown", (event) => {
    const step = {ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    const next = Math.min(Math.max(chosen + step, 0), nodes.length - 1);
    selection.choose(nodes[next].first);
  });
  const joined = nodes.length < plan.layers.length ?
    html("p", {class: "note"}, `The network has ${count(plan.layers.length)} layers. A box stands for layers that follow each other; “+3” counts the layers after the first one.`) : "";
  return figure("graph", caption(plan, colours),
    legend([...colours].slice(0, 7).map(([words, entry]) => [entry.colour, `${words} (${count(entry.number)})`])
      .concat(colours.size > 7 ? [["var(--split7)", `${colours.size - 7} other ways`]] : [])),
    joined, box,
    tableOf("layers and their splits", [{title: "layer", left: true}, {title: "kind", left: true}, {title: "split", left: true}, {title: "in words", left: true}, {title: "reads", left: true}, {title: "parameters"}],
      plan.layers.map((layer, i) => [names[i].name, layer.kind, names[i].split, layer.words, listed(layer.inputs.map((input) => names[input].name)), count(layer.parameters)])));
}
