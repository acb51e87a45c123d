// The families of puzzles: their names and what options allow.

export const FAMILIES = {
  slide: {
    name: "Sliding puzzle", short: "Sliding",
    sides: [2, 16], grades: /** @type {string[]} */ ([]), pictured: 8,
    size: (/** @type {any} */ board) => board.size,
  },
  link: {
    name: "Numberlink", short: "Numberlink",
    sides: [4, 20], grades: ["easy", "normal", "hard", "classic"], pictured: 0,
    size: (/** @type {any} */ board) => board.puzzle.size,
  },
};

/** @param {string} spec a puzzle like `slide:4x4`, or only its family */
export const familyOf = (spec) => FAMILIES[/** @type {keyof typeof FAMILIES} */ (spec.split(":")[0])];

/** @param {any} board @returns {[number, number]} rows and columns */
export function sizeOf(board) {
  const [[family, body]] = Object.entries(board);
  const [rows, columns] = familyOf(family).size(body).split("x").map(Number);
  return [rows, columns];
}
