// Lost connections, reloads, a killed server, second tabs, modules that can't be loaded.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, PHONE, Peer, SCREEN, TABLET, enter, hosted, isBack, racing, server, slideOne, suite, tilesInOrder, visitor } from "./harness.js";

suite();

test("a reload in mid-race leads back into the same seat without a question", async () => {
  const { page } = await racing(PHONE);
  const before = await tilesInOrder(page);
  await page.reload();
  await page.waitForSelector(".slide");
  await page.waitForSelector("text=1 move");
  assert.deepEqual(await tilesInOrder(page), before);
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
  const before = await tilesInOrder(page);
  await server.killAndRestart(() => page.waitForSelector("text=connection lost"));
  await isBack(page);
  assert.deepEqual(await tilesInOrder(page), before);
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
