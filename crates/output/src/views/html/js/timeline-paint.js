/* Draws the timeline's lanes and the strip above them, as the timeline stands. */

const BAR = 16;
const HEAD = 64;
const STRIP = 34;

class Painter {
  constructor(view) {
    this.view = view;
    this.colours();
  }

  colours() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(name).trim();
    this.colour = Object.fromEntries(Object.keys(FAMILIES).map((family) => [family, get(`--${family}`)]));
    this.labelOn = Object.fromEntries(Object.entries(this.colour).map(([family, colour]) => [family, readable(colour)]));
    this.ink = { text: get("--text"), muted: get("--muted"), line: get("--line"), soft: get("--soft"), page: get("--page"), accent: get("--accent"), error: get("--error") };
    this.font = `12px ${get("--sans")}`;
    this.mono = `11px ${get("--mono")}`;
    this.states = new StatePainter(this.view, this.ink, STATES.map(({ name }) => get(`--state-${name}`)));
  }

  surface(canvas, height) {
    const scale = window.devicePixelRatio || 1;
    const [w, h] = [Math.round(this.view.wide * scale), Math.round(height * scale)];
    if (canvas.width !== w || canvas.height !== h) {
      canvas.width = w;
      canvas.height = h;
      canvas.style.width = `${this.view.wide}px`;
      canvas.style.height = `${height}px`;
    }
    const g = canvas.getContext("2d");
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, this.view.wide, height);
    return g;
  }

  paint() {
    const ticks = this.ticks();
    this.paintHead(ticks);
    const g = this.surface(this.view.body, this.view.height);
    const top = this.view.scroller.scrollTop;
    g.fillStyle = this.ink.line;
    for (const tick of ticks.at) g.fillRect(Math.round(this.view.x(tick)), 0, 1, this.view.height);
    const first = Math.max(0, Math.floor(top / LANE) - 1);
    const last = Math.min(this.view.rows.length, first + Math.ceil(this.view.height / LANE) + 2);
    for (let i = first; i < last; i += 1) this.paintLane(g, i, 4 + i * LANE - top);
    delete this.view.body.dataset.arrow;
    this.states.arrow(g, top);
  }

  ticks() {
    const wanted = (this.view.to - this.view.from) / Math.max(2, this.view.plot / (this.view.plot < 500 ? 75 : 110));
    const power = 10 ** Math.floor(Math.log10(wanted));
    const step = [1, 2, 5, 10].map((n) => n * power).find((s) => s >= wanted);
    const at = [];
    for (let t = Math.ceil(this.view.from / step) * step; t <= this.view.to; t += step) at.push(t);
    return { step, at };
  }

  paintHead({ step, at }) {
    const g = this.surface(this.view.head, HEAD);
    const { gutter, plot } = this.view;
    const most = Math.sqrt(Math.max(1, ...this.view.pace));
    g.fillStyle = this.view.marked === null ? this.ink.muted : this.ink.accent;
    g.globalAlpha = 0.55;
    g.beginPath();
    g.moveTo(gutter, STRIP);
    this.view.pace.forEach((n, i) => {
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
    // The part of the run that the lanes show.
    const [left, right] = [this.view.from, this.view.to].map((t) => gutter + (t / this.view.length) * plot);
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
      const x = this.view.x(t);
      const label = moment(t, step);
      const width = g.measureText(label).width;
      if (x + 4 + width < gutter + plot) g.fillText(label, x + 4, STRIP + 17);
      g.fillRect(Math.round(x), STRIP + 10, 1, HEAD - STRIP - 10);
    }
  }

  paintLane(g, index, y) {
    const lane = this.view.rows[index];
    const { gutter, plot } = this.view;
    if (lane === this.view.lane) {
      g.fillStyle = this.ink.soft;
      g.fillRect(0, y - 3, gutter + plot, LANE);
    }
    this.label(g, lane, index, y);
    g.save();
    g.beginPath();
    g.rect(gutter, y - 3, plot, LANE);
    g.clip();
    // The thread's lifetime.
    const [born, died] = [this.view.x(lane.from), this.view.x(lane.to ?? this.view.length)];
    g.fillStyle = this.ink.line;
    g.fillRect(born, y + BAR / 2 - 0.5, Math.max(1, died - born), 1);
    if (lane.others) this.paintOthers(g, lane, y);
    else {
      if (this.view.byState) this.states.paint(g, lane, y);
      else {
        // Calls that wait are painted behind those that work.
        this.paintSlices(g, lane, y, true);
        this.paintBins(g, lane, y);
        this.paintSlices(g, lane, y, false);
      }
      if (this.view.marked !== null) this.paintMarks(g, lane, y);
      this.paintLost(g, lane, y);
      this.outline(g, lane, y);
    }
    g.restore();
    g.fillStyle = this.ink.line;
    g.fillRect(gutter - 1, y - 3, 1, LANE);
  }

  label(g, lane, index, y) {
    const { gutter } = this.view;
    // A thread is indented below the first of its process, and a process below its parent.
    const same = lane.process !== null && this.view.rows[index - 1]?.process === lane.process;
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
    const { width } = this.view;
    if (!lane.binAt.length) return;
    const scale = this.view.plot / (this.view.to - this.view.from);
    let i = Math.max(0, after(lane.binAt, this.view.from) - 1);
    if (width * scale >= 2) {
      for (; i < lane.binAt.length && lane.binAt[i] < this.view.to; i += 1) {
        if (!lane.binCalls[i] && !lane.binBusy[i]) continue;
        this.column(g, this.view.x(lane.binAt[i]), width * scale - 0.5, y, lane.binBusy[i] / 255, callFamily(lane.binCall[i]), lane.binErrors[i]);
      }
      return;
    }
    let column = -1;
    let [busy, errors, best, family] = [0, 0, -1, "other"];
    let weights = {};
    const flush = () => {
      if (column >= 0) this.column(g, column, 1, y, Math.min(1, (busy / 255) * width * scale), family, errors);
    };
    for (; i < lane.binAt.length && lane.binAt[i] < this.view.to; i += 1) {
      if (!lane.binCalls[i] && !lane.binBusy[i]) continue;
      const x = Math.floor(this.view.x(lane.binAt[i]));
      if (x !== column) {
        flush();
        [column, busy, errors, best, weights] = [x, 0, 0, -1, {}];
      }
      const its = this.view.families[lane.binCall[i]];
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
    let i = Math.max(0, after(lane.at, this.view.from) - 1);
    let drawn = -1;
    let what = "";
    for (; i < lane.at.length && lane.at[i] < this.view.to; i += 1) {
      const family = this.view.families[lane.call[i]];
      if ((family === "waiting") !== waits || lane.end[i] === BETWEEN) continue;
      const x = this.view.x(lane.at[i]);
      const w = this.view.x(lane.at[i] + lane.took[i]) - x;
      // Of several within a pixel, the first of each family stands for all.
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
      // The end of a failed call.
      if (lane.end[i] === FAILED) this.mark(g, x + Math.max(0, wide - 4), Math.min(4, wide), y);
      if (lane.end[i] === NEVER) {
        g.fillStyle = this.ink.text;
        g.fillRect(x + wide - 2, y, 2, BAR);
      }
      if (family !== "waiting" && w > 36) {
        g.font = this.mono;
        g.fillStyle = this.labelOn[family];
        g.textBaseline = "middle";
        const left = Math.max(x, this.view.gutter) + 4;
        const label = fit(g, callName(lane.call[i]), x + wide - left - 4);
        if (label.length > 2) g.fillText(label, left, y + BAR / 2 + 0.5);
      }
    }
  }

  /** Veils the lane, and uncovers the calls of the finding that is marked. */
  paintMarks(g, lane, y) {
    const { gutter, plot, marked, width } = this.view;
    g.fillStyle = lane === this.view.lane ? this.ink.soft : this.ink.page;
    g.globalAlpha = 0.72;
    const spots = [];
    const add = (list, marks, length) => {
      for (let i = Math.max(0, after(list, this.view.from) - 1); i < list.length && list[i] < this.view.to; i += 1) {
        if (!isMarked(marks, i, marked)) continue;
        const [x, end] = [this.view.x(list[i]), this.view.x(list[i] + length(i))];
        const last = spots.at(-1);
        // Spots of one pixel that touch are one spot.
        if (last && x <= last[1] + 0.5) last[1] = Math.max(last[1], end, x + 1);
        else spots.push([x, Math.max(end, x + 1)]);
      }
    };
    add(lane.at, lane.marks, (i) => lane.took[i]);
    add(lane.binAt, lane.bin_marks, () => width);
    spots.sort((a, b) => a[0] - b[0]);
    let from = gutter;
    for (const [x, end] of spots) {
      if (x > from) g.fillRect(from, y - 3, x - from, LANE);
      from = Math.max(from, end);
    }
    g.fillRect(from, y - 3, Math.max(0, gutter + plot - from), LANE);
    g.globalAlpha = 1;
    g.fillStyle = this.ink.accent;
    for (const [x, end] of spots) g.fillRect(x, y - 3, end - x, 2);
  }

  /** Where calls are missing. */
  paintLost(g, lane, y) {
    g.fillStyle = this.ink.error;
    for (let i = 0; i < lane.lost.length; i += 2) {
      const x = this.view.x(lane.lost[i]);
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
    if (this.view.picked?.lane !== lane) return;
    const { slice, bin } = this.view.picked;
    const from = slice !== undefined ? lane.at[slice] : lane.binAt[bin];
    if (from === undefined) return;
    const x = this.view.x(from);
    const w = this.view.x(from + (slice !== undefined ? lane.took[slice] : this.view.width)) - x;
    g.strokeStyle = this.ink.accent;
    g.lineWidth = 2;
    g.strokeRect(x - 1, y - 1, Math.max(3, w + 1), BAR + 2);
  }

  paintOthers(g, lane, y) {
    const most = Math.sqrt(lane.binCalls.reduce((a, b) => Math.max(a, b), 1));
    const columns = new Map();
    for (let i = Math.max(0, after(lane.binAt, this.view.from) - 1); i < lane.binAt.length && lane.binAt[i] < this.view.to; i += 1) {
      const x = Math.floor(this.view.x(lane.binAt[i]));
      columns.set(x, Math.max(columns.get(x) ?? 0, lane.binCalls[i]));
    }
    const wide = Math.max(1, (this.view.width / (this.view.to - this.view.from)) * this.view.plot);
    g.fillStyle = this.ink.muted;
    g.globalAlpha = 0.55;
    for (const [x, n] of columns) {
      const h = Math.max(2, (Math.sqrt(n) / most) * BAR);
      g.fillRect(x, y + BAR - h, wide, h);
    }
    g.globalAlpha = 1;
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
