/* The page of the flame graph. */

const tree = new Tree(run);
const graph = new Graph(tree, byId("boxes"), byId("detail"));
const total = (measure) => tree.weights[measure][0];
/** The graph is one of waits, and not of calls. */
const ofWaits = tree.measures.includes("waits");

function head() {
  document.title = `${run.title || "Flame graph"} · Stride`;
  byId("title").textContent = run.title || "Flame graph";
  byId("warnings").append(...run.warnings.map((text) => el("p.warning", text)));
  byId("about").append(...run.about.map(([name, value]) => el("div", el("dt", name), el("dd.code", value))));
  byId("h-graph").textContent = ofWaits ? "Where threads were off the CPU, and why" : "Which functions lead to the calls";
  byId("sentence").append(
    ...(ofWaits
      ? ["Threads were asleep or without a CPU for ", el("strong", duration(total("waits"))), " in their calls, added up over all threads."]
      : [
          el("strong", count(total("calls"), "call", "calls")),
          ` took ${duration(total("time"))} in all, and ${total("errors") ? grouped(total("errors")) : "none"} of them failed.`,
        ]),
  );
  const more = run.more ? ` ${count(run.more, "box is", "boxes are")} too narrow to be kept in this page.` : "";
  const reasons = ofWaits ? ", to the reason why the thread was off the CPU, and to what ended the longest sleep of a call; below that are the functions of the waker, the innermost first" : "";
  byId("graph-note").textContent =
    `Each box is a function, and the boxes below it are the functions that it called, down to the system calls${reasons}. The wider a \
    box, the more it led to. Click a box, or press Enter, to see it at full width; Escape shows all. The arrow keys choose a box, \
    and / searches.${more}`;
  const kinds = [
    ["k-program", "Programs"],
    ["k-own", "The program's functions"],
    ["k-library", "Run-time and standard libraries"],
    ["k-asleep", "Asleep"],
    ["k-no-cpu", "Without a CPU"],
    ["k-waker", "Woken by"],
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
  byId("measures").hidden = tree.measures.length === 1;
  for (const measure of tree.measures) {
    const { title } = MEASURES[measure];
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

/** The column of a measure in the table of functions. */
function column(measure, rows) {
  const value = (row) => row[measure];
  if (measure === "errors") {
    return { title: "Failed", num: true, value, cell: (r) => (r.errors ? el("span.failed", grouped(r.errors)) : el("span.muted", "–")) };
  }
  const most = largest(rows, value);
  const show = measure === "calls" ? grouped : duration;
  return { title: MEASURES[measure].title, value, cell: (r) => show(value(r)), bar: (r) => value(r) / most };
}

function functions() {
  const rows = tree.functions();
  byId("functions-note").textContent = rows.length
    ? "What each function led to, by itself and by the functions that it called. Click a name to find it in the graph."
    : "No function is known.";
  if (!rows.length) return;
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
      sort: MEASURES[tree.measures[0]].title,
      columns: [
        { title: "Function", wide: true, value: (r) => run.labels[r.label][0], cell: name },
        { title: "File", hide: true, value: file, cell: (r) => el("span.muted", file(r)) },
        ...tree.measures.map((measure) => column(measure, rows)),
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
