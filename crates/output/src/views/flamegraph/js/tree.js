/* The tree of functions. A box is a number; box 0 stands for all programs. */

const MEASURES = {
  calls: { title: "Calls", show: (n) => count(n, "call", "calls") },
  time: { title: "Time", show: duration },
  errors: { title: "Errors", show: (n) => count(n, "error", "errors") },
  waits: { title: "Off the CPU", show: duration },
};

class Tree {
  constructor({ boxes, labels, measures }) {
    this.measures = measures;
    this.labels = [...labels, ["all", "", "all"]];
    this.label = [labels.length];
    this.parent = [0];
    this.depth = [0];
    this.children = [[]];
    this.weights = Object.fromEntries(measures.map((measure) => [measure, [0]]));
    const step = 2 + measures.length;
    const open = [0];
    for (let i = 0; i < boxes.length; i += step) {
      const [depth, label, ...weights] = boxes.slice(i, i + step);
      const box = this.label.length;
      open.length = depth + 1;
      const parent = open[depth];
      open.push(box);
      this.label.push(label);
      this.parent.push(parent);
      this.depth.push(depth + 1);
      this.children.push([]);
      this.children[parent].push(box);
      weights.forEach((n, measure) => {
        const list = this.weights[measures[measure]];
        list.push(n);
        if (parent === 0) list[0] += n;
      });
    }
  }

  get size() {
    return this.label.length;
  }

  name(box) {
    return this.labels[this.label[box]][0];
  }

  file(box) {
    return this.labels[this.label[box]][1];
  }

  kind(box) {
    return this.labels[this.label[box]][2];
  }

  /** The boxes from the outermost down to this one. */
  path(box) {
    const path = [box];
    while (box !== 0) path.push((box = this.parent[box]));
    return path.reverse();
  }

  /** The children of a box, the widest first. */
  ordered(box, measure) {
    const weights = this.weights[measure];
    return [...this.children[box]].sort((a, b) => weights[b] - weights[a] || a - b);
  }

  /** The outermost boxes whose label is in a set. What they lead to is theirs, so the sum counts no call twice. */
  outermost(labels) {
    const found = [];
    const open = [0];
    while (open.length) {
      const box = open.pop();
      if (labels.has(this.label[box])) found.push(box);
      else open.push(...this.children[box]);
    }
    return found;
  }

  sum(boxes, measure) {
    return boxes.reduce((sum, box) => sum + this.weights[measure][box], 0);
  }

  /** For each function: its label, and the weights of all that it led to. A function that calls itself counts once. */
  functions() {
    const rows = new Map();
    const within = new Map();
    const open = [[0, false]];
    while (open.length) {
      const [box, done] = open.pop();
      const label = this.label[box];
      const depth = within.get(label) ?? 0;
      if (done) {
        within.set(label, depth - 1);
        continue;
      }
      if (depth === 0) {
        const row = rows.get(label) ?? { label, ...Object.fromEntries(this.measures.map((measure) => [measure, 0])) };
        for (const measure of this.measures) row[measure] += this.weights[measure][box];
        rows.set(label, row);
      }
      within.set(label, depth + 1);
      open.push([box, true]);
      for (const child of this.children[box]) open.push([child, false]);
    }
    return [...rows.values()].filter(({ label }) => ["own", "library"].includes(this.labels[label][2]));
  }
}
