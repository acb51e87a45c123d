// The WebAssembly under node: boards of seeds, replays, keys, commitments, and races of both puzzles,
// against the golden files and vectors that the Rust tests go by.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { Rules, RulesError } from "../../server/web/rules.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const read = (path) => readFileSync(join(root, path));

async function load(name) {
  const { instance } = await WebAssembly.instantiate(gunzipSync(read(`server/web/${name}.wasm.gz`)), {});
  return new Rules(instance.exports);
}

const race = await load("rules");
const replay = await load("replay");

test("seeds name the boards of the golden replays", () => {
  for (const [file, spec] of [["slide.grr", "slide"], ["link.grr", "link"]]) {
    const summary = replay.replay(read(`tests/golden/replays/${file}`));
    assert.ok(summary.options.spec.startsWith(spec), summary.options.spec);
    const board = replay.call({ board: { spec: summary.options.spec, seed: summary.seed } });
    const first = replay.call({ seek: { at: 0 } }).boards[0].board;
    // Of the sliding puzzle all tiles, of Numberlink all cells.
    assert.deepEqual(board[spec].puzzle ?? board[spec], first[spec].puzzle ?? first[spec]);
    assert.ok((board[spec].puzzle?.cells ?? board[spec].tiles).length > 1);
  }
});

test("the golden replays verify, and an altered one doesn't", () => {
  for (const file of ["slide.grr", "link.grr", "signed.grr"]) {
    const bytes = read(`tests/golden/replays/${file}`);
    const summary = replay.replay(bytes);
    assert.deepEqual(replay.verify(bytes), [], file);
    assert.equal(summary.signature, file === "signed.grr" ? "valid" : "unsigned");
    const end = replay.call({ seek: { at: summary.end } });
    assert.ok(end.over && end.standings.length === summary.players.length);
    const altered = new Uint8Array(bytes);
    altered[altered.length >> 1] ^= 1;
    assert.throws(() => {
      replay.replay(altered);
      const errors = replay.verify(altered);
      if (errors.length) throw new RulesError(errors[0]);
    }, RulesError);
  }
});

test("pictures have the bytes of the golden hashes of shared", async () => {
  const pictures = await load("picture");
  const source = String(read("shared/src/puzzle/picture/mod.rs"));
  const golden = [...source.matchAll(/\(\s*"(\w+)",\s*"(\d+x\d+)",\s*"([0-9a-f]{64})",?\s*\)/g)];
  assert.equal(golden.length, 3);
  for (const [, name, size, hash] of golden) {
    const { width, height, pixels } = pictures.call({ name, size });
    assert.equal(pixels.length, 6 * width * height);
    assert.equal(createHash("sha256").update(Buffer.from(pixels, "hex")).digest("hex"), hash, `${name} on ${size}`);
  }
});

test("a key of the standard's first test vector has its fingerprint, and proves itself", () => {
  const secret = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
  const identity = race.call({ key: { secret } });
  assert.equal(identity.secret, secret);
  assert.match(identity.fingerprint, /^[0-9a-f]{32}$/);
  const proof = race.call({ prove: { secret, challenge: "c5".repeat(32), host: "localhost:7415" } });
  assert.equal(proof.key, "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
  assert.throws(() => race.call({ key: { secret: "friday" } }), RulesError);
});

test("a commitment is what sha256sum prints", () => {
  const commitment = "01f5c9c7d0210b2e35221bed6d6adc4a7ef5493a9b6f9883c2c4fbc65768c63b";
  const salt = "ab".repeat(16);
  assert.equal(race.call({ proves: { spec: "slide:3x3", reveal: { seed: "friday-cup", salt }, commitment } }), true);
  assert.equal(race.call({ proves: { spec: "slide:3x3", reveal: { seed: "friday", salt }, commitment } }), false);
});

test("a race of the sliding puzzle plays ahead, and goes back when a move is rejected", () => {
  const start = { slide: { size: "2x2", tiles: [1, 0, 3, 2] } };
  let state = race.call({ begin: { go: 0, ends: 60_000, start } });
  assert.deepEqual(state.movable.sort(), [0, 3]);
  assert.throws(() => race.call({ play: { play: { slide: 2 } } }), RulesError);
  state = race.call({ play: { play: { slide: 3 } } });
  assert.deepEqual([state.board.slide.tiles, state.solved, state.on], [[1, 2, 3, 0], true, false]);
  assert.deepEqual(race.call({ send: { now: 0 } }).moves, [{ seq: 1, play: { slide: 3 } }]);
  state = race.call({ rejected: { now: 0, seq: 1, why: "early" } });
  assert.deepEqual([state.board, state.on], [start, true]);
  race.call({ play: { play: { slide: 3 } } });
  state = race.call({ accepted: { seq: 1, at: 1234, moves: { moves: 1, acts: 1 } } });
  assert.equal(state.solved_at, 1234);
});

test("strokes of Numberlink are tried on a copy, as far as they are legal", () => {
  const puzzle = { size: "4x4", cells: [1, 0, 0, 1, 2, 0, 0, 2, 3, 0, 0, 3, 4, 0, 0, 4], touch: "free" };
  const start = { link: { puzzle, links: [[], [], [], []], last: null, undo: [] } };
  race.call({ begin: { go: 0, ends: 60_000, start } });
  let trial = race.call({ extend: { cells: [0], to: 2 } });
  assert.deepEqual([trial.cells, trial.whole], [[0, 1, 2], false]);
  trial = race.call({ extend: { cells: [0, 1, 2], to: 7 } });
  assert.equal(Object.keys(trial.refused.link)[0], "other_terminal");
  trial = race.call({ extend: { cells: [0, 1, 2], to: 3 } });
  assert.equal(trial.whole, true);
  let state;
  for (const row of [0, 4, 8, 12]) state = race.call({ play: { play: { link: { draw: [row, row + 1, row + 2, row + 3] } } } });
  assert.equal(state.solved, true);
});

test("what is no request is an error, and breaks nothing", () => {
  for (const rules of [race, replay]) {
    for (const request of [null, 1, "begin", {}, { nothing: {} }, { begin: { go: -1 } }, "Seek"]) assert.throws(() => rules.call(request), RulesError);
  }
  assert.throws(() => replay.replay(new Uint8Array(100)), RulesError);
  assert.throws(() => race.call({ begin: { go: 0, ends: 1, start: { slide: { size: "2x2", tiles: [1, 1, 3, 0] } } } }), RulesError);
});
