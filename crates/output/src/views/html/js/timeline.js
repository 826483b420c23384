/*
 * The timeline: a lane for each thread, on a canvas.
 *
 * Long calls are there one by one, the others as bins: how many calls began in one, how much of it was spent in those that do not
 * wait, and which syscall took most. What is narrower than a pixel is put together while drawing.
 */

const LANE = 22;
const MOST_LANES = 18;

class Timeline {
  constructor(into) {
    const { width, lanes, more, others } = run.timeline;
    this.width = width;
    this.length = Math.max(1, run.numbers.length);
    this.lanes = lanes.map((lane) => readLane(lane, width));
    if (more) {
      const rest = { bins: others, slices: [], stacks: [], marks: [], bin_marks: [], lost: [], states: "", bin_states: "", wakers: [], waits: [], name: `${grouped(more)} more`, tid: "", process: null, from: 0, to: null };
      this.lanes.push({ ...readLane(rest, width), others: true });
    }
    this.from = 0;
    this.to = this.length;
    // The lanes that are shown, and the chosen one.
    this.rows = this.lanes;
    this.lane = null;
    this.picked = null;
    // The finding whose calls are marked.
    this.marked = null;
    // The colours are those of states, and not of families of calls.
    this.byState = run.timeline.measured;
    this.families = run.calls.rows.map((row) => row.family);
    this.build(into);
    this.painter = new Painter(this);
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
    this.body.setAttribute("aria-label", "Timeline by thread. Plus and minus zoom, left and right pan, up and down choose a thread, N and P go to the next and previous call, W goes to the waker of a call, 0 shows the whole run.");
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
      run.timeline.measured ? this.stateSwitch() : null,
      this.lanes.length > 1 ? el("label.check", this.only, "Only threads that live in view") : null,
      this.range,
    );
    this.detail = el("div.detail");
    this.detail.setAttribute("role", "status");
    this.hint();
    this.box.append(this.head, this.scroller, this.tip);
    this.legend = run.timeline.measured ? statesLegend(this) : null;
    into.append(this.tools, ...(this.legend ? [this.legend] : []), this.box, this.detail);
    const height = Math.max(1, Math.min(this.lanes.length, MOST_LANES)) * LANE + 8;
    this.scroller.style.height = `${height}px`;
    this.height = height;
    this.settle();
    listenTo(this);
  }

  /** The choice between states and families of calls. */
  stateSwitch() {
    const box = el("input");
    box.type = "checkbox";
    box.checked = this.byState;
    box.addEventListener("change", () => {
      this.byState = box.checked;
      this.legend.hidden = !this.byState;
      this.onColours();
      this.draw();
    });
    return el("label.check.by-state", box, "Colour by the states of threads");
  }

  /** To the waker of the chosen call. */
  toWaker() {
    const waker = wakerOf(this, this.picked ?? {});
    if (!waker) return;
    if (!this.rows.includes(waker.lane)) this.rows = this.lanes;
    this.pick(waker.slice === undefined ? { lane: waker.lane } : { lane: waker.lane, slice: waker.slice });
  }

  /** Which lanes are shown: all, or of those that live in what is in view. */
  settle() {
    const lives = (lane) => lane.others || (lane.from <= this.to && (lane.to ?? this.length) >= this.from);
    this.rows = this.only.checked ? this.lanes.filter(lives) : this.lanes;
    this.scroller.lastChild.style.height = `${Math.max(0, this.rows.length * LANE + 8 - this.height)}px`;
  }

  /** Whether a finding has calls here. */
  hasMarks(finding) {
    const any = (marks) => marks.some((bits) => (bits >> finding) & 1);
    return this.lanes.some((lane) => any(lane.marks) || any(lane.bin_marks));
  }

  /** Marks the calls of a finding; with `null`, none. */
  mark(finding) {
    this.marked = finding;
    this.pace = this.measure();
    this.draw();
  }

  hint() {
    this.detail.replaceChildren(
      el("p.note", "Click or tab into the timeline, then scroll to zoom. Drag to pan. ", el("kbd", "+"), " ", el("kbd", "−"), " ", el("kbd", "←"), " ", el("kbd", "→"), " ", el("kbd", "↑"), " ", el("kbd", "↓"), " move, ", el("kbd", "N"), " and ", el("kbd", "P"), " step from call to call", ...(run.timeline.measured ? [", ", el("kbd", "W"), " goes to the waker of a call"] : []), "."),
    );
  }

  /** Calls per column of the strip above: all, or those that are marked. */
  measure() {
    const sums = new Float64Array(600);
    const add = (at, n) => (sums[Math.min(599, Math.floor((at / this.length) * 600))] += n);
    for (const lane of this.lanes) {
      lane.binAt.forEach((at, i) => isMarked(lane.bin_marks, i, this.marked) && add(at, lane.binCalls[i]));
      lane.at.forEach((at, i) => lane.end[i] !== BETWEEN && isMarked(lane.marks, i, this.marked) && add(at, 1));
    }
    return sums;
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
    // The tooltip's call has moved.
    this.tip.hidden = true;
    // The view is at least a microsecond wide and stays within the run.
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

  paint() {
    this.wide = this.scroller.clientWidth || 600;
    this.painter.paint();
    this.range.textContent = `${moment(this.from, (this.to - this.from) / 100)} – ${moment(this.to, (this.to - this.from) / 100)}`;
    this.zoomOut.disabled = this.to - this.from >= this.length;
    // Tests read these attributes.
    this.body.dataset.from = Math.round(this.from);
    this.body.dataset.to = Math.round(this.to);
    this.body.dataset.threads = this.rows.length;
    this.body.dataset.marked = this.marked ?? "";
  }

  pick(found, { look = true } = {}) {
    this.picked = found;
    if (!found) {
      this.hint();
      this.draw();
      return;
    }
    this.lane = found.lane;
    const { family, text, facts } = describe(this, found);
    const single = found.slice !== undefined || found.bin !== undefined;
    this.detail.replaceChildren(el("p.what", single && !this.byState ? dot(family) : null, el("span.code", text)), el("p.facts", facts.join(" · ")));
    const stack = found.slice === undefined ? null : stackOf(found.lane.stacks[found.slice]);
    const waker = wakerOf(this, found);
    if (waker) this.detail.append(button(`Go to the waker, ${waker.lane.name || "?"} ${waker.lane.tid}`, () => this.toWaker()));
    if (stack) this.detail.append(stack);
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
    const isCall = (calls, i) => (calls ? calls[i] !== 0 : lane.end[i] !== BETWEEN);
    const neighbour = (list, marks, calls) => {
      let i = after(list, at) - (by < 0 ? 1 : 0);
      if (by < 0) while (i >= 0 && list[i] >= at) i -= 1;
      // Bins in which no call began are skipped, and what is not marked.
      const skipped = () => !isCall(calls, i) || !isMarked(marks, i, this.marked);
      while (i >= 0 && i < list.length && skipped()) i += by;
      return i >= 0 && i < list.length ? i : null;
    };
    const [slice, bin] = [neighbour(lane.at, lane.marks), neighbour(lane.binAt, lane.bin_marks, lane.binCalls)];
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
