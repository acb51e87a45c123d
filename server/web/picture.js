// The picture on the tiles of a sliding puzzle: gridrace-shared draws it from the heat's commitment.
// Only heats with a picture load this.

import { button, el, loadStyle } from "./dom.js";
import { pictureRules } from "./rules.js";

/** @type {{key: string, drawn: Promise<Picture | null>} | undefined} the last one */
let last;

export class Picture {
  /** @param {HTMLCanvasElement} canvas @param {number} rows @param {number} columns of tiles */
  constructor(canvas, rows, columns) {
    this.canvas = canvas;
    this.columns = columns;
    /** The width and height of a piece. */
    this.width = canvas.width / columns;
    this.height = canvas.height / rows;
  }

  /**
   * Draws a tile's piece.
   * @param {CanvasRenderingContext2D} context @param {number} tile
   * @param {number} x @param {number} y @param {number} width @param {number} height
   */
  draw(context, tile, x, y, width, height) {
    const [row, column] = [Math.floor((tile - 1) / this.columns), (tile - 1) % this.columns];
    context.drawImage(this.canvas, column * this.width, row * this.height, this.width, this.height, x, y, width, height);
  }

  /**
   * Shows the picture on the tiles of a board; returns the button of their numbers.
   * @param {import("./slide.js").SlideBoard} board
   */
  show(board) {
    const { classList } = board.element;
    classList.add("pictured");
    for (const [tile, element] of board.buttons) {
      const canvas = el("canvas", { "aria-hidden": "true" });
      [canvas.width, canvas.height] = [Math.round(this.width), Math.round(this.height)];
      this.draw(/** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")), tile, 0, 0, canvas.width, canvas.height);
      element.prepend(canvas);
    }
    const numbers = button("Numbers", () => numbers.setAttribute("aria-pressed", String(classList.toggle("numbered"))),
      { "aria-pressed": "false", title: "Numbers on the tiles (p)" });
    return numbers;
  }
}

/**
 * Returns the picture of a heat, or null if the page can't draw it: tiles have their numbers then.
 * @param {any} setup
 * @returns {Promise<Picture | null>}
 */
export function pictureOf({ options, commitment }) {
  const size = options.spec.split(":")[1];
  const key = `${size} ${commitment}`;
  if (last?.key !== key) last = { key, drawn: draw(commitment, size).catch(() => null) };
  return last.drawn;
}

/** @param {string} name @param {string} size */
async function draw(name, size) {
  const [rules] = await Promise.all([pictureRules(), loadStyle("picture")]);
  const { width, height, pixels } = rules.call({ name, size });
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const image = new ImageData(width, height);
  for (let at = 0; at < width * height; at++) {
    const color = parseInt(pixels.slice(6 * at, 6 * at + 6), 16);
    image.data.set([color >> 16, (color >> 8) & 255, color & 255, 255], 4 * at);
  }
  /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).putImageData(image, 0, 0);
  const [rows, columns] = size.split("x").map(Number);
  return new Picture(canvas, rows, columns);
}
