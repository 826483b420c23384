/* Tables that can be sorted. */

/** A name of a file or the like; the whole of it where there is not room for it. */
function path(name) {
  const node = el("span.code.path", name);
  node.title = name;
  return node;
}

/**
 * A column: { title, value: row → what it is sorted by, cell: row → text or nodes, num, bar: row → 0…1, family: row → name,
 * first: "down" if the largest come first, wide, hide: on narrow screens }.
 */
function table({ label, columns, rows, sort, limit = 15 }) {
  const wrap = el("div.table");
  const scroller = el("div.scroll");
  scroller.setAttribute("role", "region");
  scroller.setAttribute("aria-label", label);
  // A table that scrolls is a tab stop for the keyboard.
  new ResizeObserver(() => {
    if (scroller.scrollWidth > scroller.clientWidth) scroller.tabIndex = 0;
    else scroller.removeAttribute("tabindex");
  }).observe(scroller);
  const body = el("tbody");
  const heads = columns.map((column, index) => {
    const th = el(`th${column.bar ? ".barred" : column.num ? ".num" : ""}${column.hide ? ".hide" : ""}`);
    th.scope = "col";
    if (!column.value) {
      th.append(column.title);
      return th;
    }
    const sorter = el("button.sort", el("span", column.title), el("span.arrow"));
    sorter.type = "button";
    sorter.addEventListener("click", () => {
      const turn = state.column === index;
      state = { column: index, down: turn ? !state.down : column.num || column.bar ? true : false };
      show();
    });
    th.append(sorter);
    return th;
  });
  const more = button("", () => {
    limit = Infinity;
    show();
    body.rows[Math.min(body.rows.length - 1, shownBefore)]?.querySelector("button, a, td")?.focus?.();
  });
  let shownBefore = 0;
  let state = { column: columns.findIndex((column) => column.title === sort), down: true };
  if (state.column < 0) state = { column: -1, down: false };

  function ordered() {
    if (state.column < 0) return rows;
    const { value } = columns[state.column];
    const sign = state.down ? -1 : 1;
    return rows
      .map((row, place) => [value(row), place, row])
      .sort(([a, i], [b, j]) => (a < b ? -sign : a > b ? sign : i - j))
      .map(([, , row]) => row);
  }

  function show() {
    heads.forEach((th, index) => {
      if (!columns[index].value) return;
      const order = index !== state.column ? "none" : state.down ? "descending" : "ascending";
      th.setAttribute("aria-sort", order);
    });
    const all = ordered();
    const shown = all.slice(0, limit);
    shownBefore = Math.min(limit, all.length);
    body.replaceChildren(...shown.map(line));
    more.textContent = `Show all ${grouped(all.length)}`;
    more.hidden = all.length <= limit;
  }

  function line(row) {
    return el(
      "tr",
      columns.map((column) => {
        const td = el(`td${column.num ? ".num" : ""}${column.bar ? ".barred" : ""}${column.wide ? ".wide" : ""}${column.hide ? ".hide" : ""}`);
        const cell = column.cell(row);
        if (!column.bar) {
          td.append(...[cell].flat().filter((part) => part !== null));
          return td;
        }
        const fill = el(`span.fill${column.family ? `.f-${column.family(row)}` : ""}`);
        fill.style.width = `${Math.min(1, column.bar(row)) * 100}%`;
        td.append(el("span.value", cell), el("span.track", fill));
        return td;
      }),
    );
  }

  show();
  scroller.append(el("table", el("thead", el("tr", heads)), body));
  wrap.append(scroller, more);
  return wrap;
}

const largest = (rows, value) => Math.max(1, ...rows.map(value));
