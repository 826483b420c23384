/* Dark or light: the system's choice, until another is made here. */

/** `draw` shows new colours with the next frame, and `paint` at once. */
function scheme({ draw, paint }) {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const control = byId("scheme");
  const dark = () => (root.dataset.scheme ?? (system.matches ? "dark" : "light")) === "dark";
  const show = () => {
    control.textContent = dark() ? "Light" : "Dark";
    control.setAttribute("aria-label", dark() ? "Use the light colours" : "Use the dark colours");
    draw();
  };
  control.addEventListener("click", () => {
    root.dataset.scheme = dark() ? "light" : "dark";
    show();
  });
  system.addEventListener("change", show);
  // Paper is light, so printing uses the light theme.
  let chosen;
  window.addEventListener("beforeprint", () => {
    chosen = root.dataset.scheme;
    root.dataset.scheme = "light";
    paint();
  });
  window.addEventListener("afterprint", () => {
    if (chosen) root.dataset.scheme = chosen;
    else delete root.dataset.scheme;
    show();
  });
  show();
}
