// ---- why is a sample in its cluster? ------------------------------------------------------------------

const NEAREST = 10;
const whyPlace = byId("why-text");

/** Where each base partition puts a sample: size of its base cluster, and its largest cluster there. */
const companyIn = (sample) => explorer.partitions.map((name, m) => {
  const code = partitions[m][sample];
  const others = baseSizes[m][code] - 1;
  if (code === MISSING) return { name, others: null };
  if (others === 0) return { name, others };
  let [cluster, most] = [0, -1];
  for (let c = 0; c < view.k; c += 1) {
    const here = view.met[m][code * view.k + c] - (c === view.labels[sample]);
    if (here > most) [cluster, most] = [c, here];
  }
  return { name, others, cluster, share: most / others };
});
/** Samples that most base partitions put together with it; those nearer in the map first. */
const nearestSamples = (sample) => {
  const together = new Uint16Array(n);
  const known = new Uint16Array(n);
  for (const codes of partitions) {
    const own = codes[sample];
    if (own === MISSING) continue;
    for (let i = 0; i < n; i += 1) {
      if (codes[i] === own) together[i] += 1;
      if (codes[i] !== MISSING) known[i] += 1;
    }
  }
  const share = (i) => together[i] / Math.max(1, known[i]);
  const distance = (i) => plane
    ? Math.hypot(...[0, 1].map((axis) => plane.points[2 * i + axis] - plane.points[2 * sample + axis])) : i;
  const shares = Float64Array.from({ length: n }, (_, i) => i === sample ? -1 : share(i));
  const limit = Float64Array.from(shares).sort()[Math.max(1, n - NEAREST)] ?? 0;
  const best = samplesWhere((i) => i !== sample && shares[i] >= limit);
  best.sort((a, b) => shares[b] - shares[a] || distance(a) - distance(b));
  return best.slice(0, NEAREST).map((i) => ({ sample: i, together: together[i], known: known[i] }));
};

const supportList = (sample) => {
  const support = supportOf(view, sample);
  const clusters = [...support.keys()].sort((a, b) => support[b] - support[a] || a - b);
  const rows = clusters.filter((c) => support[c] >= .005).slice(0, 6);
  return element("ul", { class: "support" }, ...rows.map((c) => element("li", {}, clusterMark(c),
    meter(support[c], `${support[c].toFixed(2)}${c === view.labels[sample] ? ", its cluster" : ""}`, `k${colorOf(c)}`))));
};
const votesText = (company) => {
  const votes = new Map();
  for (const { cluster } of company) if (cluster !== undefined) votes.set(cluster, (votes.get(cluster) || 0) + 1);
  const parts = [...votes].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, 4)
    .map(([cluster, number]) => `${number} mostly with samples of cluster ${cluster}`);
  const alone = company.filter(({ others }) => others === 0).length;
  const missing = company.filter(({ others }) => others === null).length;
  if (alone) parts.push(`${alone} alone`);
  const rest = missing ? ` ${missing} do not label it.` : "";
  return `Of ${count(company.length, "base partition")}, ${parts.join(", ")}.${rest}`;
};
const companyRow = ({ name, others, cluster, share }) => {
  const what = others === null ? "not labeled" : "alone";
  const where = cluster === undefined ? [element("small", {}, what)]
    : [clusterMark(cluster), " ", element("small", {}, percent(share))];
  return element("tr", {}, element("th", { scope: "row" }, element("bdi", {}, name)),
    element("td", {}, ...where), element("td", {}, others === null ? "" : others.toLocaleString("en")));
};
const companyTable = (company) => {
  const heads = ["base partition", "mostly with cluster", "other samples there"];
  const table = element("table", {}, element("caption", {}, "Where each base partition puts the sample"),
    element("thead", {}, element("tr", {}, ...heads.map((head) => element("th", { scope: "col" }, head)))),
    element("tbody", {}, ...company.map(companyRow)));
  return element("details", {}, element("summary", {}, "Each base partition"),
    element("div", { class: "wide tall", tabindex: "0", role: "region", "aria-label": "Where each base partition puts the sample" }, table));
};
const nearestList = (sample) => element("ol", { class: "nearest" }, ...nearestSamples(sample).map((near) =>
  element("li", {}, sampleButton(near.sample), " ", clusterMark(view.labels[near.sample]),
    element("small", {}, `together in ${near.together} of ${near.known}`))));

const showWhy = () => {
  if (focused === null) return;
  const company = companyIn(focused);
  const rival = rivalOf(view, focused);
  const rivals = rival
    ? `Its rival is cluster ${rival.cluster}, with a support of ${rival.share.toFixed(2)}.` : "It has no rival.";
  say(whyPlace,
    element("p", { class: "who" }, strong(packed.names[focused]),
      "Cluster ", clusterMark(view.labels[focused]), `, confidence ${view.confidence[focused].toFixed(2)}. ${rivals}`),
    element("h4", {}, "Support of the base partitions"), supportList(focused),
    element("p", {}, votesText(company)), companyTable(company),
    element("h4", {}, "Nearest samples"), nearestList(focused));
};
const findSample = () => {
  const wanted = byId("why-name").value.trim().toLowerCase();
  if (!wanted) return;
  const names = packed.names.map((name) => name.toLowerCase());
  const exact = names.indexOf(wanted);
  const found = exact >= 0 ? exact : names.findIndex((name) => name.includes(wanted));
  if (found >= 0) explain(found);
  else say(whyPlace, element("p", {}, `No sample has a name with “${byId("why-name").value.trim()}”.`));
};

if (explorer) {
  for (const what of ["tables", "focus"]) on(what, showWhy);
  byId("why-form").addEventListener("submit", (event) => { event.preventDefault(); findSample(); });
}
