// Which colour each link has: as in client/src/families/numberlink/link_colors.rs, which a golden file
// compares.

import { LINKS } from "./palette.js";

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
