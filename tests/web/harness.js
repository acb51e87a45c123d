// What the browser tests share: a server of their own, Chromium, and players.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, afterEach, before } from "node:test";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import WebSocket from "ws";

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "../..");
const program = process.env.GRIDRACE_SERVER ?? path.join(root, process.env.CARGO_TARGET_DIR ?? "target", "debug/gridrace-server");

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const screens = process.env.GRIDRACE_SCREENS;
/** The terminal program, beside the server. */
const terminalProgram = path.join(path.dirname(program), "gridrace");

export const PHONE = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
export const TABLET = { viewport: { width: 820, height: 1180 }, hasTouch: true };
export const DESKTOP = { viewport: { width: 1280, height: 800 } };
export const SCREEN = { viewport: { width: 1920, height: 1080 } };
/** A phone held sideways, and a small one by day. */
export const LANDSCAPE = { viewport: { width: 844, height: 390 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true };
export const SMALL = { viewport: { width: 320, height: 568 }, hasTouch: true, colorScheme: "light" };

/** A server with a data folder of its own, which can be killed and started again. */
export class Server {
  /** @param {string[]} args */
  static async start(args = []) {
    const server = new Server();
    server.folder = mkdtempSync(path.join(tmpdir(), "gridrace-web-"));
    server.args = args;
    await server.run("127.0.0.1:0");
    return server;
  }

  /** @param {string} listen */
  async run(listen) {
    const storage = this.args.includes("--ephemeral") ? [] : ["--data", path.join(this.folder, "data")];
    const args = ["--listen", listen, ...storage, "--metrics", "off", "--shards", "1", "--cache-dir", path.join(this.folder, "tables"), ...this.args];
    if (process.env.GRIDRACE_WEB_DIR) args.push("--web-dir", process.env.GRIDRACE_WEB_DIR);
    this.child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, GRIDRACE_LOG: "error" } });
    this.address = await new Promise((resolve, reject) => {
      let text = "";
      this.child.stdout.on("data", (part) => {
        text += part;
        const found = /^listening on (\S+)/m.exec(text);
        if (found) resolve(found[1]);
      });
      this.child.once("exit", (code) => reject(new Error(`the server ended with ${code}: ${text}`)));
    });
    this.child.removeAllListeners("exit");
  }

  /** @param {NodeJS.Signals} signal */
  async stop(signal = "SIGTERM") {
    const gone = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill(signal);
    await gone;
  }

  /** @param {() => Promise<any>} meanwhile what is waited for before the server is started again */
  async killAndRestart(meanwhile = async () => {}) {
    await this.stop("SIGKILL");
    await meanwhile();
    await this.run(this.address);
  }

  /** @param {string} path */
  url(path) {
    return `http://${this.address}${path}`;
  }

  async close() {
    await this.stop();
    rmSync(this.folder, { recursive: true });
  }
}

/** @param {string[]} args more arguments of Chromium */
export const launch = (...args) => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--force-color-profile=srgb", ...args] });

/** The server and the browser of a file of tests. @type {Server} */
export let server;
/** @type {import("playwright-core").Browser} */
export let browser;

/** @type {Map<any, () => any>} the pages, peers and programs of the test, and how each is closed */
const opened = new Map();

/**
 * Starts a server and a browser for the tests of a file. After each test, closes what it has opened; the test fails
 * if a page had errors.
 * @param {string[]} args of the server
 */
export function suite(args = []) {
  before(async () => {
    if (screens) mkdirSync(screens, { recursive: true });
    server = await Server.start(args);
    browser = await launch();
  });
  afterEach(async () => {
    const errors = [...opened.keys()].flatMap((one) => (one.expectsErrors ? [] : one.errors ?? []));
    const closed = await Promise.allSettled([...opened.values()].map(async (close) => close()));
    opened.clear();
    assert.deepEqual(errors, [], "errors of pages");
    for (const { reason } of closed) assert.ifError(reason);
  });
  after(async () => {
    await browser?.close();
    await server?.close();
  });
}

/**
 * Opens a page of a browser of its own. Its errors, and what its content policy stops, fail the test, unless
 * `expectsErrors` is set.
 * @param {any} device
 * @param {import("playwright-core").Browser} by
 */
export async function visitor(device, by = browser) {
  const context = await by.newContext({ colorScheme: "dark", ...device });
  const page = await context.newPage();
  opened.set(page, () => context.close());
  page.setDefaultTimeout(30_000);
  page.errors = [];
  page.on("pageerror", (error) => page.errors.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" && !/WebSocket|net::ERR|404/.test(message.text())) page.errors.push(message.text());
  });
  return page;
}

/** A page that may evaluate axe: the content policy forbids what it needs. */
export async function inspected(device, label) {
  const page = await visitor({ ...device, bypassCSP: true });
  page.label = label;
  return page;
}

/** Asks for a place in a room by its link, typing nothing but a name. */
export async function enter(page, code, name = "Anna") {
  await page.goto(server.url(`/${code}`));
  await page.fill("[name=name]", name);
  await page.click("button.primary");
}

/** Enters a room that nothing keeps the player from. */
export async function join(page, code, name) {
  await enter(page, code, name);
  await page.waitForSelector(".lobby");
}

/** Brings a page into the room of a peer, which hosts it. @returns {Promise<Peer>} */
export async function hosted(page, options = {}) {
  const host = await Peer.connect(server);
  await join(page, await host.open(options, "Host"));
  return host;
}

/** Brings a page into a heat of a peer that has left its seat, as far as its board. @returns {Promise<Peer>} */
export async function startedHeat(page, options) {
  const host = await hosted(page, options);
  host.startAsSpectator();
  await page.waitForSelector(".slide, .link");
  return host;
}

/** Brings a page into a running race of a peer's room, one move after GO. */
export async function racing(device, prepare = (_page) => {}) {
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
export const isBack = (page) => page.waitForFunction(() => document.querySelector(".linkstate").textContent === "");

/** Slides a tile beside the blank, so that the count of moves grows by one. */
export async function slideOne(page) {
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
export const tilesInOrder = (page) => page.$$eval(".tile", (all) => all.map((tile) => tile.getAttribute("aria-label").replace(", movable", "")).sort());

/** Opens the big screen of a room. */
export async function bigScreen(code) {
  const page = await visitor(SCREEN);
  await page.goto(server.url(`/${code}/tv`));
  await page.waitForSelector(".tv");
  return page;
}

/** Waits until as many boards are shown side by side. */
export const showsBoards = (page, count) => page.waitForFunction((count) => document.querySelectorAll(".board-grid canvas").length === count, count);

/** Plays by the server's hints until the race is over. */
export async function playByHints(page, act = (tile) => tile.click({ timeout: 1_000 }).catch(() => {})) {
  await page.waitForSelector(".slide, .link");
  while (!(await page.$(".solved, .over"))) {
    await page.click(".tools button:first-child:not(:disabled)", { timeout: 5_000 }).catch(() => {});
    await page.waitForFunction(() => document.querySelector(".tile.hinted, .solved, .over"), null, { timeout: 5_000 }).catch(() => {});
    const tile = await page.$(".tile.hinted");
    if (tile) await act(tile);
  }
}

/** Lets axe look at a view of a page that has a label, and keeps its picture in GRIDRACE_SCREENS. */
export async function look(page, name) {
  await page.waitForFunction(() => [...document.images].every((image) => image.complete));
  // A transition that is under way has other colours than its end.
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))));
  if (screens) await page.screenshot({ path: path.join(screens, `${name}-${page.label}.png`) });
  const found = await page.evaluate(async (source) => {
    if (!window.axe) new Function(source)();
    const { violations } = await window.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.slice(0, 3).map((node) => node.target.join(" ")).join(", ")}`);
  }, axe);
  assert.deepEqual(found, [], `${name} ${page.label}`);
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, `${name} ${page.label} is ${wide} px too wide`);
}

/** Counts in `window.rung` what a page rings and how often it vibrates; a browser without sound rings nothing. */
export const countBells = () => {
  window.rung = { tones: 0, buzzes: 0, contexts: 0 };
  navigator.vibrate = () => Boolean(++window.rung.buzzes);
  const volume = { gain: { setValueAtTime() {}, exponentialRampToValueAtTime() {} }, connect: (to) => to };
  window.AudioContext = class {
    constructor() {
      window.rung.contexts++;
      this.state = "suspended";
      this.currentTime = 0;
    }
    async resume() { this.state = "running"; }
    createOscillator() { return { frequency: {}, connect: (to) => to, start: () => { window.rung.tones++; }, stop() {} }; }
    createGain() { return volume; }
  };
};

/** Runs the terminal program with a key of its own: bots of a tournament, or an organiser's command. */
export function terminalClient(server, key, args) {
  const child = spawn(terminalProgram, args, { stdio: ["ignore", "ignore", "inherit"], env: { ...process.env, GRIDRACE_KEY: path.join(server.folder, key), GRIDRACE_CACHE_DIR: path.join(server.folder, "tables") } });
  opened.set(child, () => child.kill());
  return child;
}

/** The client in a terminal of its own, that of tmux. */
export class Terminal {
  /** @param {string[]} args of `gridrace` */
  constructor(args) {
    this.folder = mkdtempSync(path.join(tmpdir(), "gridrace-terminal-"));
    this.socket = path.join(this.folder, "tmux");
    const command = [terminalProgram, ...args, "--identity", path.join(this.folder, "key")].map((word) => `'${word}'`).join(" ");
    this.tmux("-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24", command);
    opened.set(this, () => this.close());
  }

  /** @param {string[]} args */
  tmux(...args) {
    return execFileSync("tmux", ["-S", this.socket, ...args], { encoding: "utf8" });
  }

  screen() {
    return this.tmux("capture-pane", "-p");
  }

  /** @param {string} key */
  async press(key) {
    const before = this.screen();
    this.tmux("send-keys", key);
    await this.until((screen) => screen !== before);
  }

  /** Waits until the screen holds what is expected; the clock alone changes it every second. */
  async until(is) {
    for (let tries = 0; tries < 600; tries++) {
      if (is(this.screen())) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.fail(`the screen is\n${this.screen()}`);
  }

  close() {
    this.tmux("kill-server");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A client of the WebSocket without a page: hosts rooms, fills seats, plays by hints. */
export class Peer {
  /** @param {Server} server */
  static async connect(server) {
    const peer = new Peer();
    opened.set(peer, () => peer.close());
    peer.seen = [];
    peer.waiting = [];
    peer.socket = new WebSocket(`ws://${server.address}/ws`, "gridrace.v5.json");
    peer.socket.onmessage = ({ data }) => peer.receive(JSON.parse(String(data)));
    await new Promise((resolve, reject) => {
      peer.socket.onopen = resolve;
      peer.socket.onerror = reject;
    });
    peer.send({ hello: { version: 5, agent: "test/1" } });
    await peer.until((kind) => kind === "welcome");
    return peer;
  }

  send(message) {
    this.socket.send(JSON.stringify(message));
  }

  receive(message) {
    const [kind, body] = typeof message === "string" ? [message, null] : Object.entries(message)[0];
    if (kind === "joined") {
      this.you = body.you;
      this.room = body.room;
    }
    if (kind === "roster") this.room.roster = body;
    if (kind === "token") this.token = body.token;
    this.seen.push([kind, body]);
    for (const waiting of [...this.waiting]) {
      if (waiting.is(kind, body)) {
        this.waiting.splice(this.waiting.indexOf(waiting), 1);
        waiting.resolve(body);
      }
    }
  }

  /** Waits for a message, one that came already included. */
  until(is) {
    const found = this.seen.find(([kind, body]) => is(kind, body));
    return found ? Promise.resolve(found[1]) : this.next(is);
  }

  /** Waits for a message that hasn't come yet. */
  next(is) {
    return new Promise((resolve) => this.waiting.push({ is, resolve }));
  }

  /** Waits for a phase of the room, one that has come already included. */
  async phase(name) {
    return (await this.until((kind, body) => kind === "phase" && body[name]))[name];
  }

  /** Waits for a phase that hasn't come yet. */
  async nextPhase(name) {
    return (await this.next((kind, body) => kind === "phase" && body[name]))[name];
  }

  /** Waits until a member is in the roster. */
  async member(name) {
    const isNamed = (member) => member.name === name;
    return (await this.until((kind, body) => kind === "roster" && body.members.some(isNamed))).members.find(isNamed);
  }

  /** Starts a heat in which this peer has no seat. */
  startAsSpectator() {
    this.send("leave_seat");
    this.send("start");
  }

  async open(options = {}, name = "Peer", pin = null) {
    const all = { spec: "slide:3x3", countdown_seconds: 1, time_limit_seconds: 300, hints: "free", bots_allowed: true, private: false, delay_seconds: 0, grace_seconds: 60, ...options };
    this.send({ open: { entrant: { name, bot: false }, options: all, seed: options.seed ?? null, pin } });
    await this.until((kind) => kind === "joined");
    return this.room.code;
  }

  async join(code, name, bot = true) {
    this.send({ join: { code, entrant: { name, bot }, role: "player", pin: null } });
    await this.until((kind) => kind === "joined");
  }

  close() {
    this.socket.close();
  }
}
