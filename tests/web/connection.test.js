// Lost connections, reloads, a killed server, PINs, spectators, hostile names, foreign pages.

import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { test } from "node:test";
import { DESKTOP, PHONE, Peer, SCREEN, SMALL, Server, TABLET, bigScreen, countBells, enter, hosted, join, launch, server, showsBoards, suite, visitor } from "./harness.js";

suite();

/** Brings a page into a running race of a peer's room, one move after GO. */
async function racing(device, prepare = (_page) => {}) {
  const page = await visitor(device);
  await prepare(page);
  const host = await hosted(page, { spec: "slide:4x4" });
  host.send("start");
  await page.waitForSelector(".slide");
  await slideOne(page);
  await page.waitForSelector("text=1 move");
  return { host, code: host.room.code, page };
}

/** Waits until a page says of no connection that it is lost. */
const isBack = (page) => page.waitForFunction(() => document.querySelector(".linkstate").textContent === "");

/** Slides a tile beside the blank, so that the count of moves grows by one. */
async function slideOne(page) {
  const tile = await page.evaluateHandle(() => {
    const at = (node) => ["--row", "--column"].map((name) => Number(node.style.getPropertyValue(name)));
    const all = [...document.querySelectorAll(".tile")];
    const cells = [0, 1, 2, 3].flatMap((row) => [0, 1, 2, 3].map((column) => [row, column]));
    const blank = cells.find((cell) => !all.some((tile) => String(at(tile)) === String(cell)));
    return all.find((tile) => Math.abs(at(tile)[0] - blank[0]) + Math.abs(at(tile)[1] - blank[1]) === 1);
  });
  await tile.click();
}

/** The tiles in the order of their cells. */
const tiles = (page) => page.$$eval(".tile", (all) => all.map((tile) => tile.getAttribute("aria-label").replace(", movable", "")).sort());

test("a reload in mid-race leads back into the same seat without a question", async () => {
  const { page } = await racing(PHONE);
  const before = await tiles(page);
  await page.reload();
  await page.waitForSelector(".slide");
  await page.waitForSelector("text=1 move");
  assert.deepEqual(await tiles(page), before);
  await slideOne(page);
  await page.waitForSelector("text=2 moves");
});

test("who comes back when the seat is gone is in the room again, with a number behind the name", async () => {
  const page = await visitor(PHONE);
  const host = await Peer.connect(server);
  const code = await host.open({ spec: "slide:4x4", grace_seconds: 0, private: true }, "Host", "4711");
  await enter(page, code);
  await page.fill("[name=pin]", "4711");
  await page.click("button.primary");
  await page.waitForSelector(".lobby");
  host.send("start");
  await page.waitForSelector(".slide");
  // The second time the seat had no row in the standings, so that its name is free again.
  for (const isGone of [({ name, connected }) => name === "Anna" && !connected, () => true]) {
    await page.goto("about:blank");
    await host.until((kind, body) => kind === "roster" && body.members.some(isGone) && !body.members.some(({ name, connected }) => name.startsWith("Anna") && connected));
    await page.goto(server.url(`/${code}`));
    await page.waitForSelector("text=Back as a new player, Anna 2: your old seat is gone.");
  }
  // Nobody else is called so by hand.
  const other = await visitor(PHONE);
  await enter(other, code, "Anna 2");
  await other.fill("[name=pin]", "4711");
  await other.click("button.primary");
  await other.waitForSelector("text=Another member of this room has this name");
  assert.ok(await other.isHidden(".bar >> text=Menu"));
});

test("a seat that the server refuses for the moment is asked for again", async () => {
  const { page } = await racing(PHONE);
  let resumed = 0;
  await page.routeWebSocket(/\/ws$/, (socket) => {
    const beyond = socket.connectToServer();
    socket.onMessage((text) => {
      const asks = String(text).startsWith('{"resume"');
      if (asks && ++resumed === 1) socket.send('{"refused":"too_fast"}');
      else beyond.send(text);
    });
  });
  await page.reload();
  await page.waitForSelector(".slide");
  await page.waitForSelector("text=1 move");
  assert.equal(resumed, 2);
});

test("moves that were made in twenty seconds offline count once the network is back", async () => {
  const { host, page } = await racing(TABLET, (page) => page.clock.install());
  await page.context().setOffline(true);
  await page.waitForSelector("text=connection lost");
  await slideOne(page);
  await page.waitForSelector("text=2 moves");
  // A tunnel, or a walk out of the network's reach: the page pauses longer between its attempts by then.
  for (let attempt = 1; attempt <= 4; attempt++) {
    const failed = page.waitForEvent("console", (message) => /ERR_INTERNET_DISCONNECTED/.test(message.text()));
    await page.clock.fastForward(5_000);
    await failed;
  }
  await page.context().setOffline(false);
  await isBack(page);
  await slideOne(page);
  await page.waitForSelector("text=3 moves");
  await host.until((kind, body) => kind === "standings" && body.rows.some((row) => row.player !== host.you && row.moves.acts === 3));
});

test("a board whose module could not be loaded in the countdown is loaded again", async () => {
  const page = await visitor(PHONE);
  let asked = 0;
  await page.route("**/web/slide.js", (route) => (++asked === 1 ? route.abort() : route.continue()));
  const host = await hosted(page, { spec: "slide:4x4" });
  host.send("start");
  await page.waitForSelector(".note:has-text('Reload this page')");
  await page.waitForSelector(".slide");
  assert.equal(asked, 2);
});

test("a server that is killed and started again continues the race", async () => {
  const { page } = await racing(DESKTOP);
  const before = await tiles(page);
  await server.killAndRestart(() => page.waitForSelector("text=connection lost"));
  await isBack(page);
  assert.deepEqual(await tiles(page), before);
  await slideOne(page);
  await page.waitForSelector("text=2 moves");
  await page.reload();
  await page.waitForSelector("text=2 moves");
});

test("the same seat in a second tab supersedes the first", async () => {
  const { code, page } = await racing(DESKTOP);
  const seat = await page.evaluate(() => sessionStorage.getItem("gridrace.seat"));
  const second = await page.context().newPage();
  await second.addInitScript((value) => sessionStorage.setItem("gridrace.seat", value), seat);
  await second.goto(server.url(`/${code}`));
  await second.waitForSelector("text=1 move");
  await page.waitForSelector("text=You continue in another tab");
});

test("a tab that shows a room and its big screen has a seat of its own for each", async () => {
  const { host, code, page } = await racing(DESKTOP);
  await page.goto(server.url(`/${code}/tv`));
  await page.waitForSelector(".tv .board-grid canvas");
  await page.goto(server.url(`/${code}`));
  await page.waitForSelector(".slide");
  await page.waitForSelector("text=1 move");
  const members = host.room.roster.members.map(({ name, role }) => [name.replace(/\d+/, "N"), role]);
  assert.deepEqual(members, [["Host", "player"], ["Anna", "player"], ["Screen N", "spectator"]]);
  const screen = await visitor(SCREEN);
  await screen.goto(server.url(`/${code}/tv`));
  await screen.waitForSelector(".tv .board-grid canvas");
  await screen.goto(server.url(`/${code}`));
  await screen.waitForSelector(".gate [name=name]");
});

test("a room with a PIN asks for it, and says when it is wrong", async () => {
  const host = await Peer.connect(server);
  const code = await host.open({ private: true }, "Host", "4711");
  const page = await visitor(PHONE);
  await enter(page, code);
  await page.fill("[name=pin]", "1111");
  await page.click("button.primary");
  await page.waitForSelector("text=Wrong PIN.");
  // With a name that is taken the right one isn't asked for again.
  await page.fill("[name=name]", "Host");
  await page.fill("[name=pin]", "4711");
  await page.click("button.primary");
  await page.waitForSelector("text=Another member of this room has this name");
  await page.fill("[name=name]", "Anna");
  await page.click("button.primary");
  await page.waitForSelector(".lobby");
});

test("the big screen of a room with a PIN asks for it once, unless its browser has it; the lobby says that it is needed", async () => {
  const host = await Peer.connect(server);
  const code = await host.open({ private: true }, "Host", "4711");
  const tv = await visitor(SCREEN);
  await tv.goto(server.url(`/${code}/tv`));
  await tv.waitForSelector("text=This room has a PIN.");
  await tv.fill("[name=pin]", "1111");
  await tv.click("button.primary");
  await tv.waitForSelector("text=Wrong PIN.");
  await tv.fill("[name=pin]", "4711");
  await tv.keyboard.press("Enter");
  await tv.waitForSelector(".tv-lobby >> text=Join with the code and the PIN");
  await tv.reload();
  await tv.waitForSelector(".tv-lobby");
  const page = await visitor(PHONE);
  await enter(page, code);
  await page.fill("[name=pin]", "4711");
  await page.click("button.primary");
  await page.waitForSelector(".lobby >> text=Join with the code and the PIN");
  const screen = await page.context().newPage();
  await screen.goto(server.url(`/${code}/tv`));
  await screen.waitForSelector(".tv-lobby");
  // A room without one says nothing of a PIN.
  host.send("leave");
  const other = await Peer.connect(server);
  await screen.goto(server.url(`/${await other.open({}, "Host")}/tv`));
  await screen.waitForSelector(".tv-lobby");
  assert.equal(await screen.textContent(".tv-lobby p"), "Join with the code");
});

test("a name that is taken, or is a big screen's, is asked for again", async () => {
  const host = await Peer.connect(server);
  const code = await host.open({}, "Anna");
  const page = await visitor(PHONE);
  await enter(page, code);
  await page.waitForSelector("text=Another member of this room has this name");
  await page.fill("[name=name]", "Screen 1234");
  await page.click("button.primary");
  await page.waitForSelector("text=Names like this are for big screens.");
  await page.fill("[name=name]", "Ben");
  await page.click("button.primary");
  await page.waitForSelector(".lobby");
});

test("a spectator sees the boards, and takes a seat in the next heat", async () => {
  const host = await Peer.connect(server);
  const code = await host.open({ spec: "slide:3x3" }, "Host");
  host.send({ add_bot: { skill: "steady" } });
  const page = await visitor(DESKTOP);
  await page.goto(server.url(`/${code}`));
  await page.fill("[name=name]", "Eve");
  await page.click("text=Watch");
  await page.waitForSelector("text=Take a seat");
  host.send("start");
  await showsBoards(page, 2);
  await page.click("text=Menu");
  await page.click("text=A seat in the next heat");
  await host.until((kind, body) => kind === "roster" && body.members.some((member) => member.name === "Eve" && member.next_seat));
});

test("hostile names stay text", async () => {
  const host = await Peer.connect(server);
  const code = await host.open({}, "<img src=x>");
  const bot = await Peer.connect(server);
  await bot.join(code, "'\"><b>&lt;i", true);
  const page = await visitor(PHONE);
  await join(page, code, "<u>Anna");
  const names = await page.$$eval(".members .name", (all) => all.map((one) => one.childNodes[0].textContent));
  assert.deepEqual(names, ["<img src=x>", "'\"><b>&lt;i", "<u>Anna"]);
  assert.equal(await page.locator(".members img, .members b, .members i, .members u").count(), 0);
});

test("a name from right to left moves nothing beside it, and is cut at its end", async () => {
  const host = await Peer.connect(server);
  const code = await host.open({}, "שלום 12");
  const page = await visitor(SMALL);
  await join(page, code, "ש".repeat(19) + "ת");
  /** Where a text stands in an element, in pixels from the left. */
  const place = (selector, text) => page.$eval(selector, (element, text) => {
    const node = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
    const range = document.createRange();
    const at = node.data.indexOf(text);
    range.setStart(node, at);
    range.setEnd(node, at + text.length);
    const [{ left, right }, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
    return { left, right, inside: left >= box.left && right <= box.right };
  }, text);
  assert.equal((await place(".members .own .name", "ת")).inside, false, "the name is too long for its place");
  assert.ok((await place(".members .own .name", "ש")).inside, "it is cut at its end");
  host.send({ announce: { text: "34 tiles" } });
  await page.waitForSelector(".toast:has-text('34 tiles')");
  assert.ok((await place(".toast", "34")).left >= (await place(".toast", "שלום 12")).right);
  host.send("start");
  await page.waitForSelector(".slide");
  host.send("end_heat");
  await page.click(".over >> text=Replay");
  await page.waitForFunction(() => [...document.querySelectorAll(".replay .name")].some((name) => name.textContent.includes("\u2068שלום 12\u2069")));
});

test("a page of another origin gets no frame, and no socket", async () => {
  const foreign = createServer((_, answer) => answer.setHeader("content-type", "text/html").end("<iframe></iframe>"));
  await new Promise((resolve) => foreign.listen(0, "127.0.0.1", resolve));
  const page = await visitor(DESKTOP);
  // The browser says that it blocks the frame.
  page.expectsErrors = true;
  await page.goto(`http://localhost:${foreign.address().port}/`);
  const opened = await page.evaluate((address) => new Promise((resolve) => {
    const socket = new WebSocket(`ws://${address}/ws`, "gridrace.v5.json");
    socket.onopen = () => resolve(true);
    socket.onerror = () => resolve(false);
  }), server.address);
  assert.equal(opened, false);
  const frame = await page.evaluate((url) => new Promise((resolve) => {
    const element = document.querySelector("iframe");
    element.onload = () => {
      try {
        resolve(element.contentDocument === null ? "blocked" : "blank");
      } catch {
        resolve("blocked");
      }
    };
    element.src = url;
  }), server.url("/"));
  assert.equal(frame, "blocked");
  assert.equal(await page.frames()[1].locator(".home").count(), 0);
  foreign.close();
});

test("a key is exported and taken over, and its results are listed with their replays", async () => {
  const page = await visitor(PHONE);
  await page.goto(server.url("/results"));
  await page.click("text=Take over a key…");
  await page.fill("dialog input", "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
  await page.click("dialog .primary");
  await page.click("text=Show the key…");
  assert.equal(await page.inputValue("dialog input"), "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60");
  await page.keyboard.press("Escape");
  const host = await hosted(page, { spec: "slide:2x2" });
  host.send("start");
  await page.waitForSelector(".slide");
  host.send("end_heat");
  await page.waitForSelector(".over");
  await page.click(".over >> text=Replay");
  await page.waitForSelector("text=Every move, time and place follows from the rules");
  await page.waitForSelector(".board-grid canvas");
  // Keys of the replay leave those of the browser, of a summary and of a dialog alone.
  await page.waitForSelector("[data-id=pause]:has-text('Again')");
  const shown = () => page.evaluate(() => [document.querySelector("[data-id=pause]").textContent, document.querySelector("[type=range]").value]);
  await page.keyboard.press("Home");
  const before = await shown();
  await page.focus(".replay summary");
  await page.keyboard.press("Space");
  await page.waitForSelector(".replay details[open]");
  await page.keyboard.press("?");
  await page.waitForSelector("dialog >> text=Rules and keys");
  await page.keyboard.press("End");
  await page.keyboard.press("Escape");
  assert.ok(await page.evaluate(() => document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft", altKey: true, bubbles: true, cancelable: true }))));
  assert.deepEqual(await shown(), before);
  await page.keyboard.press("End");
  assert.notDeepEqual(await shown(), before);
  // A check that takes long ends when the page is left.
  await page.route("**/rules_worker.js", (route) => route.fulfill({ contentType: "text/javascript", body: "self.onmessage = () => {};" }));
  const worker = page.waitForEvent("worker");
  await page.reload();
  const ended = (await worker).waitForEvent("close");
  await page.waitForSelector("text=Checking moves");
  await page.click(".home-link");
  await ended;
  await page.goto(server.url("/results"));
  await page.waitForSelector(".records td:has-text('of')");
});

test("a race is left by its sign or by Back only after a question, and its seat is kept", async () => {
  const { code, page } = await racing(PHONE);
  const before = await tiles(page);
  await page.click(".home-link");
  await page.click("dialog >> text=Stay");
  assert.equal(new URL(page.url()).pathname, `/${code}`);
  await page.click(".home-link");
  await page.click("dialog .danger");
  await page.waitForSelector("main.home");
  await page.goBack();
  await page.waitForSelector(".slide");
  assert.deepEqual(await tiles(page), before);
  await page.goForward();
  await page.waitForSelector("dialog:has-text('Leave this race? Your seat is kept for 60 s.')");
  await page.waitForURL(server.url(`/${code}`));
  await page.click("dialog >> text=Stay");
  await slideOne(page);
  await page.waitForSelector("text=2 moves");
  await page.goForward();
  await page.waitForSelector("dialog >> text=Leave this race?");
  await page.waitForURL(server.url(`/${code}`));
  await page.goForward();
  await page.waitForURL(server.url(`/${code}`));
  await page.waitForSelector("dialog >> text=Leave this race?");
  assert.equal(await page.locator("dialog").count(), 1);
  await page.click("dialog .danger");
  await page.waitForSelector("main.home");
});

test("a dialog that asks for a text has the cursor in it, and one that asks for numbers doesn't", async () => {
  const page = await visitor(PHONE);
  const focused = () => page.evaluate(() => document.activeElement.name || document.activeElement.textContent);
  await page.goto(server.url("/"));
  await page.click("text=New…");
  await page.waitForSelector("dialog");
  assert.equal(await focused(), "name");
  await page.keyboard.press("Escape");
  await page.fill("#name", "Anna");
  await page.click("text=Host…");
  await page.waitForSelector("dialog");
  assert.equal(await focused(), "✕");
  await page.click("text=Open the room");
  await page.waitForSelector(".lobby");
  await page.click("text=Menu");
  await page.click("dialog >> text=Announce…");
  await page.keyboard.type("Pizza at eight");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".announcement:has-text('Pizza at eight')");
  await page.goto(server.url("/results"));
  await page.click("text=Take over a key…");
  assert.equal(await page.evaluate(() => document.activeElement.ariaLabel), "Key of 64 hexadecimal digits");
});

test("a question about a race closes with the race, and one that needs the connection when it is lost", async () => {
  const { host, page } = await racing(PHONE);
  const none = () => page.waitForFunction(() => !document.querySelector("dialog"));
  await page.click(".tools >> text=Give up");
  // What can't be undone isn't what the eye meets first.
  assert.equal(await page.textContent("dialog .primary"), "Cancel");
  await page.context().setOffline(true);
  await none();
  await page.click(".home-link");
  await page.waitForSelector("dialog >> text=Leave this race?");
  await page.context().setOffline(false);
  await isBack(page);
  await page.waitForSelector("dialog >> text=Leave this race?");
  await page.click("dialog >> text=Stay");
  await page.click("text=Menu");
  await page.click("dialog >> text=Give up");
  await page.waitForSelector("dialog >> text=Give up this race?");
  host.send("end_heat");
  await page.waitForSelector(".over");
  await none();
  host.send("rematch");
  await page.waitForSelector(".lobby");
  // What is opened before a race doesn't cover it.
  await page.click("text=Menu");
  await page.waitForSelector("dialog >> text=Leave the room");
  host.send("start");
  await page.waitForSelector(".countdown");
  await none();
  await page.keyboard.press("?");
  await page.waitForSelector("dialog >> text=Rules and keys");
  await page.waitForSelector(".slide");
  await none();
  await page.click("text=Menu");
  await page.waitForSelector("dialog >> text=Leave the room");
  host.send("end_heat");
  await page.waitForSelector(".over");
  await none();
});

test("what a player asks for without a connection is refused at once; a member is removed after a question", async () => {
  const { host, page } = await racing(PHONE);
  await page.context().setOffline(true);
  await page.waitForSelector("text=connection lost");
  // In one go: the next attempt that fails closes the question.
  await page.evaluate(() => { for (const button of [".tools .give-up", "dialog .danger"]) document.querySelector(button).click(); });
  await page.waitForSelector(".note:has-text('No connection.')");
  await page.context().setOffline(false);
  await isBack(page);
  host.send({ add_bot: { skill: "casual" } });
  host.send("end_heat");
  host.send({ hand_over: { player: (await host.member("Anna")).id } });
  await page.waitForSelector(".over >> text=Next puzzle…");
  await page.click(".over >> text=Rematch");
  await page.waitForSelector(".lobby");
  await page.click("[aria-label='Remove Host']");
  await page.click("dialog:has-text('Remove Host?') >> text=Cancel");
  await page.context().setOffline(true);
  await page.waitForSelector("text=connection lost");
  await page.click(".lobby >> text=Ready");
  await page.waitForSelector(".toast:has-text('No connection.')");
  await page.context().setOffline(false);
  await isBack(page);
  const removed = host.next((kind, body) => kind === "goodbye" && body === "kicked");
  await page.click("[aria-label='Remove Host']");
  await page.click("dialog .danger");
  await removed;
});

test("results that are shown anew keep the focus, and what is folded", async () => {
  const { host, page } = await racing(DESKTOP);
  host.send("end_heat");
  await page.waitForSelector(".checks .good:nth-of-type(2)");
  await page.waitForSelector("[data-id=replay]");
  await page.click(".checks summary");
  await page.focus("[data-id=replay]");
  host.send({ hand_over: { player: (await host.member("Anna")).id } });
  await page.waitForSelector("text=Next puzzle…");
  assert.deepEqual(await page.evaluate(() => [document.querySelector(".checks").open, document.activeElement.dataset.id]), [false, "replay"]);
  await page.click(".checks summary");
  host.send("rematch");
  await page.waitForSelector("text=1 of 2 are ready");
  assert.ok(await page.isVisible(".checks .good:nth-of-type(2)"));
});

test("the bell and the vibration at GO, off by a switch, and back after a reload", async () => {
  const page = await visitor(PHONE);
  await page.addInitScript(countBells);
  const host = await hosted(page, { spec: "slide:4x4" });
  const rung = () => page.evaluate(() => window.rung);
  const race = async () => {
    const over = host.nextPhase("over");
    host.send("start");
    await page.waitForSelector(".slide");
    return { over };
  };
  const end = async ({ over }) => {
    host.send("end_heat");
    await over;
    await page.waitForSelector(".over");
    host.send("rematch");
    await page.waitForSelector(".lobby");
  };
  let heat = await race();
  // One for the last second of the countdown, one for GO.
  await page.waitForFunction(() => window.rung.tones >= 2 && window.rung.buzzes >= 2);
  const go = await rung();
  await end(heat);
  assert.ok((await rung()).tones > go.tones, "the end rings as well");

  await page.click("text=Menu");
  await page.click("dialog >> text=Turn sound off");
  const off = await rung();
  await end(await race());
  assert.deepEqual(await rung(), off);

  await page.click("text=Menu");
  await page.click("dialog >> text=Turn sound on");
  heat = await race();
  await page.reload();
  await page.waitForSelector(".slide");
  assert.equal((await rung()).contexts, 0, "before the first touch a browser would only complain");
  await slideOne(page);
  await page.waitForSelector("text=1 move");
  await end(heat);
  const after = await rung();
  assert.ok(after.contexts === 1 && after.tones > 0 && after.buzzes > 0, JSON.stringify(after));
});

test("in a browser that keeps nothing a visit has its name, its key, its sound and its style of hints all the same", async () => {
  const host = await Peer.connect(server);
  const code = await host.open({ spec: "slide:4x4" }, "Host");
  const page = await visitor(DESKTOP);
  await page.addInitScript(() => Object.defineProperty(window, "localStorage", { get() { throw new DOMException("denied", "SecurityError"); } }));
  await page.goto(server.url("/results"));
  const fingerprint = () => page.textContent(".card code");
  const key = await fingerprint();
  await page.click(".home-link");
  await page.fill("#name", "Anna");
  await page.fill(".join [name=code]", code);
  await page.click(".join button");
  await page.waitForSelector(".lobby");
  await page.click("text=Menu");
  await page.click("dialog >> text=Turn sound off");
  await page.click("text=Menu");
  await page.waitForSelector("dialog >> text=Turn sound on");
  await page.keyboard.press("Escape");
  host.send("start");
  await page.waitForSelector(".slide");
  await page.click(".tools >> text=Method");
  await page.waitForSelector(".tools [aria-pressed=true] >> text=Method");
  const asked = host.until((kind, body) => kind === "standings" && body.rows.some((row) => row.hints));
  await page.click(".tools .hint");
  await page.waitForSelector(".note:has-text('Row 1')");
  await asked;
  host.send("end_heat");
  await page.waitForSelector(".over");
  await page.click(".home-link");
  assert.equal(await page.inputValue("#name"), "Anna");
  await page.click("text=Your results");
  assert.equal(await fingerprint(), key);
});

test("over plain HTTP, where a browser has no clipboard, the link is copied all the same", async () => {
  const plain = await Server.start(["--host", "race.test"]);
  const other = await launch(`--host-resolver-rules=MAP race.test 127.0.0.1`);
  const page = await visitor(DESKTOP, other);
  const address = `http://race.test:${plain.address.split(":").at(-1)}`;
  await page.goto(address);
  assert.equal(await page.evaluate(() => isSecureContext || Boolean(navigator.clipboard)), false);
  await page.fill("#name", "Anna");
  await page.click("text=Host…");
  await page.click("text=Open the room");
  await page.waitForSelector(".lobby");
  await page.click("text=Copy the link");
  await page.waitForSelector(".toast:has-text('The link is copied.')");
  await page.click("text=Menu");
  await page.click("dialog >> text=Announce…");
  await page.focus("dialog [name=text]");
  await page.keyboard.press("Control+V");
  await page.waitForFunction(() => document.querySelector("dialog [name=text]").value === location.href);
  assert.ok(page.url().startsWith(address));
  await other.close();
  await plain.close();
});

test("a room lists a big screen as such, and the first page no room that all have left", async () => {
  const { host, code, page } = await racing(PHONE);
  await showsBoards(await bigScreen(code), 2);
  host.send("end_heat");
  await page.waitForSelector(".over");
  host.send("rematch");
  await page.waitForSelector(".lobby >> text=Watching: 1 big screen");
  const left = await Peer.connect(server);
  const empty = await left.open({}, "Gone");
  await page.goto(server.url("/"));
  await page.waitForSelector(`.rooms >> text=${empty}`);
  left.send("leave");
  await page.waitForFunction((text) => !document.querySelector(".rooms").textContent.includes(text), empty);
  assert.ok(await page.isVisible(`.rooms >> text=${code}`));
});

test("a tab whose timers run once a minute keeps its connection, but not a dead one", async () => {
  const page = await visitor(DESKTOP);
  let opened = 0;
  let pongs = 0;
  let isDead = false;
  await page.routeWebSocket(/\/ws$/, (socket) => {
    opened++;
    const beyond = socket.connectToServer();
    // What is dead is replaced by a connection that isn't.
    socket.onClose(() => {
      isDead = false;
      beyond.close();
    });
    beyond.onMessage((text) => {
      if (isDead) return;
      socket.send(text);
      if (String(text).startsWith('{"pong"')) pongs++;
    });
  });
  // A jump of the clock before a pong is there looks like silence.
  const answered = async (count) => {
    while (pongs < count) await page.evaluate(() => 0);
  };
  await page.clock.install();
  await hosted(page);
  // The pings of a new connection.
  await answered(5);
  for (let minute = 1; minute <= 4; minute++) {
    // Each timer that is due runs once.
    await page.clock.fastForward(60_000);
    await answered(5 + minute);
    assert.equal(await page.textContent(".linkstate"), "");
  }
  assert.equal(opened, 1);
  isDead = true;
  await page.clock.fastForward(60_000);
  await page.clock.fastForward(60_000);
  await page.waitForSelector("text=connection lost");
  await isBack(page);
  assert.equal(opened, 2);
});

test("a stylesheet that was lost is loaded again", async () => {
  const { host, code, page } = await racing(DESKTOP);
  page.expectsErrors = true;
  let asked = 0;
  await page.route("**/web/results.css", (route) => (++asked === 1 ? route.abort() : route.continue()));
  const lost = page.waitForEvent("requestfailed");
  host.send("end_heat");
  await lost;
  // Who joins has the results drawn anew.
  const other = await Peer.connect(server);
  await other.join(code, "Other");
  await page.waitForFunction(() => document.querySelector(".over") && getComputedStyle(document.querySelector(".over")).display === "grid");
  assert.equal(asked, 2);
});

test("a module that is lost when something is opened is told, and what is open gives way to the reason of an end", async () => {
  const page = await visitor(PHONE);
  page.expectsErrors = true;
  const host = await hosted(page);
  await page.route("**/web/menu.js", (route) => route.abort());
  await page.click("text=Menu");
  await page.waitForSelector(".toast:has-text('No connection.')");
  await page.unroute("**/web/menu.js");
  await page.click("text=Menu");
  await page.waitForSelector("dialog[open]");
  host.send({ kick: { player: (await host.member("Anna")).id } });
  await page.waitForSelector("text=The host removed you");
  assert.equal(await page.locator("dialog").count(), 0);
});

test("a press on a button counts although the lobby or the results change during it", async () => {
  const page = await visitor(DESKTOP);
  await page.clock.install();
  const host = await hosted(page, { spec: "slide:2x2" });
  let announced = 0;
  const pressed = async (down, up) => {
    await down();
    host.send({ announce: { text: `Hello ${++announced}!` } });
    await page.waitForSelector(`.toast:has-text('Hello ${announced}!')`);
    // It tries again to show the change.
    await page.clock.runFor(200);
    await up();
  };
  const ready = page.locator("[data-id=ready]");
  await ready.hover();
  await pressed(() => page.mouse.down(), () => page.mouse.up());
  await page.waitForSelector("[data-id=ready][aria-pressed=true]");
  // What changed is shown after the press.
  await page.waitForSelector(".announcement:has-text('Hello 1!')");
  await ready.focus();
  await pressed(() => page.keyboard.down("Space"), () => page.keyboard.up("Space"));
  await page.waitForSelector("[data-id=ready][aria-pressed=false]");
  host.send("start");
  await page.waitForSelector(".slide");
  host.send("end_heat");
  await page.waitForSelector(".over");
  await page.locator("[data-id=again]").hover();
  await pressed(() => page.mouse.down(), () => page.mouse.up());
  await page.waitForSelector("[data-id=again]:has-text('Not ready')");
});

test("past tournaments that can't be read are asked for again, and where none has ended the list says so", async () => {
  const own = await Server.start();
  const page = await visitor(PHONE);
  const database = path.join(own.folder, "data/gridrace.db");
  renameSync(database, `${database}.away`);
  await page.goto(own.url("/"));
  await page.click("text=Past tournaments");
  await page.waitForSelector("text=The server can't read its past tournaments now.");
  renameSync(`${database}.away`, database);
  await page.click("text=Try again");
  await page.waitForSelector("text=No tournament has ended here yet.");
  assert.equal(await page.isVisible(".past button"), false);
  await own.close();
});
