/* The functions that led to a call, if stacks were asked for. */

/** Innermost first. */
function stackOf(index) {
  const stack = index ? run.stacks[index] : null;
  if (!stack) return null;
  const functions = stack.map((i) => run.functions[i]);
  return el(
    "ol.frames",
    functions.map(([name, place]) => el("li", el("span.code", name), place ? el("span.place.code", place) : null)),
  );
}

/** A call that shows its stack after a click. */
function withStack(node, index) {
  if (!index || !run.stacks[index]) return node;
  const details = el("details.called", el("summary", node));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(stackOf(index));
  });
  return details;
}
