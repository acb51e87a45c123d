// Dialogs, questions, sound, and what a browser keeps: names, keys, the clipboard.

import assert from "node:assert/strict";
import { renameSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { DESKTOP, PHONE, Peer, Server, countBells, hosted, isBack, launch, racing, server, slideOne, suite, tilesInOrder, visitor } from "./harness.js";

suite();

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
  const before = await tilesInOrder(page);
  await page.click(".home-link");
  await page.click("dialog >> text=Stay");
  assert.equal(new URL(page.url()).pathname, `/${code}`);
  await page.click(".home-link");
  await page.click("dialog .danger");
  await page.waitForSelector("main.home");
  await page.goBack();
  await page.waitForSelector(".slide");
  assert.deepEqual(await tilesInOrder(page), before);
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
