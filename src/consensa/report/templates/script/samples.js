// ---- the table of samples: the least certain, or those selected --------------------------------------

const MOST_SAMPLES = 200;
const samplesTable = byId("samples");
const nameFilter = byId("samples-filter");
const clusterFilter = byId("samples-cluster");
const whichSamples = byId("samples-which");

/** Those of lowest confidence first; samples with equal confidence in their order. */
const leastCertain = (samples, most) => {
  const bin = (i) => Math.floor(view.confidence[i] * 4096);
  const counts = new Uint32Array(4097);
  for (const i of samples) counts[bin(i)] += 1;
  let limit = 0;
  for (let sum = counts[0]; sum < most && limit < 4096; sum += counts[limit]) limit += 1;
  const below = samples.filter((i) => bin(i) <= limit);
  return below.sort((a, b) => view.confidence[a] - view.confidence[b]).slice(0, most);
};
const sampleButton = (sample) => element("button", { type: "button", class: "why", "data-sample": sample },
  element("bdi", {}, packed.names[sample]));
const sampleRow = (sample) => {
  const name = packed.names[sample];
  const value = view.confidence[sample];
  const box = element("input", { type: "checkbox", "data-sample": sample, "aria-label": `Select ${name}` });
  box.checked = selected[sample] === 1;
  const row = element("tr", { class: box.checked ? "chosen" : null },
    element("th", { scope: "row", "data-v": name }, box, sampleButton(sample)),
    cell(value, meter(value, value.toFixed(2), value < LOW ? "weak" : "")),
    cell(view.labels[sample], clusterMark(view.labels[sample])),
    rivalCell(rivalOf(view, sample)));
  if (byId("samples").tHead.rows[0].cells.length > 4) {
    const labeled = partitions.reduce((sum, codes) => sum + (codes[sample] !== MISSING), 0);
    row.append(cell(labeled, labeled));
  }
  return row;
};
let lowerNames = null;
const fittingSamples = () => {
  const wanted = nameFilter.value.trim().toLowerCase();
  const cluster = clusterFilter.value === "" ? null : Number(clusterFilter.value);
  const onlySelected = whichSamples.value === "selected";
  if (wanted) lowerNames ||= packed.names.map((name) => name.toLowerCase());
  return samplesWhere((i) => (!onlySelected || selected[i])
    && (cluster === null || view.labels[i] === cluster)
    && (!wanted || lowerNames[i].includes(wanted)));
};
const showSamples = () => {
  const fitting = fittingSamples();
  const shown = leastCertain(fitting, MOST_SAMPLES);
  fillTable(samplesTable, shown.map(sampleRow));
  const more = fitting.length > shown.length ? ` of ${fitting.length.toLocaleString("en")}` : "";
  say(byId("samples-count"), `${shown.length}${more} shown`);
};
const markSamples = () => {
  for (const box of samplesTable.querySelectorAll("input[type=checkbox]")) {
    box.checked = selected[box.dataset.sample] === 1;
    box.closest("tr").classList.toggle("chosen", box.checked);
  }
};

if (explorer) {
  nameFilter.addEventListener("input", showSamples);
  clusterFilter.addEventListener("change", showSamples);
  whichSamples.addEventListener("change", showSamples);
  on("tables", () => {
    fillOptions(clusterFilter, [...view.sizes.keys()].map(String));
    showSamples();
  });
  on("selection", () => {
    if (samplesTable.contains(document.activeElement)) { markSamples(); return; }
    whichSamples.value = nSelected ? "selected" : "least";
    showSamples();
  });
  samplesTable.addEventListener("change", (event) => {
    if (event.target.dataset.sample) toggleSample(Number(event.target.dataset.sample));
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".why");
    if (!button) return;
    explain(Number(button.dataset.sample));
    byId("why").scrollIntoView({ block: "nearest" });
  });
  showSamples();
} else {
  const filterRows = () => {
    const wanted = nameFilter.value.trim().toLowerCase();
    let shown = 0;
    for (const row of samplesTable.tBodies[0].rows) {
      const fits = row.cells[0].dataset.v.toLowerCase().includes(wanted)
        && (clusterFilter.value === "" || row.cells[2].dataset.v === clusterFilter.value);
      row.hidden = !fits;
      shown += fits;
    }
    say(byId("samples-count"), `${shown} shown`);
  };
  nameFilter.addEventListener("input", filterRows);
  clusterFilter.addEventListener("change", filterRows);
}
