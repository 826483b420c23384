"use strict";

/* Strings of the data may come from a hostile program. They reach the document as text only: by `el`, never as markup. */

const run = JSON.parse(document.getElementById("data").textContent);
const FAMILIES = {
  files: "Files",
  transfer: "Read & write",
  network: "Network",
  memory: "Memory",
  process: "Processes",
  other: "Other",
  waiting: "Waiting",
};

const byId = (id) => document.getElementById(id);

/** An element: `el("td.num", "text", child, …)`. */
function el(spec, ...children) {
  const [tag, ...classes] = spec.split(".");
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(" ");
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

function svg(tag, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

function button(text, act, label) {
  const node = el("button.quiet", text);
  node.type = "button";
  if (label) node.setAttribute("aria-label", label);
  node.addEventListener("click", act);
  return node;
}

/* Numbers for people. */

const grouped = new Intl.NumberFormat("en-US");
const count = (n) => grouped.format(n);
const counted = (n, one, many) => `${count(n)} ${n === 1 ? one : many}`;

const digits = (value) => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

/** Nanoseconds. */
function time(ns) {
  if (ns < 1e3) return `${Math.round(ns)} ns`;
  if (ns < 1e6) return `${digits(ns / 1e3)} µs`;
  if (ns < 1e9) return `${digits(ns / 1e6)} ms`;
  if (ns < 100e9) return `${digits(ns / 1e9)} s`;
  const seconds = Math.floor(ns / 1e9);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds / 60) % 60} min`;
}

/** A moment of the run, as exactly as steps of `step` need it. */
function moment(ns, step = 1e3) {
  const [unit, name] = run.numbers.length >= 1e9 ? [1e9, "s"] : run.numbers.length >= 1e6 ? [1e6, "ms"] : [1e3, "µs"];
  const places = Math.max(0, Math.min(9, Math.ceil(Math.log10(unit / step) - 1e-9)));
  return `${(ns / unit).toFixed(places)} ${name}`;
}

function bytes(n) {
  if (n < 1024) return `${n} B`;
  const units = ["KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = -1;
  do {
    n /= 1024;
    unit += 1;
  } while (n >= 1024 && unit < units.length - 1);
  return `${digits(n)} ${units[unit]}`;
}

function percent(part, all) {
  if (!part || !all) return "0%";
  const value = (part / all) * 100;
  if (value < 0.1) return "<0.1%";
  return `${value >= 10 ? value.toFixed(0) : value.toFixed(1)}%`;
}

const plural = (n, one, many) => (n === 1 ? one : many);

/** The dot in a family's colour. */
function dot(family) {
  const node = el(`span.dot.f-${family}`);
  node.title = FAMILIES[family];
  return node;
}

const callName = (index) => run.calls.rows[index]?.name ?? "";
const callFamily = (index) => run.calls.rows[index]?.family ?? "other";
