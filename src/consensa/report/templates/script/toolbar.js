// ---- the bar on top: number of clusters, selection, export ------------------------------------------------

const slider = byId("k");
const answer = explorer ? explorer.n_clusters : 0;
const tellNumber = () => {
  const { k } = view;
  const clusters = count(k, "cluster");
  if (slider) {
    slider.value = k;
    slider.setAttribute("aria-valuetext", clusters);
    say(byId("k-value"), String(k));
    byId("k-back").hidden = k === answer;
  }
  const note = k === answer
    ? `${clusters}: the result.`
    : `${clusters}: a cut of the tree of the result. -k ${k} fits anew and may differ.`;
  say(byId("k-note"), note);
  say(byId("k-paper"), k === answer ? "" : note);
  byId("export").setAttribute("aria-label", `Save labels of ${clusters} as CSV`);
  document.body.classList.toggle("other-k", k !== answer);
};
const tellSelection = () => {
  byId("selection").hidden = nSelected === 0;
  say(byId("selection-note"), nSelected ? `${count(nSelected, "sample")} selected` : "");
};

// ---- export: the columns of `consensa cluster -o` -----------------------------------------------------------

const DIGITS = 1e6;
/** Six digits, ties to even, and always a point, as in the file of labels. */
const rounded = (value) => {
  const scaled = value * DIGITS;
  const low = Math.floor(scaled);
  const up = scaled - low > .5 || (scaled - low === .5 && low % 2 === 1);
  const text = String((low + up) / DIGITS);
  return text.includes(".") || text.includes("e") ? text : `${text}.0`;
};
const quoted = (text) => /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const RESULTS = ["cluster", "confidence", "rival", "rival_share", "outlier"];
const labelsAsCsv = () => {
  const title = RESULTS.includes(explorer.names_title) ? "sample" : explorer.names_title;
  const isOutlier = outlierRule(view);
  const lines = [[quoted(title), ...RESULTS].join(",")];
  for (let i = 0; i < n; i += 1) {
    const rival = rivalOf(view, i);
    lines.push([quoted(packed.names[i]), view.labels[i], rounded(view.confidence[i]), rival ? rival.cluster : "",
      rounded(rival ? rival.share : 0), isOutlier(i) ? "True" : "False"].join(","));
  }
  return `${lines.join("\n")}\n`;
};
const saveLabels = () => {
  const address = URL.createObjectURL(new Blob([labelsAsCsv()], { type: "text/csv" }));
  const link = element("a", { href: address, download: `labels-k${view.k}.csv` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
};

if (explorer) {
  if (slider) {
    let asked = null;
    slider.addEventListener("input", () => {
      if (asked === null) requestAnimationFrame(() => { showNumber(asked); asked = null; });
      asked = Number(slider.value);
    });
    byId("k-back").addEventListener("click", () => { showNumber(answer); slider.focus(); });
  }
  byId("export").addEventListener("click", saveLabels);
  byId("selection-clear").addEventListener("click", () => selectSamples([]));
  on("view", tellNumber);
  on("selection", tellSelection);
  tellNumber();
}
