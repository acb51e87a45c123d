// The connection: hello, the server's clock, and coming back after a loss.

import { parse } from "./words.js";

const VERSION = 5;
const SUBPROTOCOL = `gridrace.v${VERSION}.json`;
/** Pings at the start, and the time between later ones in milliseconds. */
const FIRST_PINGS = 5;
const PING_INTERVAL = 8_000;
/** Round trips that are kept: clocks drift, and stand still in sleep. */
const SAMPLES = 16;
/** The longest time until a connection stands, and until a ping is answered. */
const TIMEOUT = 12_000;
/** Pauses before a new connection, in milliseconds. */
const FIRST_PAUSE = 1_000;
const LAST_PAUSE = 5_000;
/** The longest time that a busy server is granted, in seconds. */
const LONGEST_WISH = 60;
/** Close codes after which the server doesn't take the client back. */
const FINAL = new Set([1000, 1002, 1007, 1008, 1009, 1011, 4000, 4001, 4004, 4005]);

/** @returns {number} this clock in microseconds */
export const now = () => Math.round(performance.now() * 1000);

/**
 * @typedef {object} Handlers
 * @property {(welcome: any) => void} welcome a connection stands; the next call may send
 * @property {(kind: string, body: any) => void} receive
 * @property {() => void} lost the connection broke, and is tried again
 * @property {(why: string) => void} end the connection is over for good
 */

export class Connection {
  /** @param {Handlers} handlers */
  constructor(handlers) {
    this.handlers = handlers;
    /** @type {WebSocket | undefined} */
    this.socket = undefined;
    /** The server's clock minus this one, in microseconds, of the shortest round trip. */
    this.offset = 0;
    /** @type {[number, number][]} the latest round trips with their offsets */
    this.samples = [];
    this.pause = FIRST_PAUSE;
    this.closed = false;
    this.pongs = 0;
    this.welcomed = false;
    this.heard = 0;
    /** @type {any} */
    this.goodbye = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.retry = undefined;
    this.timer = setInterval(() => this.beat(), 1000);
    this.pinged = 0;
    this.onVisible = () => { if (!document.hidden) this.wake(); };
    document.addEventListener("visibilitychange", this.onVisible);
    window.addEventListener("online", this.onVisible);
    this.onOffline = () => this.drop();
    window.addEventListener("offline", this.onOffline);
    this.open();
  }

  open() {
    clearTimeout(this.retry);
    this.retry = undefined;
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/ws`, SUBPROTOCOL);
    this.socket = socket;
    this.pinged = performance.now();
    this.welcomed = false;
    this.goodbye = null;
    socket.onopen = () => this.send({ hello: { version: VERSION, agent: "gridrace-page/1" } });
    socket.onmessage = (event) => { if (this.socket === socket) this.receive(String(event.data)); };
    socket.onclose = (event) => { if (this.socket === socket) this.onClose(event.code); };
  }

  /** @param {string} text */
  receive(text) {
    this.heard = performance.now();
    const message = parse(text);
    const [kind, body] = typeof message === "string" ? [message, null] : Object.entries(message)[0];
    if (kind === "welcome") {
      this.welcomed = true;
      this.pause = FIRST_PAUSE;
      // The server may be another process, with another clock.
      this.samples = [];
      this.pongs = 0;
      this.ping();
      this.handlers.welcome(body);
    } else if (kind === "pong") {
      this.learn(body);
    } else {
      if (kind === "goodbye") this.goodbye = body;
      this.handlers.receive(kind, body);
    }
  }

  /** @param {any} message */
  send(message) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message).replace(/[\u200d\u2068\u2069\ufe0f]/g, ""));
  }

  get stands() {
    return this.welcomed && this.socket?.readyState === WebSocket.OPEN;
  }

  ping() {
    this.pinged = performance.now();
    this.send({ ping: { sent: now() } });
  }

  /** @param {{sent: number, received: number, replied: number}} pong */
  learn({ sent, received, replied }) {
    const arrived = now();
    this.samples.push([arrived - sent - (replied - received), (received - sent + (replied - arrived)) / 2]);
    if (this.samples.length > SAMPLES) this.samples.shift();
    this.offset = this.samples.reduce((best, one) => one[0] < best[0] ? one : best)[1];
    this.pongs += 1;
    if (this.pongs < FIRST_PINGS) this.ping();
  }

  /** @returns {number} the server's clock in microseconds */
  serverNow() {
    return now() + this.offset;
  }

  beat() {
    if (this.closed) return;
    const at = performance.now();
    // Timers of a hidden tab run once a minute: silence alone says nothing.
    if (this.stands && this.heard >= this.pinged) {
      if (at - this.pinged > PING_INTERVAL) this.ping();
    } else if (at - this.pinged > TIMEOUT) this.drop();
  }

  /** Gives up a connection that may be dead, and opens another. */
  drop() {
    const socket = this.socket;
    if (!socket || this.retry !== undefined) return;
    socket.onclose = socket.onmessage = null;
    socket.close();
    this.onClose(1006);
  }

  /** Looks whether the connection stands. */
  wake() {
    if (this.closed) return;
    if (this.retry !== undefined) this.open();
    else if (this.stands) {
      // The clocks may have stood still.
      this.samples = [];
      this.pongs = 0;
      this.ping();
    }
  }

  /** @param {number} code */
  onClose(code) {
    if (this.closed) return;
    if (FINAL.has(code)) {
      this.close();
      this.handlers.end(farewell(this.goodbye, code));
      return;
    }
    // Drawn, so that not all who were turned away come back at once.
    const wish = Math.min(this.goodbye?.busy?.retry_seconds ?? 0, LONGEST_WISH) * 1000;
    const pause = wish + 250 + Math.random() * (this.pause - 250);
    this.pause = Math.min(this.pause * 2, LAST_PAUSE);
    this.handlers.lost();
    this.retry = setTimeout(() => this.open(), pause);
  }

  close() {
    this.closed = true;
    clearTimeout(this.retry);
    clearInterval(this.timer);
    document.removeEventListener("visibilitychange", this.onVisible);
    window.removeEventListener("online", this.onVisible);
    window.removeEventListener("offline", this.onOffline);
    if (this.socket) this.socket.onclose = null;
    this.socket?.close(1000);
  }
}

/** @param {any} goodbye @param {number} code */
function farewell(goodbye, code) {
  const known = {
    kicked: "The host removed you from the room.",
    banned: "The host banned you from the room.",
    superseded: "You continue in another tab or on another device.",
    flooding: "The server closed the connection: too many messages.",
    malformed: "The server couldn't read a message of this page. Reload it.",
    broken: "An error in the server closed this room.",
  };
  if (typeof goodbye === "string" && goodbye in known) return known[/** @type {keyof typeof known} */ (goodbye)];
  if (goodbye?.version) return "The server was updated. Reload this page.";
  return `The connection was closed (${code}).`;
}
