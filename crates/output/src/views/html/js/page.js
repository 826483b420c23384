/* The page, section by section. */

function overview() {
  document.title = `${run.title || "Stride"} · Stride`;
  byId("title").textContent = run.title || "System calls";
  byId("sentence").append(
    ...run.sentence.map(({ text, kind }) => (kind === "plain" ? text : el(kind === "strong" ? "strong" : "span.code", text))),
  );
  byId("warnings").append(...run.warnings.map((text) => el("p.warning", text)));
  const { length, calls, errors, busy, waiting, threads, processes, lost } = run.numbers;
  const facts = [
    ["Duration", duration(length)],
    ["Calls", grouped(calls)],
    ["Calls a second", length ? grouped(Math.round(calls / (length / 1e9))) : "–"],
    ["Failed", grouped(errors)],
    ["Time in calls", duration(busy)],
    ["Of that, waiting", duration(waiting)],
    ["Processes", grouped(processes)],
    ["Threads", grouped(threads)],
  ];
  if (lost) facts.push(["Calls lost", grouped(lost)]);
  byId("numbers").append(...facts.map(([name, value]) => el("div", el("dt", name), el("dd", value))));
  byId("about").append(...run.about.map(([name, value]) => el("div", el("dt", name), el("dd.code", value))));
  shares();
}

/** What families of calls have in all, by count and by time. It is the legend of all colours, too. */
function shares() {
  const names = Object.keys(FAMILIES);
  const sums = (value) => names.map((family) => run.calls.rows.filter((row) => row.family === family).reduce((sum, row) => sum + value(row), 0));
  const [calls, times] = [sums((row) => row.calls), sums((row) => row.time)];
  const total = (list) => list.reduce((a, b) => a + b, 0);
  if (!total(calls)) return;
  const bar = (name, list) => {
    const all = total(list);
    const parts = names.map((family, i) => {
      const part = el(`span.f-${family}`);
      part.style.flexGrow = all ? list[i] / all : 0;
      // Parts this narrow are not readable.
      part.hidden = list[i] < all * 0.002;
      return part;
    });
    const track = el("div.stack", parts);
    track.setAttribute("aria-hidden", "true");
    return [el("span.name", name), track];
  };
  const share = (i) => {
    const [n, t] = [percent(calls[i], total(calls)), percent(times[i], total(times))];
    return n === "<0.1%" && t === n ? "under 0.1%" : `${n} of calls, ${t} of time`;
  };
  const legend = el(
    "ul.legend",
    names.map((family, i) =>
      calls[i]
        ? el("li", dot(family), FAMILIES[family], el("span.muted", ` ${share(i)}`))
        : null,
    ),
  );
  byId("shares").append(el("div.stacks", bar("Calls", calls), bar("Time", times)), legend);
}

function calls() {
  const rows = run.calls.rows.filter((row) => row.calls);
  const [most, longest] = [largest(rows, (row) => row.calls), largest(rows, (row) => row.time)];
  const family = (row) => row.family;
  byId("calls-note").textContent = rows.length
    ? "By syscall. Times are from entry to return, including waiting. Times of several threads are added up."
    : "There were none.";
  if (!rows.length) return;
  byId("calls-body").append(
    table({
      label: "Calls by syscall",
      rows,
      sort: "Time",
      columns: [
        { title: "Syscall", value: (r) => r.name, cell: (r) => [dot(r.family), el("span.code", r.name)] },
        { title: "Calls", value: (r) => r.calls, cell: (r) => grouped(r.calls), bar: (r) => r.calls / most, family },
        { title: "Time", value: (r) => r.time, cell: (r) => duration(r.time), bar: (r) => r.time / longest, family },
        { title: "Mean", num: true, value: (r) => r.time / r.calls, cell: (r) => duration(r.time / r.calls) },
        { title: "p50", num: true, hide: true, value: (r) => r.p50, cell: (r) => duration(r.p50) },
        { title: "p90", num: true, hide: true, value: (r) => r.p90, cell: (r) => duration(r.p90) },
        { title: "p99", num: true, hide: true, value: (r) => r.p99, cell: (r) => duration(r.p99) },
        { title: "Longest", num: true, value: (r) => r.max, cell: (r) => duration(r.max) },
        { title: "Failed", num: true, value: (r) => r.errors, cell: failed },
      ],
    }),
  );
  byId("latency-note").textContent =
    "How long calls took, on a logarithmic scale. The height grows with the square root of the number of calls, so that \
     rare slow calls are visible. The line is the median.";
  latency(byId("latency-body"));
}

const failed = (row) => (row.errors ? el("span.failed", grouped(row.errors)) : el("span.muted", "–"));

const more = (n, what) => (n ? ` ${count(n, `more ${what} is`, `more ${what}s are`)} not listed.` : "");

/** How many of a thread's calls were lost. */
const lostBy = (lane) => lane.lost.reduce((sum, n, i) => sum + (i % 2 ? n : 0), 0);

function timeline() {
  const { width, lanes } = run.timeline;
  if (!lanes.length) {
    byId("timeline").hidden = true;
    return null;
  }
  const view = new Timeline(byId("timeline-body"));
  view.onColours = () => {
    const colours = view.byState ? "Red marks failures." : "Waiting is grey; red marks failures.";
    const kind = view.byState ? "" : "the colour is that of the kind of call that took most, and ";
    byId("timeline-note").textContent = width
      ? `Each thread has a lane. Calls of ${duration(width)} and longer are shown one by one. Shorter ones are summed up for each \
      ${duration(width)}: ${kind}the height shows how much of the time was spent in calls. ${colours}`
      : `Each thread has a lane, and every call is shown. ${colours}`;
    if (run.numbers.lost) byId("timeline-note").append(" A red triangle means that calls were lost before that point.");
  };
  view.onColours();
  const processes = run.processes.rows;
  const details = el("details", el("summary", "The threads as a table"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.children.length > 1) return;
    const most = largest(lanes, (lane) => lane.calls);
    details.append(
      table({
        label: "Threads",
        rows: lanes,
        columns: [
          { title: "Thread", value: (l) => l.name, cell: (l) => el("span.code", l.name || "?") },
          { title: "Id", num: true, value: (l) => l.tid, cell: (l) => String(l.tid) },
          { title: "Process", num: true, hide: true, value: (l) => processes[l.process]?.pid ?? 0, cell: (l) => String(processes[l.process]?.pid ?? "–") },
          { title: "Calls", value: (l) => l.calls, cell: (l) => grouped(l.calls), bar: (l) => l.calls / most },
          { title: "Failed", num: true, value: (l) => l.errors, cell: failed },
          { title: "In calls", num: true, value: (l) => l.busy, cell: (l) => duration(l.busy) },
          { title: "Waiting", num: true, value: (l) => l.waiting, cell: (l) => duration(l.waiting) },
          ...(run.numbers.lost ? [{ title: "Lost", num: true, value: lostBy, cell: (l) => grouped(lostBy(l)) }] : []),
          { title: "From", num: true, hide: true, value: (l) => l.from, cell: (l) => moment(l.from) },
          { title: "To", num: true, hide: true, value: (l) => l.to ?? Infinity, cell: (l) => (l.to === null ? "end" : moment(l.to)) },
        ],
      }),
    );
  });
  byId("timeline-body").append(details);
  return view;
}

function files() {
  const { rows, more: rest } = run.files;
  const [most, longest] = [largest(rows, (row) => row.calls), largest(rows, (row) => row.time)];
  byId("files-note").textContent = rows.length
    ? `The files, sockets and pipes that calls used, by the path or the descriptor in their arguments.${more(rest, "name")}`
    : "No call used a file or a socket.";
  if (!rows.length) return;
  byId("files-body").append(
    table({
      label: "Files and sockets",
      rows,
      sort: "Calls",
      columns: [
        { title: "Name", wide: true, value: (r) => r.name, cell: (r) => path(r.name) },
        { title: "Kind", hide: true, value: (r) => r.kind, cell: (r) => el("span.muted", r.kind) },
        { title: "Calls", value: (r) => r.calls, cell: (r) => grouped(r.calls), bar: (r) => r.calls / most },
        { title: "Time", value: (r) => r.time, cell: (r) => duration(r.time), bar: (r) => r.time / longest },
        { title: "Bytes", num: true, value: (r) => r.bytes, cell: (r) => (r.bytes ? bytes(r.bytes) : el("span.muted", "–")) },
        { title: "Failed", num: true, value: (r) => r.errors, cell: failed },
      ],
    }),
  );
}

function errors() {
  const { rows, more: rest } = run.errors;
  const most = largest(rows, (row) => row.count);
  const stacks = rows.some((row) => row.stack) ? " Click a syscall to see the functions that led to the first of these calls." : "";
  byId("errors-note").textContent = rows.length
    ? `Calls that failed, with the file or socket that they used. Failed calls can be normal: a program that looks for a file in several directories makes them, too.${stacks}${more(rest, "kind")}`
    : "No call failed.";
  if (!rows.length) return;
  byId("errors-body").append(
    table({
      label: "Errors",
      rows,
      sort: "Times",
      columns: [
        {
          title: "Syscall",
          value: (r) => callName(r.call),
          cell: (r) => withStack(el("span", dot(callFamily(r.call)), el("span.code", callName(r.call))), r.stack),
        },
        {
          title: "Error",
          value: (r) => r.errno,
          cell: (r) => {
            const name = el("abbr.code", r.errno);
            name.title = r.meaning;
            return [name, el("span.meaning", r.meaning)];
          },
        },
        { title: "About", wide: true, value: (r) => r.name ?? "", cell: (r) => (r.name === null ? el("span.muted", "–") : path(r.name)) },
        { title: "Times", value: (r) => r.count, cell: (r) => grouped(r.count), bar: (r) => r.count / most },
        { title: "Time", num: true, hide: true, value: (r) => r.time, cell: (r) => duration(r.time) },
      ],
    }),
  );
}

function slowest(view) {
  const all = run.slowest;
  if (!all.length) {
    byId("slowest-note").textContent = "There were no calls.";
    return;
  }
  const working = all.filter((row) => !row.waits);
  const stacks = all.some((row) => row.stack) ? " Click a call to see the functions that led to it." : "";
  byId("slowest-note").textContent = `Click a moment to see the call in the timeline.${stacks}`;
  const body = byId("slowest-body");
  const holder = el("div");
  const box = el("input");
  box.type = "checkbox";
  box.id = "with-waiting";
  box.checked = !working.length;
  const label = el("label.check", box, "Include calls that are there to wait (poll, futex, wait4, …)");
  const show = () => {
    const rows = box.checked ? all : working;
    const longest = largest(rows, (row) => row.took);
    holder.replaceChildren(
      table({
        label: "Slowest calls",
        rows,
        limit: 12,
        sort: "Took",
        columns: [
          { title: "Took", value: (r) => r.took, cell: (r) => duration(r.took), bar: (r) => r.took / longest, family: (r) => callFamily(r.call) },
          { title: "At", num: true, value: (r) => r.at, cell: (r) => jump(view, r) },
          { title: "Thread", hide: true, value: (r) => r.who, cell: (r) => [el("span.code", r.who), " ", el("span.muted", String(r.tid))] },
          { title: "Call", wide: true, value: (r) => run.texts[r.text] ?? "", cell: (r) => withStack(el("span.code.call", run.texts[r.text] || callName(r.call)), r.stack) },
        ],
      }),
    );
  };
  box.addEventListener("change", show);
  show();
  body.append(label, holder);
}

function library() {
  const { rows, more: rest } = run.library;
  byId("library").hidden = !rows.length;
  if (!rows.length) return;
  const most = largest(rows, (row) => row.time);
  byId("library-note").textContent =
    `Functions of libraries. A function's time includes that of the functions and system calls in it. Where a return was not seen, there is no time.${more(rest, "function")}`;
  byId("library-body").append(
    table({
      label: "Library calls",
      rows,
      sort: "Time",
      columns: [
        { title: "Function", wide: true, value: (r) => r.name, cell: (r) => path(r.name) },
        { title: "Calls", num: true, value: (r) => r.calls, cell: (r) => grouped(r.calls) },
        { title: "Time", value: (r) => r.time, cell: (r) => duration(r.time), bar: (r) => r.time / most },
        { title: "Longest", num: true, hide: true, value: (r) => r.most, cell: (r) => duration(r.most) },
      ],
    }),
  );
}

function jump(view, row) {
  if (!view) return moment(row.at);
  return button(
    moment(row.at),
    () => {
      view.go(row.tid, row.at, row.took);
      byId("timeline").scrollIntoView();
      view.body.focus({ preventScroll: true });
    },
    `At ${moment(row.at)}: show in the timeline`,
  );
}

function processes() {
  const { rows, more: rest } = run.processes;
  byId("processes-note").textContent = rows.length
    ? `Which process started which, and how each ended.${more(rest, "process").replace("processs", "processes")}`
    : "No process was seen.";
  if (!rows.length) return;
  const length = Math.max(1, run.numbers.length);
  const name = (row) => {
    const text = el("span.code.command", row.command || row.name || "?");
    text.title = row.command;
    const rest = row.more ? el("span.muted", ` and ${grouped(row.more)} more below`) : null;
    const node = el("span.branch", el("span.hidden", `Level ${row.depth + 1}: `), text, rest);
    node.style.setProperty("--depth", Math.min(row.depth, 12));
    return node;
  };
  const life = (row) => {
    const bar = el(`span.life${row.ok ? "" : ".bad"}`);
    bar.style.left = `${(row.from / length) * 100}%`;
    bar.style.width = `${Math.max(0.5, (((row.to ?? length) - row.from) / length) * 100)}%`;
    const text = el("span.hidden", `${moment(row.from)} to ${row.to === null ? "the end" : moment(row.to)}`);
    return el("span.lifeline", bar, text);
  };
  byId("processes-body").append(
    table({
      label: "Processes",
      rows,
      limit: 30,
      columns: [
        { title: "Command", wide: true, cell: name },
        { title: "Pid", num: true, hide: true, cell: (r) => String(r.pid) },
        { title: "Life", cell: life },
        { title: "Lasted", num: true, cell: (r) => duration((r.to ?? length) - r.from) },
        { title: "Calls", num: true, cell: (r) => grouped(r.calls) },
        { title: "Failed", num: true, hide: true, cell: failed },
        { title: "In calls", num: true, hide: true, cell: (r) => duration(r.busy) },
        { title: "End", cell: (r) => el(`span${r.ok ? ".muted" : ".failed"}`, r.end) },
      ],
    }),
  );
}

function navigation() {
  byId("nav").append(
    ...[...document.querySelectorAll("main section[id]")]
      .filter((section) => !section.hidden)
      .map((section) => {
        const link = el("a", section.querySelector("h2").textContent.split(" ")[0]);
        link.href = `#${section.id}`;
        return el("li", link);
      }),
  );
}

overview();
calls();
const view = timeline();
findings(view);
files();
errors();
slowest(view);
library();
processes();
navigation();
scheme({
  draw: () => {
    view?.painter.colours();
    view?.draw();
  },
  paint: () => {
    view?.painter.colours();
    view?.paint();
  },
});
document.documentElement.dataset.ready = "yes";
