/* The findings: cards beside the timeline. */

function findings(view) {
  if (!run.findings) return;
  const section = byId("findings");
  section.hidden = false;
  byId("run").classList.toggle("advised", Boolean(run.findings.length && view));
  byId("findings-note").textContent = run.findings.length
    ? "Patterns that waste calls or time. The one that costs most time comes first."
    : "No pattern was found that wastes a noticeable part of the calls or the time.";
  const markers = [];
  byId("findings-body").append(
    ...run.findings.map((finding, i) => {
      const marker = view?.hasMarks(i) ? markButton(view, i, markers) : null;
      return el(
        "article.finding",
        el("h3", finding.title),
        el("p", finding.text),
        finding.saves ? el("p.saves", el("span.muted", "Saves "), finding.saves) : null,
        el("p", finding.advice),
        marker,
        finding.table.length ? findingTable(finding) : null,
        el(
          "details",
          el("summary", "Where, and how sure"),
          el(
            "dl.facts",
            fact("Where", finding.evidence.length ? el("ul", finding.evidence.map((line) => el("li.code", line))) : null),
            fact("From", finding.callers ? el("span.code", finding.callers) : null),
            fact("Then", finding.next ? el("span.code", finding.next) : null),
            fact("Sure", [`${finding.sure}; `, el("span.code", `stride --explain ${finding.id}`), " tells more"]),
          ),
        ),
      );
    }),
  );
}

/** A switch that marks the finding's calls in the timeline. One finding is marked at a time. */
function markButton(view, index, markers) {
  const show = () => {
    markers.forEach((each) => {
      const on = view.marked === each.index;
      each.marker.setAttribute("aria-pressed", on);
      each.marker.textContent = on ? "Marked in the timeline" : "Mark in the timeline";
      each.marker.closest(".finding")?.classList.toggle("on", on);
    });
  };
  const marker = button("Mark in the timeline", () => {
    view.mark(view.marked === index ? null : index);
    show();
    // Beside the cards, the timeline is in view already.
    const box = view.box.getBoundingClientRect();
    if (view.marked !== null && (box.bottom < 0 || box.top > window.innerHeight)) byId("timeline").scrollIntoView();
  });
  marker.classList.add("mark");
  marker.setAttribute("aria-pressed", "false");
  markers.push({ marker, index });
  return marker;
}

/** What each thread waits for, say: heads, then rows. */
function findingTable({ title, table: [heads, ...rows] }) {
  const columns = heads.map((head, i) => ({
    title: head,
    wide: i === heads.length - 1,
    value: (row) => row[i],
    cell: (row) => el("span.code", row[i]),
  }));
  return table({ label: title, rows, columns });
}

const fact = (name, value) => (value && value.length !== 0 ? [el("dt", name), el("dd", value)] : []);
