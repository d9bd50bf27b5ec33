// ---- two labelings side by side ---------------------------------------------------------------------------

const MOST_SHOWN = 40;  // rows and columns

/** Codes and names of a labeling by the value of its option. */
const labeling = (value) => {
  if (value === "screen") return { codes: view.labels, names: [...view.sizes.keys()].map(String), colors: view.colors };
  if (value === "truth") return { codes: packed.truth, names: explorer.classes, colors: null };
  if (value === "result") {
    const clusters = explorer.clusters[answerPlace];
    const codes = Uint32Array.from(packed.part_of_sample, (part) => clusters[part]);
    return { codes, names: [...Array(explorer.n_clusters).keys()].map(String), colors: null };
  }
  const m = Number(value);
  const names = Array.from({ length: baseSizes[m].length }, (_, code) => code === MISSING ? "missing" : String(code - 1));
  return { codes: members[m], names, colors: names.map((_, code) => Math.max(0, code - 1)) };
};
const colorsOf = ({ names, colors }) => colors || names.map((_, place) => place);

const crossTable = (left, right) => {
  const counts = Array.from(left.names, () => new Uint32Array(right.names.length));
  for (let i = 0; i < n; i += 1) counts[left.codes[i]][right.codes[i]] += 1;
  return counts;
};
const sum = (list) => list.reduce((total, one) => total + one, 0);
const pairs = (size) => size * (size - 1) / 2;
/** Adjusted Rand index of a table of counts. */
const agreementOf = (counts) => {
  const rows = counts.map(sum);
  const columns = counts[0].length ? Array.from(counts[0], (_, c) => sum(counts.map((row) => row[c]))) : [];
  const together = sum(counts.map((row) => sum(Array.from(row, pairs))));
  const [ofRows, ofColumns] = [sum(rows.map(pairs)), sum(columns.map(pairs))];
  const chance = ofRows * ofColumns / Math.max(1, pairs(n));
  const most = (ofRows + ofColumns) / 2;
  return most === chance ? 1 : (together - chance) / (most - chance);
};
const largest = (sizes) => [...sizes.keys()].filter((place) => sizes[place] > 0)
  .sort((a, b) => sizes[b] - sizes[a] || a - b).slice(0, MOST_SHOWN).sort((a, b) => a - b);

const nameMark = (side, place) => element("span", { class: "cluster" },
  element("i", { class: `dot k${colorPlace(colorsOf(side)[place])}`, "aria-hidden": "true" }), element("bdi", {}, side.names[place]));
const countCell = (left, right, row, column, number, share) => {
  if (!number) return element("td", {}, element("small", {}, "0"));
  const button = element("button", { type: "button", class: "count-cell", "data-row": row, "data-column": column,
    "aria-label": `Select ${count(number, "sample")}: ${left.names[row]} and ${right.names[column]}` }, number.toLocaleString("en"));
  button.style.setProperty("--v", share.toFixed(3));
  return element("td", {}, button);
};
const titleOf = (box) => box.options[box.selectedIndex].textContent;

if (explorer) {
  const [leftBox, rightBox] = [byId("compare-left"), byId("compare-right")];
  const readSides = () => [leftBox, rightBox].map((one) => labeling(one.value));
  let sides = readSides();
  const showComparison = () => {
    sides = readSides();
    const [left, right] = sides;
    const counts = crossTable(left, right);
    const rows = largest(counts.map(sum));
    const columns = largest(right.names.map((_, c) => sum(counts.map((row) => row[c]))));
    const head = element("tr", {}, element("td", {}), ...columns.map((c) => element("th", { scope: "col" }, nameMark(right, c))));
    const body = rows.map((r) => {
      const total = sum(counts[r]);
      return element("tr", {}, element("th", { scope: "row" }, nameMark(left, r)),
        ...columns.map((c) => countCell(left, right, r, c, counts[r][c], counts[r][c] / total)));
    });
    byId("compare-table").tHead.replaceChildren(head);
    byId("compare-table").tBodies[0].replaceChildren(...body);
    say(byId("compare-readout"), `Adjusted Rand index ${agreementOf(counts).toFixed(3)}. Rows: ${titleOf(leftBox)}. Columns: ${titleOf(rightBox)}.`);
    drawPlanes.forEach((ask) => ask());
  };
  const drawPlanes = plane ? [["compare-plane-left", 0], ["compare-plane-right", 1]].map(([id, side]) => whenVisible(byId(id), () => {
    const { codes, ...rest } = sides[side];
    const drawn = drawDots(byId(id), 360, codes, paintsOf(colorsOf(rest)),
      selected.map((one) => nSelected && !one ? 25 : 215));
    drawNumbers(drawn.pen, drawn, codes, rest.names);
  })) : [];
  for (const one of [leftBox, rightBox]) one.addEventListener("change", showComparison);
  byId("compare-table").addEventListener("click", (event) => {
    const button = event.target.closest(".count-cell");
    if (!button) return;
    const [row, column] = [Number(button.dataset.row), Number(button.dataset.column)];
    const [left, right] = sides;
    selectSamples(samplesWhere((i) => left.codes[i] === row && right.codes[i] === column));
  });
  on("tables", showComparison);
  on("selection", () => drawPlanes.forEach((ask) => ask()));
  showComparison();
}
