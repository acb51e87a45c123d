// Whole heats in Chromium: both puzzles, by tap, swipe, drag and keys, on a phone, a tablet, a desktop and a
// large screen, against bots and the terminal client.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, PHONE, Peer, SCREEN, SMALL, TABLET, Terminal, bigScreen, hosted, join, playByHints, server, startedHeat, suite, terminalClient, visitor } from "./harness.js";
import { letters } from "../../server/web/link_colors.js";

const DEVICES = { phone: PHONE, tablet: TABLET, desktop: DESKTOP, screen: SCREEN };

suite();

/** What fingers do on a page: of each event, the points that touch it, with ids that are their order unless given. */
async function fingers(page) {
  const cdp = await page.context().newCDPSession(page);
  return (type, ...points) => cdp.send("Input.dispatchTouchEvent", { type, touchPoints: points.map(([x, y, id], index) => ({ x, y, id: id ?? index })) });
}

/** The tiles of a sliding puzzle, and where a place of its board is on the page. */
async function slideBoard(page) {
  const box = await (await page.$(".slide")).boundingBox();
  const tiles = await page.$$eval(".tile", (all) => all.map((one) => {
    const [row, column] = one.getAttribute("aria-label").match(/row (\d+), column (\d+)/).slice(1).map(Number);
    return { row, column, isMovable: one.getAttribute("aria-label").includes("movable") };
  }));
  const side = box.width / Math.max(...tiles.map(({ column }) => column));
  return { tiles, side, at: ({ row, column }, id) => [box.x + (column - 0.5) * side, box.y + (row - 0.5) * side, id] };
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
    const touch = await fingers(page);
    await touch("touchStart", [bx, by]);
    for (const part of [0.2, 0.4, 0.6]) await touch("touchMove", [bx + right * size * part, by + down * size * part]);
    await touch("touchEnd");
  },
  keys: (page) => async (tile) => {
    const [down, right] = await wayOf(tile);
    await page.keyboard.press(down ? (down > 0 ? "ArrowDown" : "ArrowUp") : right > 0 ? "ArrowRight" : "ArrowLeft");
  },
};

for (const [way, name] of [["tap", "phone"], ["swipe", "tablet"], ["click", "desktop"], ["drag", "desktop"], ["keys", "screen"]]) {
  test(`a heat of the sliding puzzle by ${way} (${name}), checked at its end`, async () => {
    const page = await visitor(DEVICES[name]);
    const host = await hosted(page, { spec: "slide:2x2", seed: "friday" });
    host.send({ add_bot: { skill: "beginner" } });
    host.startAsSpectator();
    await playByHints(page, ways[way](page));
    await page.waitForSelector(".over");
    await page.waitForSelector(".checks .good:nth-of-type(2)");
    const over = await host.phase("over");
    const own = over.standings.find((row) => row.player !== host.you && row.hints > 0);
    assert.ok(own.state.finished, JSON.stringify(own));
    assert.match(await page.textContent(".checks"), /committed to before the start.*gives the board that was raced/s);
  });
}

test("tiles at home are as large as the others", async () => {
  const page = await visitor(DESKTOP);
  await startedHeat(page, { spec: "slide:4x4", seed: "friday" });
  await page.waitForSelector(".tile.home");
  const widths = await page.$$eval(".tile span", (spans) => spans.map((span) => Math.round(span.getBoundingClientRect().width)));
  assert.ok(Math.max(...widths) - Math.min(...widths) <= 1, String(widths));
  // The focus is no mark of a hint, which has an edge of the colour of marks.
  await page.reload();
  await page.waitForSelector(".tile:focus-visible");
  const [outline, mark] = await page.$eval(".tile:focus-visible span", (span) => [getComputedStyle(span).outline, getComputedStyle(document.documentElement).getPropertyValue("--mark")]);
  assert.match(outline, /dashed/);
  assert.equal(mark, "#ffaf00");
  assert.ok(!outline.includes("rgb(255, 175, 0)"), outline);
});

for (const [spec, device] of [["slide:4x4", PHONE], ["link:7x7", PHONE], ["link:7x7", DESKTOP]]) {
  test(`a hint of ${spec} moves nothing on ${device === PHONE ? "a phone" : "a desktop"}; its price stands beside the moves and isn't in the clock`, async () => {
    const page = await visitor(device);
    await startedHeat(page, { spec, seed: "friday", hints: { priced: { seconds: 600 } } });
    await page.waitForSelector(".board-box [tabindex='0']");
    const boxes = () => page.$$eval(".board-box, .clock, .tools button, .note, .standings", (all) => all.map((one) => {
      const { left, top, width, height } = one.getBoundingClientRect();
      return [one.className, left, top, width, height].join(" ");
    }));
    assert.equal(await page.textContent(".tools .hint small"), "+600 s");
    const before = await boxes();
    await page.click(".tools .hint");
    await page.waitForSelector(".race-head >> text=1 hint +600 s");
    await page.waitForFunction(() => document.querySelector(".note").textContent);
    assert.deepEqual(await boxes(), before);
    assert.match(await page.textContent(".clock"), /^[0-4]:/);
  });
}

/**
 * Defines `window.meanColor`: that of the middle of a part of a canvas. A single pixel of a picture may be at the edge of
 * two colours, which moves with the scale.
 */
const defineMeanColor = () => {
  window.meanColor = (canvas, left, top, width, height) => {
    const { data } = canvas.getContext("2d").getImageData(Math.floor(left + width / 4), Math.floor(top + height / 4), Math.floor(width / 2), Math.floor(height / 2));
    const mean = (part) => Math.round(data.filter((_, index) => index % 4 === part).reduce((sum, value) => sum + value, 0) / (data.length / 4));
    return [0, 1, 2, 3].map(mean);
  };
};

test("tiles show the heat's picture, and their numbers by a button and a key", async () => {
  const page = await visitor(PHONE);
  await page.addInitScript(defineMeanColor);
  const host = await hosted(page, { spec: "slide:3x3", picture: true });
  const watcher = await bigScreen(host.room.code);
  host.startAsSpectator();
  await page.waitForSelector(".slide.pictured");
  const { start } = await host.phase("running");
  const tile = start.slide.tiles.find((number) => number > 0);
  const number = page.locator(`[data-tile="${tile}"] span`);
  assert.equal(await number.isVisible(), false);
  await page.getByRole("button", { name: "Numbers" }).click();
  assert.equal(await number.isVisible(), true);
  await page.keyboard.press("p");
  assert.equal(await number.isVisible(), false);
  // The middle of a tile has the picture's colour, in the page's own race and in the replay.
  const colorOf = (number) => page.evaluate((tile) => {
    const canvas = document.querySelector(`[data-tile="${tile}"] canvas`);
    return window.meanColor(canvas, 0, 0, canvas.width, canvas.height);
  }, number);
  const shown = await colorOf(tile);
  const expected = await page.evaluate(async ([setup, tile]) => {
    const { pictureOf } = await import("/web/picture.js");
    const picture = await pictureOf(setup);
    const { width, height } = picture;
    return window.meanColor(picture.canvas, (tile - 1) % 3 * width, Math.floor((tile - 1) / 3) * height, width, height);
  }, [host.room.setup, tile]);
  for (const part of [0, 1, 2, 3]) assert.ok(Math.abs(shown[part] - expected[part]) <= 12, `${shown} ${expected}`);
  await watcher.waitForFunction(() => document.querySelector(".watched canvas")?.width > 50);
  // An image of one's own takes its place on the own board, and goes.
  const choose = async (name, buffer) => {
    const [chooser] = await Promise.all([page.waitForEvent("filechooser"), page.getByRole("button", { name: "Own image" }).click()]);
    await chooser.setFiles({ name, mimeType: "image/png", buffer });
  };
  const red = await page.evaluate(() => {
    const canvas = document.createElement("canvas");
    canvas.getContext("2d").fillStyle = "#f00";
    canvas.getContext("2d").fillRect(0, 0, canvas.width, canvas.height);
    return canvas.toDataURL().split(",")[1];
  });
  await choose("none.png", Buffer.from("none"));
  await page.getByText("none.png is no image that this browser can read.").waitFor();
  await choose("red.png", Buffer.from(red, "base64"));
  await page.getByRole("button", { name: "Heat's picture" }).waitFor();
  assert.deepEqual(await colorOf(tile), [255, 0, 0, 255]);
  assert.equal(await number.isVisible(), true);
  await page.getByRole("button", { name: "Heat's picture" }).click();
  assert.deepEqual(await colorOf(tile), shown);
  // The replay shows the heat's.
  await page.getByRole("button", { name: "Give up" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Give up" }).click();
  await host.phase("over");
  await page.getByRole("link", { name: "Replay" }).click();
  const middle = start.slide.tiles.indexOf(tile);
  await page.waitForFunction(([cell, color]) => {
    const canvas = document.querySelector(".replay .board-grid canvas");
    if (!canvas) return false;
    const [width, height] = [canvas.width / 3, canvas.height / 3];
    const mean = window.meanColor(canvas, cell % 3 * width, Math.floor(cell / 3) * height, width, height);
    return mean.every((value, part) => Math.abs(value - color[part]) <= 12);
  }, [middle, expected]);
  if (process.env.GRIDRACE_SCREENS) {
    await page.screenshot({ path: `${process.env.GRIDRACE_SCREENS}/picture-phone.png` });
    await watcher.screenshot({ path: `${process.env.GRIDRACE_SCREENS}/picture-tv.png` });
  }
});

/** Shows how a stroke of Numberlink is played on a page of a running race. */
async function linkBoard(page, host) {
  await page.waitForFunction(() => document.querySelector(".link canvas")?.width > 100);
  const box = await (await page.$(".link")).boundingBox();
  const { puzzle } = (await host.phase("running")).start.link;
  const columns = Number(puzzle.size.split("x")[1]);
  const side = box.width / columns;
  return { puzzle, columns, at: (cell) => ({ x: box.x + ((cell % columns) + 0.5) * side, y: box.y + (Math.floor(cell / columns) + 0.5) * side }) };
}

for (const [way, name] of [["finger", "phone"], ["finger", "tablet"], ["mouse", "desktop"], ["keys", "screen"]]) {
  test(`a heat of Numberlink by ${way} (${name}), against a bot in a terminal`, async () => {
    const page = await visitor(DEVICES[name]);
    const host = await hosted(page, { spec: "link:4x4" });
    terminalClient(server, `key-${name}`, ["bot", host.room.code, server.address, "--skill", "master"]);
    await host.until((kind, body) => kind === "roster" && body.members.length === 3);
    host.startAsSpectator();
    const { puzzle, at } = await linkBoard(page, host);
    for (const cells of solve(puzzle)) await strokes[way](page, cells, at);
    await page.waitForSelector(".over");
    const over = await host.phase("over");
    assert.ok(over.standings.every((row) => row.state.finished), JSON.stringify(over.standings));
    assert.equal(over.standings.length, 2);
    const { id } = await host.member("Anna");
    const own = over.standings.find((row) => row.player === id);
    assert.equal(own.moves.moves, over.start.link.links.length, "a stroke a pair");
    await page.waitForSelector(".over >> text=master");
  });
}

test("a stroke shows what it would cut; undo and clear take it back", async () => {
  const page = await visitor(DESKTOP);
  const host = await startedHeat(page, { spec: "link:5x5", seed: "friday" });
  const { puzzle, columns, at } = await linkBoard(page, host);
  const links = solve(puzzle);
  // A terminal beside another's link: from there a stroke cuts that link.
  const [own, other, through] = links.flatMap((path, one) => links.flatMap((cells, two) => (one === two ? [] : cells.slice(1, -1)
    .filter((cell) => isBeside(path[0], cell, columns)).map((cell) => [one, two, cell]))))[0];
  const [cells, path] = [links[other], links[own]];
  const shown = () => page.$$eval(".cell", (all) => all.map((cell) => cell.getAttribute("aria-label").split(",")[0]));
  const holds = async (text) => {
    const labels = await shown();
    return cells.slice(1, -1).map((cell) => labels[cell] === text);
  };
  const link = `link ${letters(other + 1)}`;
  await strokes.mouse(page, cells, at);
  await page.waitForSelector("text=1 move");
  assert.ok((await holds(link)).every(Boolean));

  await page.mouse.move(at(path[0]).x, at(path[0]).y);
  await page.mouse.down();
  await page.mouse.move(at(through).x, at(through).y);
  await page.waitForSelector(`.cell.held >> nth=1`);
  assert.equal((await shown())[through], `link ${letters(own + 1)}`, "the stroke is shown while it is held");
  assert.ok((await holds(link)).includes(false), "and what it cuts");
  await page.keyboard.press("Escape");
  assert.ok((await holds(link)).every(Boolean), "the link is whole again");
  await page.mouse.up();
  await page.waitForSelector("text=1 move");

  await strokes.mouse(page, [path[0], through], at);
  await page.waitForSelector("text=2 moves");
  assert.ok((await holds(link)).includes(false));
  await page.click(".tools >> text=Undo");
  await page.waitForFunction((cell) => document.querySelectorAll(".cell")[cell[0]].getAttribute("aria-label").startsWith(cell[1]), [through, link]);
  assert.ok((await holds(link)).every(Boolean));
  await strokes.keys(page, cells.slice(0, 1), at);
  await page.keyboard.press("Escape");
  await page.click(".tools >> text=Clear");
  await page.waitForFunction((cell) => document.querySelectorAll(".cell")[cell].getAttribute("aria-label").startsWith("empty"), cells[1]);
  assert.ok((await holds("empty")).every(Boolean));
  await page.click(".tools >> text=Clear");
  await page.waitForSelector(".note:has-text('No link is drawn here.')");
  assert.equal(await page.locator(".toast").count(), 0, "what is refused covers no part of the board");

  // A stroke back along its own link.
  const labelled = (text) => page.waitForFunction((cell) => document.querySelectorAll(".cell")[cell[0]].getAttribute("aria-label").startsWith(cell[1]), [cells[1], text]);
  await strokes.mouse(page, cells.slice(0, 2), at);
  await labelled(link);
  await strokes.mouse(page, cells.slice(0, 2).reverse(), at);
  await labelled("empty");
});

test("cells smaller than a finger are enlarged by a button or two fingers, and drawn on", async () => {
  const page = await visitor(SMALL);
  const host = await startedHeat(page, { spec: "link:10x10", seed: "friday" });
  await linkBoard(page, host);
  /** Waits until cells are as wide. */
  const cellsAre = (least, most) => page.waitForFunction(([least, most]) => {
    const { width } = document.querySelector(".cell").getBoundingClientRect();
    return width >= least && width < most;
  }, [least, most]);
  await cellsAre(1, 44);
  const touch = await fingers(page);
  const view = await (await page.$(".link-view")).boundingBox();
  const [x, y] = [view.x + view.width / 2, view.y + view.height / 2];
  await touch("touchStart", [x - 20, y], [x + 20, y]);
  await touch("touchMove", [x - 60, y], [x + 60, y]);
  await touch("touchEnd");
  // Two fingers are three times as far apart.
  await cellsAre(80, 999);
  assert.equal(await page.textContent(".race-head .faint"), "0 moves", "two fingers draw nothing");
  await page.click(".tools >> text=Zoom");
  await cellsAre(1, 44);
  await page.click(".tools >> text=Zoom");
  await cellsAre(44, 80);

  // A finger on a cell where nothing begins drags the board; one on a terminal draws.
  const cellAt = (is) => page.$$eval(".cell", (all, what) => {
    const box = document.querySelector(".link-view").getBoundingClientRect();
    const inside = all.filter((cell) => cell.getAttribute("aria-label").startsWith(what)).map((cell) => cell.getBoundingClientRect())
      .filter((cell) => cell.left >= box.left && cell.right <= box.right && cell.top >= box.top && cell.bottom <= box.bottom);
    return inside.map((cell) => [cell.left + cell.width / 2, cell.top + cell.height / 2])[0];
  }, is);
  const position = () => page.$eval(".link", (board) => board.getBoundingClientRect().left + board.getBoundingClientRect().top);
  const before = await position();
  const [emptyX, emptyY] = await cellAt("empty");
  await touch("touchStart", [emptyX, emptyY]);
  for (const by of [10, 30, 50]) await touch("touchMove", [emptyX - by, emptyY - by]);
  await touch("touchEnd");
  assert.notEqual(await position(), before);
  assert.equal(await page.textContent(".race-head .faint"), "0 moves");
  const [numberX, numberY] = await cellAt("end of");
  await touch("touchStart", [numberX, numberY]);
  await page.waitForSelector(".cell.held");
  await touch("touchEnd");

  // The board is moved to where a hint is, wherever it was.
  for (const far of [0, 9_999]) {
    await page.$eval(".link-view", (shown, at) => shown.scrollTo(at, at), far);
    await page.click(".tools .hint");
    await page.waitForFunction(() => {
      const [cell, shown] = [".cell.cursor", ".link-view"].map((name) => document.querySelector(name).getBoundingClientRect());
      const isSaid = document.querySelector(".note").textContent.startsWith("Link ");
      return isSaid && cell.left >= shown.left && cell.right <= shown.right && cell.top >= shown.top && cell.bottom <= shown.bottom;
    });
  }
});

test("two fingers on a sliding puzzle are no swipe", async () => {
  const page = await visitor(PHONE);
  await startedHeat(page, { spec: "slide:16x16", seed: "friday" });
  const touch = await fingers(page);
  const { tiles, side, at } = await slideBoard(page);
  // In the middle of the board.
  const [x, y] = at(tiles.find(({ row, column, isMovable }) => !isMovable && Math.min(row, column) >= 5 && Math.max(row, column) <= 9));
  await touch("touchStart", [x, y]);
  await touch("touchStart", [x, y], [x + side, y + side]);
  for (const by of [10, 20, 30]) await touch("touchMove", [x - by, y], [x + side + by, y + side]);
  await touch("touchEnd");
  await page.click(".tools .hint");
  await page.waitForSelector(".tile.hinted");
  assert.equal(await page.textContent(".race-head .faint"), "0 moves");
});

const strokes = {
  // From corner to corner of the link, so that the page fills in the cells between.
  mouse: async (page, cells, at) => {
    await page.mouse.move(at(cells[0]).x, at(cells[0]).y);
    await page.mouse.down();
    for (const cell of corners(cells)) await page.mouse.move(at(cell).x, at(cell).y);
    await page.mouse.up();
  },
  finger: async (page, cells, at) => {
    const touch = await fingers(page);
    const point = (cell) => [at(cell).x, at(cell).y];
    await touch("touchStart", point(cells[0]));
    for (const cell of corners(cells)) await touch("touchMove", point(cell));
    await touch("touchEnd");
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

const isBeside = (one, other, columns) => Math.abs(one - other) === columns || (Math.abs(one - other) === 1 && Math.floor(one / columns) === Math.floor(other / columns));

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

test("hints by method name their step, where the player chose them or the host fixed them", async () => {
  for (const styles of ["any", "method", "shortest"]) {
    const page = await visitor(PHONE);
    await startedHeat(page, { spec: "slide:3x3", seed: "friday", hint_styles: styles });
    const toggle = page.locator(".tools >> text=Method");
    assert.equal(await toggle.count(), styles === "any" ? 1 : 0, styles);
    if (styles === "any") {
      await toggle.click();
      await page.waitForSelector(".tools [aria-pressed=true]");
    }
    await page.click(".tools >> text=Hint");
    await page.waitForSelector(".tile.hinted");
    // It takes the place of an earlier line at once.
    const note = await page.textContent(".note");
    assert.match(note, styles === "shortest" ? /to go\.$/ : /^Row 1: .* left of this step\.$/);
  }
});

test("Enter on the sign leaves a race of Numberlink, and arrows scroll standings that have the focus", async () => {
  const page = await visitor(SMALL);
  const host = await hosted(page, { spec: "link:5x5" });
  for (let bot = 0; bot < 8; bot++) host.send({ add_bot: { skill: "beginner" } });
  host.send("start");
  await page.waitForSelector(".link");
  const { list, cursor } = { list: page.locator(".race .standings"), cursor: () => page.getAttribute(".cell[tabindex='0']", "aria-label") };
  await page.waitForFunction(() => document.querySelectorAll(".standings li").length === 10);
  const before = await cursor();
  await list.focus();
  await page.keyboard.press("ArrowDown");
  await page.waitForFunction(() => document.querySelector(".standings").scrollTop > 0);
  assert.equal(await cursor(), before);
  await page.focus(".home-link");
  await page.keyboard.press("Enter");
  await page.click("dialog:has-text('Leave this race?') .danger");
  await page.waitForSelector("main.home");
});

test("a page opens a room, seats a bot, sets options, starts, and asks for a rematch", async () => {
  const page = await visitor(PHONE);
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
  await page.waitForSelector("text=a hint costs 10 s");
  await page.click("text=Start");
  await playByHints(page, ways.tap(page));
  await page.waitForSelector(".over");
  await page.click("text=Rematch");
  await page.waitForSelector(".lobby");
});

test("play now on the first page leads straight into a race against bots", async () => {
  const page = await visitor(PHONE);
  await page.goto(server.url("/"));
  await page.click("[data-family=link]");
  await page.waitForSelector(".link");
  assert.equal(await page.locator(".standings li").count(), 4);
  await page.click(".tools >> text=Give up");
  await page.click("dialog .danger");
  await page.waitForSelector(".board-grid canvas");
});

test("a heat against a client in a terminal ends alike on both screens", async () => {
  const page = await visitor(PHONE);
  const host = await hosted(page, { spec: "slide:2x2", seed: "friday" });
  const terminal = new Terminal(["join", host.room.code, server.address, "--name", "Tess"]);
  await host.member("Tess");
  host.startAsSpectator();
  await playByHints(page, ways.tap(page));
  // Every board of 2x2 lies on one circle, so turning the same way solves it.
  const isPlaying = () => !host.seen.some(([kind, body]) => kind === "phase" && body.over);
  await terminal.until((screen) => /Anna/.test(screen));
  while (isPlaying()) for (const key of ["Up", "Left", "Down", "Right"]) await terminal.press(key);
  await page.waitForSelector(".over");
  const over = await host.phase("over");
  assert.ok(over.standings.every((row) => row.state.finished), JSON.stringify(over.standings));
  await page.waitForSelector(".over >> text=Tess");
  await terminal.until((screen) => /1 +.*Anna/.test(screen) && /2 +.*Tess/.test(screen));
});

test("a heat of Numberlink by drag against a client in a terminal that draws by keys", async () => {
  const page = await visitor(DESKTOP);
  const host = await hosted(page, { spec: "link:4x4", seed: "friday" });
  const terminal = new Terminal(["join", host.room.code, server.address, "--name", "Tess"]);
  await host.member("Tess");
  host.startAsSpectator();
  const { puzzle, at } = await linkBoard(page, host);
  const links = solve(puzzle);
  for (const cells of links) await strokes.mouse(page, cells, at);
  await terminal.until((screen) => /Anna/.test(screen));
  for (const [index, cells] of links.entries()) {
    // From elsewhere a number's key leads to its first end.
    await terminal.press(String(((index + 1) % links.length) + 1));
    await terminal.press(String(index + 1));
    await terminal.press("Space");
    for (let step = 1; step < cells.length; step++) {
      await terminal.press({ 1: "Right", "-1": "Left", 4: "Down", "-4": "Up" }[cells[step] - cells[step - 1]]);
    }
  }
  await page.waitForSelector(".over >> text=Tess");
  const over = await host.phase("over");
  assert.ok(over.standings.every((row) => row.state.finished), JSON.stringify(over.standings));
  await terminal.until((screen) => /1 +.*Anna/.test(screen) && /2 +.*Tess/.test(screen));
});

test("tiles show the image of a private room's host until it is taken back", async () => {
  const host = await Peer.connect(server);
  const code = await host.open({ spec: "slide:3x3", picture: true, private: true }, "Host");
  // Each block has red twice, and all its pixels the first of them.
  host.send({ image: { image: "00f800f800000000".repeat(400) } });
  await host.until((kind, body) => kind === "image" && body);
  const page = await visitor(PHONE);
  await join(page, code);
  const watcher = await bigScreen(code);
  host.startAsSpectator();
  const { start } = await host.phase("running");
  const cell = start.slide.tiles.findIndex((number) => number > 0);
  const isRed = (screen, selector, across) => screen.waitForFunction(([selector, across, cell]) => {
    const canvas = document.querySelector(selector);
    if (!canvas || canvas.width < 20) return false;
    const x = Math.floor((cell % across + 0.5) * canvas.width / across);
    const y = Math.floor((Math.floor(cell / across) + 0.5) * canvas.height / across);
    return String([...canvas.getContext("2d").getImageData(x, y, 1, 1).data]) === "255,0,0,255";
  }, [selector, across, across === 1 ? 0 : cell]);
  const own = `[data-tile="${start.slide.tiles[cell]}"]`;
  await isRed(page, `${own} canvas`, 1);
  assert.equal(await page.locator(`${own} span`).isVisible(), true);
  await isRed(watcher, ".watched canvas", 3);
  // A page that is loaded during the heat is told it as well.
  await page.reload();
  await isRed(page, `${own} canvas`, 1);
  await watcher.reload();
  await isRed(watcher, ".watched canvas", 3);
  if (process.env.GRIDRACE_SCREENS) {
    await page.screenshot({ path: `${process.env.GRIDRACE_SCREENS}/room-image-phone.png` });
    await watcher.screenshot({ path: `${process.env.GRIDRACE_SCREENS}/room-image-tv.png` });
  }
  host.send("end_heat");
  await host.phase("over");
  host.send({ options: { options: { ...host.room.setup.options, private: false }, seed: null } });
  host.send("rematch");
  host.send("start");
  await host.phase("running");
  await page.waitForSelector(".slide.pictured:not(.numbered)");
});

test("two thumbs play a sliding puzzle: a second finger's short tap counts", async () => {
  const page = await visitor(PHONE);
  await page.clock.install();
  await startedHeat(page, { spec: "slide:4x4", seed: "friday" });
  const touch = await fingers(page);
  const { tiles, at } = await slideBoard(page);
  // The first thumb rests where nothing moves.
  const held = at(tiles.find(({ isMovable }) => !isMovable), 0);
  const tapped = at(tiles.find(({ isMovable }) => isMovable), 1);
  // From here on no time passes but by steps.
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 1_000));
  await touch("touchStart", held);
  await touch("touchStart", held, tapped);
  await page.clock.runFor(400);
  await touch("touchEnd", tapped);
  await page.clock.runFor(100);
  assert.equal(await page.textContent(".race-head .faint"), "0 moves", "a finger that stays is no tap");
  await touch("touchStart", held, tapped);
  await touch("touchEnd", tapped);
  await page.waitForSelector("text=/[1-9] move/");
  await touch("touchEnd", held);
});
