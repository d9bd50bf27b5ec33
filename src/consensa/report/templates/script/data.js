// ---- the data of the page: unpacked once ---------------------------------------------------------

const TYPES = { uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array, float64: Float64Array };

const bytesOf = (text) => {
  const raw = atob(text);
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i += 1) bytes[i] = raw.charCodeAt(i);
  return bytes;
};
const unpack = async ({ parts, data }) => {
  const stream = new Blob([bytesOf(data)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const buffer = await new Response(stream).arrayBuffer();
  const found = {};
  let start = 0;
  for (const [name, type, length] of parts) {
    const part = buffer.slice(start, start + length);
    found[name] = type === "json" ? JSON.parse(new TextDecoder().decode(part)) : new TYPES[type](part);
    start += length;
  }
  return found;
};

const explorer = readData("explorer-data");  // null if the page has too many samples
const packed = await unpack(readData("packed-data"));
const n = explorer ? packed.names.length : 0;
const partitions = explorer ? explorer.partitions.map((_, m) => packed.labels.subarray(m * n, (m + 1) * n)) : [];
const MISSING = 0;  // in partitions; clusters count from 1

// ---- counts that all views share -----------------------------------------------------------------

/** Number of samples of each base cluster; the missing are counted at 0, and never used. */
const baseSizes = partitions.map((codes) => {
  let largest = 0;
  for (let i = 0; i < n; i += 1) if (codes[i] > largest) largest = codes[i];
  const sizes = new Uint32Array(largest + 1);
  for (let i = 0; i < n; i += 1) sizes[codes[i]] += 1;
  return sizes;
});

// Samples of one part (a cluster of the finest cut) and one base cluster count alike in every view.
const nParts = explorer ? explorer.clusters[0].length : 0;
const pairOfSample = partitions.map((codes, m) => {
  const pairs = baseSizes[m].length * nParts;
  const made = pairs > 65535 ? new Uint32Array(n) : new Uint16Array(n);
  for (let i = 0; i < n; i += 1) made[i] = codes[i] * nParts + packed.part_of_sample[i];
  return made;
});
const pairSizes = pairOfSample.map((pairs, m) => {
  const sizes = new Uint32Array(baseSizes[m].length * nParts);
  for (let i = 0; i < n; i += 1) sizes[pairs[i]] += 1;
  return sizes;
});
