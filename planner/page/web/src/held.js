// Reads the document that the page holds, which is compressed if it is long.

// Returns the document of the text of its element, or an Error whose message says what the reader can do.
export async function heldReport(text) {
  const held = JSON.parse(text);
  if (!held.gzip) return held;
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This report is compressed, because its network has many layers. Open it in a browser of 2023 or later, or print its values with “cnnplan report --json”.");
  }
  const bytes = Uint8Array.from(atob(held.gzip), (letter) => letter.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}
