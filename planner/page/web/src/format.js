// Writes numbers for people. A number and its unit stay on one line.
const GAP = "\u00a0";

export function duration(seconds) {
  if (!Number.isFinite(seconds)) return "-";
  if (seconds === 0) return "0";
  const [factor, unit] = Math.abs(seconds) >= 1 ? [1, "s"] : Math.abs(seconds) >= 1e-3 ? [1e3, "ms"] : [1e6, "µs"];
  return `${significant(seconds * factor)}${GAP}${unit}`;
}

export function significant(value, digits = 3) {
  const text = value.toPrecision(digits);
  return text.includes("e") ? Math.round(value).toLocaleString("en") : text;
}

export function bytes(count) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = count;
  let unit = 0;
  while (Math.abs(value) >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : significant(value)}${GAP}${units[unit]}`;
}

export const count = (value) => value.toLocaleString("en");
export const percent = (fraction) => `${(fraction * 100).toFixed(1)}${GAP}%`;
export const plural = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

// Joins texts as in "a, b and c".
export function listed(texts) {
  return texts.length < 2 ? texts.join("") : `${texts.slice(0, -1).join(", ")} and ${texts[texts.length - 1]}`;
}

// Writes ranks as ranges, as in "0 to 3, 8".
export function rankRanges(ranks) {
  const parts = [];
  for (let i = 0; i < ranks.length;) {
    let j = i;
    while (j + 1 < ranks.length && ranks[j + 1] === ranks[j] + 1) j += 1;
    parts.push(j === i ? `${ranks[i]}` : j === i + 1 ? `${ranks[i]}, ${ranks[j]}` : `${ranks[i]} to ${ranks[j]}`);
    i = j + 1;
  }
  return parts.length > 6 ? `${parts.slice(0, 5).join(", ")} and more` : parts.join(", ");
}

export function ranksText(ranks) {
  if (ranks.length === 1) return `rank ${ranks[0]}`;
  const step = ranks[1] - ranks[0];
  const regular = step > 1 && ranks.length > 2 && ranks.every((rank, i) => rank === ranks[0] + i * step);
  return regular ? `ranks ${ranks[0]}, ${ranks[1]} to ${ranks[ranks.length - 1]}` : `ranks ${rankRanges(ranks)}`;
}
