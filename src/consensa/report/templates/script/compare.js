// ---- two partitions side by side ---------------------------------------------------------------------------

const MOST_SHOWN = 40;  // rows and columns

/** Codes and names of a partition by the value of its option. */
const partitionOf = (value) => {
  if (value === "screen") return { codes: view.labels, names: [...view.sizes.keys()].map(String), colors: view.colors };
  if (value === "truth") return { codes: packed.truth, names: explorer.classes, colors: null };
  if (value === "result") {
    const clusters = explorer.clusters[answerPlace];
    const codes = Uint32Array.from(packed.part_of_sample, (part) => clusters[part]);
    return { codes, names: [...Array(explorer.n_clusters).keys()].map(String), colors: null };
  }
  const m = Number(value);
  const names = Array.from({ length: baseSizes[m].length }, (_, code) => code === MISSING ? "missing" : String(code - 1));
  return { codes: partitions[m], names, colors: names.map((_, code) => Math.max(0, code - 1)) };
};
const colorsOf = ({ names, colors }) => colors || names.map((_, place) => place);

/** Number of samples of each pair of labels that occurs, of each row and of each column. */
const crossTable = (left, right) => {
  const width = right.names.length;
  const counts = new Map();
  const rows = new Uint32Array(left.names.length);
  const columns = new Uint32Array(width);
  for (let i = 0; i < n; i += 1) {
    const pair = left.codes[i] * width + right.codes[i];
    counts.set(pair, (counts.get(pair) || 0) + 1);
    rows[left.codes[i]] += 1;
    columns[right.codes[i]] += 1;
  }
  return { counts, rows, columns, at: (row, column) => counts.get(row * width + column) || 0 };
};
const pairsIn = (sizes) => {
  let total = 0;
  for (const size of sizes) total += size * (size - 1) / 2;
  return total;
};
/** Adjusted Rand index of a table of counts. */
const agreementOf = ({ counts, rows, columns }) => {
  const chance = pairsIn(rows) * pairsIn(columns) / Math.max(1, pairsIn([n]));
  const most = (pairsIn(rows) + pairsIn(columns)) / 2;
  return most === chance ? 1 : (pairsIn(counts.values()) - chance) / (most - chance);
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
  const readSides = () => [leftBox, rightBox].map((one) => partitionOf(one.value));
  let sides = readSides();
  const showComparison = () => {
    sides = readSides();
    const [left, right] = sides;
    const table = crossTable(left, right);
    const columns = largest(table.columns);
    const head = element("tr", {}, element("td", {}), ...columns.map((c) => element("th", { scope: "col" }, nameMark(right, c))));
    const body = largest(table.rows).map((r) => element("tr", {}, element("th", { scope: "row" }, nameMark(left, r)),
      ...columns.map((c) => countCell(left, right, r, c, table.at(r, c), table.at(r, c) / table.rows[r]))));
    byId("compare-table").tHead.replaceChildren(head);
    byId("compare-table").tBodies[0].replaceChildren(...body);
    say(byId("compare-readout"), `Adjusted Rand index ${agreementOf(table).toFixed(3)}. Rows: ${titleOf(leftBox)}. Columns: ${titleOf(rightBox)}.`);
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
