// Every view: axe finds nothing, on a phone and on a large screen, dark and light; the big screen with 32
// boards; the bytes of a first visit; memory over many heats. GRIDRACE_SCREENS=DIR keeps pictures.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { LANDSCAPE, PHONE, Peer, SCREEN, SMALL, TABLET, bigScreen, enter, hosted, inspected, join, launch, look, playByHints, server, showsBoards, startedHeat, suite, visitor } from "./harness.js";

/** Heats in one tab, of which memory must not grow. */
const HEATS = Number(process.env.GRIDRACE_WEB_HEATS ?? 40);
/** Frames of the big screen that are measured. */
const FRAMES = 240;
/** What a first visit may load before one can play, in bytes as they are sent. */
const FIRST_VISIT = 120_000;

const web = path.join(path.dirname(fileURLToPath(import.meta.url)), "../../server/web");
/** The document and the stylesheets, by name. */
const sources = readdirSync(web).filter((name) => /\.(html|css)$/.test(name)).map((name) => [name, readFileSync(path.join(web, name), "utf8")]);

suite();

/**
 * What frames of a page cost: the boards that each paints, and milliseconds of processor time of all threads of
 * Chromium that run its script, lay it out, paint, raster and draw. The time between frames says nothing of it:
 * Chromium waits for the next sixtieth of a second, also without its frame rate limit.
 */
async function frameCosts(page) {
  const devTools = await page.context().newCDPSession(page);
  const events = [];
  devTools.on("Tracing.dataCollected", ({ value }) => events.push(...value));
  await devTools.send("Tracing.start", { categories: "devtools.timeline,disabled-by-default-devtools.timeline,viz", transferMode: "ReportEvents" });
  const painted = await page.evaluate((count) => new Promise((resolve) => {
    const frames = [[]];
    // Each board is cleared once and then painted.
    const { clearRect } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.clearRect = function (...area) {
      frames.at(-1).push(this.canvas.getAttribute("aria-label"));
      clearRect.apply(this, area);
    };
    const frame = () => (frames.push([]) < count ? requestAnimationFrame(frame) : resolve(frames));
    requestAnimationFrame(frame);
  }), FRAMES);
  const complete = new Promise((resolve) => devTools.once("Tracing.tracingComplete", resolve));
  await devTools.send("Tracing.end");
  await complete;
  const begins = events.filter(({ name }) => name === "FireAnimationFrame").map(({ ts }) => ts).sort((a, b) => a - b);
  // Several callbacks run in one frame.
  const frames = begins.filter((ts, index) => index === 0 || ts - begins[index - 1] > 4_000);
  const costs = frames.map(() => 0);
  const drawn = new Set();
  for (const { name, ph, ts, tdur, dur } of events) {
    if (ph !== "X") continue;
    const index = frames.findLastIndex((begin) => begin <= ts);
    // The tasks of each thread; all else is part of one.
    if (name === "RunTask" && index >= 0) costs[index] += (tdur ?? dur) / 1000;
    if (name === "Display::DrawAndSwap") drawn.add(index);
  }
  // In most frames nothing has moved.
  const shown = costs.filter((_, index) => drawn.has(index)).sort((a, b) => a - b);
  assert.ok(shown.length > 20, `${shown.length} of ${frames.length} frames were drawn`);
  return { painted, median: shown[shown.length >> 1], most: shown[Math.floor(shown.length * 0.95)] };
}

for (const [label, device] of Object.entries({ phone: PHONE, landscape: LANDSCAPE, tablet: TABLET, screen: SCREEN, small: SMALL })) {
  test(`axe finds nothing in a player's views (${label})`, async () => {
    const page = await inspected(device, label);
    const host = await Peer.connect(server);
    const code = await host.open({ spec: "slide:4x4", countdown_seconds: 3 }, "Zoë");
    for (const skill of ["expert", "beginner"]) host.send({ add_bot: { skill } });
    await page.goto(server.url("/"));
    await page.waitForSelector(`text=${code}`);
    await look(page, "home");
    await page.click("text=Host…");
    await look(page, "options");
    await page.keyboard.press("Escape");
    await page.goto(server.url(`/${code}`));
    await page.fill("[name=name]", "Anna");
    await look(page, "name");
    await page.click("button.primary");
    await page.waitForSelector(".lobby");
    await look(page, "lobby");
    host.send({ hand_over: { player: (await host.member("Anna")).id } });
    await page.waitForSelector("text=Options…");
    await look(page, "lobby-host");
    await page.click("text=Menu");
    await page.waitForSelector("dialog >> text=Leave the room");
    await look(page, "menu");
    await page.keyboard.press("Escape");
    await page.click("text=Start");
    await page.waitForSelector(".countdown");
    await look(page, "countdown");
    await page.waitForSelector(".slide");
    await page.click("text=Hint");
    await page.waitForSelector(".tile.hinted");
    await page.waitForFunction(() => parseInt(document.querySelector(".standings .end").textContent) > 10);
    await look(page, "slide");
    await page.click(".tools >> text=Give up");
    await page.click("dialog .danger");
    await page.waitForSelector(".board-grid canvas");
    await look(page, "watching");
    host.send("give_up");
    await page.waitForSelector("text=Only bots race").catch(() => {});
    await page.click("text=Menu");
    await page.click("dialog >> text=End the heat");
    await page.click("dialog .danger");
    await page.waitForSelector(".checks .good");
    await look(page, "results");
    await page.click(".over >> text=Replay");
    await page.waitForSelector("text=Every move, time and place follows");
    await page.keyboard.press("End");
    await look(page, "replay");
    await page.goto(server.url("/results"));
    await page.waitForSelector(".records td:has-text('DNF')");
    await look(page, "records");
  });

  test(`axe finds nothing in Numberlink (${label})`, async () => {
    const page = await inspected(device, label);
    const host = await hosted(page, { spec: "link:7x7", seed: "friday" });
    host.send({ add_bot: { skill: "steady" } });
    host.send("start");
    await page.waitForSelector(".link");
    for (let hint = 0; hint < 5; hint++) {
      await page.click(".tools button:first-child:not(:disabled)");
      await page.waitForFunction(() => document.querySelector(".note").textContent.startsWith("Link") && !document.querySelector(".tools button").disabled);
      // The cursor is where the hint begins: the way is drawn by keys, as far as the page shows it.
      await page.keyboard.press("n");
    }
    await look(page, "link");
  });
}

for (const [label, device] of Object.entries({ phone: PHONE, screen: SCREEN })) {
  test(`axe finds nothing in gates, errors, dialogs and pages that lead nowhere (${label})`, async () => {
    const page = await inspected(device, label);
    const host = await Peer.connect(server);
    const code = await host.open({ private: true }, "Host", "4711");
    await enter(page, code);
    await page.waitForSelector("[name=pin]");
    await look(page, "pin");
    await page.fill("[name=pin]", "1111");
    await page.click("button.primary");
    await page.waitForSelector("text=Wrong PIN.");
    await look(page, "pin-wrong");
    await page.fill("[name=pin]", "4711");
    await page.click("button.primary");
    await page.waitForSelector(".lobby");
    await page.click("text=Menu");
    await page.click("dialog >> text=Leave the room");
    await look(page, "leave");
    await page.click("dialog >> text=Cancel");
    await page.click("text=Menu");
    await page.click("dialog >> text=Rules and keys");
    await page.waitForSelector("dialog >> text=Join each letter with its equal");
    await look(page, "help");
    // A dialog has its own keys.
    await page.keyboard.press("?");
    assert.equal(await page.locator("dialog").count(), 1);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.waitForSelector("dialog >> text=Rules and keys");
    // A press beside a dialog closes it, one on its edge doesn't.
    const { x, y } = await page.locator("dialog").boundingBox();
    await page.mouse.click(x + 5, y + 50);
    assert.equal(await page.locator("dialog").count(), 1);
    await page.mouse.click(x - 5, y + 50);
    await page.waitForFunction(() => !document.querySelector("dialog"));
    host.send({ kick: { player: (await host.member("Anna")).id } });
    await page.waitForSelector("text=Try again");
    await look(page, "removed");
    const nowhere = code === "BBBB" ? "CCCC" : "BBBB";
    await enter(page, nowhere);
    await page.waitForSelector("text=There is no room with this code.");
    await look(page, "no-room");
    for (const path of ["/abc", "/a/b/c", "/t/No_Name"]) {
      assert.equal((await page.goto(server.url(path))).status(), 404, path);
      await page.waitForSelector("text=There is nothing here");
      if (path === "/abc") await look(page, "nothing-here");
    }
    await page.click(".primary");
    await page.waitForSelector("main.home");
    await page.type("#name", "?");
    assert.equal(await page.locator("dialog").count(), 0, "a question mark that is typed stays one");
    await page.goto(server.url("/r/none"));
    await page.waitForSelector("main [role=alert]");
    await look(page, "no-replay");
    await page.click("text=First page");
    await page.waitForSelector("main.home");
    await page.goto(server.url("/t/none"));
    await page.waitForSelector("text=Try again");
    await look(page, "t-none");
    await page.goto(server.url("/results/"));
    await page.waitForSelector("text=You have finished no heat here yet.");
    await look(page, "records-empty");
    for (const key of ["Show the key…", "Take over a key…"]) {
      await page.click(`text=${key}`);
      await look(page, key === "Show the key…" ? "key-show" : "key-take");
      await page.keyboard.press("Escape");
    }
    await page.goto(server.url(`/${nowhere}/tv`));
    await page.waitForSelector("text=There is no room with this code.");
    await look(page, "tv-no-room");
  });
}

test("with long names the lobby is no wider than a phone, and the results show the times; the head of a race has its lines", async () => {
  for (const [label, device] of Object.entries({ small: SMALL, phone: PHONE })) {
    const host = await Peer.connect(server);
    const code = await host.open({ spec: "slide:4x4" }, "W".repeat(20));
    const page = await inspected(device, label);
    await enter(page, code, "M".repeat(20));
    const { members } = await host.until((kind, body) => kind === "roster" && body.members.length === 2);
    host.send({ hand_over: { player: members[1].id } });
    await page.waitForSelector(".members button");
    await look(page, "lobby-long-names");
    await page.click("text=Menu");
    await page.click("dialog >> text=Remove…");
    await page.waitForSelector("dialog:has-text('WWW')");
    await look(page, "remove-long-names");
    assert.ok(await page.$eval("dialog", (box) => box.scrollWidth <= box.clientWidth));
    await page.keyboard.press("Escape");
    await page.click("text=Start");
    await page.waitForSelector(".slide");
    const lines = await page.evaluate(() => {
      const place = document.querySelector(".own-place");
      place.textContent = "11th of 32";
      document.querySelector(".race-head .clock").textContent = "12:34.567";
      return place.getBoundingClientRect().height / parseFloat(getComputedStyle(place).fontSize);
    });
    assert.ok(lines < 2, `${lines}`);
    host.send("give_up");
    await page.click(".tools >> text=Give up");
    await page.click("dialog .danger");
    await page.waitForSelector(".checks .good");
    await look(page, "results-long-names");
    assert.ok(await page.$$eval(".over tbody td:nth-of-type(2)", (times) => times.every((time) => time.getBoundingClientRect().right < innerWidth)));
  }
});

test("the seed is checked after a reload, too, if this tab was there before the start", async () => {
  const page = await visitor(PHONE);
  const host = await startedHeat(page, { spec: "slide:2x2" });
  await playByHints(page);
  const isChecked = () => page.waitForSelector(".checks .good:has-text('committed to before the start')");
  await isChecked();
  await page.reload();
  await isChecked();
  const late = await visitor(PHONE);
  await enter(late, host.room.code, "Ben");
  await late.waitForSelector("text=this page was opened after the commitment was published");
});

test("at twice the size of text no view is wider than a phone", async () => {
  const browser = await launch("--blink-settings=defaultFontSize=32");
  try {
    const page = await visitor({ ...PHONE, bypassCSP: true }, browser);
    page.label = "large-text";
    const host = await Peer.connect(server);
    await join(page, await host.open({ spec: "slide:2x2" }), "W".repeat(20));
    for (const skill of ["expert", "master"]) host.send({ add_bot: { skill } });
    await page.waitForSelector("text=4 players");
    await look(page, "lobby");
    host.startAsSpectator();
    await page.waitForSelector(".slide");
    await look(page, "slide");
    await playByHints(page);
    await page.waitForSelector(".podium .step3");
    await look(page, "results");
    await page.goto(server.url("/"));
    await page.waitForSelector("text=New…");
    await look(page, "home");
  } finally {
    await browser.close();
  }
});

test("a browser keeps the page off a notch by itself: no view asks for the whole screen", () => {
  for (const [name, text] of sources) assert.doesNotMatch(text, /viewport-fit|safe-area-inset/, name);
});

test("what can't be selected can't in WebKit either, which knows only the prefix", () => {
  for (const [name, text] of sources) {
    const rules = text.match(/[^{}]*\{[^{}]*\}/g) ?? [];
    for (const rule of rules) assert.equal(/-webkit-user-select: none/.test(rule), /[^-]user-select: none/.test(rule), `${name}: ${rule}`);
  }
  // A finger that rests on a board opens no menu of the browser.
  for (const board of ["slide", "link"]) assert.match(sources.join(), new RegExp(`\\.${board} \\{[^}]*[^-]user-select: none[^}]*-webkit-touch-callout: none`), board);
});

test("reduced motion moves nothing, and forced colours keep the tiles apart", async () => {
  const page = await inspected({ ...PHONE, reducedMotion: "reduce", forcedColors: "active", colorScheme: "light" }, "plain");
  const host = await hosted(page, { spec: "slide:4x4" });
  host.send("start");
  await page.waitForSelector(".tile");
  await look(page, "race-forced-colours");
  const [moving, borders] = await page.$$eval(".tile, .tile span", (tiles) => {
    const styles = tiles.map((tile) => getComputedStyle(tile));
    return [styles.filter((style) => style.transitionDuration !== "0s" || style.animationName !== "none").length, styles.filter((style) => parseFloat(style.borderTopWidth) > 0).length];
  });
  assert.deepEqual([moving, borders], [0, 15]);
  // The style sheet gives canvases a dark ground then.
  assert.ok(await page.evaluate(async () => (await import("/web/paint.js")).isDark()));
});

test("the big screen shows the lobby, 32 boards at once, and the podium", async (context) => {
  const page = await inspected(SCREEN, "tv");
  const host = await Peer.connect(server);
  const code = await host.open({ spec: "slide:4x4", countdown_seconds: 3, delay_seconds: 0 }, "Zoë");
  host.send("leave_seat");
  for (let bot = 0; bot < 32; bot++) {
    host.send({ add_bot: { skill: ["beginner", "casual", "steady", "expert", "master"][bot % 5] } });
    await host.next((kind, body) => kind === "roster" && body.members.filter((member) => member.role === "player").length > bot);
  }
  await page.goto(server.url(`/${code}/tv`));
  await page.waitForSelector("text=32 players");
  await look(page, "tv-lobby");
  host.send("start");
  await page.waitForFunction(() => document.querySelector(".countdown")?.textContent);
  await look(page, "tv-countdown");
  await showsBoards(page, 32);
  const { painted, median, most } = await frameCosts(page);
  const moved = painted.map((boards) => boards.length).filter(Boolean).sort((a, b) => a - b);
  context.diagnostic(`32 boards: ${median.toFixed(1)} ms of processor time a drawn frame in the median, ${most.toFixed(1)} ms in one of twenty; ${moved[moved.length >> 1]} boards painted in the median`);
  // No board is painted twice in a frame, nor all of them whenever one moves.
  for (const boards of painted) assert.equal(new Set(boards).size, boards.length, String(boards));
  assert.ok(moved.some((count) => count < 32), String(moved));
  const outside = await page.$$eval(".board-grid figure", (all) => all.filter((figure) => {
    const { left, top, right, bottom } = figure.getBoundingClientRect();
    return left < 0 || top < 0 || right > innerWidth || bottom > innerHeight;
  }).length);
  assert.equal(outside, 0);
  await look(page, "tv-race");
  host.send("end_heat");
  await page.waitForSelector(".tv-over");
  assert.equal(await page.locator(".tv-over .standings li").count(), 32);
  const hidden = await page.$$eval(".tv-over .standings li", (rows) => rows.filter((row) => row.getBoundingClientRect().bottom > innerHeight).length);
  assert.equal(hidden, 0, "the standings are complete");
  await look(page, "tv-over");
});

test("the big screen shows the last moves and the results as late as all others", async () => {
  const page = await inspected(SCREEN, "tv");
  const host = await Peer.connect(server);
  const code = await host.open({ spec: "slide:3x3", delay_seconds: 10 }, "Zoë");
  await page.goto(server.url(`/${code}/tv`));
  await page.waitForSelector(".tv-lobby");
  host.send("start");
  const { tiles } = (await host.nextPhase("running")).start.slide;
  // Painted: some point of it is not clear.
  await page.waitForFunction(() => {
    const canvas = document.querySelector(".board-grid canvas");
    return canvas?.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0);
  });
  const picture = () => page.evaluate(() => document.querySelector(".board-grid canvas")?.toDataURL());
  const start = await picture();
  const blank = tiles.indexOf(0);
  host.send({ move: { seq: 1, play: { slide: blank % 3 ? blank - 1 : blank + 1 } } });
  await host.until((kind) => kind === "accepted");
  host.send("give_up");
  await host.phase("over");
  assert.equal(await picture(), start);
  await page.waitForFunction((before) => document.querySelector(".board-grid canvas")?.toDataURL() !== before, start);
  assert.equal(await page.locator(".tv-over").count(), 0, "the move is seen before the results");
  await page.waitForSelector(".tv-over");
});

test("the big screen comes back by itself when its server does", async () => {
  const page = await inspected(SCREEN, "tv");
  const host = await Peer.connect(server);
  const code = await host.open({}, "Zoë");
  await page.goto(server.url(`/${code}/tv`));
  await page.waitForSelector(".tv-lobby");
  await server.killAndRestart();
  const again = await Peer.connect(server);
  await again.join(code, "Ben", true);
  await page.waitForSelector(".tv-names >> text=Ben");
});

test("a first visit loads little before one can play", async (context) => {
  const host = await Peer.connect(server);
  const code = await host.open({}, "Zoë");
  const page = await visitor(PHONE);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Network.enable");
  let bytes = 0;
  cdp.on("Network.loadingFinished", ({ encodedDataLength }) => { bytes += encodedDataLength; });
  const began = performance.now();
  await join(page, code);
  const lobby = performance.now() - began;
  await page.waitForFunction(() => [...document.images].every((image) => image.complete));
  host.send("start");
  await page.waitForSelector(".board-box [tabindex='0']");
  context.diagnostic(`a first visit: ${bytes} bytes, ${lobby.toFixed(0)} ms from the link to the lobby`);
  assert.ok(bytes > 50_000 && bytes <= FIRST_VISIT, `${bytes} bytes`);
});

test("memory doesn't grow with the heats in one tab", async (context) => {
  const page = await visitor(PHONE);
  const host = await hosted(page, { spec: "slide:2x2" });
  const tv = await bigScreen(host.room.code);
  const devTools = await Promise.all([page, tv].map((one) => one.context().newCDPSession(one)));
  // What is not shown any more may not be held: the canvases alone would fill the memory in hours.
  const held = () => Promise.all(devTools.map(async (session) => {
    await session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await session.send("Runtime.getHeapUsage");
    return { heap: usedSize, elements: (await session.send("Memory.getDOMCounters")).nodes };
  }));
  let settled = [];
  for (let heat = 1; heat <= HEATS; heat++) {
    const over = host.nextPhase("over");
    host.send("start");
    // A locator, as the handle of an element would hold it.
    await page.locator(".slide").waitFor();
    await tv.locator(".board-grid canvas").first().waitFor();
    host.send("end_heat");
    await over;
    await page.locator(".checks .good").first().waitFor();
    host.send("rematch");
    await page.locator(".lobby").waitFor();
    await tv.locator(".tv-lobby").waitFor();
    if (heat === Math.ceil(HEATS / 4)) settled = await held();
  }
  const end = await held();
  for (const [index, name] of ["player", "big screen"].entries()) {
    const [before, after] = [settled[index], end[index]];
    context.diagnostic(`${HEATS} heats, ${name}: ${before.heap} bytes and ${before.elements} elements after a quarter, ${after.heap} and ${after.elements} at the end`);
    assert.ok(after.heap < before.heap * 1.1 + 100_000, `${name}: ${before.heap} bytes became ${after.heap}`);
    assert.ok(after.elements <= before.elements * 1.25 + 20, `${name}: ${before.elements} elements became ${after.elements}`);
  }
});
