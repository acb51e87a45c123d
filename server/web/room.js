// One room as its member. The own race and the watched boards are in the rules' module.

import { store, stored } from "./dom.js";
import { Connection, now } from "./net.js";
import { raceRules } from "./rules.js";
import { proof } from "./identity.js";
import { refused, SAME_BOARDS } from "./words.js";

/**
 * @typedef {object} Intent what to do once the server has said welcome
 * @property {any} [open] options, seed, pin and bots of a room to open
 * @property {string} [code]
 * @property {string} name
 * @property {"player" | "spectator"} role
 * @property {string | null} [pin]
 * @property {boolean} [anonymous] proves no key
 */

/** How often the server sends moves, in milliseconds. */
const MOVES_EVERY = 100;
/** How many milliseconds too early moves may come by this clock. */
const ON_TIME = 200;

/** A tab may show a room and its big screen. @param {boolean} [anonymous] */
const seatKey = (anonymous) => anonymous ? "gridrace.screen" : "gridrace.seat";

/** @param {string | undefined} code @param {boolean} [anonymous] @returns {any} the seat that this tab had in a room */
export function keptSeat(code, anonymous) {
  try {
    const seat = JSON.parse(sessionStorage.getItem(seatKey(anonymous)) ?? "null");
    return seat?.code === code ? seat : null;
  } catch {
    return null;
  }
}

/** @param {any} seat @param {boolean} [anonymous] */
function keepSeat(seat, anonymous) {
  try {
    sessionStorage.setItem(seatKey(anonymous), JSON.stringify(seat));
  } catch {
    // Without it a reload joins by the key.
  }
}

/** @param {string} code @returns {string} the PIN of a room that this browser was given last */
export const keptPin = (code) => stored("pin").split(`${code} `)[1] ?? "";

/** @param {string | undefined} code @param {string} pin */
export const keepPin = (code, pin) => store("pin", `${code} ${pin}`);

/** A room or a tournament: proves the player's key, and says what changes. */
export class Session extends EventTarget {
  /** @param {import("./rules.js").Rules} [rules] @param {Connection} [connection] one that is shared */
  constructor(rules, connection) {
    super();
    this.rules = rules;
    /** @type {"connecting" | "joined" | "followed" | "lost" | "ended"} */
    this.link = "connecting";
    this.why = "";
    /** @type {any} why the server refused */
    this.refusal = null;
    this.connection = connection ?? new Connection(/** @type {any} */ (this));
  }

  /** @param {string} what @param {any} [detail] */
  say(what, detail) {
    this.dispatchEvent(new CustomEvent("change", { detail: { what, detail } }));
  }

  /** Says whether it could be sent. @param {any} message */
  send(message) {
    const { stands } = this.connection;
    if (stands) this.connection.send(message);
    else this.say("refused", "No connection.");
    return stands;
  }

  /** Says whether the connection is the same once the rules are loaded. @param {any} welcome @param {boolean} [anonymous] */
  async identify({ challenge }, anonymous) {
    const { connection } = this;
    const { socket } = connection;
    try {
      this.rules ??= await raceRules();
    } catch {
      this.end("The rules could not be loaded. Reload this page.");
      return;
    }
    if (connection.socket !== socket) return;
    if (!anonymous) connection.send({ identify: proof(this.rules, challenge) });
    return true;
  }

  /** @param {string} why */
  end(why) {
    this.link = "ended";
    this.why = why;
    this.say("link");
  }
}

export class Room extends Session {
  /**
   * A room of a tournament shares the connection on which the tournament is followed.
   * @param {Intent} intent
   * @param {{rules?: import("./rules.js").Rules, connection?: Connection}} [shared]
   */
  constructor(intent, { rules, connection } = {}) {
    super(rules, connection);
    this.intent = intent;
    this.isShared = Boolean(connection);
    /** @type {any} */
    this.state = null;
    /** @type {any} the own race as it is shown */
    this.race = null;
    /** @type {Map<number, any> | null} the boards that may be watched, by player */
    this.boards = null;
    /** @type {any} */
    this.token = keptSeat(intent.code, intent.anonymous);
    /** The player whose seat is gone, and how many names were tried since. */
    this.gone = -1;
    this.tried = 0;
    /** @type {any[] | null} the own results on this server */
    this.results = null;
    this.asksResults = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.sending = this.resuming = undefined;
    /** @type {any[]} moves that are not to be shown yet */
    this.late = [];
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.showing = undefined;
    this.left = new AbortController();
  }

  lost() {
    clearTimeout(this.resuming);
    this.link = "lost";
    this.say("link");
  }

  /** @param {string} why */
  end(why) {
    clearTimeout(this.sending);
    clearTimeout(this.resuming);
    if (!this.isShared) this.connection.close();
    super.end(why);
  }

  /** @param {any} welcome */
  async welcome(welcome) {
    if (!await this.identify(welcome, this.intent.anonymous)) return;
    if (this.token) this.resume();
    else this.join();
  }

  resume() {
    const { code, player, token } = this.token;
    this.send({ resume: { code, player, token } });
  }

  join() {
    const { open, code, role, pin } = this.intent;
    let { name } = this.intent;
    // A name has at most 20 letters.
    if (this.tried > 1) name = `${[...name].slice(0, 18).join("").trim()} ${this.tried}`;
    const entrant = { name, bot: false };
    if (open && !code) this.send({ open: { entrant, options: open.options, seed: open.seed, pin: open.pin } });
    else this.send({ join: { code, entrant, role, pin: pin || null } });
  }

  /** @param {string} kind @param {any} body */
  receive(kind, body) {
    switch (kind) {
      case "joined": this.joined(body.you, body.room); break;
      case "token":
        this.token = { ...body, name: this.intent.name, role: this.intent.role };
        // A reload finds the way to a tournament's table by the key.
        if (!this.isShared) keepSeat(this.token, this.intent.anonymous);
        this.send("confirm");
        break;
      case "refused": this.refuse(body); break;
      case "results":
        this.asksResults = false;
        this.say("results", body);
        break;
      case "goodbye":
        // The connection stands, but there is nothing more on it.
        if (body === "table_closed" && this.link === "joined") this.end("The table is closed.");
        if (body === "same_boards" && this.link === "joined") this.end(SAME_BOARDS);
        break;
      default: if (this.state) this.fold(kind, body);
    }
  }

  /** @param {any} why */
  refuse(why) {
    // The server lets the player in without a key.
    if (why === "unproven") return this.say("refused", refused(why));
    if (this.asksResults && ["no_results", "nobody", "busy", "too_fast"].includes(why)) {
      this.asksResults = false;
      return;
    }
    if (why === "not_resumed") {
      this.gone = this.token?.player;
      this.tried = 1;
      this.token = null;
      keepSeat(null, this.intent.anonymous);
      this.join();
      return;
    }
    // The name of a seat that is gone stays in the standings.
    if (why === "name_taken" && this.tried && this.tried < 6) {
      this.tried += 1;
      this.join();
      return;
    }
    if (this.link === "joined") {
      if (this.race) this.race = this.rules?.call("hint_refused");
      this.say("refused", refused(why));
      return;
    }
    if (this.token && (why === "too_fast" || why === "busy")) {
      this.resuming = setTimeout(() => this.resume(), 2000 + 3000 * Math.random());
      return;
    }
    this.refusal = why;
    this.end(refused(why));
  }

  /** @param {number} you @param {any} snapshot */
  joined(you, snapshot) {
    const before = this.state;
    const same = before?.setup.number === snapshot.setup.number && before.code === snapshot.code;
    this.link = "joined";
    this.intent.code = snapshot.code;
    this.intent.pin ??= this.intent.open?.pin;
    /** @type {Map<number, {name: string, kind: any}>} */
    const names = same ? before.names : new Map();
    this.state = {
      ...snapshot, you, names,
      promised: same && this.phase !== "countdown" ? before.promised : null,
      start: same ? before.start : null,
      rows: [], at: 0, image: null, announcement: before?.announcement ?? null, pin: null, banned: [], ahead: 0,
    };
    this.remember();
    this.enterPhase(snapshot.phase, snapshot.boards, same);
    if (snapshot.seat && this.race) this.race = this.rules?.call({ resume: { seat: snapshot.seat } });
    if (snapshot.standings) this.rank(snapshot.standings);
    this.flush();
    const bots = before ? [] : this.intent.open?.bots ?? [];
    for (const skill of bots) this.send({ add_bot: { skill } });
    if (!before && this.intent.open?.start) this.send("start");
    this.say("link");
    this.say("phase");
    // The old seat may be another tab's.
    if (this.tried && you !== this.gone) this.say("news", `Back as a new ${this.intent.role}, ${this.me.name}${this.member(this.gone)?.connected ? "" : ": your old seat is gone"}.`);
    this.tried = 0;
  }

  /** @param {number} player */
  member(player) {
    return this.state?.roster.members.find((/** @type {any} */ { id }) => id === player);
  }

  get me() {
    return this.member(this.state?.you);
  }

  get isHost() {
    return this.state?.roster.host === this.state?.you;
  }

  get hasHostPowers() {
    return this.isHost || Boolean(this.me?.operator);
  }

  /** @returns {string} */
  get phase() {
    const phase = this.state?.phase;
    return typeof phase === "string" ? phase : Object.keys(phase ?? {})[0] ?? "";
  }

  /** @returns {any} what the phase brings */
  get phaseBody() {
    const phase = this.state?.phase;
    return typeof phase === "string" ? null : Object.values(phase ?? {})[0];
  }

  /** @returns {number} milliseconds on the heat's clock */
  now() {
    return (this.connection.serverNow() - this.state.epoch) / 1000;
  }

  /** @returns {any} the setup by which the heat is raced */
  get setup() {
    return this.state.promised ?? this.state.setup;
  }

  /** @param {number} player */
  nameOf(player) {
    return this.state.names.get(player) ?? { name: String(player), kind: "human" };
  }

  remember() {
    for (const member of this.state.roster.members) this.state.names.set(member.id, { name: member.name, kind: member.kind });
  }

  /** @param {string} kind @param {any} body */
  fold(kind, body) {
    const state = this.state;
    switch (kind) {
      case "roster":
        state.roster = body;
        this.remember();
        this.say("roster");
        break;
      case "setup":
      case "closing":
      case "announcement":
      case "image":
      case "recording":
        state[kind] = body;
        this.say(kind, body);
        break;
      case "phase":
        this.enterPhase(body, [], false);
        this.say("phase");
        break;
      case "standings":
        this.rank(body);
        this.say("standings");
        break;
      case "accepted": this.play({ accepted: body }); break;
      case "rejected": this.play({ rejected: { now: now(), ...body } }); break;
      case "resync": this.play({ resync: { seat: body } }); break;
      case "hint":
        this.play({ hint: body });
        this.say("hint");
        break;
      case "moves":
        this.late.push(...body);
        this.showMoves();
        break;
      case "boards":
        // They are later than the moves before them.
        this.late = [];
        if (this.boards) this.show(this.rules?.call({ boards: { boards: body } }));
        else this.watch(body);
        break;
      case "host_info":
        state.pin = body.pin;
        if (body.pin) keepPin(state.code, body.pin);
        state.banned = body.banned ?? [];
        this.say("setup");
        break;
      case "rated":
        if (this.phase === "over" && body.number === state.setup.number) this.phaseBody.best = body.best;
        this.say("rated");
        break;
      case "board_queue":
        state.ahead = body.ahead;
        this.say("queue");
        break;
      default: break; // a later server says more
    }
  }

  /** @param {any} phase @param {any[]} boards @param {boolean} same whether the heat is the same as before */
  enterPhase(phase, boards, same) {
    const { state, rules } = this;
    state.phase = phase;
    const body = this.phaseBody;
    if (this.phase !== "over") this.late = [];
    switch (this.phase) {
      case "lobby":
      case "drawing":
        this.race = this.boards = null;
        state.rows = [];
        state.closing = null;
        state.start = null;
        state.promised = null;
        state.ahead = 0;
        break;
      case "countdown":
        state.promised = state.setup;
        store("commitment", state.setup.commitment);
        state.rows = [];
        break;
      case "running":
        state.promised ??= state.setup;
        state.start = body.start;
        if (!state.rows.length) {
          state.rows = this.startingRows();
          state.at = 0;
        }
        if (this.me?.role === "player") {
          if (!same || !this.race) this.race = rules?.call({ begin: { go: body.go, ends: body.ends, start: body.start } });
          this.boards = null;
          if (boards.length) this.watch(boards);
        } else {
          this.race = null;
          this.watch(boards);
        }
        break;
      default: break;
    }
  }

  /** @returns {any[]} */
  get players() {
    return this.state.roster.members.filter((/** @type {any} */ member) => member.role === "player");
  }

  /** The standings until the first come. */
  startingRows() {
    return this.players.map(({ id, connected }, index) => ({
      player: id, place: index + 1, state: "racing", progress: 0, tally: null, moves: { moves: 0, acts: 0 }, hints: 0, penalty: 0, connected,
    }));
  }

  /** @param {any[]} boards */
  watch(boards) {
    const body = this.phaseBody;
    if (this.phase !== "running") return;
    const players = this.players.map(({ id }) => id);
    this.boards = new Map();
    const request = { go: body.go, ends: body.ends, start: body.start, players, boards };
    this.show(this.rules?.call({ watch: request }));
  }

  /** @param {any[]} changed */
  show(changed) {
    for (const { player, board } of changed) this.boards?.set(player, board);
    this.say("boards", changed.map(({ player }) => player));
  }

  /**
   * Plays the moves that are as old as the options say. The server sends them so, but for the last ones,
   * which come with the end of the heat.
   */
  showMoves() {
    clearTimeout(this.showing);
    const delay = this.setup.options.delay_seconds * 1000;
    const wait = (/** @type {{at: number}} */ move) => move.at + delay - this.now();
    const next = this.late.findIndex((move) => wait(move) > ON_TIME);
    const moves = this.late.splice(0, next < 0 ? this.late.length : next);
    if (moves.length && this.boards) this.show(this.rules?.call({ moves: { moves } }));
    if (this.late.length) this.showing = setTimeout(() => this.showMoves(), Math.max(wait(this.late[0]), MOVES_EVERY));
  }

  /** @param {{at: number, rows: any[]}} standings */
  rank({ at, rows }) {
    const { state } = this;
    const changed = new Map(rows.map((row) => [row.player, row]));
    // The first standings have all who race: of the starting rows those who were away at GO do not.
    const kept = state.at ? state.rows.filter((/** @type {any} */ row) => !changed.has(row.player)) : [];
    state.at = at;
    state.rows = [...kept, ...rows].sort((a, b) => a.place - b.place);
    const own = changed.get(state.you);
    if (own && this.race) this.race = this.rules?.call({ standing: { row: own } });
  }

  /** @returns {boolean[]} whether nothing can change a place any more, by row */
  finalPlaces() {
    const go = this.phaseBody?.go ?? 0;
    return this.rules?.call({ final: { rows: this.state.rows, elapsed: Math.max(0, this.state.at - go) } }) ?? [];
  }

  /** Applies something to the own race, if there is one. @param {any} request */
  play(request) {
    const before = this.race;
    if (!before) return;
    this.race = this.rules?.call(request);
    this.flush();
    this.say("race", { before });
  }

  /** Plays a move ahead of the server; says whether it is legal. @param {any} move */
  move(move) {
    if (!this.race?.on) return false;
    try {
      this.play({ play: { play: move } });
      return true;
    } catch {
      return false;
    }
  }

  /** Sends the moves that may leave by now. */
  flush() {
    clearTimeout(this.sending);
    if (!this.race || this.link !== "joined" || !this.rules) return;
    const { moves, due } = this.rules.call({ send: { now: now() } });
    for (const move of moves) this.send({ move });
    if (due !== null) this.sending = setTimeout(() => this.flush(), Math.max(1, (due - now()) / 1000));
  }

  /** The style of hints that the player asks for. */
  hintStyle() {
    return stored("hint_style") === "method" ? "method" : "shortest";
  }

  /** Asks for the own results, for the link to the replay. */
  askResults() {
    this.results = null;
    this.asksResults = true;
    this.send("results");
  }

  askHint() {
    if (!this.race?.on || this.race.hint_pending) return;
    this.race = this.rules?.call("hint_asked");
    this.send({ hint: { style: this.hintStyle() } });
    this.say("hint");
  }

  leave() {
    this.connection.send("leave");
    this.close();
    if (!this.isShared) keepSeat(null, this.intent.anonymous);
  }

  /** Disconnects; the seat is kept. */
  close() {
    this.left.abort();
    clearTimeout(this.sending);
    clearTimeout(this.resuming);
    clearTimeout(this.showing);
    if (!this.isShared) this.connection.close();
  }
}
