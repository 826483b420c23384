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

/** A moment of the run, as exactly as steps of `step` need it. */
function moment(ns, step = 1e3) {
  const [unit, name] = run.numbers.length >= 1e9 ? [1e9, "s"] : run.numbers.length >= 1e6 ? [1e6, "ms"] : [1e3, "µs"];
  const places = Math.max(0, Math.min(9, Math.ceil(Math.log10(unit / step) - 1e-9)));
  return `${(ns / unit).toFixed(places)} ${name}`;
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
