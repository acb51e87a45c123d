// The page and the terminal have the same colours.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

globalThis.matchMedia = () => ({ matches: true, addEventListener() {} });
const { LINKS, TILES } = await import("../../server/web/palette.js");

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const theme = readFileSync(join(root, "client/src/display/theme.rs"), "utf8");

/** The colours of a list in the terminal's table. */
function colors(list) {
  const [, body] = new RegExp(`const ${list}: [^=]*= \\[([^;]*)\\];`).exec(theme);
  return [...body.matchAll(/0x([0-9a-f]{2})_([0-9a-f]{4})/g)].map(([, one, two]) => `#${one}${two}`);
}

test("tiles and links have the colours of the terminal", () => {
  assert.deepEqual(TILES, colors("TILES"));
  assert.deepEqual(LINKS.dark, colors("LINKS_ON_DARK"));
  assert.deepEqual(LINKS.light, colors("LINKS_ON_LIGHT"));
});
