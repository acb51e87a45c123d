// Tournaments in Chromium: from entering to the podium with pages, terminals and bots; the organiser's
// commands; lost connections; hostile names; axe on each view. GRIDRACE_SCREENS=DIR keeps pictures.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { test } from "node:test";
import { DESKTOP, LANDSCAPE, PHONE, SCREEN, SMALL, TABLET, Terminal, inspected, launch, look, playByHints, server, showsBoards, suite, terminalClient, visitor } from "./harness.js";

suite();

/** Looks at a view as it is, on a tablet, and on a phone that is held sideways. */
async function lookAround(page, name) {
  const [size, label] = [page.viewportSize(), page.label];
  await look(page, name);
  for (const [device, { viewport }] of Object.entries({ tablet: TABLET, landscape: LANDSCAPE })) {
    await page.setViewportSize(viewport);
    page.label = `${label}-${device}`;
    await look(page, name);
  }
  await page.setViewportSize(size);
  page.label = label;
}

/** Asks on the first page for a new tournament. */
async function askFor(page, name, { plan = "series", boards = 2, spec = "slide:3x3", title = "", pause = 3, rest = 12, checkIn = false, pin = "" } = {}) {
  await page.goto(server.url("/"));
  await page.click("text=New…");
  await page.fill("dialog [name=name]", name);
  await page.fill("dialog [name=title]", title);
  await page.selectOption("dialog [name=plan]", plan);
  await page.fill("dialog [name=boards]", String(boards));
  await page.selectOption("dialog [name=spec]", spec);
  await page.click("dialog summary");
  await page.fill("dialog [name=pause]", String(pause));
  await page.fill("dialog [name=break]", String(rest));
  await page.fill("dialog [name=pin]", pin);
  if (checkIn) await page.check("dialog [name=check_in]");
  if (page.label) await look(page, "t-new");
  await page.click("dialog button.primary");
}

/** Opens a tournament on the first page, as its organiser. */
async function open(page, name, options) {
  await askFor(page, name, options);
  await page.waitForSelector(".t-status");
}

/** Enters by the link, typing nothing but a name. */
async function enter(page, name, player) {
  await page.goto(server.url(`/t/${name}`));
  await page.fill(".t-enter [name=name]", player);
  await page.click(".t-enter button");
  await page.waitForSelector(".t-you");
}

/** Sends bots, each an entrant. */
const bots = (key, args) => terminalClient(server, key, ["bot", ...args]);

async function command(page, ...labels) {
  await page.click(".bar >> text=Commands");
  for (const label of labels) await page.click(`dialog >> text=${label}`);
}

async function giveUp(page) {
  await page.waitForSelector(".slide");
  await page.click(".tools >> text=Give up");
  await page.click("dialog .danger");
}

async function giveUpIn(terminal, board) {
  await terminal.until((screen) => screen.includes(`board ${board} `) && screen.includes("0 moves"));
  await terminal.press("g");
  await terminal.until((screen) => screen.includes("Give up this race?"));
  await terminal.press("y");
}

test("a tournament from entering to the podium: three pages, two terminals and bots", async () => {
  const organiser = await inspected(SCREEN, "screen");
  const anna = await inspected(PHONE, "phone");
  const ben = await visitor(PHONE);
  const tv = await inspected(SCREEN, "tv");
  await open(organiser, "cup", { title: "Friday cup", checkIn: true, pause: 20 });
  await anna.goto(server.url("/t/cup"));
  await anna.waitForSelector(".t-enter");
  await lookAround(anna, "t-enter");
  await enter(anna, "cup", "Anna");
  await enter(ben, "cup", "Ben");
  await tv.goto(server.url("/t/cup/tv"));
  const terminals = ["Tina", "Tom"].map((name) => new Terminal(["tournament", "enter", `cup@${server.address}`, "--name", name]));
  bots("key-bots", ["--tournament", "cup", server.address, "--count", "2", "--skill", "expert"]);
  await organiser.waitForFunction(() => document.querySelectorAll(".t-entrants li").length === 6);
  await command(organiser, "Open the check-in");
  for (const page of [anna, ben]) await page.click("[data-id=check-in]");
  for (const terminal of terminals) await terminal.press("c");
  await tv.waitForSelector("text=6 here");
  await lookAround(tv, "t-tv-lobby");
  await lookAround(anna, "t-checked-in");
  await organiser.click(".bar >> text=Commands");
  await lookAround(organiser, "t-commands");
  await organiser.click("dialog >> text=Begin");
  await anna.waitForSelector("text=Your table: 1");
  await lookAround(anna, "t-break");
  await tv.waitForSelector(".t-draw");
  await lookAround(tv, "t-tv-draw");

  // The way to the table, there and back; a reload in mid-race leads there again.
  await anna.waitForSelector(".countdown");
  await anna.waitForSelector(".slide");
  assert.equal(new URL(anna.url()).pathname, "/t/cup");
  await showsBoards(tv, 6);
  await anna.click(".tools button:first-child");
  await anna.click(".tile.hinted");
  await anna.waitForSelector(".race-head >> text=/[1-9] move/");
  await anna.reload();
  await anna.waitForSelector(".slide");
  await anna.waitForSelector(".race-head >> text=/[1-9] move/");
  await lookAround(tv, "t-tv-race");
  await giveUp(ben);
  for (const terminal of terminals) await giveUpIn(terminal, 1);
  // They are shown in the pause, before the last seconds until GO.
  const standings = tv.waitForSelector(".tv-stage > .t-columns", { timeout: 60_000 }).then(() => lookAround(tv, "t-tv-standings"));
  await playByHints(anna);
  await anna.waitForSelector(".over");
  await lookAround(anna, "t-results");
  await standings;
  await giveUp(anna);
  await giveUp(ben);
  for (const terminal of terminals) await giveUpIn(terminal, 2);

  await anna.waitForSelector("text=has won");
  await anna.waitForSelector(".t-status .podium");
  await anna.waitForSelector(".t-about >> text=Ten minutes after the last board");
  assert.equal(await anna.locator("[href$='.grt']").count(), 0, "no record is offered before there is one");
  await anna.waitForFunction(() => /You are (1st|2nd|3rd) of 6/.test(document.querySelector(".t-own")?.textContent));
  await anna.waitForFunction(() => document.querySelectorAll(".t-standings tbody tr").length === 6);
  await lookAround(anna, "t-over");
  await tv.waitForSelector(".tv-over .podium");
  await lookAround(tv, "t-tv-over");
  await lookAround(organiser, "t-over");
  await organiser.click("[role=tab]:has-text('Log')");
  await organiser.waitForSelector("text=The tournament begins by the organiser");
  await lookAround(organiser, "t-log");
  await anna.goto(server.url("/"));
  await anna.waitForSelector(".rooms >> text=Friday cup");
  await command(organiser, "Close the tournament");
  await organiser.waitForSelector(".t-about [href$='.grt']");
});

test("the keyboard goes on where it was: after entering, and after a dialog whose button was drawn anew", async () => {
  const [organiser, anna, ben] = [await visitor(DESKTOP), await visitor(DESKTOP), await visitor(PHONE)];
  await open(organiser, "keyboard", { checkIn: true });
  await anna.goto(server.url("/t/keyboard"));
  await anna.fill(".t-enter [name=name]", "Anna");
  await anna.keyboard.press("Enter");
  const goesOn = (text) => anna.waitForFunction((text) => document.activeElement.matches(".t-own") && document.activeElement.textContent.includes(text), text);
  await goesOn("You have entered.");
  await command(organiser, "Open the check-in");
  await anna.waitForSelector("[data-id=check-in]");
  await anna.keyboard.press("Tab");
  await anna.keyboard.press("Enter");
  await goesOn("You are in.");
  await organiser.focus("[aria-label='Commands for Anna']");
  await organiser.keyboard.press("Enter");
  await organiser.waitForSelector("dialog");
  await enter(ben, "keyboard", "Ben");
  await organiser.waitForSelector(".t-entrants >> text=Ben");
  await organiser.keyboard.press("Escape");
  await organiser.waitForFunction(() => document.activeElement.ariaLabel === "Commands for Anna");
});

test("a name that is taken is said beside it, in the form as it was filled in", async () => {
  const page = await inspected(PHONE, "phone");
  await open(page, "taken");
  await askFor(page, "Taken", { title: "Sunday cup", boards: 4, pin: "2468" });
  await page.waitForSelector("dialog >> text=Another tournament has this name.");
  await look(page, "t-name-taken");
  assert.equal(await page.inputValue("dialog [name=name]"), "Taken");
  assert.equal(await page.inputValue("dialog [name=pin]"), "2468");
  await page.fill("dialog [name=name]", "sunday");
  await page.click("dialog button.primary");
  await page.waitForSelector(".t-status");
  assert.equal(new URL(page.url()).pathname, "/t/sunday");
  await page.waitForSelector("h1 >> text=Sunday cup");
  await page.waitForSelector("text=4 boards");
});

test("a second tab takes a race over; who is away at GO stands in no row of it", async () => {
  const [organiser, anna, ben, cleo] = [await visitor(DESKTOP), await visitor(PHONE), await visitor(PHONE), await visitor(PHONE)];
  await open(organiser, "tabs", { boards: 1, rest: 600 });
  for (const [name, page] of Object.entries({ Anna: anna, Ben: ben, Cleo: cleo })) await enter(page, "tabs", name);
  await organiser.waitForSelector(".t-entrants >> text=Cleo");
  await command(organiser, "Begin");
  for (const page of [anna, ben, cleo]) await page.waitForSelector("text=Your table: 1");
  // That she comes back changes nothing but her connection.
  await cleo.goto("about:blank");
  await organiser.click("[role=tab]:has-text('Players')");
  await organiser.waitForSelector(".t-entrants li:has-text('Cleo'):has-text('here, not connected')");
  await cleo.goto(server.url("/t/tabs"));
  await organiser.waitForSelector(".t-entrants li:has-text('Cleo'):not(:has-text('not connected'))");
  await cleo.context().close();
  await command(organiser, "Move the next GO…");
  await organiser.fill("dialog [name=seconds]", "5");
  await organiser.click("dialog .primary");
  // The table comes in place of the tournament, where the focus was.
  await anna.waitForSelector(".countdown");
  assert.ok(await anna.evaluate(() => document.activeElement !== document.body));
  await anna.waitForSelector(".slide");
  const names = () => anna.locator(".standings .name").allTextContents();
  // Until the first standings come there is a row of each seat.
  await anna.waitForFunction(() => document.querySelectorAll(".standings .name").length === 2).catch(() => {});
  assert.deepEqual((await names()).sort(), ["Anna", "Ben"]);
  const second = await anna.context().newPage();
  await second.goto(server.url("/t/tabs"));
  await second.waitForSelector(".slide");
  await anna.waitForSelector("text=You continue in another tab");
  await anna.waitForSelector(".slide", { state: "detached" });
  // Who withdraws during a board is told there.
  await second.click("text=Menu");
  await second.click("dialog >> text=Withdraw from the tournament");
  await second.click("dialog .danger");
  await second.waitForSelector(".note:has-text('You are withdrawn')");
  await second.click("text=Menu");
  await second.click("dialog >> text=Check in again");
  await second.waitForSelector(".note:has-text('You are in.')");
});

test("players who share a place share its step of the podium", async () => {
  const page = await inspected(PHONE, "phone");
  await page.goto(server.url("/t/none"));
  await page.waitForSelector("text=Try again");
  const steps = (places, names = [..."ABCDEFGH"]) => page.evaluate(async ({ places, names }) => {
    const { finalPodium } = await import("/web/tournament_parts.js");
    const rows = places.map((place, entrant) => ({ place, entrant, score: { points: 9 - place } }));
    const podium = finalPodium({ rows: () => rows, nameOf: (entrant) => names[entrant] });
    document.querySelector(".card").replaceChildren(podium);
    return [...podium.children].map((step) => `${step.className} ${step.textContent}`);
  }, { places, names });
  assert.deepEqual(await steps([1, 2, 3, 3]), ["step step1 A8 points1", "step step2 B7 points2", "step step3 CD6 points3"]);
  await look(page, "podium-shared");
  assert.deepEqual(await steps([1, 1, 3, 4]), ["step step1 AB8 points1", "step step3 C6 points3"]);
  assert.deepEqual(await steps([1, 1, 1, 1, 1]), ["step step1 ABCand 2 more8 points1"]);
  await steps([1, 2, 3], [..."龍W漢"].map((letter) => letter.repeat(20)));
  await look(page, "podium-long");
  assert.ok(await page.$$eval(".step b", (names) => names.length === 3 && names.every((name) => name.scrollWidth <= name.clientWidth)));
});

test("the matches of a bracket are as wide as its longest name", async () => {
  const page = await inspected(PHONE, "phone");
  await page.goto(server.url("/t/none"));
  await page.waitForSelector("text=Try again");
  const widths = (names) => page.evaluate(async (names) => {
    const { bracket } = await import("/web/bracket.js");
    const match = (level, sides, sources, winner) => ({ level, number: 0, sides, sources, winner, decided: winner !== null });
    const first = [match(1, [0, 1], [{ seed: 0 }, { seed: 3 }], 0), match(1, [2, 3], [{ seed: 1 }, { seed: 2 }], 2)];
    const matches = [...first, match(2, [0, 2], [{ winner: 0 }, { winner: 1 }], null)];
    document.querySelector(".card").replaceChildren(bracket({ rows: (part) => part === "bracket" ? matches : [], nameOf: (entrant) => names[entrant], you: { entrant: null } }));
    const shown = [...document.querySelectorAll(".match .name")];
    return { whole: shown.every((name) => name.scrollWidth <= name.clientWidth), box: document.querySelector(".match").clientWidth };
  }, names);
  const short = await widths(["Anna", "Ben", "Cleo", "Dora"]);
  const long = await widths(["Anna", "Ben", "Bartholomew the 2nd.", "漢".repeat(20)]);
  await look(page, "bracket-long");
  assert.ok(short.whole && long.whole && long.box > short.box, JSON.stringify({ short, long }));
});

test("the organiser's commands; one that throws results away says which, and asks", async () => {
  const organiser = await inspected(DESKTOP, "desktop");
  const players = [];
  for (const name of ["Anna", "Ben", "Cleo"]) {
    const page = name === "Cleo" ? await inspected(SMALL, "small") : await visitor(PHONE);
    players.push(page);
    if (name === "Anna") await open(organiser, "duel", { plan: "knockout", boards: 1, rest: 600 });
    await enter(page, "duel", name);
  }
  const [anna, ben, cleo] = players;
  await organiser.waitForSelector(".t-entrants >> text=Cleo");
  // The row of tabs is wider than a small phone, and the selected one is in sight.
  assert.ok(await cleo.locator(".tabs [aria-selected=true]").evaluate((tab) => tab.textContent === "Players" && tab.getBoundingClientRect().right <= innerWidth));
  await command(organiser, "Announce…");
  await organiser.fill("dialog [name=text]", "Pizza is here <b>now</b>");
  await organiser.click("dialog .primary");
  await anna.waitForSelector(".announcement:has-text('Pizza is here <b>now</b>')");
  await organiser.click("[aria-label='Commands for Cleo']");
  await organiser.click("dialog >> text=Disqualify…");
  await organiser.fill("dialog [name=reason]", "two keys");
  await organiser.click("dialog .primary");
  await cleo.waitForSelector("text=The organiser has disqualified you.");
  await command(organiser, "Begin");
  await anna.waitForSelector("text=Your table: 1");
  const tv = await inspected(SCREEN, "tv");
  await tv.goto(server.url("/t/duel/tv"));
  await tv.waitForSelector(".t-bracket .match");
  await lookAround(tv, "t-tv-bracket");
  await command(organiser, "Pause: start");
  await anna.waitForSelector(".t-phase:has-text('Paused')");
  await command(organiser, "Go on");
  // Who is withdrawn comes back by the page, while the tournament goes on.
  await organiser.click("[role=tab]:has-text('Players')");
  await organiser.click("[aria-label='Commands for Ben']");
  await organiser.click("dialog >> text=Withdraw");
  await ben.waitForSelector("text=You are withdrawn");
  await ben.click("text=Menu");
  await ben.click("dialog >> text=Check in again");
  await ben.waitForSelector("text=Your table: 1");
  await ben.click("text=Menu");
  await ben.click("dialog >> text=Withdraw from the tournament");
  await ben.click("dialog .danger");
  await ben.click(".t-own >> text=Check in again");
  await ben.waitForSelector("text=Your table: 1");
  await command(organiser, "Move the next GO…");
  await organiser.fill("dialog [name=seconds]", "1");
  await organiser.click("dialog .primary");
  await giveUp(anna);
  await giveUp(ben);
  await organiser.waitForSelector("text=has won");

  for (const page of [organiser, cleo]) {
    await page.click("[role=tab]:has-text('Bracket')");
    await page.waitForSelector(".match .winner");
    await lookAround(page, "t-bracket");
  }
  for (const part of ["Standings", "Tables", "Players", "Log"]) {
    await cleo.click(`[role=tab]:has-text('${part}')`);
    await cleo.waitForSelector({ Standings: ".t-standings", Tables: ".t-table", Players: ".t-entrants", Log: ".t-log" }[part]);
    await lookAround(cleo, `t-${part.toLowerCase()}`);
  }
  await organiser.click("[role=tab]:has-text('Tables')");
  await organiser.click("[aria-label='Commands for table 1']");
  await organiser.click("dialog >> text=Set the result…");
  await lookAround(organiser, "t-set-result");
  await organiser.selectOption("[aria-label='How Ben ended']", "finished");
  await organiser.fill("[aria-label^='Ben: ']", "not a time");
  await organiser.fill("dialog [name=reason]", "the clock was wrong");
  await organiser.click("dialog .primary");
  assert.ok(await organiser.isVisible("dialog .result-row"), "a result that is none is not sent");
  await organiser.fill("[aria-label^='Ben: ']", "1:03.5");
  await organiser.click("dialog .primary");
  await organiser.waitForSelector(".t-phase:has-text('Ben has won')");
  await organiser.waitForSelector(".t-seats >> text=1:03.50");

  await organiser.click("[aria-label='Commands for table 1']");
  await organiser.click("dialog >> text=Race again…");
  await organiser.click("dialog .primary");
  await organiser.waitForSelector("dialog:has-text('Round 1, table 1, board 1')");
  await lookAround(organiser, "t-discard");
  await organiser.click("dialog >> text=Keep them");
  assert.match(await organiser.textContent(".t-phase"), /Ben has won/);
  // Until the tournament is closed, its last round is raced again as a whole, too.
  await command(organiser, "Race it again…");
  await organiser.click("dialog .primary");
  await organiser.click("dialog >> text=Throw them away");
  await anna.waitForSelector("text=Round 1 is raced again.");
  // The board has ten seconds before it, in which players come back.
  await organiser.waitForSelector("text=GO in");
  await command(organiser, "Move the next GO…");
  await organiser.fill("dialog [name=seconds]", "1");
  await organiser.click("dialog .primary");
  await anna.waitForSelector(".slide");
  await command(organiser, "End the tournament…");
  await organiser.fill("dialog [name=reason]", "power cut");
  await organiser.click("dialog .primary");
  await organiser.click("dialog:has-text('1 board of this round would not be raced') .danger");
  // Nothing follows a closed tournament.
  await organiser.waitForSelector(".bar >> text=Commands", { state: "hidden" });
  assert.equal((await anna.request.get(await anna.locator(".t-about [href$='.grt']").evaluate((link) => link.href))).status(), 200);
  await organiser.click("[role=tab]:has-text('Log')");
  await organiser.waitForSelector("text=The tournament ends (power cut)");
});

test("at twice the size of text the organiser's bar takes two lines, and the log says what is taken back", async () => {
  const browser = await launch("--blink-settings=defaultFontSize=32");
  try {
    const page = await visitor({ ...PHONE, bypassCSP: true }, browser);
    await open(page, "large");
    await page.click("text=Enter as a player…");
    await page.fill(".t-enter [name=name]", "Anna");
    await page.click(".t-enter button");
    await page.waitForSelector(".t-you");
    await page.waitForSelector(".t-entrants >> text=Anna");
    page.label = "large-text";
    await look(page, "t-organiser");
    const boxes = await page.$$eval(".bar > *", (all) => all.map((one) => one.getBoundingClientRect()).filter((box) => box.width > 0).map(({ left, right, top, bottom }) => ({ left, right, top, bottom })));
    for (const [at, one] of boxes.entries()) {
      for (const other of boxes.slice(at + 1)) assert.ok(one.right <= other.left || one.bottom <= other.top, JSON.stringify(boxes));
    }
    await command(page, "Seeds…");
    await page.click("dialog .seeds >> text=Anna");
    await page.click("dialog >> text=Set the seeds");
    await page.click("[role=tab]:has-text('Log')");
    await page.click(".t-log [aria-label='Take back: Seeds: Anna']");
    await page.fill("dialog [name=reason]", "a slip");
    await page.click("dialog .primary");
    await page.waitForSelector(".t-log >> text=Taken back: Seeds: Anna (a slip)");
    assert.deepEqual(await page.$$eval(".t-log s", (lines) => lines.map((line) => line.textContent)), ["Seeds: Anna"]);
    assert.ok(await page.isHidden("[aria-label='Take back: Seeds: Anna']"));
  } finally {
    await browser.close();
  }
});

test("a server that is killed and comes back: the page and the big screen go on by themselves", async () => {
  const organiser = await visitor(DESKTOP);
  const anna = await visitor(PHONE);
  const tv = await visitor(SCREEN);
  await open(organiser, "power", { boards: 1 });
  await enter(anna, "power", "Anna");
  bots("key-power", ["--tournament", "power", server.address, "--skill", "beginner", "--pace", "0.1"]);
  await tv.goto(server.url("/t/power/tv"));
  await tv.waitForSelector("text=2 players");
  await command(organiser, "Begin");
  await anna.waitForSelector(".slide");
  await showsBoards(tv, 2);
  // Nobody needs to have moved for that.
  await tv.waitForFunction(() => document.querySelectorAll(".t-boards > .standings li").length === 2);
  await server.killAndRestart(() => Promise.all([anna.waitForSelector(".room.lost"), tv.waitForSelector(".tv.lost")]));
  await anna.waitForSelector(".room:not(.lost) .slide");
  await tv.waitForSelector(".tv:not(.lost)");
  await anna.click(".tools button:first-child");
  await anna.click(".tile.hinted");
  await anna.waitForSelector(".race-head >> text=/[1-9] move/");
  await showsBoards(tv, 2);
  // The server that took the board over doesn't know its GO: the table does.
  await tv.waitForSelector(".tv-bar .clock:has-text(':')");
  await anna.click(".bar >> text=Back");
  await anna.waitForSelector(".t-clock:has-text(':')");
  await anna.click("text=To your table");
  await giveUp(anna);
  // Without the bot, which may still be away, the board would be raced until it is idle.
  await command(organiser, "End the tournament…");
  await organiser.click("dialog .primary");
  await organiser.click("dialog:has-text('as it stands?') .danger");
  await tv.waitForSelector(".tv-over .podium");
});

test("spectators watch a table; a PIN is asked for; hostile names stay text", async () => {
  const hostile = ["<img src=x>", "<b>Max</b>", "'\"&lt;i", "\u05d0\u05d1\u05d2 12"];
  const organiser = await visitor(DESKTOP);
  await open(organiser, "secret", { title: "<i>Cup</i>", boards: 1, rest: 3, pin: "4711" });
  assert.equal(await organiser.textContent(".bar h1"), "<i>Cup</i>");
  const players = [];
  for (const name of hostile) {
    const page = name === hostile[0] ? await inspected(PHONE, "phone") : await visitor(PHONE);
    players.push(page);
    await page.goto(server.url("/t/secret"));
    await page.waitForSelector("[name=pin]");
    if (name === hostile[0]) await look(page, "t-pin");
    await page.fill("[name=pin]", "1111");
    await page.click("button.primary");
    await page.waitForSelector("text=Wrong PIN.");
    if (name === hostile[0]) await look(page, "t-pin-wrong");
    await page.fill("[name=pin]", "4711");
    await page.click("button.primary");
    await page.fill(".t-enter [name=name]", name);
    await page.click(".t-enter button");
    await page.waitForSelector(".t-you");
  }
  await organiser.waitForFunction(() => document.querySelectorAll(".t-entrants li").length === 4);
  assert.deepEqual(await organiser.$$eval(".t-entrants .name", (names) => names.map((name) => name.textContent)), [...hostile.slice(0, 3), `\u2068${hostile[3]}\u2069`]);
  await command(organiser, "Begin");
  await organiser.click("[role=tab]:has-text('Tables')");
  await organiser.click("[aria-label='Watch table 1']");
  await showsBoards(organiser, 4);
  await organiser.click(".bar >> text=Back");
  await organiser.waitForSelector(".t-table");
  const tv = await inspected({ viewport: { width: 1080, height: 1920 } }, "tv-upright");
  await tv.goto(server.url("/t/secret/tv"));
  await tv.waitForSelector("[name=pin]");
  await look(tv, "t-tv-pin");
  await tv.fill("[name=pin]", "4711");
  await tv.click("button.primary");
  await showsBoards(tv, 4);
  const [boards, list] = await tv.evaluate(() => [".t-boxes", ".t-boards > .standings"].map((what) => {
    const { width, top, bottom } = document.querySelector(what).getBoundingClientRect();
    return { width, top, bottom };
  }));
  assert.ok(boards.width > 1000 && list.top >= boards.bottom, "on an upright screen the standings are below the boards");
  await look(tv, "t-tv-race");
  for (const page of players) await giveUp(page);
  await tv.waitForSelector(".tv-over .podium");
  for (const page of [organiser, tv, ...players]) {
    assert.equal(await page.locator("img[src=x], main b b, main i i").count(), 0);
  }
});

test("the big screen shows a long title and a long name whole, and follows a table anew whose rules were lost on the way", async () => {
  const organiser = await visitor(DESKTOP);
  const anna = await visitor(PHONE);
  const tv = await visitor(SCREEN);
  await open(organiser, "lost", { boards: 1, title: "W".repeat(48) });
  await enter(anna, "lost", "Anna");
  bots("key-lost", ["--tournament", "lost", server.address, "--name", "W".repeat(20), "--skill", "beginner", "--pace", "0.1"]);
  await tv.goto(server.url("/t/lost/tv"));
  await tv.waitForSelector("text=2 players");
  assert.ok(await tv.$eval("h1", (title) => title.textContent.length === 48 && title.scrollWidth <= title.clientWidth));
  let asked = 0;
  await tv.route("**/web/rules.wasm", (route) => (++asked === 1 ? route.abort() : route.continue()));
  await command(organiser, "Begin");
  // The draw is shown for a few seconds: its names are read in the moment in which they are found.
  const drawn = await tv.waitForFunction(() => {
    const names = [...document.querySelectorAll(".t-draw .name")].map((name) => [name.textContent.length, name.scrollWidth <= name.clientWidth]);
    return names.length ? names.sort() : null;
  });
  assert.deepEqual(await drawn.jsonValue(), [[20, true], [4, true]]);
  await showsBoards(tv, 2);
  assert.equal(asked, 2);
});

test("a player hears that the table is done, and who is out; the big screen numbers the matches, and says why it hides boards", async () => {
  const organiser = await visitor(DESKTOP);
  const tv = await visitor(SCREEN);
  await open(organiser, "out", { plan: "knockout", boards: 1, rest: 600 });
  const names = ["Anna", "Ben", "Cleo", "Wilhelmina Mummensch"];
  const players = [];
  for (const name of names) {
    players.push(await visitor(PHONE));
    await enter(players.at(-1), "out", name);
  }
  const [anna] = players;
  let hides = true;
  await tv.routeWebSocket(/\/ws$/, (socket) => {
    const peer = socket.connectToServer();
    socket.onMessage((message) => (hides && String(message).startsWith('{"join"') ? socket.send('{"refused":"same_boards"}') : peer.send(message)));
  });
  await tv.goto(server.url("/t/out/tv"));
  await command(organiser, "Begin");
  await tv.waitForSelector(".bracket text");
  assert.deepEqual(await tv.locator(".bracket text").allTextContents(), ["table 1", "table 2", "table 3"]);
  assert.ok(await tv.locator(".match .name:has-text('Mummensch')").evaluate((name) => name.scrollWidth <= name.clientWidth));
  const against = await anna.textContent(".t-own p:has-text('with ')");
  const opponent = players[names.findIndex((name) => against === `with ${name}`)];
  await command(organiser, "Move the next GO…");
  await organiser.fill("dialog [name=seconds]", "1");
  await organiser.click("dialog .primary");
  await tv.waitForSelector(".t-hidden");
  for (const player of [anna, opponent]) {
    await giveUp(player);
    await player.click(".bar >> text=Back");
  }
  for (const player of [anna, opponent]) await player.waitForSelector(".t-own:has-text('is done')");
  hides = false;
  await showsBoards(tv, 2);
  for (const player of players.filter((player) => player !== anna && player !== opponent)) {
    await giveUp(player);
    await player.click(".bar >> text=Back");
  }
  for (const player of players) await player.waitForSelector(".t-own:has-text('table: 3'), .t-own:has-text('You race no more')");
  const out = await Promise.all(players.map((player) => player.isVisible("text=You race no more in this stage.")));
  assert.equal(out.filter(Boolean).length, 2);
});

/** Copies the tournament that was opened last, as if others of its name had been closed before it. */
const COPY = `
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
for _ in range(40):
    database.execute("""INSERT INTO tournaments (name, opened, ended, saved, outcome)
        SELECT name, opened, ended - 86400000 * id, saved, outcome FROM tournaments ORDER BY ended DESC LIMIT 1""")
`;

test("closed tournaments are listed, the last one first, with champion, record and page", async () => {
  const players = [await visitor(PHONE), await visitor(PHONE)];
  const tournament = (...args) => once(terminalClient(server, "key-season", ["tournament", ...args]), "exit");
  const season = `season@${server.address}`;
  await tournament("new", season, "--plan", "series:1", "--puzzle", "slide:3x3", "--title", "<i>Season</i>", "--break", "3");
  for (const [index, page] of players.entries()) await enter(page, "season", `<b>P${index}</b>`);
  await tournament("command", season, "begin");
  await giveUp(players[1]);
  await playByHints(players[0]);
  await players[0].waitForSelector("text=has won");
  await tournament("command", season, "end");
  await players[0].waitForSelector(".t-about [href$='.grt']");
  execFileSync("python3", ["-c", COPY, path.join(server.folder, "data/gridrace.db")]);

  for (const [label, device] of Object.entries({ phone: PHONE, desktop: DESKTOP, small: SMALL })) {
    const page = await inspected(device, label);
    await page.goto(server.url("/"));
    await page.focus(".past summary");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".past li");
    const first = page.locator(".past li").first();
    assert.equal(await first.locator("b").textContent(), "<i>Season</i>");
    assert.match(await first.textContent(), /won by <b>P0<\/b>.*season~1 · .*2026 · 2 players · series(?!:)/);
    const record = await first.locator("text=Record").getAttribute("href");
    assert.deepEqual([record, (await page.request.get(server.url(record))).status()], ["/t/season~1.grt", 200]);
    await look(page, "past");
    const count = await page.locator(".past li").count();
    await page.focus("text=Earlier ones");
    await page.keyboard.press("Enter");
    await page.waitForFunction((count) => document.querySelectorAll(".past li").length > count, count);
    assert.ok(await page.locator(".past li").nth(count).evaluate((row) => row.contains(document.activeElement)), "the keyboard goes on with the first row that came");
    await page.waitForSelector("text=Earlier ones", { state: "hidden" });
    const names = await page.$$eval(".past [href$='.grt']", (links) => links.map((link) => link.href));
    assert.equal(new Set(names).size, names.length);
    assert.ok(names.length > 40, `${names.length}`);
    await first.locator("b a").click();
    await page.waitForSelector(".t-phase:has-text('has won')");
  }
});
