// ---- the map of the samples: read, select, explain -----------------------------------------------------

const mapCanvas = byId("plane");
const mapReadout = byId("plane-readout");
let mapScale = null;
let outline = null;  // places of a lasso or a box that is being drawn
let crosshair = null;
let boxFrom = null;
let still = null;  // the map without what moves over it

const drawMap = () => {
  const opacity = new Uint8Array(n);
  for (let i = 0; i < n; i += 1) {
    const sure = 60 + 195 * view.confidence[i];
    opacity[i] = nSelected && !selected[i] ? .12 * sure : sure;
  }
  mapScale = drawDots(mapCanvas, 560, view.labels, paintsOf(view.colors), opacity);
  drawNumbers(mapScale.pen, mapScale, view.labels, [...view.sizes.keys()].map(String));
  still = null;
  drawOver();
};
const ring = (sample, radius, width) => {
  const { pen, xs, ys } = mapScale;
  pen.lineWidth = width;
  pen.beginPath();
  pen.arc(xs[sample], ys[sample], radius, 0, 2 * Math.PI);
  pen.stroke();
};
const drawOver = () => {
  const { pen, width, height } = mapScale;
  if (still) pen.putImageData(still, 0, 0);
  else if (focused === null && !outline && !crosshair) return;
  still ||= pen.getImageData(0, 0, mapCanvas.width, mapCanvas.height);
  pen.strokeStyle = color("--ink");
  if (focused !== null) { ring(focused, 9, 2); ring(focused, 12, 1); }
  pen.strokeStyle = color("--cursor");
  pen.lineWidth = 1.5;
  if (outline && outline.length > 1) {
    pen.beginPath();
    outline.forEach(([x, y]) => pen.lineTo(x, y));
    pen.closePath();
    pen.stroke();
  }
  if (!crosshair) return;
  if (boxFrom) pen.strokeRect(boxFrom[0], boxFrom[1], crosshair[0] - boxFrom[0], crosshair[1] - boxFrom[1]);
  pen.fillStyle = color("--cursor");
  pen.globalAlpha = .6;
  pen.fillRect(crosshair[0], 0, 1, height);
  pen.fillRect(0, crosshair[1], width, 1);
  pen.globalAlpha = 1;
};

const nearestTo = ([x, y]) => {
  const { xs, ys } = mapScale;
  let [best, least] = [0, Infinity];
  for (let i = 0; i < n; i += 1) {
    const far = (xs[i] - x) ** 2 + (ys[i] - y) ** 2;
    if (far < least) { least = far; best = i; }
  }
  return { sample: best, distance: Math.sqrt(least) };
};
const tellSample = (sample) => {
  const sure = `confidence ${view.confidence[sample].toFixed(2)}`;
  say(mapReadout, strong(packed.names[sample]), `cluster ${view.labels[sample]}, ${sure}`);
};
const inPolygon = (outline, x, y) => {
  let inside = false;
  for (let i = 0, j = outline.length - 1; i < outline.length; j = i, i += 1) {
    const [xi, yi] = outline[i];
    const [xj, yj] = outline[j];
    if ((yi > y) !== (yj > y) && x < (xj - xi) * (y - yi) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
};
const selectInside = (outline, adds = false) => {
  const { xs, ys } = mapScale;
  selectSamples(samplesWhere((i) => (adds && selected[i]) || inPolygon(outline, xs[i], ys[i])));
  say(mapReadout, strong(`${count(nSelected, "sample")} selected`));
};
const boxBetween = ([x0, y0], [x1, y1]) => [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];

// ---- the map: pointers ---------------------------------------------------------------------------------

const REACH = 14;  // of a click around a sample
let press = null;
let dragged = false;  // a click follows the end of a drag
const onMap = (event) => {
  const edge = mapCanvas.getBoundingClientRect();
  return [event.clientX - edge.left, event.clientY - edge.top];
};
const isBox = () => byId("plane-box").checked;
const drawsNow = (event) => event.pointerType === "mouse" || byId("plane-draw").getAttribute("aria-pressed") === "true";
const beginPress = (event) => {
  if (!drawsNow(event)) return;
  press = { from: onMap(event), moved: false };
  outline = [press.from];
  mapCanvas.setPointerCapture(event.pointerId);
};
const movePress = (event) => {
  const here = onMap(event);
  if (!press) {
    const { sample, distance } = nearestTo(here);
    if (distance < REACH) tellSample(sample);
    return;
  }
  press.moved ||= Math.hypot(here[0] - press.from[0], here[1] - press.from[1]) > 5;
  outline = isBox() ? boxBetween(press.from, here) : [...outline, here];
  drawOver();
};
const endPress = (event) => {
  if (!press) return;
  const { moved } = press;
  const drawn = outline;
  press = outline = null;
  dragged = moved;
  if (moved) selectInside(drawn, event.shiftKey); else drawOver();
};
const clickMap = (event) => {
  if (dragged) { dragged = false; return; }
  const { sample, distance } = nearestTo(onMap(event));
  if (distance >= REACH) { if (nSelected) selectSamples([]); return; }
  if (event.shiftKey) { toggleSample(sample); return; }
  selectSamples([sample]);
  explain(sample);
};

// ---- the map: keys ---------------------------------------------------------------------------------------

const moveCrosshair = ([right, down], fine) => {
  const [x, y] = crosshair || [mapScale.width / 2, mapScale.height / 2];
  const step = (fine ? .01 : .04) * mapScale.width;
  crosshair = [clip(x + right * step, 0, mapScale.width), clip(y + down * step, 0, mapScale.height)];
  tellSample(nearestTo(crosshair).sample);
};
const boxByKey = () => {
  if (boxFrom) { const from = boxFrom; boxFrom = null; selectInside(boxBetween(from, crosshair)); }
  else { boxFrom = crosshair; say(mapReadout, "A box begins here. Move, and press b again to select what is in it."); }
};
const leaveMap = () => { crosshair = boxFrom = null; if (nSelected) selectSamples([]); };
const pressKey = (event) => {
  const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[event.key];
  if (step) moveCrosshair(step, event.shiftKey);
  else if (event.key === "Enter" && crosshair) { const { sample } = nearestTo(crosshair); selectSamples([sample]); explain(sample); }
  else if (event.key === " " && crosshair) toggleSample(nearestTo(crosshair).sample);
  else if (event.key === "b" && crosshair) boxByKey();
  else if (event.key === "Escape") leaveMap();
  else return;
  event.preventDefault();
  drawOver();
};

if (plane) {
  const askMap = whenVisible(mapCanvas, drawMap);
  for (const what of ["view", "selection"]) on(what, askMap);
  on("focus", () => { if (mapScale) drawOver(); });
  mapCanvas.addEventListener("pointerdown", beginPress);
  mapCanvas.addEventListener("pointermove", movePress);
  mapCanvas.addEventListener("pointerup", endPress);
  mapCanvas.addEventListener("pointercancel", () => { press = outline = null; drawOver(); });
  mapCanvas.addEventListener("click", clickMap);
  mapCanvas.addEventListener("keydown", pressKey);
  mapCanvas.addEventListener("blur", () => { crosshair = boxFrom = null; drawOver(); });
  const drawButton = byId("plane-draw");
  drawButton.addEventListener("click", () => {
    const draws = drawButton.getAttribute("aria-pressed") !== "true";
    drawButton.setAttribute("aria-pressed", draws);
    mapCanvas.style.touchAction = draws ? "none" : "";
  });
}
