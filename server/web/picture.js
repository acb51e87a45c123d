// The picture on the tiles of a sliding puzzle: gridrace-shared draws it from the heat's commitment.

import { pictureRules } from "./rules.js";

/** @type {{key: string, drawn: Promise<HTMLCanvasElement | null>} | undefined} the last one */
let last;

/**
 * Returns the picture of a heat, or null if it has none or the page can't draw it.
 * @param {any} setup
 * @returns {Promise<HTMLCanvasElement | null>}
 */
export function pictureOf({ options, commitment }) {
  if (!options.picture) return Promise.resolve(null);
  const size = options.spec.split(":")[1];
  const key = `${size} ${commitment}`;
  // Without it tiles have their numbers.
  if (last?.key !== key) last = { key, drawn: draw(commitment, size).catch(() => null) };
  return last.drawn;
}

/** @param {string} name @param {string} size */
async function draw(name, size) {
  const { width, height, pixels } = (await pictureRules()).call({ name, size });
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const image = new ImageData(width, height);
  for (let at = 0; at < width * height; at++) {
    const color = parseInt(pixels.slice(6 * at, 6 * at + 6), 16);
    image.data.set([color >> 16, (color >> 8) & 255, color & 255, 255], 4 * at);
  }
  /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d")).putImageData(image, 0, 0);
  return canvas;
}

/**
 * Returns where a tile's piece lies in the picture: left, top, width, height.
 * @param {HTMLCanvasElement} picture @param {number} tile @param {number} rows @param {number} columns
 * @returns {[number, number, number, number]}
 */
export function pieceOf(picture, tile, rows, columns) {
  const [width, height] = [picture.width / columns, picture.height / rows];
  return [((tile - 1) % columns) * width, Math.floor((tile - 1) / columns) * height, width, height];
}
