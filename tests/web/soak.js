// The big screen for hours: heats of bots back to back, both puzzles in turn, and a server that is
// killed half-way. Prints the heap and the number of elements every minute; fails if they grow.
//
//   node tests/web/soak.js MINUTES

import assert from "node:assert/strict";
import { Peer, SCREEN, Server, launch, visitor } from "./harness.js";

const MINUTE = 60_000;
const minutes = Number(process.argv[2] ?? 60);
const SPECS = ["slide:3x3", "link:7x7", "slide:4x4"];

const server = await Server.start();
const browser = await launch();
const page = await visitor(SCREEN, browser);
const devTools = await page.context().newCDPSession(page);
/** What is still held after a collection: bytes of the heap, and elements. */
const held = async () => {
  await devTools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devTools.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await devTools.send("Memory.getDOMCounters");
  return { heap: usedSize, nodes, listeners: jsEventListeners };
};

let heats = 0;
/** @type {Peer} */
let host;
/** Opens a room with the big screen's boards. */
async function open() {
  host = await Peer.connect(server);
  const code = await host.open({ spec: SPECS[0], delay_seconds: 1 }, "Host");
  host.send("leave_seat");
  for (let bot = 0; bot < 8; bot++) host.send({ add_bot: { skill: bot % 2 ? "expert" : "master" } });
  return code;
}

/** Races one heat, as far as the bots take it in some seconds. */
async function heat() {
  const { seen } = host;
  const phase = (name) => host.next((kind, body) => kind === "phase" && (body === name || body?.[name] !== undefined));
  // What an earlier heat brought is not asked for again.
  seen.length = 0;
  const [running, over] = [phase("running"), phase("over")];
  host.send({ options: { options: { ...host.room.setup.options, spec: SPECS[heats % SPECS.length] }, seed: null } });
  host.send("start");
  await running;
  const end = setTimeout(() => host.send("end_heat"), 15_000);
  await over;
  clearTimeout(end);
  await page.locator(".tv-over").waitFor();
  const lobby = phase("lobby");
  host.send("rematch");
  await lobby;
  await page.locator(".tv-lobby").waitFor();
  heats++;
}

await page.goto(server.url(`/${await open()}/tv`));
await page.locator(".tv-lobby").waitFor();
const began = Date.now();
const passed = () => (Date.now() - began) / MINUTE;
let [settled, next, isKilled] = [null, 1, false];
while (passed() < minutes) {
  await heat();
  if (!isKilled && passed() > minutes / 2) {
    isKilled = true;
    const { you, room } = host;
    const { token } = host;
    await server.killAndRestart();
    host = await Peer.connect(server);
    host.send({ resume: { code: room.code, player: you, token } });
    await host.until((kind) => kind === "joined");
    await page.locator(".tv:not(.lost) .tv-lobby").waitFor();
    console.log(`${passed().toFixed(0)} min: the server was killed and is back`);
  }
  if (passed() >= next) {
    const now = await held();
    settled ??= now;
    console.log(`${passed().toFixed(0)} min, ${heats} heats: ${now.heap} bytes, ${now.nodes} elements, ${now.listeners} listeners`);
    next = Math.floor(passed()) + 1;
  }
}
const end = await held();
console.log(`${minutes} min, ${heats} heats: ${end.heap} bytes, ${end.nodes} elements, ${end.listeners} listeners`);
assert.ok(end.heap < settled.heap * 1.25 + 300_000 && end.nodes <= settled.nodes * 1.25 + 100, "it grows");
assert.deepEqual(page.errors, []);
await browser.close();
host.socket.terminate();
await server.close();
