/*
 * Quantities as text, as the other views write them: this file mirrors crates/event/src/quantity.rs, function by function. A test
 * holds both against crates/event/src/quantity.tsv.
 */

const inGroups = new Intl.NumberFormat("en-US");

/** A count, in groups of three digits. */
const grouped = (n) => inGroups.format(n);

/** A count of something. */
const count = (n, one, many) => `${grouped(n)} ${n === 1 ? one : many}`;

/** So many decimals. Of two that are equally near, Rust takes the even one, and toFixed the greater. */
function fixed(value, decimals) {
  const halves = value * 2 ** (decimals + 1);
  const upper = Math.ceil(value * 10 ** decimals);
  const tie = Number.isInteger(halves) && halves % 2 === 1;
  return (tie && upper % 2 === 1 ? (upper - 1) / 10 ** decimals : value).toFixed(decimals);
}

/** Three digits that count. */
function three(value) {
  if (value === 0) return "0";
  if (value < 0.0995) return fixed(value, Math.min(12, Math.max(1, Math.ceil(-Math.log10(value)))) + 1);
  if (value < 9.995) return fixed(value, 2);
  if (value < 99.95) return fixed(value, 1);
  return grouped(Math.round(value));
}

/** Nanoseconds. */
function duration(ns) {
  ns = Math.round(ns);
  if (ns < 1e3) return `${ns} ns`;
  if (ns >= 100e9) {
    const seconds = Math.floor(ns / 1e9);
    const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
    return hours ? `${grouped(hours)} h ${minutes} min` : `${minutes} min ${seconds % 60} s`;
  }
  // A value that would round up to 1,000 takes the next unit.
  const [unit, name] = [[1e3, "µs"], [1e6, "ms"]].find(([unit]) => ns / unit < 999.5) ?? [1e9, "s"];
  return `${three(ns / unit)} ${name}`;
}

function bytes(n) {
  if (n < 1024) return `${n} B`;
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
  let [value, unit] = [n / 1024, 0];
  while (value >= 1023.5 && unit + 1 < units.length) [value, unit] = [value / 1024, unit + 1];
  return `${three(value)} ${units[unit]}`;
}

/** A share. A part that is there is never shown as nothing, nor as all while something is missing. */
function percent(part, all) {
  const value = (part * 100) / Math.max(all, 1);
  if (part === 0) return "0%";
  if (value >= 99.5 && part < all) return ">99%";
  if (value >= 9.95) return `${fixed(value, 0)}%`;
  return value >= 0.05 ? `${fixed(value, 1)}%` : "<0.1%";
}
