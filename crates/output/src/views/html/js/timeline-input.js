/* Mouse, fingers and keys on the timeline. */

function listenTo(view) {
  const { body, head, scroller } = view;
  const local = (event) => {
    const box = body.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  scroller.addEventListener("scroll", () => {
    view.tip.hidden = true;
    view.draw();
  });
  body.addEventListener(
    "wheel",
    (event) => {
      const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      // Scrolling past the timeline on the page must not zoom it.
      const active = document.activeElement === body || event.ctrlKey || event.metaKey;
      if (!active && !sideways) return;
      event.preventDefault();
      const lines = event.deltaMode === 1 ? 30 : 1;
      if (sideways) view.pan((((event.deltaX || event.deltaY) * lines) / view.plot) * 1);
      else view.zoom(Math.exp(Math.max(-200, Math.min(200, event.deltaY * lines)) / 300), view.at(Math.max(view.gutter, local(event)[0])));
      hoverAt(view, ...local(event));
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
      pinch = { gap, at: view.at(middle), span: view.to - view.from };
      drag = null;
      return;
    }
    drag = { x: event.clientX, y: event.clientY, from: view.from, to: view.to, top: scroller.scrollTop, far: false };
    body.setPointerCapture(event.pointerId);
  });
  body.addEventListener("pointermove", (event) => {
    if (fingers.has(event.pointerId)) fingers.set(event.pointerId, local(event)[0]);
    if (pinch) {
      // The point between the fingers stays in place.
      const { gap, middle } = spread();
      const span = (pinch.span * pinch.gap) / gap;
      const from = pinch.at - ((middle - view.gutter) / view.plot) * span;
      view.show(from, from + span);
      return;
    }
    if (!drag) {
      hoverAt(view, ...local(event));
      return;
    }
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.far && Math.hypot(dx, dy) < 4) return;
    drag.far = true;
    view.tip.hidden = true;
    body.classList.add("dragged");
    const by = Math.max(-drag.from, Math.min((-dx / view.plot) * (drag.to - drag.from), view.length - drag.to));
    scroller.scrollTop = drag.top - dy;
    view.show(drag.from + by, drag.to + by);
  });
  body.addEventListener("pointerup", (event) => {
    if (drag && !drag.far) view.pick(spotAt(view, ...local(event)), { look: false });
    release(event);
  });
  const release = (event) => {
    fingers.delete(event.pointerId);
    drag = pinch = null;
    body.classList.remove("dragged");
  };
  body.addEventListener("pointercancel", release);
  body.addEventListener("pointerleave", () => (view.tip.hidden = true));
  body.addEventListener("dblclick", (event) => view.zoom(0.25, view.at(Math.max(view.gutter, local(event)[0]))));
  body.addEventListener("keydown", (event) => pressKey(view, event));
  // The strip above the lanes: a click moves the view there.
  const jump = (event) => {
    const x = event.clientX - head.getBoundingClientRect().left;
    const at = ((x - view.gutter) / view.plot) * view.length;
    const half = (view.to - view.from) / 2;
    const middle = Math.max(half, Math.min(at, view.length - half));
    view.show(middle - half, middle + half);
  };
  head.addEventListener("pointerdown", (event) => {
    head.setPointerCapture(event.pointerId);
    jump(event);
  });
  head.addEventListener("pointermove", (event) => {
    if (event.buttons & 1) jump(event);
  });
}

function hoverAt(view, x, y) {
  const found = spotAt(view, x, y);
  const nothing = found && found.slice === undefined && found.bin === undefined && found.lost === undefined;
  view.tip.hidden = !found || (nothing && x >= view.gutter);
  if (view.tip.hidden) return;
  const { family, text, facts } = describe(view, found);
  const short = text.length > 160 ? `${text.slice(0, 160)}…` : text;
  view.tip.replaceChildren(el("p.what", view.byState ? null : dot(family), el("span.code", short)), el("p.facts", facts.join(" · ")));
  place(view.tip, x, y + HEAD, view.wide);
}

function pressKey(view, event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const act = {
    "+": () => view.zoom(0.5),
    "=": () => view.zoom(0.5),
    "-": () => view.zoom(2),
    ArrowLeft: () => view.pan(-0.15),
    ArrowRight: () => view.pan(0.15),
    ArrowUp: () => view.choose(-1),
    ArrowDown: () => view.choose(1),
    n: () => view.step(1),
    p: () => view.step(-1),
    w: () => view.toWaker(),
    0: () => view.show(0, view.length),
    Home: () => view.show(0, view.to - view.from),
    End: () => view.show(view.length - (view.to - view.from), view.length),
    Enter: () => view.closer(),
    Escape: () => view.pick(null),
  }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  event.preventDefault();
  act();
}
