// Boards on a canvas: those that are watched, and the links under the cells of one's own.

import { isDark, linkColor, textOn, tileColor } from "./palette.js";
import { sizeOf } from "./rules.js";

/** The least side of a cell in which a link shows its number on its way, and in which of its cells it does. */
const NUMBERED = 26;
const NUMBER_EVERY = 3;

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
 * @param {{lit?: Set<number>, hint?: number[], wrong?: number}} [marks] cells of the stroke, of a hint
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
  if (board.slide) paintTiles(context, board.slide.tiles, columns, cell);
  else paintLinks(context, board.link, rows, columns, cell, marks);
}

/** @param {CanvasRenderingContext2D} context @param {number[]} tiles @param {number} columns @param {number} cell */
function paintTiles(context, tiles, columns, cell) {
  const gap = Math.max(0.5, cell * 0.035);
  context.font = `700 ${Math.round(cell * (tiles.length > 100 ? 0.38 : 0.45))}px system-ui, sans-serif`;
  tiles.forEach((tile, index) => {
    if (tile === 0) return;
    const [x, y] = [(index % columns) * cell, Math.floor(index / columns) * cell];
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
  drawing.links.forEach((/** @type {number[]} */ cells, /** @type {number} */ index) => {
    if (cells.length === 0) return;
    const done = isLinked(drawing, index + 1);
    const color = linkColor(index + 1);
    for (const at of cells) {
      context.globalAlpha = done ? 0.3 : 0.14;
      context.fillStyle = color;
      context.fillRect((at % columns) * cell + 0.5, Math.floor(at / columns) * cell + 0.5, cell - 1, cell - 1);
    }
    context.globalAlpha = 1;
    context.strokeStyle = color;
    context.lineWidth = cell * 0.34;
    context.beginPath();
    cells.forEach((at, step) => {
      const [x, y] = center(at);
      if (step === 0) context.moveTo(x, y); else context.lineTo(x, y);
    });
    context.stroke();
  });
  // Colours alone say nothing to some, and large boards have more links than colours.
  if (cell >= NUMBERED) {
    context.font = `700 ${Math.round(cell * 0.26)}px system-ui, sans-serif`;
    drawing.links.forEach((/** @type {number[]} */ cells, /** @type {number} */ index) => {
      context.fillStyle = textOn(linkColor(index + 1));
      cells.forEach((at, step) => {
        if (drawing.puzzle.cells[at] > 0 || (step % NUMBER_EVERY !== 2 && step !== cells.length - 1)) return;
        const [x, y] = center(at);
        context.fillText(String(index + 1), x, y + cell * 0.02);
      });
    });
  }
  if (marks.hint?.length) {
    context.strokeStyle = dark ? "#ffaf00" : "#af5f00";
    context.lineWidth = Math.max(2, cell * 0.12);
    context.setLineDash([cell * 0.2, cell * 0.22]);
    context.beginPath();
    marks.hint.forEach((at, step) => {
      const [x, y] = center(at);
      if (step === 0) context.moveTo(x, y); else context.lineTo(x, y);
    });
    context.stroke();
    context.setLineDash([]);
  }
  for (const [at, number] of terminals(drawing)) {
    const [x, y] = center(at);
    const color = linkColor(number);
    context.fillStyle = color;
    context.beginPath();
    context.arc(x, y, cell * 0.4, 0, 2 * Math.PI);
    context.fill();
    if (cell >= 12) {
      context.fillStyle = textOn(color);
      context.font = `700 ${Math.round(cell * (number > 9 ? 0.4 : 0.48))}px system-ui, sans-serif`;
      context.fillText(String(number), x, y + cell * 0.03);
    }
  }
  if (marks.wrong !== undefined) {
    const [x, y] = center(marks.wrong);
    context.strokeStyle = dark ? "#ff5f5f" : "#d70000";
    context.lineWidth = Math.max(2, cell * 0.1);
    context.strokeRect(x - cell * 0.42, y - cell * 0.42, cell * 0.84, cell * 0.84);
  }
}
