// The picture on the tiles of a sliding puzzle: gridrace-shared draws it from the heat's commitment, or is
// given the room's image for it, which it can't misread.
// Only heats with a picture load this.

import { button, el, loadStyles, setText } from "./dom.js";
import { pictureRules } from "./rules.js";

/** @type {{key: string, drawn: Promise<Picture | null>} | undefined} the last one */
let last;
/** @type {HTMLCanvasElement | undefined} the player's own image, until the page is left */
let ownImage;

/** The longer side of an image that is kept, and the sides of its pieces, in pixels. */
const OWN_SIZE = 1024;
const OWN_PIECE = 128;

export class Picture {
  /**
   * @param {HTMLCanvasElement} canvas @param {number} rows @param {number} columns of tiles
   * @param {boolean} [numbered] whether tiles have numbers until they are hidden
   */
  constructor(canvas, rows, columns, numbered = false) {
    this.numbered = numbered;
    this.canvas = canvas;
    this.rows = rows;
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

  /** Returns a picture of as many pieces from the middle of an image. @param {HTMLCanvasElement} image */
  of(image) {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [this.columns * OWN_PIECE, this.rows * OWN_PIECE];
    const scale = Math.max(canvas.width / image.width, canvas.height / image.height);
    const [width, height] = [image.width * scale, image.height * scale];
    context(canvas).drawImage(image, (canvas.width - width) / 2, (canvas.height - height) / 2, width, height);
    return new Picture(canvas, this.rows, this.columns);
  }

  /** Paints the tiles of a board. @param {import("./slide.js").SlideBoard} board */
  paint({ buttons }) {
    for (const [tile, element] of buttons) {
      let canvas = element.querySelector("canvas");
      if (!canvas) element.prepend(canvas = el("canvas", { "aria-hidden": "true" }));
      [canvas.width, canvas.height] = [Math.round(this.width), Math.round(this.height)];
      this.draw(context(canvas), tile, 0, 0, canvas.width, canvas.height);
    }
  }

  /**
   * Shows the picture, or the player's own image, on the tiles of a board. Returns what changes that: first
   * the button of the numbers.
   * @param {import("./slide.js").SlideBoard} board @param {(text: string) => void} tell
   */
  show(board, tell) {
    const { classList } = board.element;
    const paint = () => {
      (ownImage ? this.of(ownImage) : this).paint(board);
      setText(own, ownImage ? "Heat's picture" : "Own image…");
    };
    const numbers = button("Numbers", () => numbers.setAttribute("aria-pressed", String(classList.toggle("numbered"))),
      { "aria-pressed": "false", title: "Numbers on the tiles (p)" });
    const own = button("", () => {
      if (!ownImage) return file.click();
      ownImage = undefined;
      paint();
    }, { title: "Only you see your image" });
    const file = el("input", {
      type: "file", accept: "image/*", hidden: true,
      onchange: async () => {
        const [chosen] = file.files ?? [];
        file.value = "";
        if (!chosen) return;
        ownImage = await imageOf(chosen).catch(() => undefined);
        if (!ownImage) return tell(`${chosen.name} is no image that this browser can read.`);
        paint();
        // Pieces of any image may look alike.
        if (!classList.contains("numbered")) numbers.click();
      },
    });
    classList.add("pictured");
    paint();
    // Pieces of any image may look alike.
    if (this.numbered) numbers.click();
    return [numbers, own, file];
  }
}

/** @param {HTMLCanvasElement} canvas */
function context(canvas) {
  return /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
}

/** Reads an image, which never leaves the page, at a size that many heats can keep. @param {Blob} file */
async function imageOf(file) {
  const image = await createImageBitmap(file);
  const scale = Math.min(1, OWN_SIZE / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(image.width * scale));
  canvas.height = Math.max(1, Math.round(image.height * scale));
  context(canvas).drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  return canvas;
}

/**
 * Returns the picture of a heat, or null if the page can't draw it: tiles have their numbers then.
 * @param {any} setup @param {string | null} [image] the room's image, which is shown instead
 * @returns {Promise<Picture | null>}
 */
export function pictureOf({ options, commitment }, image) {
  const size = options.spec.split(":")[1];
  const key = `${size} ${image || commitment}`;
  if (last?.key !== key) last = { key, drawn: draw(commitment, size, image).catch(() => null) };
  return last.drawn;
}

/** @param {string} name @param {string} size @param {string | null} [image] */
async function draw(name, size, image = null) {
  const [rules] = await Promise.all([pictureRules(), loadStyles("picture")]);
  const { width, height, pixels } = rules.call({ name, size, image });
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const data = new ImageData(width, height);
  for (let at = 0; at < width * height; at++) {
    const color = parseInt(pixels.slice(6 * at, 6 * at + 6), 16);
    data.data.set([color >> 16, (color >> 8) & 255, color & 255, 255], 4 * at);
  }
  context(canvas).putImageData(data, 0, 0);
  const [rows, columns] = size.split("x").map(Number);
  return new Picture(canvas, rows, columns, Boolean(image));
}
