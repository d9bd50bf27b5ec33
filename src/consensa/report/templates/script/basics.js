// ---- small things that every part of the page uses -----------------------------------------------

const byId = (id) => document.getElementById(id);
const readData = (id) => JSON.parse(byId(id).textContent);
const say = (place, ...parts) => place.replaceChildren(...parts);
const strong = (text) => Object.assign(document.createElement("b"), { textContent: text });
const count = (n, one) => `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;
const percent = (share) => `${Math.round(100 * share)} %`;
const clip = (value, low, high) => Math.min(high, Math.max(low, value));

/** An element with attributes and contents; `null` attributes are left out. */
const element = (tag, attributes = {}, ...contents) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) made.setAttribute(name, value);
  }
  made.append(...contents);
  return made;
};

// ---- colors: those of the style sheet, in this scheme --------------------------------------------

const COLORS = 7;
let palette = {};
const readPalette = () => {
  const style = getComputedStyle(document.documentElement);
  const names = ["low", "mid", "high", "line"].map((name) => `--map-${name}`);
  for (let k = 0; k < COLORS; k += 1) names.push(`--k${k}`);
  names.push("--cursor", "--line", "--mark", "--soft", "--paper", "--ink");
  palette = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name).trim()]));
  palette.font = `11px ${getComputedStyle(document.body).fontFamily}`;
};
const color = (name) => palette[name];
const full = (hex) => hex.length === 4 ? `#${[...hex.slice(1)].map((c) => c + c).join("")}` : hex;
const channels = (name) => [1, 3, 5].map((at) => parseInt(full(color(name)).slice(at, at + 2), 16));
const colorPlace = (number) => (number + 3 * Math.floor(number / COLORS)) % COLORS;

/** Draw now, and again when the returned function is called: what is not on screen, once it is there. */
const whenVisible = (canvas, draw) => {
  let visible = false;
  let waits = false;
  let drawnAt = 0;
  const paint = () => { waits = false; drawnAt = canvas.clientWidth; draw(); };
  const ask = () => { waits = true; if (visible) paint(); };
  new IntersectionObserver((entries) => {
    visible = entries[entries.length - 1].isIntersecting;
    if (visible && waits) paint();
  }, { rootMargin: "200px" }).observe(canvas);
  new ResizeObserver(() => {
    // Its height changes with its width, which must wait.
    if (canvas.clientWidth !== drawnAt) requestAnimationFrame(paint);
  }).observe(canvas.parentElement);
  const repaint = () => { readPalette(); paint(); };
  for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", repaint);
  for (const event of ["beforeprint", "afterprint"]) window.addEventListener(event, repaint);
  paint();
  return ask;
};

readPalette();
