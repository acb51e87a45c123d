// Every view: axe finds nothing, on a phone and on a large screen, dark and light; the big screen with 32
// boards; the bytes of a first visit; memory over many heats. GRIDRACE_SCREENS=DIR keeps pictures.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { after, before, test } from "node:test";
import { LANDSCAPE, PHONE, Peer, SCREEN, SMALL, Server, TABLET, launch, look, visitor } from "./harness.js";

const screens = process.env.GRIDRACE_SCREENS;
/** Heats in one tab, of which memory must not grow. */
const HEATS = Number(process.env.GRIDRACE_WEB_HEATS ?? 12);
/** What a first visit may load before one can play, in bytes as they are sent. */
const FIRST_VISIT = 120_000;

let server, browser;
before(async () => {
  server = await Server.start();
  browser = await launch();
  if (screens) mkdirSync(screens, { recursive: true });
});
after(async () => {
  await browser?.close();
  await server?.close();
});

/** A page that may evaluate axe: the content policy forbids what it needs. */
async function inspected(device, label, inBrowser = browser) {
  const page = await visitor(inBrowser, { ...device, bypassCSP: true });
  page.label = label;
  return page;
}

for (const [label, device] of Object.entries({ phone: PHONE, landscape: LANDSCAPE, tablet: TABLET, screen: SCREEN, small: SMALL })) {
  test(`axe finds nothing in a player's views (${label})`, async () => {
    const page = await inspected(device, label);
    const host = await Peer.connect(server);
    const code = await host.open({ spec: "slide:4x4", countdown_seconds: 3 }, "Zoë");
    for (const skill of ["expert", "casual"]) host.send({ add_bot: { skill } });
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
    await page.waitForFunction(() => [...document.images].every((image) => image.complete));
    await look(page, "lobby");
    host.send({ hand_over: { player: (await host.until((kind, body) => kind === "roster" && body.members.some((member) => member.name === "Anna"))).members.find((member) => member.name === "Anna").id } });
    await page.waitForSelector("text=Options…");
    await look(page, "lobby-host");
    await page.click("text=Menu");
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
    await page.click("dialog .primary");
    await page.waitForSelector(".board-grid canvas");
    await look(page, "watching");
    host.send("give_up");
    await page.waitForSelector("text=Only bots race").catch(() => {});
    await page.click("text=Menu");
    await page.click("dialog >> text=End the heat");
    await page.click("dialog .primary");
    await page.waitForSelector(".checks .good");
    await look(page, "results");
    await page.click(".over >> text=Replay");
    await page.waitForSelector("text=Every move, time and place follows");
    await page.keyboard.press("End");
    await look(page, "replay");
    await page.goto(server.url("/results"));
    await page.waitForSelector(".records td:has-text('DNF')");
    await look(page, "records");
    assert.deepEqual(page.errors, []);
    await page.context().close();
    host.close();
  });

  test(`axe finds nothing in Numberlink (${label})`, async () => {
    const page = await inspected(device, label);
    const host = await Peer.connect(server);
    const code = await host.open({ spec: "link:7x7", seed: "friday" }, "Zoë");
    host.send({ add_bot: { skill: "steady" } });
    await page.goto(server.url(`/${code}`));
    await page.fill("[name=name]", "Anna");
    await page.click("button.primary");
    await page.waitForSelector(".lobby");
    host.send("start");
    await page.waitForSelector(".link");
    for (let hint = 0; hint < 5; hint++) {
      await page.click(".tools button:first-child:not(:disabled)");
      await page.waitForFunction(() => document.querySelector(".note").textContent.startsWith("Link") && !document.querySelector(".tools button").disabled);
      // The cursor is where the hint begins: the way is drawn by keys, as far as the page shows it.
      await page.keyboard.press("n");
    }
    await look(page, "link");
    assert.deepEqual(page.errors, []);
    await page.context().close();
    host.close();
  });
}

test("reduced motion moves nothing, and forced colours keep the tiles apart", async () => {
  const host = await Peer.connect(server);
  const code = await host.open({ spec: "slide:4x4" }, "Zoë");
  const page = await inspected({ ...PHONE, reducedMotion: "reduce", forcedColors: "active" }, "plain");
  await page.goto(server.url(`/${code}`));
  await page.fill("[name=name]", "Anna");
  await page.click("button.primary");
  await page.waitForSelector(".lobby");
  host.send("start");
  await page.waitForSelector(".tile");
  await look(page, "race-forced-colours");
  const [moving, borders] = await page.$$eval(".tile, .tile span", (tiles) => {
    const styles = tiles.map((tile) => getComputedStyle(tile));
    return [styles.filter((style) => style.transitionDuration !== "0s" || style.animationName !== "none").length, styles.filter((style) => parseFloat(style.borderTopWidth) > 0).length];
  });
  assert.deepEqual([moving, borders], [0, 15]);
  await page.context().close();
  host.close();
});

test("the big screen shows the lobby, 32 boards at once, and the podium", async (context) => {
  // Without the limit of 60 frames a second the time between two frames is what one costs.
  const unlimited = await launch("--disable-frame-rate-limit");
  const page = await inspected(SCREEN, "tv", unlimited);
  const host = await Peer.connect(server);
  const code = await host.open({ spec: "slide:4x4", countdown_seconds: 3, delay_seconds: 0 }, "Zoë");
  host.send("leave_seat");
  for (let bot = 0; bot < 32; bot++) {
    host.send({ add_bot: { skill: ["beginner", "casual", "steady", "expert", "master"][bot % 5] } });
    await host.next((kind, body) => kind === "roster" && body.members.filter((member) => member.role === "player").length > bot);
  }
  await page.goto(server.url(`/${code}/tv`));
  await page.waitForSelector("text=32 players");
  await page.waitForFunction(() => [...document.images].every((image) => image.complete));
  await look(page, "tv-lobby");
  host.send("start");
  await page.waitForSelector(".countdown:has-text('2')");
  await look(page, "tv-countdown");
  await page.waitForFunction(() => document.querySelectorAll(".board-grid canvas").length === 32);
  const frames = await page.evaluate(() => new Promise((resolve) => {
    const times = [];
    let last = performance.now();
    const frame = (now) => {
      times.push(now - last);
      last = now;
      if (times.length < 120) requestAnimationFrame(frame);
      else resolve(times.sort((a, b) => a - b)[60]);
    };
    requestAnimationFrame(frame);
  }));
  context.diagnostic(`median frame with 32 boards: ${frames.toFixed(1)} ms`);
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
  assert.deepEqual(page.errors, []);
  await unlimited.close();
  host.close();
});

test("the big screen shows the last moves and the results as late as all others", async () => {
  const page = await inspected(SCREEN, "tv");
  const host = await Peer.connect(server);
  const code = await host.open({ spec: "slide:3x3", delay_seconds: 10 }, "Zoë");
  await page.goto(server.url(`/${code}/tv`));
  await page.waitForSelector(".tv-lobby");
  host.send("start");
  const { running } = await host.next((kind, body) => kind === "phase" && body.running);
  const { tiles } = running.start.slide;
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
  await host.until((kind, body) => kind === "phase" && body.over);
  assert.equal(await picture(), start);
  await page.waitForFunction((before) => document.querySelector(".board-grid canvas")?.toDataURL() !== before, start);
  assert.equal(await page.locator(".tv-over").count(), 0, "the move is seen before the results");
  await page.waitForSelector(".tv-over");
  assert.deepEqual(page.errors, []);
  await page.context().close();
  host.close();
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
  await page.context().close();
  host.socket.terminate();
  again.close();
});

test("a first visit loads little before one can play", async (context) => {
  const host = await Peer.connect(server);
  const code = await host.open({}, "Zoë");
  const page = await visitor(browser, PHONE);
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Network.enable");
  let bytes = 0;
  cdp.on("Network.loadingFinished", ({ encodedDataLength }) => { bytes += encodedDataLength; });
  const began = performance.now();
  await page.goto(server.url(`/${code}`));
  await page.fill("[name=name]", "Anna");
  await page.click("button.primary");
  await page.waitForSelector(".lobby");
  const lobby = performance.now() - began;
  await page.waitForFunction(() => [...document.images].every((image) => image.complete));
  host.send("start");
  await page.waitForSelector(".board-box [tabindex='0']");
  context.diagnostic(`a first visit: ${bytes} bytes, ${lobby.toFixed(0)} ms from the link to the lobby`);
  assert.ok(bytes > 50_000 && bytes <= FIRST_VISIT, `${bytes} bytes`);
  await page.context().close();
  host.close();
});

test("memory doesn't grow with the heats in one tab", async (context) => {
  const host = await Peer.connect(server);
  const code = await host.open({ spec: "slide:3x3" }, "Zoë");
  const page = await visitor(browser, PHONE);
  await page.goto(server.url(`/${code}`));
  await page.fill("[name=name]", "Anna");
  await page.click("button.primary");
  await page.waitForSelector(".lobby");
  const tv = await visitor(browser, SCREEN);
  await tv.goto(server.url(`/${code}/tv`));
  await tv.waitForSelector(".tv-lobby");
  const tvDevTools = await tv.context().newCDPSession(tv);
  // What is not shown any more may not be held: the canvases alone would fill the memory in hours.
  const elements = async () => {
    await tvDevTools.send("HeapProfiler.collectGarbage");
    return (await tvDevTools.send("Memory.getDOMCounters")).nodes;
  };
  const cdp = await page.context().newCDPSession(page);
  const heap = async () => {
    await cdp.send("HeapProfiler.collectGarbage");
    return (await cdp.send("Runtime.getHeapUsage")).usedSize;
  };
  let [settled, shown] = [0, 0];
  for (let heat = 1; heat <= HEATS; heat++) {
    const over = host.next((kind, body) => kind === "phase" && body.over);
    host.send("start");
    await page.waitForSelector(".slide");
    // A locator, as the handle of an element would hold it.
    await tv.locator(".board-grid canvas").first().waitFor();
    host.send("end_heat");
    await over;
    await page.waitForSelector(".checks .good");
    host.send("rematch");
    await page.waitForSelector(".lobby");
    await tv.locator(".tv-lobby").waitFor();
    if (heat === Math.ceil(HEATS / 4)) [settled, shown] = [await heap(), await elements()];
  }
  const end = await heap();
  context.diagnostic(`${HEATS} heats: ${settled} bytes after a quarter, ${end} at the end`);
  assert.ok(end < settled * 1.25 + 300_000, `${settled} bytes became ${end}`);
  const left = await elements();
  context.diagnostic(`elements of the big screen: ${shown} after a quarter, ${left} at the end`);
  assert.ok(left <= shown + 10, `${shown} elements became ${left}`);
  await tv.context().close();
  await page.context().close();
  host.close();
});
