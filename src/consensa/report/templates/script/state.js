// ---- what is on screen: a number of clusters, selected samples, one sample to explain ---------------

const listeners = { view: [], tables: [], selection: [], focus: [] };
const on = (what, act) => listeners[what].push(act);
const announce = (what) => listeners[what].forEach((act) => act());

const answerPlace = explorer ? explorer.numbers.indexOf(explorer.n_clusters) : 0;
let view = explorer ? makeView(answerPlace) : null;
const selected = new Uint8Array(n);
let nSelected = 0;
let focused = null;

const showNumber = (k) => {
  const place = explorer.numbers.indexOf(k);
  if (place < 0 || place === view.place) return;
  view = makeView(place);
  announce("view");
  tablesLater();
};
/** Tables follow when what is drawn is on screen; the body says that they are waited for. */
let tablesWait = false;
const tablesLater = () => {
  if (tablesWait) return;
  tablesWait = true;
  document.body.dataset.state = "busy";
  requestAnimationFrame(() => setTimeout(() => {
    tablesWait = false;
    announce("tables");
    document.body.dataset.state = "ready";
  }));
};
const selectSamples = (samples) => {
  selected.fill(0);
  for (const sample of samples) selected[sample] = 1;
  nSelected = selected.reduce((sum, one) => sum + one, 0);
  announce("selection");
};
const toggleSample = (sample) => {
  selected[sample] ^= 1;
  nSelected += selected[sample] ? 1 : -1;
  announce("selection");
};
const samplesWhere = (test) => {
  const found = [];
  for (let i = 0; i < n; i += 1) if (test(i)) found.push(i);
  return found;
};
const selectCluster = (cluster) => selectSamples(samplesWhere((i) => view.labels[i] === cluster));
const explain = (sample) => { focused = sample; announce("focus"); };

/** Color of a cluster of the view, as the number of a color of the style sheet. */
const colorOf = (cluster) => colorPlace(view ? view.colors[cluster] : cluster);
const clusterMark = (cluster) => element("span", { class: "cluster" },
  element("i", { class: `dot k${colorOf(cluster)}`, "aria-hidden": "true" }), String(cluster));
const meter = (share, text, tone = "") => {
  const bar = element("span", { class: `meter ${tone}`.trim() }, element("span", {}, text));
  bar.style.setProperty("--v", clip(share, 0, 1).toFixed(4));
  return bar;
};
