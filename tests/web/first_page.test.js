// The first page: the rooms that it lists, joining by a code, and the options that it offers. The server has a
// standing room, and stores nothing.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DESKTOP, PHONE, Peer, hosted, server, suite, visitor } from "./harness.js";

suite(["--ephemeral", "--room", "slide:4x4", "--bots", "casual,expert"]);

test("a standing room without a name is listed while nobody is in it, below those with people", async () => {
  const page = await visitor(PHONE);
  await page.goto(server.url("/"));
  await page.waitForSelector(".rooms >> text=Sliding puzzle 4×4 · 0 people");
  const host = await Peer.connect(server);
  const code = await host.open({ spec: "link:5x5" }, "Zoë");
  await page.waitForSelector(".rooms >> text=Zoë's room");
  const codes = await page.$$eval(".rooms .code", (all) => all.map((one) => one.textContent));
  assert.equal(codes.length, 2);
  assert.equal(codes[0], code);
  await page.click(".rooms >> text=0 people");
  await page.fill("[name=name]", "Anna");
  await page.click("button.primary");
  await page.waitForSelector("text=3 players");
});

test("results on a server that stores nothing show no error", async () => {
  const page = await visitor(PHONE);
  const host = await hosted(page, { spec: "slide:3x3" });
  host.send("start");
  await page.waitForSelector(".slide");
  await page.evaluate(() => {
    window.said = [];
    new MutationObserver(() => window.said.push(document.querySelector(".toast")?.textContent)).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  host.send("end_heat");
  await page.waitForSelector(".checks .good");
  // What the page asked for at the end of the heat is answered before this.
  host.send({ announce: { text: "Well raced" } });
  await page.waitForSelector(".toast:has-text('Well raced')");
  assert.deepEqual(await page.evaluate(() => [...new Set(window.said.filter(Boolean))]), ["Host: Well raced"]);
  assert.equal(await page.textContent(".over tbody tr.own td:nth-of-type(2)"), "DNF 0 %");
  // Who asks for results is told.
  await page.goto(server.url("/results"));
  await page.waitForSelector("text=This server has no results to show.");
});

test("the name of the first page counts for a room that is joined by its code; a wrong code is told at once", async () => {
  const host = await Peer.connect(server);
  const code = await host.open({}, "Host");
  const page = await visitor(PHONE);
  await page.goto(server.url("/"));
  const joinByCode = async (name, text) => {
    await page.fill("#name", name);
    await page.fill(".join [name=code]", text);
    await page.click(".join button");
  };
  await joinByCode("Anna", "AEIO");
  await page.waitForSelector("text=There is nothing here");
  await page.click("text=First page");
  await joinByCode("Anna", code === "BBBB" ? "CCCC" : "BBBB");
  await page.waitForSelector("text=There is no room with this code.");
  await page.click("text=First page");
  await joinByCode("Host", code.toLowerCase());
  await page.waitForSelector("text=Another member of this room has this name");
  await page.fill("[name=name]", "Anna");
  await page.click("button.primary");
  await page.waitForSelector(".lobby");
  await page.evaluate(() => sessionStorage.clear());
  await page.goto(server.url("/"));
  await joinByCode("", code);
  await page.waitForSelector(".gate [name=name]");
});

test("who opens a room's link types the name, and the PIN, without a press into the field", async () => {
  const host = await Peer.connect(server);
  const code = await host.open({}, "Host", "4711");
  const page = await visitor(DESKTOP);
  await page.goto(server.url(`/${code}`));
  await page.waitForSelector(".gate [name=name]:focus");
  await page.keyboard.type("Anna");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".gate [name=pin]:focus");
  await page.keyboard.type("4711");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".lobby");
});

test("a name that is refused when a room is opened is asked for again, without a code", async () => {
  const page = await visitor(PHONE);
  await page.goto(server.url("/"));
  await page.fill("#name", "Screen 1234");
  await page.click("[data-family=slide]");
  await page.waitForSelector("text=Names like this are for big screens.");
  assert.deepEqual([await page.title(), await page.textContent(".gate h2"), await page.locator(".gate button").allTextContents()], ["gridrace", "Your name", ["Continue"]]);
  await page.fill("[name=name]", "Anna");
  await page.click("button.primary");
  await page.waitForSelector(".slide");
});

test("a heat has the documented options unless its host says otherwise", async () => {
  const page = await visitor(DESKTOP);
  await page.goto(server.url("/"));
  await page.click("text=Host…");
  assert.equal(await page.inputValue("dialog [name=hints]"), "priced");
  assert.equal(await page.inputValue("dialog [name=price]"), "10");
  await page.click("text=Open the room");
  await page.waitForSelector("text=a hint costs 10 s");
  await page.goto(server.url("/"));
  await page.click("[data-family=slide]");
  await page.waitForSelector(".tools .hint >> text=+10 s");
  await page.goto(server.url("/"));
  await page.click("text=New…");
  await page.click("dialog summary");
  assert.equal(await page.inputValue("dialog [name=hints]"), "priced");
});

test("without its server the first page lists no tournament, and all of them once it is back; forms keep what was typed", async () => {
  const page = await visitor(DESKTOP);
  await page.goto(server.url("/"));
  await page.waitForSelector("text=No tournament is open.");
  const isKept = async (field) => {
    await page.click("dialog .primary");
    await page.waitForSelector("dialog .toast:has-text('No connection.')");
    assert.equal(await page.inputValue(`dialog ${field}`), "friday");
    await page.keyboard.press("Escape");
  };
  await page.click("text=New…");
  await page.fill("dialog [name=name]", "friday");
  await server.stop("SIGKILL");
  await page.waitForSelector("text=The server doesn't answer.");
  assert.equal(await page.locator("text=No tournament is open.").count(), 0);
  await isKept("[name=name]");
  await page.click("text=Host…");
  await page.fill("dialog [name=seed]", "friday");
  await isKept("[name=seed]");
  await server.run(server.address);
  await page.waitForSelector("text=No tournament is open.");
});

test("a server that stores nothing says that it keeps no past tournaments", async () => {
  const page = await visitor(PHONE);
  await page.goto(server.url("/"));
  await page.click("text=Past tournaments");
  await page.waitForSelector("text=This server keeps no past tournaments");
  assert.equal(await page.isVisible(".past button"), false, "it stays so");
});
