// Boards on a canvas: those that are watched, and the links under the cells of one's own.

import { LINKS, letters, linkColors, outlineOf } from "./link_colors.js";
import { textOn, tileColor } from "./palette.js";
import { sizeOf } from "./families.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
/** Where a system sets the colours, boards keep theirs on a dark ground. */
const forced = matchMedia("(forced-colors: active)");

/** @returns {boolean} whether the ground is dark */
export const isDark = () => dark.matches || forced.matches;

/** @param {() => void} listener @returns {() => void} ends it */
export function onGround(listener) {
  for (const query of [dark, forced]) query.addEventListener("change", listener);
  return () => {
    for (const query of [dark, forced]) query.removeEventListener("change", listener);
  };
}

/** The least side of a cell in which a link shows its letters on its way, and in which of its cells it does. */
const LETTERED = 26;
const LETTERS_EVERY = 3;
/** That of a cell in which it does so where it isn't joined, and of one with letters in its terminal. */
const LETTERED_END = 15;
const LETTERED_TERMINAL = 10;
/** How much of its colour a drawn cell has, and one of a joined link: little, so that the link stands out. */
export const TINTS = [0.1, 0.2];

/** @param {any} drawing @returns {[number, number][]} the terminals: cell and number */
export function terminals(drawing) {
  return drawing.puzzle.cells.flatMap((/** @type {number} */ value, /** @type {number} */ cell) => (value > 0 ? [[cell, value]] : []));
}

/** @param {any} drawing @returns {Map<number, number>} the link of each drawn cell */
export function owners(drawing) {
  const map = new Map();
  drawing.links.forEach((/** @type {number[]} */ cells, /** @type {number} */ index) => {
    for (const cell of cells) map.set(cell, index + 1);
  });
  return map;
}

/**
 * Whether a link leads from one terminal to the other.
 * @param {any} drawing @param {number} number
 */
export function isLinked(drawing, number) {
  const cells = drawing.links[number - 1];
  const at = (/** @type {number} */ index) => drawing.puzzle.cells[cells[index]] === number;
  return cells.length > 1 && at(0) && at(cells.length - 1);
}

/**
 * Paints a board as large as the canvas allows.
 * @param {HTMLCanvasElement} canvas
 * @param {any} board
 * @param {number} width in CSS pixels @param {number} height
 * @param {{lit?: Set<number>, hint?: number[], wrong?: number, picture?: import("./picture.js").Picture | null}} [marks] cells of the stroke, of a hint; what tiles show
 */
export function paint(canvas, board, width, height, marks = {}) {
  const [rows, columns] = sizeOf(board);
  const cell = Math.max(1, Math.min(width / columns, height / rows));
  const scale = window.devicePixelRatio || 1;
  const [w, h] = [columns * cell, rows * cell];
  if (canvas.width !== Math.round(w * scale) || canvas.height !== Math.round(h * scale)) {
    canvas.width = Math.round(w * scale);
    canvas.height = Math.round(h * scale);
    canvas.style.width = `${w}px`;
    canvas.style.height = `${h}px`;
  }
  const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, w, h);
  context.textAlign = "center";
  context.textBaseline = "middle";
  const [[family, body]] = Object.entries(board);
  PAINTERS[family](context, body, rows, columns, cell, marks);
}

/**
 * @param {CanvasRenderingContext2D} context @param {{tiles: number[]}} board
 * @param {number} _rows @param {number} columns @param {number} cell
 * @param {{picture?: import("./picture.js").Picture | null}} marks
 */
function paintTiles(context, { tiles }, _rows, columns, cell, { picture }) {
  const gap = Math.max(0.5, cell * 0.035);
  context.font = `700 ${Math.round(cell * (tiles.length > 100 ? 0.38 : 0.45))}px system-ui, sans-serif`;
  tiles.forEach((tile, index) => {
    if (tile === 0) return;
    const [x, y] = [(index % columns) * cell, Math.floor(index / columns) * cell];
    if (picture) {
      picture.draw(context, tile, x + gap, y + gap, cell - 2 * gap, cell - 2 * gap);
      return;
    }
    const fill = tileColor(tile, columns);
    context.fillStyle = fill;
    context.beginPath();
    context.roundRect(x + gap, y + gap, cell - 2 * gap, cell - 2 * gap, cell * 0.1);
    context.fill();
    if (cell >= 14) {
      context.fillStyle = textOn(fill);
      context.fillText(String(tile), x + cell / 2, y + cell / 2 + cell * 0.03);
    }
  });
}

/**
 * @param {CanvasRenderingContext2D} context @param {any} drawing
 * @param {number} rows @param {number} columns @param {number} cell
 * @param {{lit?: Set<number>, hint?: number[], wrong?: number}} marks
 */
function paintLinks(context, drawing, rows, columns, cell, marks) {
  const dark = isDark();
  const center = (/** @type {number} */ at) => [((at % columns) + 0.5) * cell, (Math.floor(at / columns) + 0.5) * cell];
  context.strokeStyle = dark ? "#3a3a3a" : "#c8c8c8";
  context.lineWidth = 1;
  context.beginPath();
  for (let row = 0; row <= rows; row++) { context.moveTo(0, row * cell); context.lineTo(columns * cell, row * cell); }
  for (let column = 0; column <= columns; column++) { context.moveTo(column * cell, 0); context.lineTo(column * cell, rows * cell); }
  context.stroke();
  drawing.puzzle.cells.forEach((/** @type {number} */ value, /** @type {number} */ index) => {
    if (value !== -1) return;
    context.fillStyle = dark ? "#585858" : "#b2b2b2";
    context.fillRect((index % columns) * cell, Math.floor(index / columns) * cell, cell, cell);
  });
  context.lineCap = context.lineJoin = "round";
  const colors = linkColors(drawing.puzzle).map((index) => LINKS[index]);
  // On white, yellow and other light colours are told from the ground by an outline.
  const outline = dark ? 0 : Math.max(1, cell * 0.035);
  const write = (/** @type {string} */ text, /** @type {number} */ at, /** @type {string} */ fill, /** @type {number} */ size) => {
    const [x, y] = center(at);
    context.fillStyle = textOn(fill);
    context.font = `700 ${Math.round(cell * (text.length > 1 ? size * 0.8 : size))}px system-ui, sans-serif`;
    context.fillText(text, x, y + cell * 0.03);
  };
  const disc = (/** @type {number} */ at, /** @type {number} */ radius, /** @type {string} */ fill) => {
    const [x, y] = center(at);
    for (const [color, more] of /** @type {[string, number][]} */ ([[outlineOf(fill), outline], [fill, 0]])) {
      context.fillStyle = color;
      context.beginPath();
      context.arc(x, y, cell * radius + more, 0, 2 * Math.PI);
      context.fill();
    }
  };
  const follow = (/** @type {number[]} */ cells) => {
    context.beginPath();
    cells.forEach((at, step) => {
      const [x, y] = center(at);
      if (step === 0) context.moveTo(x, y); else context.lineTo(x, y);
    });
  };
  drawing.links.forEach((/** @type {number[]} */ cells, /** @type {number} */ index) => {
    if (cells.length === 0) return;
    const done = isLinked(drawing, index + 1);
    const [color, name] = [colors[index], letters(index + 1)];
    context.fillStyle = color;
    context.globalAlpha = TINTS[done ? 1 : 0];
    for (const at of cells) context.fillRect((at % columns) * cell + 0.5, Math.floor(at / columns) * cell + 0.5, cell - 1, cell - 1);
    context.globalAlpha = 1;
    follow(cells);
    for (const [style, more] of /** @type {[string, number][]} */ ([[outlineOf(color), 2 * outline], [color, 0]])) {
      context.strokeStyle = style;
      context.lineWidth = cell * 0.34 + more;
      context.stroke();
    }
    // Colours alone say nothing to some, and large boards have more links than colours.
    cells.forEach((at, step) => {
      if (drawing.puzzle.cells[at] === 0 && step % LETTERS_EVERY === 2 && cell >= LETTERED) write(name, at, color, 0.28);
    });
  });
  // A hint is black or white, as no link is, with an edge of the other.
  const marked = (/** @type {() => void} */ draw, /** @type {number} */ width) => {
    for (const [style, more] of /** @type {[string, number][]} */ (dark ? [["#000", 2], ["#fff", 0]] : [["#fff", 2], ["#000", 0]])) {
      context.strokeStyle = style;
      context.lineWidth = Math.max(2, cell * width) + more;
      draw();
    }
  };
  const { hint, wrong } = marks;
  if (hint?.length) {
    follow(hint);
    context.setLineDash([cell * 0.16, cell * 0.26]);
    marked(() => context.stroke(), 0.13);
    context.setLineDash([]);
  }
  drawing.links.forEach((/** @type {number[]} */ cells, /** @type {number} */ index) => {
    const end = cells.at(-1);
    if (end === undefined || drawing.puzzle.cells[end] > 0 || cell < LETTERED_END) return;
    disc(end, 0.29, colors[index]);
    write(letters(index + 1), end, colors[index], 0.4);
  });
  for (const [at, number] of terminals(drawing)) {
    disc(at, 0.4, colors[number - 1]);
    if (cell >= LETTERED_TERMINAL) write(letters(number), at, colors[number - 1], 0.52);
  }
  if (wrong !== undefined) {
    const [x, y] = center(wrong);
    marked(() => context.strokeRect(x - cell * 0.42, y - cell * 0.42, cell * 0.84, cell * 0.84), 0.07);
  }
}

/** @type {Record<string, (context: CanvasRenderingContext2D, board: any, rows: number, columns: number, cell: number, marks: any) => void>} by family */
const PAINTERS = { slide: paintTiles, link: paintLinks };
