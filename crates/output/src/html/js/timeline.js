/*
 * The timeline: a lane for each thread, on a canvas.
 *
 * Long calls are there one by one, the others as bins: how many calls began in one, how much of it was spent in those that do not
 * wait, and which syscall took most. What is narrower than a pixel is put together while drawing.
 */

const LANE = 22;
const BAR = 16;
const HEAD = 64;
const STRIP = 34;
const MOST_LANES = 18;

/** Flat lists of differences as columns. */
function columns(flat, scale) {
  const n = flat.length / 5;
  const at = new Float64Array(n);
  const rest = [1, 2, 3, 4].map(() => new Float64Array(n));
  let last = 0;
  for (let i = 0; i < n; i += 1) {
    last += flat[5 * i];
    at[i] = last * scale;
    for (let k = 0; k < 4; k += 1) rest[k][i] = flat[5 * i + 1 + k];
  }
  return [at, ...rest];
}

/** The first place in a sorted list that is greater than `value`. */
function after(list, value) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

function readLane(data, width) {
  const [binAt, binCalls, binErrors, binBusy, binCall] = columns(data.bins, width);
  const [at, took, call, end, text] = columns(data.slices, 1);
  return { ...data, binAt, binCalls, binErrors, binBusy, binCall, at, took, call, end, text };
}

class Timeline {
  constructor(into) {
    const { width, lanes, more, others } = run.timeline;
    this.width = width;
    this.length = Math.max(1, run.numbers.length);
    this.lanes = lanes.map((lane) => readLane(lane, width));
    if (more) {
      const rest = { bins: others, slices: [], lost: [], name: `${count(more)} more`, tid: "", process: null, from: 0, to: null };
      this.lanes.push({ ...readLane(rest, width), others: true });
    }
    this.from = 0;
    this.to = this.length;
    // Those shown, and of them, the one that is chosen.
    this.rows = this.lanes;
    this.lane = null;
    this.picked = null;
    this.families = run.calls.rows.map((row) => row.family);
    this.build(into);
    this.colours();
    this.pace = this.measure();
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  build(into) {
    this.box = el("div.timeline");
    this.head = el("canvas.head");
    this.head.setAttribute("aria-hidden", "true");
    this.body = el("canvas.body");
    this.body.id = "lanes";
    this.body.tabIndex = 0;
    this.body.setAttribute("role", "application");
    this.body.setAttribute("aria-label", "Timeline by thread. Plus and minus zoom, left and right pan, up and down choose a thread, N and P go to the next and previous call, 0 shows the whole run.");
    this.scroller = el("div.lanes", this.body, el("div.spacer"));
    this.scroller.tabIndex = -1;
    this.tip = el("div.tip");
    this.tip.hidden = true;
    this.range = el("span.range");
    this.only = el("input");
    this.only.type = "checkbox";
    this.only.addEventListener("change", () => {
      this.settle();
      if (this.picked) this.reveal(this.picked);
      this.draw();
    });
    this.zoomOut = button("−", () => this.zoom(2), "Zoom out");
    this.tools = el(
      "div.tools",
      el(
        "span.buttons",
        button("+", () => this.zoom(0.5), "Zoom in"),
        this.zoomOut,
        button("←", () => this.pan(-0.25), "Earlier"),
        button("→", () => this.pan(0.25), "Later"),
        button("Whole run", () => this.show(0, this.length)),
      ),
      this.lanes.length > 1 ? el("label.check", this.only, "Only threads that live in view") : null,
      this.range,
    );
    this.detail = el("div.detail");
    this.detail.setAttribute("role", "status");
    this.hint();
    this.box.append(this.head, this.scroller, this.tip);
    into.append(this.tools, this.box, this.detail);
    const height = Math.max(1, Math.min(this.lanes.length, MOST_LANES)) * LANE + 8;
    this.scroller.style.height = `${height}px`;
    this.height = height;
    this.settle();
    this.listen();
  }

  /** Which lanes are shown: all, or of those that live in what is in view. */
  settle() {
    const lives = (lane) => lane.others || (lane.from <= this.to && (lane.to ?? this.length) >= this.from);
    this.rows = this.only.checked ? this.lanes.filter(lives) : this.lanes;
    this.scroller.lastChild.style.height = `${Math.max(0, this.rows.length * LANE + 8 - this.height)}px`;
  }

  hint() {
    this.detail.replaceChildren(
      el("p.note", "Click or tab into the timeline, then scroll to zoom. Drag to pan. ", el("kbd", "+"), " ", el("kbd", "−"), " ", el("kbd", "←"), " ", el("kbd", "→"), " ", el("kbd", "↑"), " ", el("kbd", "↓"), " move, ", el("kbd", "N"), " and ", el("kbd", "P"), " step from call to call."),
    );
  }

  /** Calls per column of the strip above. */
  measure() {
    const sums = new Float64Array(600);
    const add = (at, n) => (sums[Math.min(599, Math.floor((at / this.length) * 600))] += n);
    for (const lane of this.lanes) {
      lane.binAt.forEach((at, i) => add(at, lane.binCalls[i]));
      lane.at.forEach((at) => add(at, 1));
    }
    return sums;
  }

  colours() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(name).trim();
    this.colour = Object.fromEntries(Object.keys(FAMILIES).map((family) => [family, get(`--${family}`)]));
    this.labelOn = Object.fromEntries(Object.entries(this.colour).map(([family, colour]) => [family, readable(colour)]));
    this.ink = { text: get("--text"), muted: get("--muted"), line: get("--line"), soft: get("--soft"), page: get("--page"), accent: get("--accent"), error: get("--error") };
    this.font = `12px ${get("--sans")}`;
    this.mono = `11px ${get("--mono")}`;
  }

  /* Geometry. */

  get gutter() {
    return this.wide < 620 ? 96 : 172;
  }

  get plot() {
    return Math.max(50, this.wide - this.gutter - 1);
  }

  x(at) {
    return this.gutter + ((at - this.from) / (this.to - this.from)) * this.plot;
  }

  at(x) {
    return this.from + ((x - this.gutter) / this.plot) * (this.to - this.from);
  }

  show(from, to) {
    // What it told of is elsewhere now.
    this.tip.hidden = true;
    // A microsecond wide at least, and within the run.
    const span = Math.min(this.length, Math.max(Math.min(1000, this.length), to - from));
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(0, middle - span / 2), this.length - span);
    this.to = this.from + span;
    if (this.only.checked) this.settle();
    this.draw();
  }

  zoom(factor, at = (this.from + this.to) / 2) {
    const span = (this.to - this.from) * factor;
    const part = (at - this.from) / (this.to - this.from);
    this.show(at - part * span, at + (1 - part) * span);
  }

  pan(part) {
    const by = (this.to - this.from) * part;
    const clamped = Math.max(-this.from, Math.min(by, this.length - this.to));
    this.show(this.from + clamped, this.to + clamped);
  }

  /* Drawing. */

  draw() {
    if (this.due) return;
    this.due = requestAnimationFrame(() => {
      this.due = null;
      this.paint();
    });
  }

  surface(canvas, height) {
    const scale = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(this.wide * scale), Math.round(height * scale)];
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      canvas.style.width = `${this.wide}px`;
      canvas.style.height = `${height}px`;
    }
    const g = canvas.getContext("2d");
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, this.wide, height);
    return g;
  }

  paint() {
    this.wide = this.scroller.clientWidth || 600;
    const ticks = this.ticks();
    this.paintHead(ticks);
    const g = this.surface(this.body, this.height);
    const top = this.scroller.scrollTop;
    g.fillStyle = this.ink.line;
    for (const tick of ticks.at) g.fillRect(Math.round(this.x(tick)), 0, 1, this.height);
    const first = Math.max(0, Math.floor(top / LANE) - 1);
    const last = Math.min(this.rows.length, first + Math.ceil(this.height / LANE) + 2);
    for (let i = first; i < last; i += 1) this.paintLane(g, i, 4 + i * LANE - top);
    this.range.textContent = `${moment(this.from, (this.to - this.from) / 100)} – ${moment(this.to, (this.to - this.from) / 100)}`;
    this.zoomOut.disabled = this.to - this.from >= this.length;
    // For those who look from outside, tests among them.
    this.body.dataset.from = Math.round(this.from);
    this.body.dataset.to = Math.round(this.to);
    this.body.dataset.threads = this.rows.length;
  }

  ticks() {
    const wanted = (this.to - this.from) / Math.max(2, this.plot / (this.plot < 500 ? 75 : 110));
    const power = 10 ** Math.floor(Math.log10(wanted));
    const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= wanted);
    const at = [];
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) at.push(t);
    return { step, at };
  }

  paintHead({ step, at }) {
    const g = this.surface(this.head, HEAD);
    const { gutter, plot } = this;
    const most = Math.sqrt(Math.max(1, ...this.pace));
    g.fillStyle = this.ink.muted;
    g.globalAlpha = 0.55;
    g.beginPath();
    g.moveTo(gutter, STRIP);
    this.pace.forEach((n, i) => {
      const y = STRIP - (Math.sqrt(n) / most) * (STRIP - 4);
      g.lineTo(gutter + (i / 600) * plot, y);
      g.lineTo(gutter + ((i + 1) / 600) * plot, y);
    });
    g.lineTo(gutter + plot, STRIP);
    g.fill();
    g.globalAlpha = 1;
    g.font = this.font;
    g.textBaseline = "middle";
    g.fillStyle = this.ink.muted;
    g.fillText("Calls", 0, STRIP / 2 + 2);
    // What is shown below.
    const [left, right] = [this.from, this.to].map((t) => gutter + (t / this.length) * plot);
    g.fillStyle = this.ink.page;
    g.globalAlpha = 0.7;
    g.fillRect(gutter, 0, left - gutter, STRIP);
    g.fillRect(right, 0, gutter + plot - right, STRIP);
    g.globalAlpha = 1;
    g.strokeStyle = this.ink.accent;
    g.lineWidth = 1.5;
    g.strokeRect(left + 0.75, 1.5, Math.max(2, right - left - 1.5), STRIP - 2);
    g.fillStyle = this.ink.muted;
    for (const t of at) {
      const x = this.x(t);
      const label = moment(t, step);
      const width = g.measureText(label).width;
      if (x + 4 + width < gutter + plot) g.fillText(label, x + 4, STRIP + 17);
      g.fillRect(Math.round(x), STRIP + 10, 1, HEAD - STRIP - 10);
    }
  }

  paintLane(g, index, y) {
    const lane = this.rows[index];
    const { gutter, plot } = this;
    if (lane === this.lane) {
      g.fillStyle = this.ink.soft;
      g.fillRect(0, y - 3, gutter + plot, LANE);
    }
    this.label(g, lane, index, y);
    g.save();
    g.beginPath();
    g.rect(gutter, y - 3, plot, LANE);
    g.clip();
    // How long it lived.
    const [born, died] = [this.x(lane.from), this.x(lane.to ?? this.length)];
    g.fillStyle = this.ink.line;
    g.fillRect(born, y + BAR / 2 - 0.5, Math.max(1, died - born), 1);
    if (lane.others) this.paintOthers(g, lane, y);
    else {
      // What waits lies behind what works.
      this.paintSlices(g, lane, y, true);
      this.paintBins(g, lane, y);
      this.paintSlices(g, lane, y, false);
      this.paintLost(g, lane, y);
      this.outline(g, lane, y);
    }
    g.restore();
    g.fillStyle = this.ink.line;
    g.fillRect(gutter - 1, y - 3, 1, LANE);
  }

  label(g, lane, index, y) {
    const { gutter } = this;
    // Below the first thread of its process, and that below its parent's.
    const same = lane.process !== null && this.rows[index - 1]?.process === lane.process;
    const indent = Math.min(run.processes.rows[lane.process]?.depth ?? 0, 4) * 8 + (same ? 10 : 0);
    const name = lane.name || "?";
    g.font = this.font;
    g.textBaseline = "middle";
    g.direction = "ltr";
    const id = String(lane.tid);
    const room = gutter - 12 - (gutter > 120 ? g.measureText(id).width + 8 : 0);
    g.fillStyle = same ? this.ink.muted : this.ink.text;
    g.fillText(fit(g, name, room - indent), indent, y + BAR / 2 + 0.5);
    if (gutter > 120 && id) {
      g.fillStyle = this.ink.muted;
      g.textAlign = "right";
      g.fillText(id, gutter - 10, y + BAR / 2 + 0.5);
      g.textAlign = "left";
    }
  }

  /** Each column of pixels in the colour of what took most of it, as high as the part of it that was spent in calls. */
  paintBins(g, lane, y) {
    const { width } = this;
    if (!lane.binAt.length) return;
    const scale = this.plot / (this.to - this.from);
    let i = Math.max(0, after(lane.binAt, this.from) - 1);
    if (width * scale >= 2) {
      for (; i < lane.binAt.length && lane.binAt[i] < this.to; i += 1) {
        this.column(g, this.x(lane.binAt[i]), width * scale - 0.5, y, lane.binBusy[i] / 255, callFamily(lane.binCall[i]), lane.binErrors[i]);
      }
      return;
    }
    let column = -1;
    let [busy, errors, best, family] = [0, 0, -1, "other"];
    let weights = {};
    const flush = () => {
      if (column >= 0) this.column(g, column, 1, y, Math.min(1, (busy / 255) * width * scale), family, errors);
    };
    for (; i < lane.binAt.length && lane.binAt[i] < this.to; i += 1) {
      const x = Math.floor(this.x(lane.binAt[i]));
      if (x !== column) {
        flush();
        [column, busy, errors, best, weights] = [x, 0, 0, -1, {}];
      }
      const its = this.families[lane.binCall[i]];
      weights[its] = (weights[its] ?? 0) + lane.binBusy[i] + 1;
      if (weights[its] > best) [best, family] = [weights[its], its];
      busy += lane.binBusy[i];
      errors += lane.binErrors[i];
    }
    flush();
  }

  column(g, x, w, y, part, family, errors) {
    const h = Math.max(3, Math.sqrt(part) * BAR);
    g.fillStyle = this.colour[family];
    g.globalAlpha = 0.85;
    g.fillRect(x, y + (BAR - h) / 2, Math.max(1, w), h);
    g.globalAlpha = 1;
    if (errors) this.mark(g, x, Math.max(1, w), y);
  }

  mark(g, x, w, y) {
    g.fillStyle = this.ink.error;
    g.fillRect(x, y + BAR, w, 2);
  }

  paintSlices(g, lane, y, waits) {
    let i = Math.max(0, after(lane.at, this.from) - 1);
    let drawn = -1;
    let what = "";
    for (; i < lane.at.length && lane.at[i] < this.to; i += 1) {
      const family = this.families[lane.call[i]];
      if ((family === "waiting") !== waits) continue;
      const x = this.x(lane.at[i]);
      const w = this.x(lane.at[i] + lane.took[i]) - x;
      // Of many within one pixel, the first of a kind stands for all.
      if (w < 1 && Math.floor(x) === drawn && family === what) continue;
      drawn = Math.floor(x);
      what = family;
      const h = family === "waiting" ? 6 : BAR;
      g.fillStyle = this.colour[family];
      const wide = Math.max(1, w - (w > 4 ? 1 : 0));
      if (w > 6) {
        g.beginPath();
        g.roundRect(x, y + (BAR - h) / 2, wide, h, 2);
        g.fill();
      } else g.fillRect(x, y + (BAR - h) / 2, wide, h);
      // Where it ended.
      if (lane.end[i] === 1) this.mark(g, x + Math.max(0, wide - 4), Math.min(4, wide), y);
      if (lane.end[i] === 2) {
        g.fillStyle = this.ink.text;
        g.fillRect(x + wide - 2, y, 2, BAR);
      }
      if (family !== "waiting" && w > 36) {
        g.font = this.mono;
        g.fillStyle = this.labelOn[family];
        g.textBaseline = "middle";
        const left = Math.max(x, this.gutter) + 4;
        const label = fit(g, callName(lane.call[i]), x + wide - left - 4);
        if (label.length > 2) g.fillText(label, left, y + BAR / 2 + 0.5);
      }
    }
  }

  /** Where calls are missing. */
  paintLost(g, lane, y) {
    g.fillStyle = this.ink.error;
    for (let i = 0; i < lane.lost.length; i += 2) {
      const x = this.x(lane.lost[i]);
      g.beginPath();
      g.moveTo(x - 4, y - 2);
      g.lineTo(x + 4, y - 2);
      g.lineTo(x, y + 6);
      g.fill();
      g.fillRect(x - 0.5, y - 2, 1, BAR + 4);
    }
  }

  /** Around what is picked. */
  outline(g, lane, y) {
    if (this.picked?.lane !== lane) return;
    const { slice, bin } = this.picked;
    const from = slice !== undefined ? lane.at[slice] : lane.binAt[bin];
    if (from === undefined) return;
    const x = this.x(from);
    const w = this.x(from + (slice !== undefined ? lane.took[slice] : this.width)) - x;
    g.strokeStyle = this.ink.accent;
    g.lineWidth = 2;
    g.strokeRect(x - 1, y - 1, Math.max(3, w + 1), BAR + 2);
  }

  paintOthers(g, lane, y) {
    const most = Math.sqrt(lane.binCalls.reduce((a, b) => Math.max(a, b), 1));
    const columns = new Map();
    for (let i = Math.max(0, after(lane.binAt, this.from) - 1); i < lane.binAt.length && lane.binAt[i] < this.to; i += 1) {
      const x = Math.floor(this.x(lane.binAt[i]));
      columns.set(x, Math.max(columns.get(x) ?? 0, lane.binCalls[i]));
    }
    const wide = Math.max(1, (this.width / (this.to - this.from)) * this.plot);
    g.fillStyle = this.ink.muted;
    g.globalAlpha = 0.55;
    for (const [x, n] of columns) {
      const h = Math.max(2, (Math.sqrt(n) / most) * BAR);
      g.fillRect(x, y + BAR - h, wide, h);
    }
    g.globalAlpha = 1;
  }

  /* What is at a point, and what is told of it. */

  find(x, y) {
    const lane = this.rows[Math.floor((y - 1 + this.scroller.scrollTop) / LANE)];
    if (!lane || x < this.gutter) return lane ? { lane } : null;
    for (let i = 0; i < lane.lost.length; i += 2) {
      if (Math.abs(this.x(lane.lost[i]) - x) < 4) return { lane, lost: i };
    }
    const [early, late] = [this.at(x - 2), this.at(x + 2)];
    let best = null;
    for (let i = after(lane.at, late) - 1; i >= 0 && i > after(lane.at, late) - 200; i -= 1) {
      if (lane.at[i] + lane.took[i] >= early && (best === null || lane.took[i] > lane.took[best])) best = i;
      if (lane.at[i] + lane.took[i] < early) break;
    }
    const here = this.at(x);
    const bin = after(lane.binAt, here) - 1;
    const inBin = bin >= 0 && here < lane.binAt[bin] + Math.max(this.width, late - early);
    const covers = best !== null && lane.at[best] <= here && lane.at[best] + lane.took[best] >= here;
    if (best !== null && (covers || !inBin)) return { lane, slice: best };
    return inBin ? { lane, bin } : { lane };
  }

  /** Lines of text about it: what, and facts. */
  tell({ lane, slice, bin, lost }) {
    const who = `${lane.name || "?"} ${lane.tid}`.trim();
    if (lost !== undefined) {
      const facts = [`found at ${moment(lane.lost[lost])}`, who];
      return { family: "other", text: `${counted(lane.lost[lost + 1], "call was", "calls were")} lost before this point`, facts };
    }
    if (slice !== undefined) {
      const text = run.texts[lane.text[slice]];
      const name = callName(lane.call[slice]);
      const end = ["", "failed", "never returned"][lane.end[slice]];
      const facts = [`took ${time(lane.took[slice])}`, `at ${moment(lane.at[slice])}`, who, end].filter(Boolean);
      return { name, family: callFamily(lane.call[slice]), text: text || `${name}(…)`, facts };
    }
    if (bin !== undefined) {
      const facts = [`from ${moment(lane.binAt[bin])}`, `within ${time(this.width)}`];
      if (!lane.others) facts.push(`${time((lane.binBusy[bin] / 255) * this.width)} of it spent working in calls`);
      facts.push(who);
      if (lane.binErrors[bin]) facts.push(`${count(lane.binErrors[bin])} failed`);
      const name = callName(lane.binCall[bin]);
      const calls = counted(lane.binCalls[bin], "call", "calls");
      const text = lane.others ? calls : lane.binCalls[bin] ? `${calls}, mostly ${name}` : `${name}, which began earlier`;
      return { name, family: callFamily(lane.binCall[bin]), text, facts };
    }
    const process = run.processes.rows[lane.process];
    if (lane.others) return { family: "other", text: `${lane.name} threads, together`, facts: [] };
    return {
      family: "other",
      text: process?.command || who,
      facts: [who, counted(lane.calls, "call", "calls"), `${time(lane.busy)} in calls, ${time(lane.waiting)} of it waiting`],
    };
  }

  pick(found, { look = true } = {}) {
    this.picked = found;
    if (!found) {
      this.hint();
      this.draw();
      return;
    }
    this.lane = found.lane;
    const { family, text, facts } = this.tell(found);
    const single = found.slice !== undefined || found.bin !== undefined;
    this.detail.replaceChildren(el("p.what", single ? dot(family) : null, el("span.code", text)), el("p.facts", facts.join(" · ")));
    if (look) this.reveal(found);
    this.draw();
  }

  /** Brings it into view. */
  reveal({ lane, slice, bin }) {
    const [from, length] = slice !== undefined ? [lane.at[slice], lane.took[slice]] : bin !== undefined ? [lane.binAt[bin], this.width] : [null, 0];
    const span = this.to - this.from;
    if (from !== null && (from + length < this.from || from > this.to)) this.show(from + length / 2 - span / 2, from + length / 2 + span / 2);
    const top = Math.max(0, this.rows.indexOf(lane)) * LANE;
    if (top < this.scroller.scrollTop) this.scroller.scrollTop = top;
    if (top + LANE > this.scroller.scrollTop + this.height) this.scroller.scrollTop = top + LANE + 8 - this.height;
  }

  /** To the next or previous call or bin in the chosen lane. */
  step(by) {
    const lane = this.lane ?? this.rows[0];
    if (!lane) return;
    const now = this.picked && this.picked.lane === lane ? this.picked : null;
    const middle = by > 0 ? this.from - 1 : this.to;
    const at = now?.slice !== undefined ? lane.at[now.slice] : now?.bin !== undefined ? lane.binAt[now.bin] : middle;
    const neighbour = (list, calls) => {
      let i = after(list, at) - (by < 0 ? 1 : 0);
      if (by < 0) while (i >= 0 && list[i] >= at) i -= 1;
      // Where a call only goes on that began in the bin before, there is nothing to stop at.
      while (calls && i >= 0 && i < list.length && calls[i] === 0) i += by;
      return i >= 0 && i < list.length ? i : null;
    };
    const [slice, bin] = [neighbour(lane.at), neighbour(lane.binAt, lane.binCalls)];
    if (slice === null && bin === null) return;
    const sliceFirst = bin === null || (slice !== null && (by > 0 ? lane.at[slice] <= lane.binAt[bin] : lane.at[slice] >= lane.binAt[bin]));
    this.pick(sliceFirst ? { lane, slice } : { lane, bin });
  }

  /** Shows a call of the list of the slowest. */
  go(tid, at, took) {
    const lane = this.lanes.find((its) => its.tid === tid && its.from <= at && (its.to ?? Infinity) >= at);
    const margin = Math.max(took * 2, 2000);
    this.show(at - margin, at + took + margin);
    if (!lane) return;
    const slice = after(lane.at, at) - 1;
    const exact = slice >= 0 && Math.abs(lane.at[slice] - at) < 1;
    const bin = after(lane.binAt, at) - 1;
    this.pick(exact ? { lane, slice } : bin >= 0 ? { lane, bin } : { lane });
  }

  listen() {
    const { body, head, scroller } = this;
    const local = (event) => {
      const box = body.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    scroller.addEventListener("scroll", () => {
      this.tip.hidden = true;
      this.draw();
    });
    body.addEventListener(
      "wheel",
      (event) => {
        const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
        // Who scrolls past on the page is not caught here.
        const active = document.activeElement === body || event.ctrlKey || event.metaKey;
        if (!active && !sideways) return;
        event.preventDefault();
        const lines = event.deltaMode === 1 ? 30 : 1;
        if (sideways) this.pan((((event.deltaX || event.deltaY) * lines) / this.plot) * 1);
        else this.zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY * lines)) / 300), this.at(Math.max(this.gutter, local(event)[0])));
        this.hover(...local(event));
      },
      { passive: false },
    );
    let drag = null;
    const fingers = new Map();
    let pinch = null;
    const spread = () => {
      const [a, b] = [...fingers.values()];
      return { gap: Math.max(10, Math.abs(a - b)), middle: (a + b) / 2 };
    };
    body.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      fingers.set(event.pointerId, local(event)[0]);
      if (fingers.size === 2) {
        const { gap, middle } = spread();
        pinch = { gap, at: this.at(middle), span: this.to - this.from };
        drag = null;
        return;
      }
      drag = { x: event.clientX, y: event.clientY, from: this.from, to: this.to, top: scroller.scrollTop, far: false };
      body.setPointerCapture(event.pointerId);
    });
    body.addEventListener("pointermove", (event) => {
      if (fingers.has(event.pointerId)) fingers.set(event.pointerId, local(event)[0]);
      if (pinch) {
        // What was between the fingers stays there.
        const { gap, middle } = spread();
        const span = (pinch.span * pinch.gap) / gap;
        const from = pinch.at - ((middle - this.gutter) / this.plot) * span;
        this.show(from, from + span);
        return;
      }
      if (!drag) {
        this.hover(...local(event));
        return;
      }
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!drag.far && Math.hypot(dx, dy) < 4) return;
      drag.far = true;
      this.tip.hidden = true;
      body.classList.add("dragged");
      const by = Math.max(-drag.from, Math.min((-dx / this.plot) * (drag.to - drag.from), this.length - drag.to));
      scroller.scrollTop = drag.top - dy;
      this.show(drag.from + by, drag.to + by);
    });
    body.addEventListener("pointerup", (event) => {
      if (drag && !drag.far) this.pick(this.find(...local(event)), { look: false });
      release(event);
    });
    const release = (event) => {
      fingers.delete(event.pointerId);
      drag = pinch = null;
      body.classList.remove("dragged");
    };
    body.addEventListener("pointercancel", release);
    body.addEventListener("pointerleave", () => (this.tip.hidden = true));
    body.addEventListener("dblclick", (event) => this.zoom(0.25, this.at(Math.max(this.gutter, local(event)[0]))));
    body.addEventListener("keydown", (event) => this.key(event));
    // The strip above: where the view is to be.
    const jump = (event) => {
      const x = event.clientX - head.getBoundingClientRect().left;
      const at = ((x - this.gutter) / this.plot) * this.length;
      const half = (this.to - this.from) / 2;
      const middle = Math.max(half, Math.min(at, this.length - half));
      this.show(middle - half, middle + half);
    };
    head.addEventListener("pointerdown", (event) => {
      head.setPointerCapture(event.pointerId);
      jump(event);
    });
    head.addEventListener("pointermove", (event) => {
      if (event.buttons & 1) jump(event);
    });
  }

  hover(x, y) {
    const found = this.find(x, y);
    const nothing = found && found.slice === undefined && found.bin === undefined && found.lost === undefined;
    this.tip.hidden = !found || (nothing && x >= this.gutter);
    if (this.tip.hidden) return;
    const { family, text, facts } = this.tell(found);
    const short = text.length > 160 ? `${text.slice(0, 160)}…` : text;
    this.tip.replaceChildren(el("p.what", dot(family), el("span.code", short)), el("p.facts", facts.join(" · ")));
    place(this.tip, x, y + HEAD, this.wide);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const act = {
      "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      ArrowLeft: () => this.pan(-0.15),
      ArrowRight: () => this.pan(0.15),
      ArrowUp: () => this.choose(-1),
      ArrowDown: () => this.choose(1),
      n: () => this.step(1),
      p: () => this.step(-1),
      0: () => this.show(0, this.length),
      Home: () => this.show(0, this.to - this.from),
      End: () => this.show(this.length - (this.to - this.from), this.length),
      Enter: () => this.closer(),
      Escape: () => this.pick(null),
    }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  choose(by) {
    const index = this.rows.indexOf(this.lane) + by;
    const lane = this.rows[Math.max(0, Math.min(this.rows.length - 1, index))];
    if (lane) this.pick({ lane });
  }

  /** Fills the view with what is chosen. */
  closer() {
    const { lane, slice, bin } = this.picked ?? {};
    if (slice !== undefined) this.go(lane.tid, lane.at[slice], lane.took[slice]);
    else if (bin !== undefined) this.show(lane.binAt[bin] - this.width, lane.binAt[bin] + 2 * this.width);
    else if (lane) this.show(lane.from, lane.to ?? this.length);
  }
}

/** Black or white, whichever can be read on a colour (`#rrggbb`): by its luminance, as WCAG has it. */
function readable(colour) {
  const [r, g, b] = [1, 3, 5].map((at) => (parseInt(colour.slice(at, at + 2), 16) / 255) ** 2.2);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.18 ? "#000" : "#fff";
}

/** As much of a text as there is room for. */
function fit(g, text, room) {
  if (g.measureText(text).width <= room) return text;
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (g.measureText(`${text.slice(0, middle)}…`).width <= room) low = middle;
    else high = middle - 1;
  }
  return low ? `${text.slice(0, low)}…` : "";
}
