// Who may enter a room and how they are named: PINs, spectators, hostile names, foreign pages.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { DESKTOP, PHONE, Peer, SCREEN, SMALL, bigScreen, enter, join, racing, server, showsBoards, suite, visitor } from "./harness.js";

suite();

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
