// Makes elements of HTML and SVG from plain calls.

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== undefined && child !== null && child !== ""));
  return node;
}

export function html(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

export function svg(name, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

// Returns the value of a custom property of the style sheet, for canvases.
export function styleValue(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

let last = 0;
export function freshId(prefix) {
  last += 1;
  return `${prefix}-${last}`;
}

// Draws a figure, and records under a name how long this took.
export function timed(name, draw) {
  const start = performance.now();
  const result = draw();
  performance.measure(`figure ${name}`, {start, end: performance.now()});
  return result;
}

// Returns a figure with a caption, and its contents in place of those of an earlier drawing.
export function figure(name, caption, ...contents) {
  const id = freshId("caption");
  return html("figure", {"data-figure": name, "aria-labelledby": id}, html("figcaption", {id}, caption), ...contents);
}

// Returns a legend of [colour, text] pairs.
export function legend(entries) {
  return html("ul", {class: "legend"}, entries.map(([colour, text]) =>
    html("li", {}, html("i", {style: `background:${colour}`, "aria-hidden": "true"}), text)));
}

const ROWS = 300;

// Returns a table that is made when it is opened. Long tables show more rows on demand.
export function tableOf(title, columns, rows, open = false) {
  const details = html("details", {open}, html("summary", {}, `Show as a table: ${title}`));
  let made = false;
  const make = () => {
    if (made) return;
    made = true;
    const body = html("tbody");
    const add = (from) => {
      for (const row of rows.slice(from, from + ROWS)) {
        body.append(html("tr", {}, row.map((cell, i) => html("td", columns[i].left ? {class: "left wrap"} : {}, `${cell}`))));
      }
    };
    add(0);
    details.append(html("div", {class: "scroll table", tabindex: "0", role: "region", "aria-label": `Table: ${title}`},
      html("table", {}, html("caption", {}, title),
        html("thead", {}, html("tr", {}, columns.map((column) =>
          html("th", {scope: "col", class: column.left ? "left" : undefined}, column.title)))), body)));
    if (rows.length <= ROWS) return;
    let shown = ROWS;
    const more = html("button", {type: "button", onclick: () => {
      add(shown);
      shown += ROWS;
      more.textContent = label();
      more.hidden = shown >= rows.length;
    }}, "");
    const label = () => `Show more rows (${Math.min(shown, rows.length)} of ${rows.length})`;
    more.textContent = label();
    details.append(more);
  };
  details.addEventListener("toggle", make);
  if (open) make();
  return details;
}
