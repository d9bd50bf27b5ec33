// ---- clusters over k: a tree to click on ---------------------------------------------------------------

const MOST_LEVELS = 20;
const LEVEL = 34;  // height of a level
const treeLevels = explorer ? explorer.numbers.filter((k) => k <= MOST_LEVELS) : [];

const svg = (tag, attributes, ...contents) => {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...contents);
  return made;
};
/** Nodes of all levels: clusters with their size, place from left to right, and parent. */
const treeNodes = () => {
  const finest = treeLevels.length - 1;
  const partSizes = new Uint32Array(explorer.clusters[0].length);
  packed.part_of_sample.forEach((part) => { partSizes[part] += 1; });
  const parts = [...partSizes.keys()];
  const path = parts.map((part) => treeLevels.map((_, level) => explorer.clusters[level][part]));
  parts.sort((a, b) => path[a].findIndex((c, level) => c !== path[b][level]) < 0 ? a - b
    : path[a].map((c, level) => c - path[b][level]).find((d) => d !== 0));
  const column = new Map();
  for (const part of parts) if (!column.has(path[part][finest])) column.set(path[part][finest], column.size);
  return treeLevels.map((k, level) => {
    const nodes = Array.from({ length: k }, (_, cluster) => ({ k, level, cluster, size: 0, columns: new Set(), parent: null }));
    for (const part of parts) {
      const node = nodes[path[part][level]];
      node.size += partSizes[part];
      node.columns.add(column.get(path[part][finest]));
      if (level > 0) node.parent = path[part][level - 1];
    }
    for (const node of nodes) node.at = [...node.columns].reduce((sum, c) => sum + c, 0) / node.columns.size;
    return nodes;
  });
};
const nodeLabel = (node) => {
  const from = node.parent === null ? "" : `, from cluster ${node.parent} of ${node.k - 1}`;
  return `${count(node.k, "cluster")}: cluster ${node.cluster}, ${count(node.size, "sample")}${from}`;
};

const drawTree = (nodes) => {
  const step = Math.max(26, Math.min(46, 900 / treeLevels.length));
  const toX = (node) => 40 + step * (node.at + .5);
  const toY = (node) => 18 + LEVEL * node.level;
  const width = 50 + step * treeLevels.length;
  const height = 20 + LEVEL * treeLevels.length;
  const picture = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Tree of the clusters" });
  for (const level of nodes) {
    picture.append(svg("text", { x: 4, y: toY(level[0]) + 4, class: "level", "data-k": level[0].k }, `${level[0].k}`));
    for (const node of level) {
      if (node.parent === null) continue;
      const above = nodes[node.level - 1][node.parent];
      picture.append(svg("line", { x1: toX(above), y1: toY(above), x2: toX(node), y2: toY(node), class: "branch",
        "stroke-width": (1 + 7 * Math.sqrt(node.size / n)).toFixed(1) }));
    }
  }
  for (const node of nodes.flat()) {
    const radius = 7 + 6 * Math.sqrt(node.size / n);
    const place = colorPlace(explorer.colors[node.level][node.cluster]);
    node.mark = svg("g", { role: "button", tabindex: -1, "aria-label": nodeLabel(node), class: `node k${place}` },
      svg("circle", { cx: toX(node), cy: toY(node), r: radius.toFixed(1) }),
      svg("text", { x: toX(node), y: toY(node) + 4 }, `${node.cluster}`), svg("title", {}, nodeLabel(node)));
    picture.append(node.mark);
  }
  byId("tree-picture").replaceChildren(picture);
};

/** The node that an arrow leads to. */
const neighborNode = (nodes, node, key) => {
  if (key === "ArrowUp") return node.parent === null ? null : nodes[node.level - 1][node.parent];
  if (key === "ArrowDown") {
    const below = (nodes[node.level + 1] || []).filter(({ parent }) => parent === node.cluster);
    return below.sort((a, b) => b.size - a.size)[0];
  }
  const side = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (!side) return null;
  const level = [...nodes[node.level]].sort((a, b) => a.at - b.at);
  return level[level.indexOf(node) + side];
};
if (explorer && treeLevels.length > 1) {
  const nodes = treeNodes();
  drawTree(nodes);
  const all = nodes.flat();
  const makeStop = (node) => all.forEach((other) => other.mark.setAttribute("tabindex", other === node ? 0 : -1));
  const markLevel = () => {
    for (const node of all) node.mark.classList.toggle("now", node.k === view.k);
    for (const text of byId("tree-picture").querySelectorAll(".level")) text.classList.toggle("now", Number(text.dataset.k) === view.k);
    const level = nodes.find(([node]) => node.k === view.k);
    if (level && !byId("tree-picture").contains(document.activeElement)) makeStop(level[0]);
  };
  const choose = (node) => { showNumber(node.k); selectCluster(node.cluster); };
  for (const node of all) {
    node.mark.addEventListener("click", () => choose(node));
    node.mark.addEventListener("focus", () => makeStop(node));
    node.mark.addEventListener("keydown", (event) => {
      const next = neighborNode(nodes, node, event.key);
      if (next) next.mark.focus();
      else if (event.key === "Enter" || event.key === " ") choose(node);
      else return;
      event.preventDefault();
    });
  }
  makeStop(all[0]);
  on("view", markLevel);
  markLevel();
}
