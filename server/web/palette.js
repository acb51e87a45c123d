// The colours of client/src/display/theme.rs: tests/web compares the two.

/** The fills of tiles, by the smaller of the row and the column of their home. */
export const TILES = ["#0072b2", "#009e73", "#f0e442", "#cc79a7", "#e69f00", "#56b4e9", "#d55e00"];
/** The colours of links on a dark and on a light ground. */
export const LINKS = {
  dark: ["#5f87ff", "#00d787", "#ff5f5f", "#ffffaf", "#ff00ff", "#87ffff", "#af8700", "#ffafaf", "#5fafd7", "#d7ff00", "#ff87ff", "#d75faf"],
  light: ["#0000d7", "#005f00", "#af0000", "#5f00ff", "#005f87", "#af0087", "#5f0000", "#875fd7", "#000087", "#00875f", "#5f00af", "#5f005f"],
};

const dark = matchMedia("(prefers-color-scheme: dark)");

/** @returns {boolean} whether the ground is dark */
export const isDark = () => document.documentElement.dataset.theme === "dark" || dark.matches;

/** @param {() => void} listener @returns {() => void} ends it */
export function onGround(listener) {
  dark.addEventListener("change", listener);
  return () => dark.removeEventListener("change", listener);
}

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

/** @param {number} number of a link, from 1 */
export function linkColor(number) {
  const colors = isDark() ? LINKS.dark : LINKS.light;
  return colors[(number - 1) % colors.length];
}
