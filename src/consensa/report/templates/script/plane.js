// ---- the map of the samples: drawn dot by dot ------------------------------------------------------

const GRID = 65535;
const MARGIN = 14;

/** Places of the samples on a canvas; both axes have the same scale. */
const placesOnPlane = () => {
  const { points } = packed;
  let [right, top] = [1, 1];
  for (let i = 0; i < n; i += 1) {
    right = Math.max(right, points[2 * i]);
    top = Math.max(top, points[2 * i + 1]);
  }
  return { points, right, top };
};
const plane = explorer && packed.points ? placesOnPlane() : null;

/** Size of the canvas for its width, with the dots that a screen has. */
const sizePlane = (onto, most) => {
  const width = onto.clientWidth;
  const wanted = 2 * MARGIN + (width - 2 * MARGIN) * plane.top / plane.right;
  const height = Math.round(clip(wanted, Math.min(300, .6 * width), most));
  onto.style.height = `${height}px`;
  const ratio = window.devicePixelRatio || 1;
  onto.width = Math.round(width * ratio);
  onto.height = Math.round(height * ratio);
  const scale = Math.min((width - 2 * MARGIN) / plane.right, (height - 2 * MARGIN) / plane.top);
  const left = (width - scale * plane.right) / 2;
  const base = (height + scale * plane.top) / 2;
  const xs = new Float32Array(n);
  const ys = new Float32Array(n);
  for (let i = 0; i < n; i += 1) {
    xs[i] = left + scale * plane.points[2 * i];
    ys[i] = base - scale * plane.points[2 * i + 1];
  }
  return { ratio, width, height, xs, ys };
};
const dotRadius = (width) => clip(1.3 + 45 / Math.sqrt(n), 1.2, width < 420 ? 3.5 : 4.5);

/** A disc with soft edges: offsets and how much of each dot it covers. */
const disc = (radius) => {
  const reach = Math.ceil(radius);
  const found = [];
  for (let y = -reach; y <= reach; y += 1) {
    for (let x = -reach; x <= reach; x += 1) {
      const covered = clip(radius + .5 - Math.hypot(x, y), 0, 1);
      if (covered > 0) found.push([x, y, covered]);
    }
  }
  return found;
};

/** Draw every sample; `paints` are the colors of `codes`, `opacity` goes from 0 to 255. */
const drawDots = (onto, most, codes, paints, opacity) => {
  const scaled = sizePlane(onto, most);
  const { ratio } = scaled;
  const pen = onto.getContext("2d", { willReadFrequently: true });
  const { width, height } = onto;
  pen.fillStyle = color("--paper");
  pen.fillRect(0, 0, width, height);
  const image = pen.getImageData(0, 0, width, height);
  const dots = disc(dotRadius(scaled.width) * ratio);
  const offsets = Int32Array.from(dots, ([x, y]) => 4 * (y * width + x));
  const covered = Int32Array.from(dots, ([, , share]) => Math.round(256 * share));
  const bytes = new Uint8Array(image.data.buffer);
  const reach = Math.max(...dots.map(([x]) => x));
  for (let turn = 0, i = 0; turn < n; turn += 1, i = (i + STRIDE) % n) {
    const x = Math.round(scaled.xs[i] * ratio);
    const y = Math.round(scaled.ys[i] * ratio);
    if (x < reach || y < reach || x >= width - reach || y >= height - reach) continue;
    blend(bytes, 4 * (y * width + x), offsets, covered, paints[codes[i]], opacity[i]);
  }
  pen.putImageData(image, 0, 0);
  pen.scale(ratio, ratio);
  return { pen, ...scaled };
};
/** Lay a disc of one color over the dots of an image. */
const blend = (bytes, center, offsets, covered, paint, opacity) => {
  const r = paint[0];
  const g = paint[1];
  const b = paint[2];
  for (let d = 0; d < offsets.length; d += 1) {
    const at = center + offsets[d];
    const share = opacity * covered[d];
    bytes[at] += (r - bytes[at]) * share >> 16;
    bytes[at + 1] += (g - bytes[at + 1]) * share >> 16;
    bytes[at + 2] += (b - bytes[at + 2]) * share >> 16;
  }
};
/** A step through all samples that mixes them, so that no cluster always lies on top. */
const coprimeStride = (total) => {
  const divisor = (a, b) => b === 0 ? a : divisor(b, a % b);
  let stride = Math.max(1, Math.floor(total * .618));
  while (divisor(total, stride) !== 1) stride += 1;
  return stride;
};
const STRIDE = coprimeStride(n);
const paintsOf = (colors) => colors.map((number) => channels(`--k${colorPlace(number)}`));

/** Numbers of the clusters, at the middle of their samples. */
const drawNumbers = (pen, scaled, labels, names) => {
  const xs = names.map(() => []);
  const ys = names.map(() => []);
  for (let turn = 0, i = 0; turn < Math.min(n, 6000); turn += 1, i = (i + STRIDE) % n) {
    xs[labels[i]].push(scaled.xs[i]);
    ys[labels[i]].push(scaled.ys[i]);
  }
  const middle = (list) => list.sort((a, b) => a - b)[list.length >> 1];
  pen.font = `600 ${palette.font.replace("11px", "12px")}`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  names.forEach((name, cluster) => {
    if (!xs[cluster].length) return;
    const [x, y] = [middle(xs[cluster]), middle(ys[cluster])];
    const width = pen.measureText(name).width + 8;
    pen.globalAlpha = .65;
    pen.fillStyle = color("--paper");
    pen.fillRect(x - width / 2, y - 8, width, 16);
    pen.globalAlpha = 1;
    pen.fillStyle = color("--ink");
    pen.fillText(name, x, y);
  });
};
