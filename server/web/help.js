// The help: the rules of both puzzles in a few words, and their keys.

import { dialog, el } from "./dom.js";

/** @type {[string, string, [string, string][]][]} each puzzle with its rules, and what one does by which keys */
const PUZZLES = [
  ["Sliding puzzle", "Bring the tiles into order, row by row, with the blank in the last corner. Tiles in line with the blank slide.", [
    ["tap, click or swipe", "slide a tile, with all between it and the blank"],
    ["arrows, wasd, hjkl", "slide the tile that can move this way"],
    ["with Shift", "slide the whole row or column"],
    ["p", "numbers on a picture, on or off"],
  ]],
  ["Numberlink", "Join each letter with its equal by a link that goes from cell to cell, not across corners. Links share no cell, and together they cover all cells that are not solid.", [
    ["drag", "draw from a letter or along a link"],
    ["arrows, wasd, hjkl", "move the cursor; with the pen down, draw"],
    ["with Shift", "the same as far as possible"],
    ["Space, Enter", "put the pen down, and lift it"],
    ["Backspace", "one step back along the link"],
    ["Esc", "discard what the pen has drawn"],
    ["u, c", "undo; clear the link under the cursor"],
    ["n, p, 1 to 9", "go to the next or previous unlinked letter, or to A to I"],
    ["z", "zoom, where cells are small"],
  ]],
  ["Both", "", [["t", "hint"], ["?", "this help"]]],
];

export function showHelp() {
  dialog("Rules and keys", PUZZLES.flatMap(([name, rules, keys]) => [
    el("h3", {}, name), rules && el("p", {}, rules),
    el("dl", { class: "keys" }, keys.flatMap(([key, action]) => [el("dt", {}, key), el("dd", {}, action)])),
  ]));
}
