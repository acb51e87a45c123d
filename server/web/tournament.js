// A tournament as one who follows it: the fold of the server's messages, the pages that are asked for, and
// the room of the table that is played at or watched, on the same connection.

import { Room, Session } from "./room.js";
import { tournamentRefused } from "./tournament_words.js";

/** Most pages that are asked for within a second: below what a server lets a client send. */
const PAGES_PER_SECOND = 12;
/** How long until a page is loaded anew that changed, for each message it takes, in milliseconds. */
const RELOAD = 1000;
/** How long until the live page is loaded anew, in milliseconds. */
const LIVE_RELOAD = 5000;
/** How long until a page or a seat that was refused is asked for again, in milliseconds. */
const RETRY = 1000;

/** @typedef {"entrants" | "standings" | "teams" | "tables" | "bracket" | "log"} PageName */

/**
 * @typedef {object} Page what is known of a part of the tournament
 * @property {any[]} rows
 * @property {number} at the lines that the log had when it was asked for
 * @property {any[]} coming rows that came until all have
 * @property {number} asked
 * @property {number} due
 * @property {number} came when its last row had come, by `performance.now()`
 * @property {number} requests
 */

/**
 * @typedef {object} TournamentIntent
 * @property {string} name
 * @property {any} [open] plan, settings and PIN of a tournament to open
 * @property {string | null} [pin]
 * @property {boolean} [anonymous] proves no key
 */

export class Tournament extends Session {
  /** @param {TournamentIntent} intent */
  constructor(intent) {
    super();
    this.intent = intent;
    /** @type {any} name, plan, settings, epoch, commitment, organiser */
    this.info = null;
    /** @type {any} */
    this.head = null;
    /** @type {{entrant: number | null, presence: string | null, organiser: boolean}} */
    this.you = { entrant: null, presence: null, organiser: false };
    /** What the server's disk does, as an organiser is told. */
    this.recording = "recorded";
    /** @type {any} the seat that waits */
    this.call = null;
    /** @type {Map<PageName, Page>} */
    this.pages = new Map();
    /** @type {PageName[]} the pages that are shown, so that they are loaded, the most urgent first */
    this.wanted = ["entrants"];
    /** @type {PageName | null} the page that is loaded every few seconds: connections change no version */
    this.live = null;
    /** @type {any} the round whose tables are loaded, if not the latest */
    this.round = null;
    /** @type {Map<number, any>} */
    this.entrants = new Map();
    /** @type {Room | null} */
    this.room = null;
    /** @type {PageName | null} the page that the server owes */
    this.asked = null;
    /** Whether a command waits for its answer. */
    this.commanded = false;
    /** How often a page came. */
    this.loads = 0;
    this.window = { begun: 0, count: 0 };
    this.holds = 0;
    this.timer = setInterval(() => this.tick(), 250);
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.rejoin = undefined;
  }

  lost() {
    if (this.link !== "connecting") this.link = "lost";
    this.asked = null;
    this.commanded = false;
    this.room?.lost();
    this.say("link");
  }

  /** Says whether it could be sent. @param {any} request */
  send(request) {
    return super.send({ tournament: request });
  }

  /** Says whether it could be sent. @param {any} command @param {boolean} [confirmed] */
  command(command, confirmed = false) {
    this.commanded = this.send({ command: { command, confirmed } });
    return this.commanded;
  }

  /** @param {string} why */
  end(why) {
    this.leave();
    super.end(why);
  }

  leave() {
    clearInterval(this.timer);
    clearTimeout(this.rejoin);
    this.room?.close();
    this.connection.close();
  }

  /** @param {any} welcome */
  async welcome(welcome) {
    const { intent } = this;
    if (!await this.identify(welcome, intent.anonymous)) return;
    if (intent.open) this.send({ open: { name: intent.name, ...intent.open } });
    else this.send({ follow: { name: intent.name, pin: intent.pin || null } });
  }

  /** @param {string} kind @param {any} body */
  receive(kind, body) {
    if (kind === "tournament") {
      const [update, detail] = typeof body === "string" ? [body, null] : Object.entries(body)[0];
      this.fold(update, detail);
      return;
    }
    if (kind === "recording") {
      this.recording = body;
      this.say("head");
    }
    const { room } = this;
    // The answer to a join that was given up: a seat there would keep the player from the next table.
    const isOther = kind === "joined" && body.room.code !== room?.intent.code;
    if (isOther || (kind === "refused" && body === "in_a_room")) this.connection.send("leave");
    if (isOther || (kind === "refused" && body === "not_in_a_room")) return;
    room?.receive(kind, body);
    if (room?.link !== "ended" || room !== this.room) return;
    // The seat isn't there yet or not any more; or the round is over.
    const refused = Boolean(room.refusal);
    this.room = null;
    if (!refused && this.call?.code === room.intent.code) this.call = null;
    this.say("room", room);
    if (refused && room.intent.role === "spectator") this.say("refused", room.why);
    if (!this.call) return;
    if (refused) this.rejoin = setTimeout(() => this.toTable(), RETRY);
    else this.toTable();
  }

  /** @param {string} update @param {any} body */
  fold(update, body) {
    switch (update) {
      case "snapshot": this.followed(body); break;
      case "head": {
        if (!this.round && !isSameRound(body.round, this.head?.round)) this.pages.delete("tables");
        const before = this.head;
        this.head = body;
        if (body.phase === "over") this.call = null;
        this.say("head", before);
        break;
      }
      case "you": {
        const { presence } = this.you;
        this.you = body;
        this.say("you", presence);
        break;
      }
      case "page": this.take(body); break;
      case "table":
        this.call = body;
        this.toTable();
        this.say("table", body);
        break;
      case "announcement": this.say("announcement", body); break;
      case "corrected": this.say("corrected", body); break;
      case "done":
        if (this.commanded) this.say("done");
        this.commanded = false;
        break;
      case "needs_confirmation": this.say("needs_confirmation", body); break;
      case "refused": this.refused(body); break;
      default: break; // a later server says more
    }
    this.load();
  }

  /** @param {any} snapshot */
  followed({ head, you, ...info }) {
    const before = this.info;
    if (before && (before.commitment !== info.commitment || head.log < this.head.log)) {
      this.pages.clear();
      this.entrants.clear();
    }
    this.info = info;
    if (!isSameRound(head.round, this.head?.round)) this.pages.delete("tables");
    for (const page of this.pages.values()) {
      page.coming = [];
      page.requests = 0;
    }
    this.head = head;
    this.you = you;
    this.recording = "recorded";
    this.asked = null;
    this.call = null;
    this.link = "followed";
    // What was opened is followed from now on.
    this.intent.open = undefined;
    this.say("link");
    this.say("head");
    const { room } = this;
    if (room?.intent.role === "spectator") room.join();
  }

  /** @param {any} why */
  refused(why) {
    const asked = why === "too_fast" || why === "busy" ? this.asked : null;
    if (!asked) this.commanded = false;
    if (this.link !== "followed") {
      this.refusal = why;
      this.end(tournamentRefused(why));
    } else if (asked) {
      const page = this.pages.get(asked);
      if (page) {
        page.coming = [];
        page.requests = 0;
        page.due = performance.now() + RETRY;
      }
      this.asked = null;
      this.holds = performance.now() + RETRY;
    } else {
      this.say("refused", tournamentRefused(why));
    }
  }

  // Pages

  /** @param {PageName[]} wanted @param {PageName | null} [live] */
  want(wanted, live = null) {
    this.wanted = wanted;
    this.live = live;
    this.load();
  }

  /** Shows the tables of another round, or with null of the latest. @param {any} round */
  chooseRound(round) {
    this.round = isSameRound(round, this.head.round) ? null : round;
    this.pages.delete("tables");
    if (this.asked === "tables") this.asked = null;
    this.load();
    this.say("page", "tables");
  }

  /** @param {PageName} of @returns {any[]} */
  rows(of) {
    return this.pages.get(of)?.rows ?? [];
  }

  /** @param {PageName} of @returns {boolean} whether it came at least once */
  has(of) {
    return (this.pages.get(of)?.at ?? -1) >= 0;
  }

  /** @param {PageName} of */
  version(of) {
    const { changed, log } = this.head;
    if (of === "log") return log;
    return of === "entrants" || of === "tables" ? changed[of] : changed.standings;
  }

  /** Asks for a page that is wanted and due, one at a time. */
  load() {
    if (this.link !== "followed" || this.asked) return;
    const now = performance.now();
    if (now < this.holds) return;
    if (now - this.window.begun >= 1000) this.window = { begun: now, count: 0 };
    if (this.window.count >= PAGES_PER_SECOND) return;
    for (const of of this.wanted) {
      let page = this.pages.get(of);
      if (!page) {
        page = { rows: [], at: -1, coming: [], asked: 0, due: 0, came: 0, requests: 0 };
        this.pages.set(of, page);
      }
      if (of === "tables" && !this.head.round) continue;
      const isLive = of === this.live && !document.hidden && now - page.came >= LIVE_RELOAD;
      if (!page.requests && ((page.at >= this.version(of) && !isLive) || now < page.due)) continue;
      if (!page.requests) {
        page.asked = this.version(of);
        // The log only grows.
        page.coming = of === "log" ? page.rows : [];
      }
      page.requests += 1;
      this.asked = of;
      this.window.count += 1;
      this.send({ page: { of: of === "tables" ? { tables: { round: this.round } } : of, from: page.coming.length } });
      return;
    }
  }

  /** @param {{from: number, total: number, rows: any}} body */
  take({ from, total, rows: body }) {
    const [[of, rows]] = /** @type {[PageName, any[]][]} */ (Object.entries(body));
    const page = this.pages.get(of);
    if (this.asked !== of || !page) return;
    this.asked = null;
    const round = this.round ?? this.head.round;
    // The rounds of an arena go on at the same time.
    const goesOn = (/** @type {any} */ one) => !this.round && this.isArena(round) && one.stage === round.stage && one.round < round.round;
    const isOther = of === "tables" && rows.some((row) => !isSameRound(row.round, round) && !goesOn(row.round));
    if (from !== page.coming.length || isOther) {
      page.coming = [];
      page.requests = 0;
      page.due = performance.now() + RETRY;
      return;
    }
    page.coming = page.coming.concat(rows);
    if (rows.length && page.coming.length < total) return;
    const isSame = page.at === page.asked && JSON.stringify(page.rows) === JSON.stringify(page.coming);
    page.rows = page.coming;
    page.at = page.asked;
    page.came = performance.now();
    page.due = page.came + RELOAD * page.requests;
    page.coming = [];
    page.requests = 0;
    if (isSame) return;
    this.loads += 1;
    if (of === "entrants") this.entrants = new Map(page.rows.map((row) => [row.entrant, row]));
    this.say("page", of);
  }

  tick() {
    this.load();
    // The table has closed meanwhile, and the player is called to no other.
    const { room } = this;
    if (this.link === "followed" && !this.call && room?.link === "lost" && room.intent.role === "player") this.leaveRoom();
  }

  // What follows from the pages

  /** @param {number | null | undefined} entrant @returns {string} */
  nameOf(entrant) {
    return entrant === null || entrant === undefined ? "–" : this.entrants.get(entrant)?.name ?? `#${entrant + 1}`;
  }

  get title() {
    return this.info?.settings.title ?? this.intent.name;
  }

  /** @returns {number} milliseconds on the tournament's clock */
  now() {
    return (this.connection.serverNow() - this.info.epoch) / 1000;
  }

  /** @returns {number | null} milliseconds since GO of the board that is raced; a restarted server may know it at the table alone */
  get raced() {
    const { head, room } = this;
    if (head.phase !== "racing") return null;
    return head.go === null ? sinceGo(room) : this.now() - head.go;
  }

  /** @returns {any} the stage that was drawn last, or the first */
  get stage() {
    return this.info.plan.stages[this.head.round?.stage ?? 0];
  }

  /** @param {any} round @returns {boolean} whether tables of its stage don't wait for each other */
  isArena(round) {
    return this.info.plan.stages[round.stage]?.format.arena !== undefined;
  }

  get hasBracket() {
    return this.info.plan.stages.some((/** @type {any} */ stage) => stage.format === "knockout" || stage.format === "double");
  }

  /** @returns {any} one's own table of the latest round */
  get ownTable() {
    const { entrant } = this.you;
    if (entrant === null || this.round) return null;
    return this.rows("tables").filter((table) => table.seats.some((/** @type {any} */ seat) => seat.entrant === entrant)).at(-1) ?? null;
  }

  // The room of a table

  /** Goes to the table that waits for the player, unless the player is there already. */
  toTable() {
    clearTimeout(this.rejoin);
    const { call, room } = this;
    if (!call || this.link !== "followed") return;
    if (room && room.intent.code === call.code && room.intent.role === "player") {
      // After a lost connection the seat is taken up again.
      if (room.link === "lost") room.join();
      return;
    }
    this.enter(call.code, "player");
  }

  /** @param {string} code @param {"player" | "spectator"} role */
  enter(code, role) {
    this.leaveRoom();
    const own = this.entrants.get(this.you.entrant ?? -1)?.name;
    const name = own ?? `Guest ${Math.floor(Math.random() * 9000 + 1000)}`;
    const { connection } = this;
    this.room = new Room({ code, name, role, pin: this.intent.pin }, { connection, rules: this.rules });
    this.say("room");
    this.room.join();
  }

  leaveRoom() {
    const { room } = this;
    if (!room) return;
    if (room.link === "joined") room.leave();
    else room.close();
    this.room = null;
    this.say("room", room);
  }
}

/** @param {Room | null} room @returns {number | null} milliseconds since its GO */
export const sinceGo = (room) => (room?.phase === "running" ? room.now() - room.phaseBody.go : null);

/** @param {any} one @param {any} other */
export const isSameRound = (one, other) => one?.stage === other?.stage && one?.round === other?.round;
