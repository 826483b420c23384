/* The boxes. Those that lead to the box in view are above it, at full width. */

const ROW = 21;

class Graph {
  constructor(tree, holder, detail) {
    Object.assign(this, { tree, holder, detail, measure: tree.measures[0], view: 0, chosen: 0, matches: new Set() });
    holder.addEventListener("keydown", (event) => this.key(event));
    // Boxes that move under a resting mouse are not pointed at.
    holder.addEventListener("mousemove", (event) => {
      if (event.movementX || event.movementY) this.tell(this.boxOf(event) ?? this.chosen);
    });
    holder.addEventListener("mouseleave", () => this.tell(this.chosen));
    holder.addEventListener("focusin", (event) => this.tell(this.boxOf(event) ?? this.chosen));
    holder.addEventListener("click", (event) => {
      const box = this.boxOf(event);
      if (box !== null) this.zoom(box);
    });
    let width = 0;
    new ResizeObserver(() => {
      if (holder.clientWidth === width) return;
      width = holder.clientWidth;
      this.draw();
    }).observe(holder);
  }

  boxOf(event) {
    const node = event.target.closest?.(".box");
    return node ? Number(node.dataset.box) : null;
  }

  weight(box) {
    return this.tree.weights[this.measure][box];
  }

  /** Shows a box at full width. */
  zoom(box) {
    this.view = box;
    this.choose(box);
  }

  choose(box) {
    const focused = this.holder.contains(document.activeElement);
    this.chosen = box;
    this.draw();
    if (focused) this.holder.querySelector(".chosen")?.focus();
  }

  count(measure) {
    this.measure = measure;
    if (!this.weight(this.view)) this.view = 0;
    this.draw();
  }

  /** Marks the boxes with these labels. */
  mark(labels) {
    this.matches = labels;
    this.draw();
  }

  draw() {
    const { tree, holder, view } = this;
    const room = Math.max(1, holder.clientWidth);
    const around = tree.path(view).slice(0, -1);
    const boxes = around.map((box, row) => ({ box, row, left: 0, width: 1, around: true }));
    const open = [{ box: view, row: around.length, left: 0, width: 1 }];
    while (open.length) {
      const place = open.pop();
      boxes.push(place);
      let left = place.left;
      const whole = this.weight(place.box);
      for (const box of tree.ordered(place.box, this.measure)) {
        const width = whole ? (place.width * this.weight(box)) / whole : 0;
        // Narrower ones cannot be seen, and neither can those that follow.
        if (width * room < 0.5) break;
        open.push({ box, row: place.row + 1, left, width });
        left += width;
      }
    }
    this.shown = boxes;
    if (!boxes.some(({ box }) => box === this.chosen)) this.chosen = view;
    holder.style.height = `${(Math.max(...boxes.map(({ row }) => row)) + 1) * ROW}px`;
    holder.classList.toggle("searching", this.matches.size > 0);
    holder.replaceChildren(...boxes.map((place) => this.node(place, room)));
    this.tell(this.chosen);
  }

  node({ box, row, left, width, around }, room) {
    const kind = this.tree.kind(box);
    const pixels = width * room - 1;
    const node = el(`button.box.k-${kind}.f-${kind}`, pixels < 20 ? null : this.tree.name(box));
    node.type = "button";
    node.dataset.box = box;
    node.classList.toggle("around", Boolean(around));
    node.classList.toggle("thin", pixels < 20);
    node.classList.toggle("match", this.matches.has(this.tree.label[box]));
    node.classList.toggle("chosen", box === this.chosen);
    node.tabIndex = box === this.chosen ? 0 : -1;
    node.setAttribute("aria-label", `${this.tree.name(box)}, ${this.share(box)}`);
    node.style.left = `${left * 100}%`;
    node.style.width = `calc(${width * 100}% - ${pixels < 3 ? 0 : 1}px)`;
    node.style.top = `${row * ROW}px`;
    return node;
  }

  share(box) {
    const { show } = MEASURES[this.measure];
    return `${show(this.weight(box))}, ${percent(this.weight(box), this.weight(0))} of all`;
  }

  /** Tells about a box below the graph. */
  tell(box) {
    const { tree } = this;
    const all = tree.measures.map((measure) => {
      const { show } = MEASURES[measure];
      const [part, whole] = [tree.weights[measure][box], tree.weights[measure][0]];
      return whole ? `${show(part)} (${percent(part, whole)})` : show(part);
    });
    const file = tree.file(box);
    this.detail.replaceChildren(
      el("span.code", tree.name(box)),
      el("span.muted", file ? " in " : "", file ? el("span.code", file) : ""),
      el("br"),
      all.join(" · "),
    );
  }

  /** The box beside another in the same row. */
  beside(box, step) {
    const row = this.shown.find((place) => place.box === box)?.row;
    const all = this.shown.filter((place) => place.row === row).sort((a, b) => a.left - b.left);
    return all[all.findIndex((place) => place.box === box) + step]?.box;
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const { tree, chosen } = this;
    const inView = (box) => this.shown.some((place) => place.box === box);
    const next = {
      ArrowUp: () => tree.parent[chosen],
      ArrowDown: () => {
        const path = tree.path(this.view);
        const at = path.indexOf(chosen);
        return at >= 0 && at + 1 < path.length ? path[at + 1] : tree.ordered(chosen, this.measure)[0];
      },
      ArrowLeft: () => this.beside(chosen, -1),
      ArrowRight: () => this.beside(chosen, 1),
    }[event.key];
    if (next) {
      const box = next();
      if (box !== undefined && inView(box)) this.choose(box);
    } else if (event.key === "Escape" || event.key === "0") {
      this.zoom(0);
    } else {
      return;
    }
    event.preventDefault();
  }
}
