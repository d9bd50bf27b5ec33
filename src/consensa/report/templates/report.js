
"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const readData = (id) => JSON.parse(byId(id).textContent);
  const say = (place, ...parts) => place.replaceChildren(...parts);
  const strong = (text) => Object.assign(document.createElement("b"), { textContent: text });
  const count = (n, one) => `${n.toLocaleString("en")} ${one}${n === 1 ? "" : "s"}`;

  // ---- tables: sort by a click on a head -----------------------------------------------------

  const valueOf = (row, column, kind) => {
    const text = row.cells[column].dataset.v;
    return kind === "text" ? text : Number(text);
  };
  const collator = new Intl.Collator("en", { numeric: true });
  const compare = (kind) => kind === "text" ? collator.compare : (a, b) => a - b;

  for (const table of document.querySelectorAll("table.sortable")) {
    for (const button of table.querySelectorAll(".sort")) {
      button.addEventListener("click", () => {
        const head = button.parentElement;
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const { kind } = button.dataset;
        const ordered = [...table.tBodies[0].rows].map((row) => [valueOf(row, head.cellIndex, kind), row]);
        ordered.sort((a, b) => (down ? -1 : 1) * compare(kind)(a[0], b[0]));
        table.tBodies[0].append(...ordered.map((pair) => pair[1]));
      });
    }
  }

  // ---- the least certain samples: filter by name and cluster ---------------------------------

  const nameFilter = byId("samples-filter");
  const clusterFilter = byId("samples-cluster");
  const filterSamples = () => {
    const wanted = nameFilter.value.trim().toLowerCase();
    let shown = 0;
    for (const row of byId("samples").tBodies[0].rows) {
      const fits = row.cells[0].dataset.v.toLowerCase().includes(wanted)
        && (clusterFilter.value === "" || row.cells[2].dataset.v === clusterFilter.value);
      row.hidden = !fits;
      shown += fits;
    }
    byId("samples-count").textContent = `${shown} shown`;
  };
  nameFilter.addEventListener("input", filterSamples);
  clusterFilter.addEventListener("change", filterSamples);

  // ---- confidence: one bar at a time, of one cluster or of all -------------------------------

  const histogram = readData("histogram-data");
  const bins = [...document.querySelectorAll("#histogram .bin")];
  const histogramCluster = byId("histogram-cluster");
  const histogramReadout = byId("histogram-readout");
  const edges = (place) => `${(place / bins.length).toFixed(2)} to ${((place + 1) / bins.length).toFixed(2)}`;
  const sumHistogram = () => {
    const total = histogram[histogramCluster.value].reduce((sum, n) => sum + n, 0);
    const whose = histogramCluster.value === "all" ? "" : ` of cluster ${histogramCluster.value}`;
    say(histogramReadout, `Confidence of ${count(total, "sample")}${whose}.`);
  };
  const tellBin = (place) => {
    const counts = histogram[histogramCluster.value];
    const total = Math.max(1, counts.reduce((sum, n) => sum + n, 0));
    const percent = (100 * counts[place] / total).toFixed(1);
    say(histogramReadout, `Confidence ${edges(place)}: ${count(counts[place], "sample")}, ${percent} %.`);
  };
  const drawHistogram = () => {
    const counts = histogram[histogramCluster.value];
    const most = Math.max(1, ...counts);
    bins.forEach((bin, place) => {
      bin.style.setProperty("--v", counts[place] / most);
      bin.classList.toggle("some", counts[place] > 0);
      bin.setAttribute("aria-label", `Confidence ${edges(place)}: ${count(counts[place], "sample")}`);
    });
    sumHistogram();
  };
  bins.forEach((bin, place) => {
    for (const kind of ["pointerenter", "focus", "click"]) bin.addEventListener(kind, () => tellBin(place));
    bin.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const next = step && bins[place + step];
      if (!next) return;
      event.preventDefault();
      bin.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    });
  });
  byId("histogram").addEventListener("pointerleave", sumHistogram);
  histogramCluster.addEventListener("change", drawHistogram);

  // ---- the map: who is with whom -------------------------------------------------------------

  const map = readData("map-data");
  const n = map.sizes.length;
  const values = Uint8Array.from(atob(map.values), (c) => c.charCodeAt(0));
  const ends = [];
  map.rows.reduce((sum, rows) => (ends.push(sum + rows), sum + rows), 0);
  const starts = ends.map((end, place) => end - map.rows[place]);
  const placeOf = (row) => ends.findIndex((end) => row < end);
  const canvas = byId("map-canvas");
  const readout = byId("map-readout");
  const hint = matchMedia("(hover: none)").matches
    ? "Tap the map to see how often samples are together; + zooms in there."
    : readout.textContent;
  const mapCluster = byId("map-cluster");
  const cells = Object.assign(document.createElement("canvas"), { width: n, height: n });
  let palette = {};
  const readPalette = () => {
    const style = getComputedStyle(document.documentElement);
    const names = ["low", "mid", "high", "line"].map((name) => `--map-${name}`);
    for (let k = 0; k < 7; k += 1) names.push(`--k${k}`);
    names.push("--cursor", "--line", "--mark", "--soft");
    palette = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(name).trim()]));
    palette.font = `11px ${getComputedStyle(document.body).fontFamily}`;
  };
  const color = (name) => palette[name];
  const box = { left: 38, top: 12, right: 64, bottom: 20 };
  let view = { x0: 0, x1: n, y0: 0, y1: n };
  let cursor = null;
  let drag = null;

  const channels = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  const full = (hex) => hex.length === 4 ? `#${[...hex.slice(1)].map((c) => c + c).join("")}` : hex;
  const paintCells = () => {
    const stops = ["--map-low", "--map-mid", "--map-high"].map((name) => channels(full(color(name))));
    const ramp = Array.from({ length: 256 }, (_, level) => {
      const at = level / 127.5;
      const low = Math.min(1, Math.floor(at));
      return stops[low].map((from, c) => from + (stops[low + 1][c] - from) * (at - low));
    });
    const image = new ImageData(n, n);
    values.forEach((level, place) => image.data.set([...ramp[level], 255], 4 * place));
    cells.getContext("2d").putImageData(image, 0, 0);
  };

  const plot = () => ({
    width: canvas.clientWidth - box.left - box.right,
    height: canvas.clientHeight - box.top - box.bottom,
  });
  const toX = (column) => box.left + plot().width * (column - view.x0) / (view.x1 - view.x0);
  const toY = (row) => box.top + plot().height * (row - view.y0) / (view.y1 - view.y0);

  const draw = () => {
    const side = canvas.clientWidth;
    box.right = side < 400 ? 46 : 64;
    const ratio = window.devicePixelRatio || 1;
    const height = Math.max(80, side - box.left - box.right) + box.top + box.bottom;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(side * ratio);
    canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.imageSmoothingEnabled = false;
    const { width, height: tall } = plot();
    const { x0, x1, y0, y1 } = view;
    pen.drawImage(cells, x0, y0, x1 - x0, y1 - y0, box.left, box.top, width, tall);
    pen.font = palette.font;
    pen.textBaseline = "middle";
    drawClusters(pen, width, tall);
    drawConfidence(pen, width, tall);
    pen.strokeStyle = color("--map-line");
    pen.strokeRect(box.left, box.top, width, tall);
    if (cursor) drawCursor(pen, width, tall);
    if (drag && drag.moved) {
      pen.strokeStyle = color("--cursor");
      pen.lineWidth = 1.5;
      pen.strokeRect(drag.x, drag.y, drag.toX - drag.x, drag.toY - drag.y);
    }
  };

  const drawClusters = (pen, width, tall) => {
    map.clusters.forEach((cluster, place) => {
      pen.fillStyle = color(`--k${(cluster + 3 * Math.floor(cluster / 7)) % 7}`);
      const top = Math.max(toY(starts[place]), box.top);
      const bottom = Math.min(toY(ends[place]), box.top + tall);
      if (bottom > top) {
        pen.fillRect(box.left - 9, top, 5, Math.max(1, bottom - top - 1));
        if (bottom - top >= 13) {
          pen.save();
          pen.fillStyle = color("--soft");
          pen.textAlign = "right";
          pen.fillText(cluster, box.left - 13, (top + bottom) / 2);
          pen.restore();
        }
      }
      const left = Math.max(toX(starts[place]), box.left);
      const right = Math.min(toX(ends[place]), box.left + width);
      if (right > left) pen.fillRect(left, box.top - 9, Math.max(1, right - left - 1), 5);
      if (map.clusters.length > 60) return;
      pen.fillStyle = color("--map-line");
      if (bottom > top && ends[place] < view.y1) pen.fillRect(box.left, bottom - .5, width, 1);
      if (right > left && ends[place] < view.x1) pen.fillRect(right - .5, box.top, 1, tall);
    });
  };

  const drawConfidence = (pen, width, tall) => {
    const left = box.left + width + 10;
    const room = box.right - 14;
    const high = tall / (view.y1 - view.y0);
    pen.fillStyle = color("--line");
    pen.fillRect(left + room / 2, box.top, 1, tall);
    pen.fillRect(left + room, box.top, 1, tall);
    for (let row = view.y0; row < view.y1; row += 1) {
      const value = map.confidence[row];
      pen.fillStyle = value < .5 ? color("--cursor") : color("--mark");
      const top = Math.round(toY(row));
      pen.fillRect(left, top, Math.max(1, value * room), Math.max(1, Math.round(toY(row + 1)) - top - (high > 4)));
    }
    pen.fillStyle = color("--soft");
    pen.textAlign = "center";
    ["0", "½", "1"].forEach((text, place) => pen.fillText(text, left + place * room / 2, box.top + tall + 11));
    pen.textAlign = "left";
    pen.fillText(Math.max(...map.sizes) === 1 ? "samples" : `rows of about ${count(Math.round(map.sizes.reduce((a, b) => a + b, 0) / n), "sample")}`, box.left, box.top + tall + 11);
  };

  const drawCursor = (pen, width, tall) => {
    const wide = width / (view.x1 - view.x0);
    const high = tall / (view.y1 - view.y0);
    pen.strokeStyle = color("--cursor");
    pen.lineWidth = 1;
    pen.globalAlpha = .45;
    pen.strokeRect(box.left, toY(cursor.row), width, high);
    pen.strokeRect(toX(cursor.column), box.top, wide, tall);
    pen.globalAlpha = 1;
    pen.lineWidth = 2;
    pen.strokeRect(toX(cursor.column), toY(cursor.row), wide, high);
  };

  const describe = (row) => {
    const place = placeOf(row);
    const size = map.sizes[row];
    const sure = `confidence ${map.confidence[row].toFixed(2)}`;
    const others = size === 1 ? "" : ` and ${count(size - 1, "similar sample")}`;
    return `${map.names[row]}${others} (cluster ${map.clusters[place]}, ${sure})`;
  };
  const tell = () => {
    if (!cursor) { say(readout, hint); return; }
    const percent = Math.round(values[cursor.row * n + cursor.column] / 2.55);
    const same = cursor.row === cursor.column;
    say(readout, strong(`${percent} %`), same
      ? `of the base partitions put ${map.sizes[cursor.row] > 1 ? "two of these together: " : "it together with itself: "}${describe(cursor.row)}`
      : `of the base partitions put together ${describe(cursor.row)} and ${describe(cursor.column)}`);
  };
  const point = (row, column) => {
    cursor = row === null ? null : { row, column };
    tell();
    draw();
  };
  const at = (event) => {
    const frame = canvas.getBoundingClientRect();
    const { width, height } = plot();
    const x = (event.clientX - frame.left - box.left) / width;
    const y = (event.clientY - frame.top - box.top) / height;
    if (y < 0 || y >= 1 || x < 0 || x >= 1) return null;
    return {
      column: Math.floor(view.x0 + x * (view.x1 - view.x0)),
      row: Math.floor(view.y0 + y * (view.y1 - view.y0)),
    };
  };

  const show = (next) => {
    view = next;
    const inside = cursor && cursor.row >= view.y0 && cursor.row < view.y1
      && cursor.column >= view.x0 && cursor.column < view.x1;
    if (cursor && !inside) cursor = null;
    const place = ends.findIndex((end, p) => view.y0 === starts[p] && view.y1 === end
      && view.x0 === starts[p] && view.x1 === end);
    mapCluster.value = place < 0 ? "" : String(map.clusters[place]);
    tell();
    draw();
  };
  const everything = () => show({ x0: 0, x1: n, y0: 0, y1: n });
  const showClusters = (row, column) => show({
    x0: starts[column], x1: ends[column], y0: starts[row], y1: ends[row],
  });
  const span = (from, to, factor, about) => {
    const length = Math.min(n, Math.max(Math.min(4, n), Math.round((to - from) * factor)));
    const center = about === null ? (from + to) / 2 : about + .5;
    const start = Math.min(n - length, Math.max(0, Math.round(center - length / 2)));
    return [start, start + length];
  };
  const zoom = (factor) => {
    const [x0, x1] = span(view.x0, view.x1, factor, cursor && cursor.column);
    const [y0, y1] = span(view.y0, view.y1, factor, cursor && cursor.row);
    show({ x0, x1, y0, y1 });
  };

  canvas.addEventListener("pointermove", (event) => {
    const here = at(event);
    if (drag) {
      const frame = canvas.getBoundingClientRect();
      drag.toX = event.clientX - frame.left;
      drag.toY = event.clientY - frame.top;
      drag.moved ||= Math.hypot(drag.toX - drag.x, drag.toY - drag.y) > 6;
      if (here) drag.here = here;
    }
    if (here) point(here.row, here.column); else point(null);
  });
  canvas.addEventListener("pointerleave", () => { if (!drag && document.activeElement !== canvas) point(null); });
  canvas.addEventListener("pointerdown", (event) => {
    const here = at(event);
    if (!here || event.pointerType !== "mouse") return;
    const frame = canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left, event.clientY - frame.top];
    drag = { x, y, toX: x, toY: y, from: here, here, moved: false };
  });
  window.addEventListener("pointerup", () => {
    if (!drag) return;
    const { from, here, moved } = drag;
    drag = null;
    if (!moved) { showClusters(placeOf(from.row), placeOf(from.column)); return; }
    show({
      x0: Math.min(from.column, here.column), x1: Math.max(from.column, here.column) + 1,
      y0: Math.min(from.row, here.row), y1: Math.max(from.row, here.row) + 1,
    });
  });
  canvas.addEventListener("click", (event) => {
    const here = at(event);
    if (here && event.pointerType !== "mouse") point(here.row, here.column);
  });
  canvas.addEventListener("keydown", (event) => {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const step = steps[event.key];
    if (step) {
      const from = cursor || { row: view.y0, column: view.x0 };
      const clip = (value, low, high) => Math.min(high - 1, Math.max(low, value));
      point(clip(from.row + step[0], view.y0, view.y1), clip(from.column + step[1], view.x0, view.x1));
    } else if (event.key === "Enter" && cursor) showClusters(placeOf(cursor.row), placeOf(cursor.column));
    else if (event.key === "+" || event.key === "=") zoom(.5);
    else if (event.key === "-") zoom(2);
    else if (event.key === "Escape" || event.key === "0") everything();
    else return;
    event.preventDefault();
  });
  byId("map-in").addEventListener("click", () => zoom(.5));
  byId("map-out").addEventListener("click", () => zoom(2));
  byId("map-all").addEventListener("click", everything);
  const showCluster = (cluster) => {
    const place = map.clusters.indexOf(cluster);
    if (place < 0) everything(); else showClusters(place, place);
  };
  mapCluster.addEventListener("change", () => {
    if (mapCluster.value === "") everything(); else showCluster(Number(mapCluster.value));
  });
  for (const button of document.querySelectorAll(".goto")) {
    button.addEventListener("click", () => {
      const { cluster } = button.dataset;
      showCluster(Number(cluster));
      histogramCluster.value = cluster;
      drawHistogram();
      byId("together").scrollIntoView({ block: "start" });
    });
  }

  const repaint = () => { readPalette(); paintCells(); draw(); };
  repaint();
  tell();
  let drawnAt = canvas.clientWidth;
  new ResizeObserver(() => {
    if (canvas.clientWidth === drawnAt) return;
    drawnAt = canvas.clientWidth;
    requestAnimationFrame(draw);  // its height changes with its width, which must wait
  }).observe(canvas.parentElement);
  for (const query of ["(prefers-color-scheme: dark)", "print"]) matchMedia(query).addEventListener("change", repaint);
  window.addEventListener("beforeprint", repaint);
  window.addEventListener("afterprint", repaint);

  // ---- copy ----------------------------------------------------------------------------------

  for (const button of document.querySelectorAll(".copy")) {
    button.addEventListener("click", async () => {
      const text = byId(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(text.textContent);
        button.textContent = "Copied";
      } catch {  // not allowed here: select it, so that Ctrl+C does
        getSelection().selectAllChildren(text);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }
})();
