// ---- confidence: one bar at a time, of one cluster or of all ---------------------------------------

let histogram = readData("histogram-data");
const bins = [...document.querySelectorAll("#histogram .bin")];
const histogramCluster = byId("histogram-cluster");
const histogramReadout = byId("histogram-readout");
const edges = (place) => `${(place / bins.length).toFixed(2)} to ${((place + 1) / bins.length).toFixed(2)}`;
const sumHistogram = () => {
  const total = histogram[histogramCluster.value].reduce((sum, one) => sum + one, 0);
  const whose = histogramCluster.value === "all" ? "" : ` of cluster ${histogramCluster.value}`;
  say(histogramReadout, `Confidence of ${count(total, "sample")}${whose}.`);
};
const tellBin = (place) => {
  const counts = histogram[histogramCluster.value];
  const total = Math.max(1, counts.reduce((sum, one) => sum + one, 0));
  const share = (100 * counts[place] / total).toFixed(1);
  say(histogramReadout, `Confidence ${edges(place)}: ${count(counts[place], "sample")}, ${share} %.`);
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

const countHistogram = () => {
  const made = Object.fromEntries(["all", ...view.sizes.keys()].map((name) => [name, bins.map(() => 0)]));
  view.confidence.forEach((value, sample) => {
    const place = Math.min(Math.floor(value * bins.length), bins.length - 1);
    made.all[place] += 1;
    made[view.labels[sample]][place] += 1;
  });
  return made;
};
if (explorer) {
  on("tables", () => {
    histogram = countHistogram();
    fillOptions(histogramCluster, [...view.sizes.keys()].map(String));
    drawHistogram();
  });
}
