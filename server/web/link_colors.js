// What tells links apart, their letters and colours: as in client/src/families/numberlink, which a golden
// file compares.

/** @param {number} number of a link, from 1 @returns {string} `A` to `Z`, then `AA`, `AB` and so on */
export function letters(number) {
  let text = "";
  for (let left = number; left > 0; left = Math.floor((left - 1) / 26)) text = String.fromCharCode(65 + ((left - 1) % 26)) + text;
  return text;
}

/** The fills of links. */
export const LINKS = ["#0072b2", "#e69f00", "#009e73", "#f0e442", "#cc79a7", "#56b4e9", "#d55e00", "#cccccc"];

/** @param {string} hex @returns {string} the same darker by half: an outline that is seen on white */
export const outlineOf = (hex) => `#${[1, 3, 5].map((at) => (parseInt(hex.slice(at, at + 2), 16) >> 1).toString(16).padStart(2, "0")).join("")}`;

/** @typedef {{cells: number[], size: string}} Puzzle */

/** The puzzle that was coloured last: all boards of a heat have the same. @type {{cells: number[], colors: number[]} | undefined} */
let latest;

/**
 * The colour of each link of a puzzle, by its place in LINKS: links whose terminals are near have different ones.
 * @param {Puzzle} puzzle @returns {number[]}
 */
export function linkColors({ cells, size }) {
  if (!latest || latest.cells.length !== cells.length || latest.cells.some((cell, index) => cell !== cells[index])) {
    latest = { cells, colors: assign(neighbors(cells, Number(size.split("x")[1]))) };
  }
  return latest.colors;
}

/** Brélaz's DSATUR; where colours are too few, as few neighbours as possible share one. @param {Set<number>[]} around */
function assign(around) {
  /** @type {number[]} */
  const colors = [];
  const uses = LINKS.map(() => 0);
  const taken = (/** @type {number} */ pair) => [...around[pair]].flatMap((other) => colors[other] ?? []);
  for (let count = 0; count < around.length; count++) {
    let [next, most] = [-1, -1];
    around.forEach((others, pair) => {
      const rank = new Set(taken(pair)).size * around.length + others.size;
      if (colors[pair] === undefined && rank > most) [next, most] = [pair, rank];
    });
    const used = taken(next);
    const cost = (/** @type {number} */ color) => used.filter((other) => other === color).length * around.length + uses[color];
    const color = LINKS.reduce((best, _, index) => (cost(index) < cost(best) ? index : best), 0);
    uses[color]++;
    colors[next] = color;
  }
  return colors;
}

/** Which pairs' regions touch: each cell is of the pair whose terminal is nearest. @param {number[]} cells @param {number} columns */
function neighbors(cells, columns) {
  const beside = (/** @type {number} */ at) => [
    ...(at % columns ? [at - 1] : []), ...(at >= columns ? [at - columns] : []),
    ...((at + 1) % columns ? [at + 1] : []), ...(at + columns < cells.length ? [at + columns] : []),
  ];
  const terminals = cells.flatMap((value, cell) => (value > 0 ? [[cell, value - 1]] : []));
  const frontier = [...terminals].sort(([, one], [, other]) => one - other);
  /** @type {number[]} */
  const regions = [];
  for (const [cell, pair] of frontier) {
    if (regions[cell] !== undefined) continue;
    regions[cell] = pair;
    for (const next of beside(cell)) if (cells[next] === 0) frontier.push([next, pair]);
  }
  /** @type {Set<number>[]} */
  const around = Array.from({ length: terminals.length / 2 }, () => new Set());
  regions.forEach((pair, cell) => {
    for (const next of beside(cell)) if (regions[next] !== undefined && regions[next] !== pair) around[pair].add(regions[next]);
  });
  return around;
}
