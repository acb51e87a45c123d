// A bracket as a tree: a column for each level, the lower bracket below the upper one.

import { el } from "./dom.js";

/** Lines of a match: both sides and the gap below. */
const PITCH = 3;

/**
 * The places of the matches from a level on: their column, and the line of their first side. Each stands in
 * the middle of those that its sides come from.
 * @param {any[]} matches @param {number} [from] the first level that is drawn
 * @returns {{places: Map<number, {level: number, line: number}>, height: number, levels: number}}
 */
export function layOut(matches, from = 1) {
  const lower = lowerMatches(matches);
  /** @type {Map<number, {level: number, line: number}>} */
  const places = new Map();
  const first = matches.filter((match, index) => match.level === from && !lower[index]).length;
  const ends = [0, Math.max(1, first) * PITCH + 1];
  matches.forEach((match, index) => {
    if (match.level < from) return;
    const lane = lower[index] ? 1 : 0;
    const above = match.sources.flatMap((/** @type {any} */ source) => {
      const before = "winner" in source && lower[source.winner] === lower[index] ? source.winner : "reset" in source ? index - 1 : -1;
      return places.get(before) ?? [];
    });
    let line = ends[lane];
    if (above.length) line = above.reduce((/** @type {number} */ sum, /** @type {any} */ place) => sum + place.line, 0) / above.length;
    ends[lane] = Math.max(ends[lane], line + PITCH);
    places.set(index, { level: match.level - from, line });
  });
  const all = [...places.values()];
  return { places, height: Math.max(0, ...all.map((place) => place.line + PITCH)), levels: Math.max(0, ...all.map((place) => place.level + 1)) };
}

/**
 * Which matches are of the lower bracket: those into which a loser falls, and what follows from them alone.
 * @param {any[]} matches @returns {boolean[]}
 */
function lowerMatches(matches) {
  /** @type {boolean[]} */
  const lower = [];
  for (const { sources } of matches) {
    const winners = sources.filter((/** @type {any} */ source) => "winner" in source).map((/** @type {any} */ source) => lower[source.winner]);
    lower.push(sources.some((/** @type {any} */ source) => "loser" in source) || (winners.length === 2 && winners.every(Boolean)));
  }
  return lower;
}

/** The least width of a match, the width of the gap behind it, and the height of a line, in em. */
const BOX = 11.6;
const GAP = 2.4;
const LINE = 1.55;
/** The width of a match that shows the longest name, and what of it stands beside the name, in em. */
const WIDEST_BOX = 23;
const BESIDE_NAME = 2.6;

/** The width and height of a bracket in em; behind the last match there is no gap. @param {{height: number, levels: number}} layout */
export const extent = ({ height, levels }) => [levels * (BOX + GAP) - GAP, (height - 0.4) * LINE];

/** The width of a match in a bracket of this width, in em. @param {number} width @param {number} levels */
export const boxIn = (width, levels) => Math.min(WIDEST_BOX, (width + GAP) / levels - GAP);

/** The width of a match that shows each of some names whole, in em. @param {string[]} names */
function boxOf(names) {
  const text = /** @type {CanvasRenderingContext2D} */ (document.createElement("canvas").getContext("2d"));
  // As a winner's name.
  text.font = `700 100px ${getComputedStyle(document.body).fontFamily}`;
  const widest = Math.max(0, ...names.map((name) => text.measureText(name).width / 100));
  return Math.min(WIDEST_BOX, Math.max(BOX, widest + BESIDE_NAME));
}

/**
 * Draws the bracket; its lengths are in em.
 * @param {import("./tournament.js").Tournament} tournament
 * @param {number} [first] the first level that is drawn
 * @param {number} [box] the width of a match; the names decide where none is given
 * @returns {Element}
 */
export function bracket(tournament, first = 1, box) {
  const matches = tournament.rows("bracket");
  if (!matches.length) return el("p", { class: "faint" }, "The bracket follows its draw.");
  const entrants = matches.flatMap((match) => match.sides).filter((entrant) => entrant !== null);
  box ??= boxOf(entrants.map((entrant) => tournament.nameOf(entrant)));
  const layout = layOut(matches, first);
  const { places } = layout;
  const level = box + GAP;
  const width = layout.levels * level - GAP;
  const [, height] = extent(layout);
  const middle = (/** @type {{line: number}} */ place) => (place.line + 1) * LINE;
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("aria-hidden", "true");
  const list = el("ol", { class: "matches" });
  matches.forEach((match, index) => {
    const place = places.get(index);
    if (!place) return;
    for (const source of match.sources) {
      const from = places.get(source.winner ?? -1);
      if (!from || place.level <= from.level) continue;
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      const end = place.level * level;
      path.setAttribute("d", `M${from.level * level + box} ${middle(from)}H${end - GAP / 2}V${middle(place)}H${end}`);
      svg.append(path);
    }
    if (!match.decided) svg.append(tableLabel(match.number, place.level * level + 0.6, (place.line + 2) * LINE + 0.8));
    const boards = boardsWon(tournament, match.number);
    list.append(el("li", { class: match.decided ? "match decided" : "match", vars: { "--x": `${place.level * level}em`, "--y": `${place.line * LINE}em`, "--w": `${box}em` } },
      [0, 1].map((side) => {
        const entrant = match.sides[side];
        const isWinner = match.decided && entrant !== null && match.winner === entrant;
        const isOwn = entrant !== null && entrant === tournament.you.entrant;
        return el("span", { class: ["side", isWinner ? "winner" : "", isOwn ? "own" : "", entrant === null ? "faint" : ""].join(" ") },
          el("span", { class: "name", dir: "auto" }, entrant === null ? origin(match, match.sources[side]) : tournament.nameOf(entrant)),
          boards.has(entrant) ? el("span", { class: "won" }, boards.get(entrant)) : null,
          isWinner ? el("span", { class: "spoken" }, " goes on") : null);
      })));
  });
  return el("div", { class: "bracket-box", tabIndex: 0, role: "region", "aria-label": "Bracket" },
    el("div", { class: "bracket", vars: { "--width": `${width}em`, "--height": `${height}em` } }, svg, list));
}

/** The number by which other matches name the one above it. @param {number} number @param {number} x @param {number} y */
function tableLabel(number, x, y) {
  const label = document.createElementNS("http://www.w3.org/2000/svg", "text");
  label.setAttribute("x", String(x));
  label.setAttribute("y", String(y));
  label.textContent = `table ${number + 1}`;
  return label;
}

/** @param {any} match @param {any} source */
function origin(match, source) {
  if (match.decided) return "–";
  if ("winner" in source) return `winner of ${source.winner + 1}`;
  if ("loser" in source) return `loser of ${source.loser + 1}`;
  return "seed" in source ? "bye" : "if needed";
}

/**
 * The boards that each side has won of a match of the round whose tables are known.
 * @param {import("./tournament.js").Tournament} tournament @param {number} number
 * @returns {Map<number | null, number>}
 */
function boardsWon(tournament, number) {
  const table = tournament.rows("tables").find((row) => row.number === number && !row.walkover);
  const counts = new Map();
  if (!table) return counts;
  for (const seat of table.seats) counts.set(seat.entrant, 0);
  for (let board = 0; board < table.attempts.length; board++) {
    const finishers = table.seats.filter((/** @type {any} */ seat) => seat.outcomes[board]?.finished);
    finishers.sort((/** @type {any} */ a, /** @type {any} */ b) => a.outcomes[board].finished.time - b.outcomes[board].finished.time);
    if (finishers.length) counts.set(finishers[0].entrant, counts.get(finishers[0].entrant) + 1);
  }
  return [...counts.values()].some(Boolean) ? counts : new Map();
}
