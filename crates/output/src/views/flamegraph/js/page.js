/* The page of the flame graph. */

const tree = new Tree(run);
const graph = new Graph(tree, byId("boxes"), byId("detail"));
const total = (measure) => tree.weights[measure][0];

function head() {
  document.title = `${run.title || "Flame graph"} · Stride`;
  byId("title").textContent = run.title || "Flame graph";
  byId("warnings").append(...run.warnings.map((text) => el("p.warning", text)));
  byId("about").append(...run.about.map(([name, value]) => el("div", el("dt", name), el("dd.code", value))));
  byId("sentence").append(
    el("strong", count(total("calls"), "call", "calls")),
    ` took ${duration(total("time"))} in all, and ${total("errors") ? grouped(total("errors")) : "none"} of them failed.`,
  );
  const more = run.more ? ` ${count(run.more, "box is", "boxes are")} too narrow to be kept in this page.` : "";
  byId("graph-note").textContent =
    `Each box is a function, and the boxes below it are the functions that it called, down to the system calls. The wider a \
    box, the more it led to. Click a box, or press Enter, to see it at full width; Escape shows all. The arrow keys choose a box, \
    and / searches.${more}`;
  const kinds = [
    ["k-program", "Programs"],
    ["k-own", "The program's functions"],
    ["k-library", "Run-time and standard libraries"],
    ...Object.entries(FAMILIES).map(([family, title]) => [`f-${family}`, title]),
  ];
  const used = new Set(run.labels.map(([, , kind]) => kind));
  byId("legend").append(
    ...kinds
      .filter(([name]) => used.has(name.slice(2)))
      .map(([name, title]) => el("li", el(`span.dot.${name}`), name.startsWith("f-") ? `Calls: ${title.toLowerCase()}` : title)),
  );
}

function measures() {
  for (const [measure, { title }] of Object.entries(MEASURES)) {
    const input = el("input");
    Object.assign(input, { type: "radio", name: "measure", value: measure, checked: measure === graph.measure });
    input.disabled = total(measure) === 0;
    input.addEventListener("change", () => {
      graph.count(measure);
      search();
    });
    byId("measures").append(el("label", input, title));
  }
}

/** Marks what has the words of the search in its name or its file, and says how much that led to. */
function search() {
  const text = byId("search").value.trim().toLowerCase();
  const labels = new Set();
  if (text) {
    run.labels.forEach(([name, file], label) => {
      if (name.toLowerCase().includes(text) || file.toLowerCase().includes(text)) labels.add(label);
    });
  }
  graph.mark(labels);
  const part = tree.sum(tree.outermost(labels), graph.measure);
  const { show } = MEASURES[graph.measure];
  byId("found").textContent = !text
    ? ""
    : labels.size
      ? `Found: ${show(part)}, ${percent(part, total(graph.measure))} of all`
      : "Nothing was found.";
}

function find(text) {
  byId("search").value = text;
  search();
}

function functions() {
  const rows = tree.functions();
  byId("functions-note").textContent = rows.length
    ? "What each function led to, by itself and by the functions that it called. Click a name to find it in the graph."
    : "No function is known.";
  if (!rows.length) return;
  const [most, longest] = [largest(rows, (row) => row.calls), largest(rows, (row) => row.time)];
  const name = ({ label }) => {
    const node = button(run.labels[label][0], () => {
      find(run.labels[label][0]);
      byId("graph").scrollIntoView();
    });
    node.className = "named code path";
    return node;
  };
  const file = ({ label }) => run.labels[label][1].split("/").pop();
  byId("functions-body").append(
    table({
      label: "Functions",
      rows,
      sort: "Calls",
      columns: [
        { title: "Function", wide: true, value: (r) => run.labels[r.label][0], cell: name },
        { title: "File", hide: true, value: file, cell: (r) => el("span.muted", file(r)) },
        { title: "Calls", value: (r) => r.calls, cell: (r) => grouped(r.calls), bar: (r) => r.calls / most },
        { title: "Time", value: (r) => r.time, cell: (r) => duration(r.time), bar: (r) => r.time / longest },
        { title: "Failed", num: true, value: (r) => r.errors, cell: (r) => (r.errors ? el("span.failed", grouped(r.errors)) : el("span.muted", "–")) },
      ],
    }),
  );
}

byId("search").addEventListener("input", search);
byId("search").addEventListener("keydown", (event) => {
  if (event.key === "Escape") find("");
});
byId("out").addEventListener("click", () => {
  find("");
  graph.zoom(0);
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.target.closest("input") || event.ctrlKey || event.altKey || event.metaKey) return;
  byId("search").focus();
  event.preventDefault();
});

head();
measures();
graph.draw();
functions();
scheme({ draw: () => {}, paint: () => {} });
document.documentElement.dataset.ready = "yes";
