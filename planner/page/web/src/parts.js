// Names and colours of the parts of a step. The document names the parts; here they get words.

// Columns of a layer's row in the explanation, in the order of the stack, and the colour if it has another name.
export const COLUMNS = [
  ["forward", "forward kernels"],
  ["backward_data", "backward kernels (data)"],
  ["backward_filter", "backward kernels (weights)"],
  ["statistics", "statistics kernels"],
  ["halo", "halo exchange"],
  ["channels", "channel exchange"],
  ["shuffle", "moves between splits"],
  ["copy", "concat copies"],
  ["allreduce", "sums of batch norms and losses", "sums"],
  ["reduce", "sums of gradients", "allreduce"],
  ["sgd", "updates of weights", "update"],
  ["other", "loading and other work"],
];

// Returns the seconds of a row in a column. Sums of gradients and updates are rows of their own, whose time is "other".
export function secondsOf(row, column) {
  const own = row.name === "reduce" || row.name === "sgd" ? row.name : "other";
  if (column === "reduce" || column === "sgd" || column === "other") return column === own ? row.other_s ?? 0 : 0;
  return row[`${column}_s`] ?? 0;
}

// Costs of a step, as the summary adds them up.
export const COSTS = [
  ["kernels", "kernels", "backward_data"],
  ["statistics", "sums of batch norms and losses", "sums"],
  ["halos", "halo exchange", "halo"],
  ["channels", "channel exchange", "channels"],
  ["shuffles", "moves between splits", "shuffle"],
  ["copies", "concat copies", "copy"],
  ["reductions", "sums of gradients", "allreduce"],
  ["updates", "updates of weights", "update"],
  ["loading", "loading samples", "load"],
];

// Maps the part of an operation to its colour and words in the timeline.
export const PARTS = {
  load: ["load", "loading samples"],
  forward: ["forward", "forward kernels"],
  backward_data: ["backward_data", "backward kernels (data)"],
  backward_filter: ["backward_filter", "backward kernels (weights)"],
  statistics: ["statistics", "statistics kernels"],
  accumulate: ["other", "sums of error signals"],
  halo: ["halo", "halo exchange"],
  channel_allgather: ["channels", "channel exchange"],
  channel_reduce_scatter: ["channels", "channel exchange"],
  shuffle: ["shuffle", "moves between splits"],
  copy: ["copy", "concat copies"],
  statistics_allreduce: ["sums", "sums of batch norms and losses"],
  loss_allreduce: ["sums", "sums of batch norms and losses"],
  gradient_reduction: ["allreduce", "sums of gradients"],
  weight_allgather: ["allreduce", "gathers of weights"],
  update: ["update", "updates of weights"],
};

export const colour = (name) => `var(--${name})`;

// Returns the colour of each distribution in words: the most frequent ones have their own.
export function splitColours(layers) {
  const counts = new Map();
  for (const layer of layers) counts.set(layer.words, (counts.get(layer.words) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1]);
  return new Map(sorted.map(([words, number], i) => [words, {colour: colour(`split${Math.min(i, 7)}`), number}]));
}
