// ---- tables: sort by a click on a head -----------------------------------------------------------

const valueOf = (row, column, kind) => {
  const text = row.cells[column].dataset.v;
  return kind === "text" ? text : Number(text);
};
const collator = new Intl.Collator("en", { numeric: true });
const compare = (kind) => kind === "text" ? collator.compare : (a, b) => a - b;

const sortBy = (table, head) => {
  const { kind } = head.querySelector(".sort").dataset;
  const sign = head.getAttribute("aria-sort") === "ascending" ? 1 : -1;
  const ordered = [...table.tBodies[0].rows].map((row) => [valueOf(row, head.cellIndex, kind), row]);
  ordered.sort((a, b) => sign * compare(kind)(a[0], b[0]));
  table.tBodies[0].append(...ordered.map((pair) => pair[1]));
};
const LONG = 30;  // rows of a table that is as high as it may be
/** Put new rows into a table, in the order that its head shows. */
const fillTable = (table, rows) => {
  table.parentElement.classList.toggle("long", rows.length > LONG);
  table.tBodies[0].replaceChildren(...rows);
  const head = table.querySelector("[aria-sort]");
  if (head) sortBy(table, head);
};
for (const table of document.querySelectorAll("table.sortable")) {
  for (const button of table.querySelectorAll(".sort")) {
    button.addEventListener("click", () => {
      const head = button.parentElement;
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of head.parentElement.cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      sortBy(table, head);
    });
  }
}
const cell = (value, ...contents) => element("td", { "data-v": value }, ...contents);
const rivalCell = (rival) => rival
  ? cell(rival.share, clusterMark(rival.cluster), " ", element("small", {}, rival.share.toFixed(2)))
  : cell(-1, element("small", {}, "none"));
const fillOptions = (box, values) => {
  const chosen = box.value;
  box.replaceChildren(box.options[0], ...values.map((value) => element("option", {}, value)));
  box.value = values.includes(chosen) ? chosen : box.options[0].value;
};
