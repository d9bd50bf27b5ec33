// ---- views: the clusters for one number of clusters, and what follows from them --------------------

/** For each partition, the number of samples that each base cluster shares with each cluster. */
const countMeetings = (clusters, k) => baseSizes.map((base, m) => {
  const met = new Uint32Array(base.length * k);
  for (let code = 0, pair = 0; code < base.length; code += 1) {
    for (let part = 0; part < nParts; part += 1, pair += 1) met[code * k + clusters[part]] += pairSizes[m][pair];
  }
  return met;
});

/** Share of a partition in the confidence of a sample of each pair; -1 if it does not count. */
const sharesOf = ({ clusters, k, sizes, met }, m) => {
  const shares = new Float64Array(pairSizes[m].length);
  baseSizes[m].forEach((size, code) => clusters.forEach((cluster, part) => {
    const counts = code !== MISSING && (size > 1 || sizes[cluster] === 1);
    const share = size === 1 ? 1 : (met[m][code * k + cluster] - 1) / (size - 1);
    shares[code * nParts + part] = counts ? share : -1;
  }));
  return shares;
};
const BLOCK = 4096;  // samples whose sums stay in the cache of the processor
/** Confidence of each sample, as `sample_confidence` computes it. */
const confidenceOf = (view) => {
  const total = new Float64Array(n);
  const counted = new Uint16Array(n);
  const shares = partitions.map((_, m) => sharesOf(view, m));
  for (let from = 0; from < n; from += BLOCK) {
    const to = Math.min(n, from + BLOCK);
    for (let m = 0; m < partitions.length; m += 1) addShares(shares[m], pairOfSample[m], total, counted, from, to);
  }
  for (let i = 0; i < n; i += 1) total[i] /= Math.max(1, counted[i]);
  return total;
};
const addShares = (shares, pairs, total, counted, from, to) => {
  for (let i = from; i < to; i += 1) {
    const share = shares[pairs[i]];
    if (share < 0) continue;
    total[i] += share;
    counted[i] += 1;
  }
};

/** The base cluster as pairs (cluster, samples), without those that it does not meet. */
const metBy = (met, code, k) => {
  const found = [];
  for (let c = 0; c < k; c += 1) if (met[code * k + c]) found.push([c, met[code * k + c]]);
  return found;
};

/** Mean co-association of the samples of two clusters, as `cluster_stability` computes it. */
const affinityOf = ({ k, sizes, met }) => {
  const total = new Float64Array(k * k);
  const counted = new Float64Array(k * k);
  partitions.forEach((_, m) => {
    const together = new Float64Array(k * k);
    const labeled = new Float64Array(k);
    for (let code = 1; code < baseSizes[m].length; code += 1) {
      const entries = metBy(met[m], code, k);
      for (const [c, here] of entries) {
        labeled[c] += here;
        for (const [d, there] of entries) together[c * k + d] += here * there;
      }
    }
    for (let c = 0; c < k; c += 1) {
      for (let d = 0; d < k; d += 1) {
        const itself = c === d ? labeled[c] : 0;
        const pairs = labeled[c] * labeled[d] - itself;
        if (pairs <= 0) continue;
        total[c * k + d] += (together[c * k + d] - itself) / pairs;
        counted[c * k + d] += 1;
      }
    }
  });
  return total.map((sum, at) => {
    const alone = at % (k + 1) === 0 && sizes[at % k] === 1;
    return alone ? 1 : sum / Math.max(1, counted[at]);
  });
};

/** Support of the base partitions for each cluster of a sample: its own is its confidence. */
const supportOf = (view, sample, into = new Float64Array(view.k)) => {
  let counted = 0;
  partitions.forEach((codes, m) => {
    const code = codes[sample];
    const others = baseSizes[m][code] - 1;
    if (code === MISSING || others === 0) return;
    counted += 1;
    for (let c = 0; c < view.k; c += 1) {
      into[c] += (view.met[m][code * view.k + c] - (c === view.labels[sample])) / others;
    }
  });
  return into.map((sum) => sum / Math.max(1, counted));
};

/** The other cluster that the base partitions support most, and how far; null if they support none. */
const rivalOf = (view, sample) => {
  const support = supportOf(view, sample).map((share) => Math.round(share * 1e12) / 1e12);
  support[view.labels[sample]] = 0;
  let rival = 0;
  for (let c = 1; c < view.k; c += 1) if (support[c] > support[rival]) rival = c;
  return support[rival] > 0 ? { cluster: rival, share: support[rival] } : null;
};

const makeView = (place) => {
  const k = explorer.numbers[place];
  const clusters = explorer.clusters[place];
  const labels = new Uint32Array(n);
  const sizes = new Uint32Array(k);
  for (let i = 0; i < n; i += 1) {
    labels[i] = clusters[packed.part_of_sample[i]];
    sizes[labels[i]] += 1;
  }
  const view = { place, k, labels, sizes, clusters, colors: explorer.colors[place] };
  view.met = countMeetings(clusters, k);
  view.confidence = confidenceOf(view);
  view.stability = new Float64Array(k);
  for (let i = 0; i < n; i += 1) view.stability[labels[i]] += view.confidence[i] / sizes[labels[i]];
  return view;
};

// ---- outliers, as in a file of labels ------------------------------------------------------------

const quantile = (sorted, share) => {
  const at = share * (sorted.length - 1);
  const low = Math.floor(at);
  const high = Math.min(low + 1, sorted.length - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - low);
};
const outlierLimit = (distances) => {
  const known = Float64Array.from(distances.filter((d) => d > 0), Math.log).sort();
  if (known.length === 0) return Infinity;
  const [first, median, third] = [.25, .5, .75].map((share) => quantile(known, share));
  return Math.exp(Math.max(third + 3 * (third - first), median + Math.log(2)));
};
const outliersByDistance = ({ labels, k }) => {
  const { distance, point_of_sample: pointOf } = packed;
  const clusterOf = new Int32Array(distance.length);
  for (let i = n - 1; i >= 0; i -= 1) clusterOf[pointOf[i]] = labels[i];
  const parts = Array.from({ length: k }, () => []);
  distance.forEach((d, point) => parts[clusterOf[point]].push(d));
  const overall = outlierLimit([...distance]);
  const limits = parts.map((part) => part.length >= 20 ? outlierLimit(part) : overall);
  return (sample) => distance[pointOf[sample]] > limits[clusterOf[pointOf[sample]]];
};
const aloneInMost = ({ labels, sizes }) => (sample) => {
  let alone = 0;
  let known = 0;
  partitions.forEach((codes, m) => {
    if (codes[sample] === MISSING) return;
    known += 1;
    alone += baseSizes[m][codes[sample]] === 1;
  });
  return sizes[labels[sample]] > 1 && alone / Math.max(1, known) > .5;
};
const outlierRule = (view) => packed.distance ? outliersByDistance(view) : aloneInMost(view);
