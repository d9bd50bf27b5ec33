// ---- the clusters on screen: counts, bar of sizes, table, profiles -----------------------------------

const LOW = .5;  // confidence below which a sample is doubtful
const twoDigits = (value) => {  // a share that is not the whole is not called one
  if (value < 1 && value >= .995) return "> 0.99";
  return value > 0 && value < .005 ? "< 0.01" : value.toFixed(2);
};
const showCounts = () => {
  const { confidence, k } = view;
  say(byId("n-clusters"), k.toLocaleString("en"));
  say(byId("mean-confidence"), twoDigits(confidence.reduce((sum, c) => sum + c, 0) / n));
  say(byId("n-doubtful"), confidence.reduce((sum, c) => sum + (c < LOW), 0).toLocaleString("en"));
};
const showParts = () => {
  byId("parts").replaceChildren(...Array.from(view.sizes, (size, cluster) => {
    const part = element("span", { class: `k${colorOf(cluster)}`, title: `cluster ${cluster}: ${count(size, "sample")}` },
      size / n > .03 ? String(cluster) : "");
    part.style.setProperty("--v", size);
    return part;
  }));
};
const clusterRow = (cluster, affinity) => {
  const { k, sizes, stability } = view;
  const largest = Math.max(...sizes);
  let rival = null;
  for (let d = 0; d < k; d += 1) {
    const share = affinity[cluster * k + d];
    if (d !== cluster && share > (rival ? rival.share : 0)) rival = { cluster: d, share };
  }
  const stable = stability[cluster];
  const cohesion = affinity[cluster * (k + 1)];
  const button = element("button", { type: "button", class: "goto", "data-cluster": cluster,
    "aria-label": `Select cluster ${cluster}` }, clusterMark(cluster));
  return element("tr", {}, element("th", { scope: "row", "data-v": cluster }, button),
    cell(sizes[cluster], meter(sizes[cluster] / largest, sizes[cluster].toLocaleString("en"), `k${colorOf(cluster)}`)),
    cell(stable, meter(stable, stable.toFixed(2), stable < LOW ? "weak" : "")),
    cell(cohesion, meter(cohesion, cohesion.toFixed(2))),
    rivalCell(rival));
};
const showClusterTable = () => {
  const affinity = affinityOf(view);
  fillTable(byId("clusters"), Array.from(view.sizes, (_, cluster) => clusterRow(cluster, affinity)));
};

// ---- profiles of the clusters on screen -----------------------------------------------------------

const measured = (value, isShare) => {
  if (isShare) return `${Math.round(100 * value)}%`;
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
};
const testText = (p) => {
  if (p === null) return element("small", {}, "not tested");
  return p < .001 ? "< 0.001" : p.toFixed(3);
};
const profileRow = ([cluster, name, inside, outside, isShare, effect, low, high, p], largest) => {
  const signed = `${effect < 0 ? "" : "+"}${effect.toFixed(2)}`;
  return element("tr", {}, cell(cluster, clusterMark(cluster)),
    element("th", { scope: "row", class: "text", "data-v": name }, element("bdi", {}, name)),
    cell(inside, measured(inside, isShare)), cell(outside, measured(outside, isShare)),
    cell(effect, meter(Math.abs(effect) / largest, signed), " ",
      element("small", {}, `${low.toFixed(1)} to ${high.toFixed(1)}`)),
    cell(p === null ? 2 : p, testText(p)));
};
const showProfiles = () => {
  const rows = packed.profiles[view.k] || [];
  byId("no-profiles").hidden = view.k in packed.profiles;
  const largest = Math.max(1e-9, ...rows.map((row) => Math.abs(row[5])));
  fillTable(byId("profile-rows"), rows.map((row) => profileRow(row, largest)));
};

if (explorer) {
  on("view", () => {
    showCounts();
    showParts();
  });
  on("tables", () => {
    showClusterTable();
    if (packed.profiles) showProfiles();
  });
  byId("clusters").addEventListener("click", (event) => {
    const button = event.target.closest(".goto");
    if (button) selectCluster(Number(button.dataset.cluster));
  });
}
