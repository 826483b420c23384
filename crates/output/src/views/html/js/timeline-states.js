/*
 * The states of threads in the timeline, if waits were measured: on a CPU, or off it for one of several reasons.
 *
 * The times are sums over a call. So a call is divided by its height and not by its length: it is not known at which of its moments its
 * thread was in which state.
 */

/** In the order of the data's digits. */
const STATES = [
  { name: "cpu", title: "on a CPU" },
  { name: "blocked", title: "blocked" },
  { name: "disk", title: "waiting for a disk" },
  { name: "stopped", title: "stopped" },
  { name: "runnable", title: "waiting for a CPU" },
  { name: "throttled", title: "throttled by its cgroup" },
];
/** From the bottom of a call up. */
const STACKED = [0, 4, 5, 1, 2, 3];
const NOT_MEASURED = STATES.length;
/** The shares of a call add up to about so much. */
const WHOLE = 35;
/** The height of the time between two calls. */
const GAP = 8;

/** `each` digits for each thing, of which the last six are shares. Six numbers for each. */
function readStates(text, each) {
  const n = text.length / each;
  const shares = new Uint8Array(n * STATES.length);
  for (let i = 0; i < n; i += 1) {
    for (let k = 0; k < STATES.length; k += 1) shares[i * STATES.length + k] = parseInt(text[i * each + each - STATES.length + k], 36);
  }
  return shares;
}

/** The shares of one call or bin. `null`: nothing was measured. */
function sharesOf(list, i) {
  const shares = list.subarray(i * STATES.length, (i + 1) * STATES.length);
  return shares.some((share) => share) ? shares : null;
}

/** "about 60% blocked, 40% on a CPU". */
function sharesText(shares) {
  const sum = shares.reduce((a, b) => a + b, 0);
  const order = [...shares.keys()].filter((i) => shares[i]).sort((a, b) => shares[b] - shares[a]);
  const part = (i) => (shares[i] === 1 && sum > 1 ? "under 5%" : percent(shares[i], sum));
  if (order.length === 1) return STATES[order[0]].title;
  return `about ${order.map((i) => `${part(i)} ${STATES[i].title}`).join(", ")}`;
}

class StatePainter {
  constructor(view, ink, colours) {
    Object.assign(this, { view, ink, colours });
  }

  /** A bar, divided from the bottom up. */
  bar(g, x, w, y, h, shares, whole) {
    let bottom = y + (BAR + h) / 2;
    for (const i of STACKED) {
      if (!shares[i]) continue;
      const part = (shares[i] / whole) * h;
      g.fillStyle = this.colours[i];
      g.fillRect(x, bottom - part, w, part);
      bottom -= part;
    }
  }

  hollow(g, x, w, y) {
    g.strokeStyle = this.ink.muted;
    g.lineWidth = 1;
    g.strokeRect(x + 0.5, y + 0.5, Math.max(1, w - 1), BAR - 1);
  }

  paint(g, lane, y) {
    const { view } = this;
    const scale = view.plot / (view.to - view.from);
    // Bars that are narrower than two pixels are added up for each column of pixels.
    const columns = new Map();
    const add = (x, length, shares, whole, failed) => {
      const column = Math.floor(x);
      if (!columns.has(column)) columns.set(column, { times: new Float64Array(STATES.length + 1), failed: false });
      const its = columns.get(column);
      if (shares) shares.forEach((share, i) => (its.times[i] += (length * share) / whole));
      else its.times[NOT_MEASURED] += length;
      its.failed ||= failed;
    };
    const sum = (shares) => (shares ? shares.reduce((a, b) => a + b, 0) : WHOLE);
    const failures = [];
    for (let i = Math.max(0, after(lane.binAt, view.from) - 1); i < lane.binAt.length && lane.binAt[i] < view.to; i += 1) {
      const known = (lane.binKnown[i] / 255) * view.width * scale;
      const shares = sharesOf(lane.binState, i);
      if (!shares && !lane.binCalls[i]) continue;
      const x = view.x(lane.binAt[i]);
      if (view.width * scale < 2) add(x, known, shares, sum(shares), lane.binErrors[i] > 0);
      else {
        const wide = view.width * scale - 0.5;
        const h = Math.max(3, Math.sqrt(lane.binKnown[i] / 255) * BAR);
        if (shares) this.bar(g, x, wide, y, h, shares, sum(shares));
        else this.hollow(g, x, wide, y);
        if (lane.binErrors[i]) failures.push([x, wide]);
      }
    }
    const labels = [];
    for (let i = Math.max(0, after(lane.at, view.from) - 1); i < lane.at.length && lane.at[i] < view.to; i += 1) {
      const x = view.x(lane.at[i]);
      const w = lane.took[i] * scale;
      const shares = sharesOf(lane.state, i);
      if (w < 2) {
        add(x, w, shares, sum(shares), lane.end[i] === FAILED);
        continue;
      }
      const wide = w - (w > 4 ? 1 : 0);
      if (shares) this.bar(g, x, wide, y, lane.end[i] === BETWEEN ? GAP : BAR, shares, sum(shares));
      else this.hollow(g, x, wide, y);
      if (lane.end[i] === FAILED) failures.push([x + Math.max(0, wide - 4), Math.min(4, wide)]);
      if (lane.end[i] === NEVER) {
        g.fillStyle = this.ink.text;
        g.fillRect(x + wide - 2, y, 2, BAR);
      }
      if (lane.end[i] !== BETWEEN && w > 36) labels.push([i, x, wide]);
    }
    for (const [x, { times, failed }] of columns) {
      const all = times.reduce((a, b) => a + b, 0);
      const measured = all - times[NOT_MEASURED];
      const h = Math.max(3, Math.sqrt(Math.min(1, all)) * BAR);
      if (measured > 0) this.bar(g, x, 1, y, h, times, measured);
      else {
        g.fillStyle = this.ink.muted;
        g.fillRect(x, y + (BAR - h) / 2, 1, h);
      }
      if (failed) failures.push([x, 1]);
    }
    g.fillStyle = this.ink.error;
    for (const [x, w] of failures) g.fillRect(x, y + BAR, w, 2);
    for (const [i, x, wide] of labels) this.label(g, callName(lane.call[i]), Math.max(x, view.gutter) + 4, x + wide - 4, y);
  }

  /** A name that can be read on any colours. */
  label(g, name, left, right, y) {
    g.font = this.view.painter.mono;
    const label = fit(g, name, right - left);
    if (label.length <= 2) return;
    g.textBaseline = "middle";
    g.lineJoin = "round";
    g.lineWidth = 3;
    g.strokeStyle = this.ink.page;
    g.strokeText(label, left, y + BAR / 2 + 0.5);
    g.fillStyle = this.ink.text;
    g.fillText(label, left, y + BAR / 2 + 0.5);
  }

  /** From the thread that woke the chosen one. */
  arrow(g, top) {
    const { view } = this;
    const waker = wakerOf(view, view.picked ?? {});
    const rows = [waker?.lane, view.picked?.lane].map((lane) => view.rows.indexOf(lane));
    if (!waker || rows.includes(-1)) return;
    const [from, to] = rows.map((row) => 4 + row * LANE - top + BAR / 2);
    const [x1, x2] = [view.x(waker.at), view.x(waker.woken)];
    const down = Math.sign(to - from);
    const end = to - down * (BAR / 2 + 1);
    const middle = (from + end) / 2;
    const path = new Path2D();
    path.moveTo(x1, from);
    path.bezierCurveTo(x1, middle, x2, middle, x2, end - down * 5);
    g.save();
    g.beginPath();
    g.rect(view.gutter, 0, view.plot, view.height);
    g.clip();
    g.setLineDash(waker.slice === undefined ? [4, 3] : []);
    for (const [width, ink] of [[5, this.ink.page], [2, this.ink.text]]) {
      g.lineWidth = width;
      g.strokeStyle = ink;
      g.stroke(path);
    }
    g.fillStyle = this.ink.text;
    g.beginPath();
    g.arc(x1, from, 3, 0, 2 * Math.PI);
    g.moveTo(x2, end);
    g.lineTo(x2 - 4, end - down * 7);
    g.lineTo(x2 + 4, end - down * 7);
    g.fill();
    g.restore();
    view.body.dataset.arrow = `${waker.lane.tid} ${view.picked.lane.tid}`;
  }
}

/**
 * The waker of a call's longest sleep, if its thread has a lane: the lane, and its call if that is shown by itself and there is no doubt
 * which one it was. `at`, `woken`: the ends of the arrow.
 */
function wakerOf(view, { lane, slice }) {
  const tid = slice === undefined ? 0 : (lane.wakers[2 * slice] ?? 0);
  if (!tid) return null;
  const call = lane.wakers[2 * slice + 1];
  const [from, to] = [lane.at[slice], lane.at[slice] + lane.took[slice]];
  const its = view.lanes.find((other) => other.tid === tid && !other.others && other.from <= to && (other.to ?? Infinity) >= from);
  if (!its) return null;
  const found = [];
  for (let i = after(its.at, to) - 1; i >= 0 && its.at[i] + its.took[i] >= from && found.length < 2; i -= 1) {
    if (its.end[i] !== BETWEEN && its.call[i] === Math.abs(call) - 1) found.push(i);
  }
  if (found.length !== 1) return { lane: its, at: to, woken: to };
  const ended = Math.max(from, Math.min(to, its.at[found[0]] + its.took[found[0]]));
  // With one sleep, the thread goes on to the end of its call. Otherwise it went on at some time behind the waker's call.
  return { lane: its, slice: found[0], at: ended, woken: call > 0 ? to : ended };
}

/** The legend: the meaning of each colour that is used. */
function statesLegend(view) {
  const there = new Set();
  for (const lane of view.lanes) {
    for (const list of [lane.state, lane.binState]) list.forEach((share, i) => share && there.add(i % STATES.length));
  }
  const swatch = (name) => el(`span.dot.s-${name}`);
  const missing = view.lanes.some((lane) => lane.at.some((_, i) => !sharesOf(lane.state, i)));
  return el(
    "div.states",
    el("ul.legend", STATES.map(({ name, title }, i) => (there.has(i) ? el("li", swatch(name), title) : null)), missing ? el("li", swatch("none"), "not measured") : null),
    el(
      "p.note",
      "How much of a call's height a colour takes is how much of the call's time its thread was in that state; at which moments is not known. Half as high: the time between two calls, if the thread was not on a CPU all the time.",
    ),
  );
}
