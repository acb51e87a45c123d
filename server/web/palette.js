// The colours of client/src/display/theme.rs: tests/web compares the two.

/** The fills of tiles, by the smaller of the row and the column of their home. */
export const TILES = ["#0072b2", "#009e73", "#f0e442", "#cc79a7", "#e69f00", "#56b4e9", "#d55e00"];

/** @param {string} hex @returns {number} the relative luminance of WCAG 2.2 */
function luminance(hex) {
  const parts = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
}

/** @param {string} hex @returns {string} black or white, which is read better on a fill */
export const textOn = (hex) => (luminance(hex) > 0.179 ? "#000" : "#fff");

/**
 * The colour of a tile by its number and the width of the board.
 * @param {number} tile @param {number} columns
 */
export function tileColor(tile, columns) {
  const [row, column] = [Math.floor((tile - 1) / columns), (tile - 1) % columns];
  return TILES[Math.min(row, column) % TILES.length];
}
