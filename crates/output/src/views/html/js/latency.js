/* How long the calls of each syscall took: a histogram each, over one logarithmic scale of times. */

function latency(into) {
  const rows = run.calls.rows.filter((row) => row.calls > 0).sort((a, b) => b.time - a.time);
  const starts = run.calls.starts;
  const used = rows.flatMap((row) => row.histogram.map(([bucket]) => bucket));
  if (!used.length) return;
  const log = (ns) => Math.log10(Math.max(ns, 50));
  // `Math.min(...used)` would fail with too many arguments.
  const low = Math.floor(log(starts[used.reduce((a, b) => Math.min(a, b))]) * 3) / 3;
  const high = Math.ceil(log(starts[used.reduce((a, b) => Math.max(a, b)) + 1]) * 3) / 3;
  const x = (ns) => ((log(ns) - low) / Math.max(high - low, 0.01)) * 100;

  const axis = el("div.axis");
  const grid = [];
  for (let decade = Math.ceil(low); decade <= high; decade += 1) {
    const label = el("span", duration(10 ** decade).replace(/\.0+ /, " "));
    label.style.left = `${x(10 ** decade)}%`;
    if (x(10 ** decade) < 4) label.className = "first";
    if (x(10 ** decade) > 96) label.className = "last";
    axis.append(label);
    grid.push(x(10 ** decade));
  }
  const chart = el("div.latency");
  const head = el("div.row.head", el("span.name"), axis, el("span.facts", "half within · 99% within"));
  head.setAttribute("aria-hidden", "true");
  const tip = el("div.tip");
  tip.hidden = true;
  const list = el("ul");

  function line(row) {
    const picture = svg("svg", { viewBox: "0 0 100 30", preserveAspectRatio: "none", role: "img", class: `f-${row.family}` });
    picture.setAttribute(
      "aria-label",
      `${row.name}: half of the calls took ${duration(row.p50)} or less, 99% ${duration(row.p99)} or less, the longest ${duration(row.max)}`,
    );
    for (const at of grid) picture.append(svg("line", { class: "grid", x1: at, x2: at, y1: 0, y2: 30 }));
    const most = largest(row.histogram, ([, n]) => n);
    for (const [bucket, n] of row.histogram) {
      // The square root keeps the few very slow calls visible beside the many.
      const height = Math.max(1.5, Math.sqrt(n / most) * 27);
      const [left, right] = [x(starts[bucket]), x(starts[bucket + 1])];
      picture.append(svg("rect", { x: left, y: 29 - height, width: Math.max(right - left - 0.08, 0.25), height }));
    }
    picture.append(svg("line", { class: "base", x1: 0, x2: 100, y1: 29.5, y2: 29.5 }));
    picture.append(svg("line", { class: "half", x1: x(row.p50), x2: x(row.p50), y1: 0, y2: 29 }));
    picture.addEventListener("pointermove", (event) => {
      const box = picture.getBoundingClientRect();
      const at = ((event.clientX - box.left) / box.width) * 100;
      const found = row.histogram.find(([bucket]) => at >= x(starts[bucket]) && at < x(starts[bucket + 1]));
      tip.hidden = !found;
      if (!found) return;
      const [bucket, n] = found;
      tip.textContent = `${count(n, "call", "calls")} of ${duration(starts[bucket])} to ${duration(starts[bucket + 1])}`;
      const outer = chart.getBoundingClientRect();
      place(tip, event.clientX - outer.left, event.clientY - outer.top, outer.width);
    });
    picture.addEventListener("pointerleave", () => (tip.hidden = true));
    const facts = el("span.facts", duration(row.p50), el("span.sep", " · "), duration(row.p99));
    return el("li.row", el("span.name", dot(row.family), el("span.code", row.name)), picture, facts);
  }

  const FEW = 12;
  list.append(...rows.slice(0, FEW).map(line));
  chart.append(head, list, tip);
  into.append(chart);
  if (rows.length > FEW) {
    const more = button(`Show all ${grouped(rows.length)}`, () => {
      list.append(...rows.slice(FEW).map(line));
      more.remove();
    });
    into.append(more);
  }
}

/** Puts a tip beside a point of its container, within it. */
function place(tip, x, y, width) {
  const left = x + 14 + tip.offsetWidth > width ? x - 14 - tip.offsetWidth : x + 14;
  tip.style.left = `${Math.max(0, left)}px`;
  tip.style.top = `${y + 14}px`;
}
