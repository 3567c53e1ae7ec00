// Draws a chart of Observable Plot as one picture with a name, in the style of the page.
import * as Plot from "@observablehq/plot";

// The options are those of Plot.plot. Its groups have labels without a role, which screen readers must not read.
export function chart(options) {
  const drawing = Plot.plot({style: {background: "transparent", fontSize: "11px"}, ...options});
  for (const group of drawing.querySelectorAll("g[aria-label]")) group.removeAttribute("aria-label");
  drawing.setAttribute("role", "img");
  return drawing;
}
