// ---- the consensus matrix: who is with whom ----------------------------------------------------------

const map = readData("map-data");
const nRows = map.sizes.length;
const values = packed.matrix;
const canvas = byId("map-canvas");
const readout = byId("map-readout");
const hint = matchMedia("(hover: none)").matches
  ? "Tap the matrix to see how often samples are together; + zooms in there."
  : readout.textContent;
const mapCluster = byId("map-cluster");
const cells = Object.assign(document.createElement("canvas"), { width: nRows, height: nRows });
const box = { left: 38, top: 14, right: 64, bottom: 20 };
let frame = { x0: 0, x1: nRows, y0: 0, y1: nRows };
let cursor = null;
let drag = null;

const samplesOfRow = Array.from({ length: nRows }, () => []);
if (explorer) packed.row_of_sample.forEach((row, sample) => { if (row < nRows) samplesOfRow[row].push(sample); });

// Rows lie cluster by cluster, and those of one cluster as in the data of the page.
let order = [];
let places = [];  // of the clusters: number, first place, place after the last
let rowConfidence = [];
const clusterOfRow = () => {
  if (view) return samplesOfRow.map((samples) => view.labels[samples[0]]);
  return map.clusters.flatMap((cluster, place) => Array(map.rows[place]).fill(cluster));
};
const arrange = () => {
  const clusters = clusterOfRow();
  order = [...clusters.keys()].sort((a, b) => clusters[a] - clusters[b] || a - b);
  places = [];
  order.forEach((row, at) => {
    const last = places[places.length - 1];
    if (last && last.cluster === clusters[row]) last.end = at + 1;
    else places.push({ cluster: clusters[row], start: at, end: at + 1 });
  });
  const mean = (samples) => samples.reduce((sum, i) => sum + view.confidence[i], 0) / samples.length;
  rowConfidence = order.map((row) => view ? mean(samplesOfRow[row]) : map.confidence[row]);
};
const placeOf = (at) => places.findIndex(({ end }) => at < end);

const ramp = () => {
  const stops = ["--map-low", "--map-mid", "--map-high"].map(channels);
  return Uint32Array.from({ length: 256 }, (_, level) => {
    const at = level / 127.5;
    const low = Math.min(1, Math.floor(at));
    const [r, g, b] = stops[low].map((from, c) => Math.round(from + (stops[low + 1][c] - from) * (at - low)));
    return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
  });
};
const paintCells = () => {
  const colors = ramp();
  const image = new ImageData(nRows, nRows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let y = 0; y < nRows; y += 1) {
    const from = order[y] * nRows;
    for (let x = 0; x < nRows; x += 1) pixels[y * nRows + x] = colors[values[from + order[x]]];
  }
  cells.getContext("2d").putImageData(image, 0, 0);
};

const plot = () => ({
  width: canvas.clientWidth - box.left - box.right,
  height: canvas.clientHeight - box.top - box.bottom,
});
const toX = (column) => box.left + plot().width * (column - frame.x0) / (frame.x1 - frame.x0);
const toY = (row) => box.top + plot().height * (row - frame.y0) / (frame.y1 - frame.y0);

const sizeCanvas = (side) => {
  box.right = side < 400 ? 46 : 64;
  const ratio = window.devicePixelRatio || 1;
  const height = Math.max(80, side - box.left - box.right) + box.top + box.bottom;
  canvas.style.height = `${height}px`;
  canvas.width = Math.round(side * ratio);
  canvas.height = Math.round(height * ratio);
  const pen = canvas.getContext("2d");
  pen.scale(ratio, ratio);
  return pen;
};
const drawMatrix = () => {
  const pen = sizeCanvas(canvas.clientWidth);
  const { width, height } = plot();
  const { x0, x1, y0, y1 } = frame;
  pen.imageSmoothingEnabled = x1 - x0 > width;  // more rows than dots: their mean
  pen.drawImage(cells, x0, y0, x1 - x0, y1 - y0, box.left, box.top, width, height);
  pen.font = palette.font;
  pen.textBaseline = "middle";
  places.forEach((place) => drawCluster(pen, place, width, height));
  drawConfidence(pen, width, height);
  drawSelected(pen, width, height);
  pen.strokeStyle = color("--map-line");
  pen.strokeRect(box.left, box.top, width, height);
  if (cursor) drawCursor(pen, width, height);
  if (drag && drag.moved) {
    pen.strokeStyle = color("--cursor");
    pen.lineWidth = 1.5;
    pen.strokeRect(drag.x, drag.y, drag.toX - drag.x, drag.toY - drag.y);
  }
};
const drawCluster = (pen, { cluster, start, end }, width, tall) => {
  pen.fillStyle = color(`--k${colorOf(cluster)}`);
  const top = Math.max(toY(start), box.top);
  const bottom = Math.min(toY(end), box.top + tall);
  if (bottom > top) {
    pen.fillRect(box.left - 10, top, 5, Math.max(1, bottom - top - 1));
    if (bottom - top >= 13) {
      pen.save();
      pen.fillStyle = color("--soft");
      pen.textAlign = "right";
      pen.fillText(cluster, box.left - 14, (top + bottom) / 2);
      pen.restore();
    }
  }
  const left = Math.max(toX(start), box.left);
  const right = Math.min(toX(end), box.left + width);
  if (right > left) pen.fillRect(left, box.top - 10, Math.max(1, right - left - 1), 5);
  if (places.length > 60) return;
  pen.fillStyle = color("--map-line");
  if (bottom > top && end < frame.y1) pen.fillRect(box.left, bottom - .5, width, 1);
  if (right > left && end < frame.x1) pen.fillRect(right - .5, box.top, 1, tall);
};
const drawConfidence = (pen, width, tall) => {
  const left = box.left + width + 10;
  const room = box.right - 14;
  const high = tall / (frame.y1 - frame.y0);
  pen.fillStyle = color("--line");
  pen.fillRect(left + room / 2, box.top, 1, tall);
  pen.fillRect(left + room, box.top, 1, tall);
  for (let row = frame.y0; row < frame.y1; row += 1) {
    const value = rowConfidence[row];
    pen.fillStyle = value < LOW ? color("--cursor") : color("--mark");
    const top = Math.round(toY(row));
    pen.fillRect(left, top, Math.max(1, value * room), Math.max(1, Math.round(toY(row + 1)) - top - (high > 4)));
  }
  pen.fillStyle = color("--soft");
  pen.textAlign = "center";
  ["0", "½", "1"].forEach((text, place) => pen.fillText(text, left + place * room / 2, box.top + tall + 11));
  pen.textAlign = "left";
  const each = Math.round(map.sizes.reduce((a, b) => a + b, 0) / nRows);
  pen.fillText(Math.max(...map.sizes) === 1 ? "samples" : `rows of about ${count(each, "sample")}`, box.left, box.top + tall + 11);
};
/** Marks beside the rows and columns of selected samples, and of the sample that is explained. */
const drawSelected = (pen, width, tall) => {
  if (!nSelected && focused === null) return;
  const wide = Math.max(1, width / (frame.x1 - frame.x0));
  const high = Math.max(1, tall / (frame.y1 - frame.y0));
  pen.fillStyle = color("--cursor");
  order.forEach((row, at) => {
    const samples = samplesOfRow[row];
    const share = samples.includes(focused) ? 1 : samples.reduce((sum, i) => sum + selected[i], 0) / samples.length;
    if (!share) return;
    pen.globalAlpha = .3 + .7 * share;
    if (at >= frame.y0 && at < frame.y1) pen.fillRect(box.left - 4, toY(at), 4, high);
    if (at >= frame.x0 && at < frame.x1) pen.fillRect(toX(at), box.top - 4, wide, 4);
  });
  pen.globalAlpha = 1;
};
const drawCursor = (pen, width, tall) => {
  const wide = width / (frame.x1 - frame.x0);
  const high = tall / (frame.y1 - frame.y0);
  pen.strokeStyle = color("--cursor");
  pen.lineWidth = 1;
  pen.globalAlpha = .45;
  pen.strokeRect(box.left, toY(cursor.row), width, high);
  pen.strokeRect(toX(cursor.column), box.top, wide, tall);
  pen.globalAlpha = 1;
  pen.lineWidth = 2;
  pen.strokeRect(toX(cursor.column), toY(cursor.row), wide, high);
};

// ---- the matrix: what it tells ----------------------------------------------------------------------

const describe = (at) => {
  const row = order[at];
  const size = map.sizes[row];
  const sure = `confidence ${rowConfidence[at].toFixed(2)}`;
  const others = size === 1 ? "" : ` and ${count(size - 1, "similar sample")}`;
  return `${map.names[row]}${others} (cluster ${places[placeOf(at)].cluster}, ${sure})`;
};
const tell = () => {
  if (!cursor) { say(readout, hint); return; }
  const share = Math.round(values[order[cursor.row] * nRows + order[cursor.column]] / 2.55);
  const same = cursor.row === cursor.column;
  const several = map.sizes[order[cursor.row]] > 1;
  say(readout, strong(`${share} %`), same
    ? `of the base partitions put ${several ? "two of these together: " : "it together with itself: "}${describe(cursor.row)}`
    : `of the base partitions put together ${describe(cursor.row)} and ${describe(cursor.column)}`);
};
arrange();
tell();
const askMatrix = whenVisible(canvas, () => { paintCells(); drawMatrix(); });
const point = (row, column) => {
  cursor = row === null ? null : { row, column };
  tell();
  drawMatrix();
};
const at = (event) => {
  const edge = canvas.getBoundingClientRect();
  const { width, height } = plot();
  const x = (event.clientX - edge.left - box.left) / width;
  const y = (event.clientY - edge.top - box.top) / height;
  if (y < 0 || y >= 1 || x < 0 || x >= 1) return null;
  return {
    column: Math.floor(frame.x0 + x * (frame.x1 - frame.x0)),
    row: Math.floor(frame.y0 + y * (frame.y1 - frame.y0)),
  };
};

// ---- the matrix: zoom -------------------------------------------------------------------------------

const show = (next) => {
  frame = next;
  const inside = cursor && cursor.row >= frame.y0 && cursor.row < frame.y1
    && cursor.column >= frame.x0 && cursor.column < frame.x1;
  if (cursor && !inside) cursor = null;
  const place = places.find(({ start, end }) => frame.y0 === start && frame.y1 === end
    && frame.x0 === start && frame.x1 === end);
  mapCluster.value = place ? String(place.cluster) : "";
  tell();
  drawMatrix();
};
const everything = () => show({ x0: 0, x1: nRows, y0: 0, y1: nRows });
const showPlaces = (row, column) => show({
  x0: places[column].start, x1: places[column].end, y0: places[row].start, y1: places[row].end,
});
const span = (from, to, factor, about) => {
  const length = Math.min(nRows, Math.max(Math.min(4, nRows), Math.round((to - from) * factor)));
  const center = about === null ? (from + to) / 2 : about + .5;
  const start = clip(Math.round(center - length / 2), 0, nRows - length);
  return [start, start + length];
};
const zoom = (factor) => {
  const [x0, x1] = span(frame.x0, frame.x1, factor, cursor && cursor.column);
  const [y0, y1] = span(frame.y0, frame.y1, factor, cursor && cursor.row);
  show({ x0, x1, y0, y1 });
};
const showCluster = (cluster) => {
  const place = places.findIndex((one) => one.cluster === cluster);
  if (place < 0) everything(); else showPlaces(place, place);
};

canvas.addEventListener("pointermove", (event) => {
  const here = at(event);
  if (drag) {
    const edge = canvas.getBoundingClientRect();
    drag.toX = event.clientX - edge.left;
    drag.toY = event.clientY - edge.top;
    drag.moved ||= Math.hypot(drag.toX - drag.x, drag.toY - drag.y) > 6;
    if (here) drag.here = here;
  }
  if (here) point(here.row, here.column); else point(null);
});
canvas.addEventListener("pointerleave", () => { if (!drag && document.activeElement !== canvas) point(null); });
canvas.addEventListener("pointerdown", (event) => {
  const here = at(event);
  if (!here || event.pointerType !== "mouse") return;
  const edge = canvas.getBoundingClientRect();
  const [x, y] = [event.clientX - edge.left, event.clientY - edge.top];
  drag = { x, y, toX: x, toY: y, from: here, here, moved: false };
});
window.addEventListener("pointerup", () => {
  if (!drag) return;
  const { from, here, moved } = drag;
  drag = null;
  if (!moved) { showPlaces(placeOf(from.row), placeOf(from.column)); return; }
  show({
    x0: Math.min(from.column, here.column), x1: Math.max(from.column, here.column) + 1,
    y0: Math.min(from.row, here.row), y1: Math.max(from.row, here.row) + 1,
  });
});
canvas.addEventListener("click", (event) => {
  const here = at(event);
  if (here && event.pointerType !== "mouse") point(here.row, here.column);
});
const moveCursor = ([down, right]) => {
  const from = cursor || { row: frame.y0, column: frame.x0 };
  point(clip(from.row + down, frame.y0, frame.y1 - 1), clip(from.column + right, frame.x0, frame.x1 - 1));
};
canvas.addEventListener("keydown", (event) => {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
  if (step) moveCursor(step);
  else if (event.key === "Enter" && cursor) showPlaces(placeOf(cursor.row), placeOf(cursor.column));
  else if (event.key === "s" && cursor && explorer) selectRows([cursor.row, cursor.column]);
  else if (event.key === "+" || event.key === "=") zoom(.5);
  else if (event.key === "-") zoom(2);
  else if (event.key === "Escape" || event.key === "0") everything();
  else return;
  event.preventDefault();
});
byId("map-in").addEventListener("click", () => zoom(.5));
byId("map-out").addEventListener("click", () => zoom(2));
byId("map-all").addEventListener("click", everything);
mapCluster.addEventListener("change", () => {
  if (mapCluster.value === "") everything(); else showCluster(Number(mapCluster.value));
});

// ---- the matrix: selection --------------------------------------------------------------------------

const selectRows = (rows) => selectSamples(rows.flatMap((row) => samplesOfRow[order[row]]));
const rowsShown = () => [...order.keys()].filter((row) =>
  (row >= frame.y0 && row < frame.y1) || (row >= frame.x0 && row < frame.x1));
if (explorer) {
  byId("map-select").addEventListener("click", () => selectRows(rowsShown()));
  on("view", () => {
    arrange();
    cursor = null;
    frame = { x0: 0, x1: nRows, y0: 0, y1: nRows };
    fillOptions(mapCluster, places.map(({ cluster }) => String(cluster)));
    tell();
    askMatrix();
  });
  for (const what of ["selection", "focus"]) on(what, () => askMatrix());
  byId("clusters").addEventListener("click", (event) => {
    const button = event.target.closest(".goto");
    if (button) showCluster(Number(button.dataset.cluster));
  });
} else {
  for (const button of document.querySelectorAll(".goto")) {
    button.addEventListener("click", () => {
      const { cluster } = button.dataset;
      showCluster(Number(cluster));
      histogramCluster.value = cluster;
      drawHistogram();
      byId("together").scrollIntoView({ block: "start" });
    });
  }
}
