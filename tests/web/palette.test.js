// The page and the terminal have the same colours and letters, and these are seen.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

globalThis.matchMedia = () => ({ matches: true, addEventListener() {} });
const { TILES, textOn } = await import("../../server/web/palette.js");
const { LINKS, letters, linkColors, outlineOf } = await import("../../server/web/link_colors.js");
const { TINTS } = await import("../../server/web/paint.js");

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const theme = readFileSync(join(root, "client/src/display/theme.rs"), "utf8");

/** The colours of a list in the terminal's table. */
function colors(list) {
  const [, body] = new RegExp(`const ${list}: [^=]*= \\[([^;]*)\\];`).exec(theme);
  return [...body.matchAll(/0x([0-9a-f]{2})_([0-9a-f]{4})/g)].map(([, one, two]) => `#${one}${two}`);
}

test("tiles and links have the colours of the terminal", () => {
  assert.deepEqual(TILES, colors("TILES"));
  assert.deepEqual(LINKS, colors("LINKS"));
});

test("a link has the letters and the colour that it has in the terminal", () => {
  const golden = JSON.parse(readFileSync(join(root, "tests/golden/links.json"), "utf8"));
  assert.deepEqual(golden.letters.map((_, index) => letters(index + 1)), golden.letters);
  for (const { board, colors } of golden.boards) assert.deepEqual(linkColors(board.puzzle), colors);
});

const primaries = (hex) => [1, 3, 5].map((at) => parseInt(hex.padEnd(7, hex.slice(1)).slice(at, at + 2), 16));

/** The contrast of WCAG 2.2. */
function contrast(one, other) {
  const luminance = (color) => {
    const [red, green, blue] = color.map((part) => part / 255).map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

test("links have the contrast of graphical objects with their cells, and their letters that of text", () => {
  const style = readFileSync(join(root, "server/web/style.css"), "utf8");
  const [dark, light] = [...style.matchAll(/--ground: (#\w+);/g)].map(([, ground]) => primaries(ground));
  assert.ok(contrast(dark, light) > 15);
  for (const link of LINKS) {
    assert.ok(contrast(primaries(textOn(link)), primaries(link)) >= 4.5, link);
    for (const tint of [0, ...TINTS]) {
      const cell = (ground) => ground.map((part, index) => part * (1 - tint) + primaries(link)[index] * tint);
      assert.ok(contrast(primaries(link), cell(dark)) >= 3, `${link} on dark`);
      assert.ok(contrast(primaries(outlineOf(link)), cell(light)) >= 3, `${link} on light`);
    }
  }
});
