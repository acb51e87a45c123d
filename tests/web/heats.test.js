// Whole heats in Chromium: both puzzles, by tap, swipe, drag and keys, on a phone and a desktop.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { DESKTOP, PHONE, Peer, Server, Terminal, launch, visitor } from "./harness.js";

let server, browser;
before(async () => {
  server = await Server.start();
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** Joins a peer's room by its link, typing nothing but a name. */
async function join(page, code, name = "Anna") {
  await page.goto(server.url(`/${code}`));
  await page.fill("[name=name]", name);
  await page.click("button.primary");
  await page.waitForSelector(".lobby");
}

/** Plays by the server's hints until the race is over. */
async function playByHints(page, act) {
  await page.waitForSelector(".slide, .link");
  while (!(await page.$(".solved, .over"))) {
    await page.click(".tools button:first-child:not(:disabled)", { timeout: 5_000 }).catch(() => {});
    await page.waitForFunction(() => document.querySelector(".tile.hinted, .solved, .over"), null, { timeout: 5_000 }).catch(() => {});
    const tile = await page.$(".tile.hinted");
    if (tile) await act(tile);
  }
}

/** The cell of the blank's neighbour to press, swipe or drag, by what the page shows. */
const center = async (tile) => {
  const box = await tile.boundingBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2, size: box.width };
};

/** Where a tile goes: from its cell to the blank, in parts of a cell. */
const wayOf = (tile) => tile.evaluate((element) => {
  const at = (node) => [Number(node.style.getPropertyValue("--row")), Number(node.style.getPropertyValue("--column"))];
  const board = element.parentElement;
  const [rows, columns] = ["--rows", "--columns"].map((name) => Number(board.style.getPropertyValue(name)));
  const taken = new Set([...board.children].map((node) => at(node).join()));
  for (let row = 0; row < rows; row++) for (let column = 0; column < columns; column++) {
    if (!taken.has([row, column].join())) {
      const [own, ownColumn] = at(element);
      return [Math.sign(row - own), Math.sign(column - ownColumn)];
    }
  }
  return [0, 0];
});

const ways = {
  tap: (page) => async (tile) => { const { x, y } = await center(tile); await page.touchscreen.tap(x, y); },
  click: (page) => async (tile) => { const { x, y } = await center(tile); await page.mouse.click(x, y); },
  drag: (page) => async (tile) => {
    const [{ x, y, size }, [down, right]] = [await center(tile), await wayOf(tile)];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + right * size, y + down * size, { steps: 4 });
    await page.mouse.up();
  },
  // A swipe that begins on the blank itself, so that only its direction says what is meant.
  swipe: (page) => async (tile) => {
    const [{ x, y, size }, [down, right]] = [await center(tile), await wayOf(tile)];
    const [bx, by] = [x + right * size, y + down * size];
    const cdp = await page.context().newCDPSession(page);
    const touch = (type, points) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    await touch("touchStart", [{ x: bx, y: by }]);
    for (const part of [0.2, 0.4, 0.6]) await touch("touchMove", [{ x: bx + right * size * part, y: by + down * size * part }]);
    await touch("touchEnd", []);
    await cdp.detach();
  },
  keys: (page) => async (tile) => {
    const [down, right] = await wayOf(tile);
    await page.keyboard.press(down ? (down > 0 ? "ArrowDown" : "ArrowUp") : right > 0 ? "ArrowRight" : "ArrowLeft");
  },
};

for (const [way, device] of [["tap", PHONE], ["swipe", PHONE], ["click", DESKTOP], ["drag", DESKTOP], ["keys", DESKTOP]]) {
  test(`a heat of the sliding puzzle by ${way}, checked at its end`, async () => {
    const host = await Peer.connect(server);
    const code = await host.open({ spec: "slide:2x2", seed: "friday" }, "Host");
    host.send({ add_bot: { skill: "beginner" } });
    const page = await visitor(browser, device);
    await join(page, code);
    host.send("leave_seat");
    host.send("start");
    await playByHints(page, ways[way](page));
    await page.waitForSelector(".over");
    await page.waitForSelector(".checks .good:nth-of-type(2)");
    const over = await host.until((kind, body) => kind === "phase" && body.over);
    const own = over.over.standings.find((row) => row.player !== host.you && row.hints > 0);
    assert.ok(own.state.finished, JSON.stringify(own));
    assert.match(await page.textContent(".checks"), /committed to before the start.*gives the board that was raced/s);
    assert.deepEqual(page.errors, []);
    await page.context().close();
    host.close();
  });
}

for (const way of ["finger", "mouse", "keys"]) {
  test(`a heat of Numberlink by ${way}`, async () => {
    const host = await Peer.connect(server);
    const code = await host.open({ spec: "link:4x4" }, "Host");
    const page = await visitor(browser, way === "finger" ? PHONE : DESKTOP);
    await join(page, code);
    host.send("leave_seat");
    host.send("start");
    await page.waitForSelector(".link");
    await page.waitForFunction(() => document.querySelector(".link canvas")?.width > 100);
    const box = await (await page.$(".link")).boundingBox();
    const at = (cell) => ({ x: box.x + ((cell % 4) + 0.5) * (box.width / 4), y: box.y + (Math.floor(cell / 4) + 0.5) * (box.height / 4) });
    const running = await host.until((kind, body) => kind === "phase" && body.running);
    for (const cells of solve(running.running.start.link.puzzle)) await strokes[way](page, cells, at);
    await page.waitForSelector(".over");
    const over = await host.until((kind, body) => kind === "phase" && body.over);
    assert.ok(over.over.standings[0].state.finished, JSON.stringify(over.over.standings));
    assert.equal(over.over.standings[0].moves.moves, over.over.start.link.links.length, "a stroke a pair");
    assert.deepEqual(page.errors, []);
    await page.context().close();
    host.close();
  });
}

const strokes = {
  // From corner to corner of the link, so that the page fills in the cells between.
  mouse: async (page, cells, at) => {
    await page.mouse.move(at(cells[0]).x, at(cells[0]).y);
    await page.mouse.down();
    for (const cell of corners(cells)) await page.mouse.move(at(cell).x, at(cell).y);
    await page.mouse.up();
  },
  finger: async (page, cells, at) => {
    const cdp = await page.context().newCDPSession(page);
    const touch = (type, points) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points });
    await touch("touchStart", [at(cells[0])]);
    for (const cell of corners(cells)) await touch("touchMove", [at(cell)]);
    await touch("touchEnd", []);
    await cdp.detach();
  },
  keys: async (page, cells) => {
    await page.evaluate((cell) => document.querySelectorAll(".cell")[cell].focus(), cells[0]);
    await page.keyboard.press("Space");
    for (let step = 1; step < cells.length; step++) {
      const by = cells[step] - cells[step - 1];
      await page.keyboard.press({ 1: "ArrowRight", "-1": "ArrowLeft", 4: "ArrowDown", "-4": "ArrowUp" }[by]);
    }
  },
};

const corners = (cells) => cells.filter((cell, step) => step > 0 && (step === cells.length - 1 || cells[step + 1] - cell !== cell - cells[step - 1]));

/** Solves a small Numberlink by trying all ways. */
function solve({ size, cells }) {
  const [rows, columns] = size.split("x").map(Number);
  const used = cells.map((value) => value !== 0);
  const pairs = [...new Set(cells.filter((value) => value > 0))].sort().map((number) => [cells.indexOf(number), cells.lastIndexOf(number)]);
  const beside = (cell) => [cell % columns ? cell - 1 : -1, cell % columns < columns - 1 ? cell + 1 : -1, cell - columns, cell + columns].filter((next) => next >= 0 && next < rows * columns);
  const links = [];
  const go = (pair, path) => {
    const end = pairs[pair][1];
    for (const next of beside(path.at(-1))) {
      if (next === end) {
        links.push([...path, next]);
        if (pair + 1 === pairs.length ? used.every(Boolean) : go(pair + 1, [pairs[pair + 1][0]])) return true;
        links.pop();
      } else if (!used[next]) {
        used[next] = true;
        if (go(pair, [...path, next])) return true;
        used[next] = false;
      }
    }
    return false;
  };
  assert.ok(go(0, [pairs[0][0]]));
  return links;
}

test("a page opens a room, seats a bot, sets options, starts, and asks for a rematch", async () => {
  const page = await visitor(browser, PHONE);
  await page.goto(server.url("/"));
  await page.fill("#name", "Zoë");
  await page.click("text=Host…");
  await page.fill("dialog [name=rows]", "2");
  await page.fill("dialog [name=columns]", "2");
  await page.fill("dialog [name=countdown_seconds]", "1");
  await page.click("text=Open the room");
  await page.waitForSelector(".lobby");
  assert.match(new URL(page.url()).pathname, /^\/[A-Z]{4}$/);
  await page.click("text=Add a bot…");
  await page.click("dialog >> text=beginner");
  await page.waitForSelector("text=2 players");
  await page.click("text=Options…");
  await page.selectOption("dialog [name=hints]", "priced");
  await page.click("dialog .primary");
  await page.waitForSelector("text=a hint costs 15 s");
  await page.click("text=Start");
  await playByHints(page, ways.tap(page));
  await page.waitForSelector(".over");
  await page.click("text=Rematch");
  await page.waitForSelector(".lobby");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("play now on the first page leads straight into a race against bots", async () => {
  const page = await visitor(browser, PHONE);
  await page.goto(server.url("/"));
  await page.click(".preset.links");
  await page.waitForSelector(".link");
  assert.equal(await page.locator(".standings li").count(), 4);
  await page.click(".tools >> text=Give up");
  await page.click("dialog .primary");
  await page.waitForSelector(".board-grid canvas");
  assert.deepEqual(page.errors, []);
  await page.context().close();
});

test("a heat against a client in a terminal ends alike on both screens", async () => {
  const host = await Peer.connect(server);
  const code = await host.open({ spec: "slide:2x2", seed: "friday" }, "Host");
  const page = await visitor(browser, PHONE);
  await join(page, code);
  const terminal = new Terminal(["join", code, server.address, "--name", "Tess"]);
  try {
    await host.until((kind, body) => kind === "roster" && body.members.some((member) => member.name === "Tess"));
    host.send("leave_seat");
    host.send("start");
    await playByHints(page, ways.tap(page));
    // Every board of 2x2 lies on one circle, so turning the same way solves it.
    const isPlaying = () => !host.seen.some(([kind, body]) => kind === "phase" && body.over);
    await terminal.until((screen) => /Anna/.test(screen));
    while (isPlaying()) for (const key of ["Up", "Left", "Down", "Right"]) await terminal.press(key);
    await page.waitForSelector(".over");
    const over = await host.until((kind, body) => kind === "phase" && body.over);
    assert.ok(over.over.standings.every((row) => row.state.finished), JSON.stringify(over.over.standings));
    await page.waitForSelector(".over >> text=Tess");
    await terminal.until((screen) => /1 +.*Anna/.test(screen) && /2 +.*Tess/.test(screen));
  } finally {
    terminal.close();
  }
  await page.context().close();
  host.close();
});
