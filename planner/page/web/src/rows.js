// Chooses the rows that a chart of layers has room for, and the labels of its axis.

const MOST_ROWS = 24;
export const LETTER = 6.6; // pixels of a letter at 11 pixels, which is more than the mean

export const rowLabel = (name) => ({reduce: "sums of gradients", sgd: "updates of weights"}[name] ?? name);

// Returns the rows with the largest sizes, in their order, and the number of all others.
export function rowsShown(rows, sizeOf) {
  const largest = new Set([...rows].sort((a, b) => sizeOf(b) - sizeOf(a)).slice(0, MOST_ROWS));
  return {rows: rows.filter((row) => largest.has(row)), others: rows.length - largest.size};
}

// Returns the width that labels need left of a chart, which is at most a share of its width, and a function that cuts
// longer ones.
export function labelsOf(labels, width, share = 0.34) {
  const left = Math.min(Math.max(width * share, 140), 16 + LETTER * Math.max(...labels.map((label) => label.length)));
  const most = Math.floor((left - 16) / LETTER);
  return {left, short: (label) => (label.length * LETTER > left - 10 ? `${label.slice(0, most)}…` : label)};
}
