// The big screen of a tournament: how to enter, the boards of the tables, standings and bracket between
// rounds, the podium. It needs no hand, and comes back by itself.

import { Tournament, sinceGo } from "./tournament.js";
import { Room } from "./room.js";
import { Rules } from "./rules.js";
import { BoardGrid } from "./board_grid.js";
import { boxIn, bracket, extent, layOut } from "./bracket.js";
import { brand, el, fill, setText } from "./dom.js";
import { standingRows } from "./standings.js";
import { finalPodium, latest, otherUnit, tableName } from "./tournament_parts.js";
import { boardName, outcome, planName, score, scoreUnit, waiting } from "./tournament_words.js";
import { askPin, fillStandings, resultsAfter, screenName } from "./tv.js";
import { keepAwake } from "./wake_lock.js";
import { counted, puzzle, SAME_BOARDS, secondsLeft, time } from "./words.js";

/** How long it waits before it asks again for a tournament that isn't there, in milliseconds. */
const RETRY = 5_000;
/** How long each view stays where several take turns. */
const TURN = 8_000;
/** How long the boards stay once the last result is shown. */
const RESULTS_SHOWN = 3_000;
/** How long before GO the seconds fill the screen. */
const COUNTDOWN_SHOWN = 5_000;
/** Letters of a title that stands in one line. */
const LONG_TITLE = 24;
/** Most boards and tables at once. */
const BOARDS = 32;
const TABLES = 8;
/** Rows of standings, alone and beside the podium, and players of a lobby, at once. */
const STANDINGS = 60;
const BESIDE_PODIUM = 32;
const NAMES = 120;
/** Players of a table below each other, before its draw. */
const SEAT_ROWS = 11;
/** Sizes of the letters of a draw. */
const SCALES = [1.7, 1.45, 1.2, 1, 0.85];
/** The smallest letters of a long name in a draw or a bracket, in parts of the others. */
const SMALLEST_NAME = 0.6;
/** The largest letters of a bracket, in pixels. */
const LARGEST_BRACKET = 64;
/** Matches of the first level of a bracket that is readable. */
const FIRST_LEVEL = 16;

/**
 * @param {string} name
 * @returns {import("./main.js").Page}
 */
export function tournamentTv(name) {
  document.title = `${name} · gridrace`;
  const heading = el("h1", {}, name);
  const status = el("span", { class: "tv-title" });
  const clock = el("span", { class: "clock" });
  const stage = el("div", { class: "tv-stage" });
  const element = el("main", { class: "tv t-tv" }, el("header", { class: "tv-bar" }, brand(), heading, status, clock), stage);
  /** @type {Tournament} */
  let tournament;
  let left = false;
  let shown = "";
  let phase = "";
  let resultsUntil = 0;
  let turn = 0;
  /** @type {Map<string, number>} how often each view was shown in this phase, from 0 */
  const times = new Map();
  let pin = "";
  let news = { text: "", until: 0 };
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let retry;
  const boards = new TableBoards(() => ({ name, pin }));

  const begin = () => {
    tournament?.leave();
    // A screen is no player: it shows no key, so that no player's key keeps boards from it.
    const mine = tournament = new Tournament({ name, pin, anonymous: true });
    shown = "";
    mine.want(["entrants", "standings", "tables", "bracket", "teams"]);
    mine.addEventListener("change", (event) => { if (mine === tournament && !left) change(/** @type {CustomEvent} */ (event).detail); });
  };

  /** @param {{what: string, detail: any}} change */
  const change = ({ what, detail }) => {
    if (what === "announcement") news = { text: detail.text, until: performance.now() + 30_000 };
    if (what === "link" && tournament.link === "ended") {
      boards.close();
      if (tournament.refusal === "needs_pin" || tournament.refusal === "wrong_pin") return gate();
      setText(status, tournament.why);
      fill(stage);
      retry = setTimeout(begin, RETRY);
      return;
    }
    element.classList.toggle("lost", tournament.link === "lost");
    if (!tournament.head) return;
    if (what === "head" && tournament.head.phase !== phase) {
      // Boards are shown later than they are played.
      if (phase === "racing") resultsUntil = performance.now() + tournament.info.settings.options.delay_seconds * 1000 + RESULTS_SHOWN;
      phase = tournament.head.phase;
      times.clear();
    }
    render(what === "page" || what === "head");
  };

  const gate = () => {
    setText(status, "This tournament has a PIN.");
    askPin(stage, "PIN of the tournament", (typed) => {
      pin = typed;
      begin();
    });
  };

  /** @returns {string[]} the views that take turns now */
  const views = () => {
    const { head } = tournament;
    const left = head.go === null || head.paused ? Infinity : head.go - tournament.now();
    if (head.phase === "over" && performance.now() >= resultsUntil) return ["podium"];
    if (head.phase === "racing" || performance.now() < resultsUntil) return ["boards"];
    if (head.phase === "entries" || head.phase === "check_in") return ["lobby"];
    if (left <= COUNTDOWN_SHOWN) return ["countdown"];
    const isBracket = tournament.stage?.format === "knockout" || tournament.stage?.format === "double";
    const isFirst = !head.round || (head.round.round === 0 && head.round.stage === 0);
    const after = isBracket ? "bracket" : "standings";
    if (head.phase === "pause") return isBracket ? ["bracket", "tables"] : ["standings"];
    if (head.phase === "waiting") return [after];
    return isFirst && !isBracket ? ["tables"] : [after, "tables"];
  };

  const render = (isNew = false) => {
    if (!tournament.head || left) return;
    setText(heading, tournament.title);
    heading.classList.toggle("long", tournament.title.length > LONG_TITLE);
    const now = performance.now();
    setText(status, tournament.link === "lost" ? "The connection is lost. Trying again…" : now < news.until ? news.text : line());
    const all = views();
    const view = all[turn % all.length];
    const key = `${phase} ${view} ${turn}`;
    if (view === "boards") {
      if (!stage.contains(boards.element)) fill(stage, boards.element);
      boards.show(tournament, turn);
    } else if (stage.contains(boards.element)) boards.close();
    if (key === shown && !isNew) return;
    const isSame = key === shown;
    shown = key;
    if (!isSame) times.set(view, (times.get(view) ?? -1) + 1);
    // What is longer than the screen is shown in parts, one each time.
    const page = times.get(view) ?? 0;
    switch (view) {
      case "lobby": fill(stage, lobby()); break;
      case "countdown": if (!isSame) fill(stage, el("div", { class: "countdown", role: "timer" })); break;
      case "tables": showDraw(page); break;
      case "standings": fill(stage, standings(tournament, page, STANDINGS)); break;
      case "bracket": showBracket(); break;
      case "podium": fill(stage, el("div", { class: "tv-over" }, finalPodium(tournament), standings(tournament, page, BESIDE_PODIUM))); break;
      default: break;
    }
  };

  const line = () => {
    const { head, info } = tournament;
    const { counts } = head;
    if (head.phase === "entries" || head.phase === "check_in") return `${planName(info.plan)} · ${puzzle(info.settings.options.spec)}`;
    if (head.phase === "over") return performance.now() < resultsUntil ? boardName(info.plan, head) : "Final standings";
    if (head.paused) return "Paused by the organiser";
    if (head.phase === "waiting") return waiting(counts);
    const done = head.phase === "racing" && counts.tables > 1 ? ` · ${counts.tables_done} of ${counts.tables} tables done` : "";
    return `${head.phase === "racing" ? "" : "Next: "}${boardName(info.plan, head)}${done}`;
  };

  const lobby = () => {
    const address = `${location.host}/t/${name}`;
    const rows = tournament.rows("entrants").filter((row) => row.presence === "entered" || row.presence === "present");
    const isCheckIn = tournament.info.settings.check_in;
    const size = rows.length <= 24 ? "few" : rows.length <= 60 ? "some" : "many";
    const here = rows.filter((row) => row.presence === "present").length;
    return el("div", { class: "tv-lobby" },
      el("div", {}, el("p", { class: "faint" }, "Enter at"), el("p", { class: "address t-address" }, location.host, el("wbr"), `/t/${name}`),
        el("img", { class: "qr", src: `/t/${name}.svg`, alt: `QR code of ${address}`, onerror: (/** @type {Event} */ event) => /** @type {HTMLElement} */ (event.target).remove() })),
      el("div", { class: "t-lobby-names" }, el("h2", {}, `${counted(rows.length, "player")}${isCheckIn ? `, ${here} here` : ""}`),
        tournament.head.phase === "check_in" ? el("p", { class: "mark" }, "Check-in is open: say on your page that you are here.") : null,
        el("ul", { class: `tv-names ${size}` }, rows.slice(-NAMES).reverse().map((row) => el("li", { class: row.presence === "present" ? "on" : "" }, `${row.presence === "present" ? "✓ " : ""}${row.name}`)))));
  };

  /** The tables of the round, with what was raced of it; sizes are in vmin of a screen of 16 to 9. */
  const draw = (/** @type {number} */ page) => {
    const tables = tournament.rows("tables");
    const most = Math.max(2, ...tables.map((table) => table.seats.length));
    const columns = Math.ceil(most / SEAT_ROWS);
    const rows = Math.ceil(most / columns);
    // The largest letters with which all tables fit, or else several pages of the smallest.
    let [scale, across, down] = [0, 1, 1];
    for (scale of SCALES) {
      across = Math.max(1, Math.floor(174 / (scale * (columns * 25 + 5) + 2)));
      down = Math.max(1, Math.floor(86 / (scale * (rows * 4.05 + 8) + 2)));
      if (across * down >= tables.length) break;
    }
    // All rows are as full as the last one can be.
    if (tables.length <= across * down) across = Math.max(1, Math.ceil(tables.length / Math.ceil(tables.length / across)));
    const pages = Math.max(1, Math.ceil(tables.length / (across * down)));
    const from = (page % pages) * across * down;
    const part = tables.slice(from, from + across * down);
    // Few tables leave room for long names.
    const width = Math.max(scale * (columns * 25 + 5), Math.min(scale * (columns * 38 + 5), 174 / Math.min(across, part.length) - 2));
    return el("ul", { class: "t-draw", vars: { "--across": Math.min(across, part.length), "--scale": scale, "--width": `${width}vmin` } }, part.map((table) => {
      return el("li", { class: "t-table" }, el("h2", {}, table.walkover ? "Bye" : tableName(tournament, table)),
        el("ul", { vars: { "--rows": rows, "--columns": columns } }, table.seats.map((/** @type {any} */ seat) => el("li", {}, el("span", { class: "name", dir: "auto" }, tournament.nameOf(seat.entrant)), latest(seat) ? el("span", { class: "faint" }, outcome(latest(seat))) : null))));
    }));
  };

  /** Makes long names smaller, so that they are shown whole. */
  const fitNames = () => {
    for (const text of /** @type {NodeListOf<HTMLElement>} */ (stage.querySelectorAll(".name"))) {
      const fitting = 0.99 * text.clientWidth / text.scrollWidth;
      if (text.scrollWidth > text.clientWidth) text.style.fontSize = `${Math.max(SMALLEST_NAME, fitting)}em`;
      // In a draw two lines of the smallest letters have the height of one.
      text.classList.toggle("long", fitting < SMALLEST_NAME);
    }
  };

  /** @param {number} page */
  const showDraw = (page) => {
    fill(stage, draw(page));
    fitNames();
  };

  const showBracket = () => {
    const matches = tournament.rows("bracket");
    let first = 1;
    const last = Math.max(1, ...matches.map((match) => match.level));
    while (first < last && matches.filter((match) => match.level === first).length > FIRST_LEVEL) first += 1;
    const layout = layOut(matches, first);
    const [width, height] = extent(layout);
    const { clientWidth, clientHeight } = stage;
    const size = Math.floor(10 * Math.min(clientWidth / width, clientHeight / height, LARGEST_BRACKET)) / 10;
    // The width that the height leaves over is for long names.
    const shown = bracket(tournament, first, layout.levels ? boxIn(clientWidth / size, layout.levels) : undefined);
    if (layout.levels) /** @type {HTMLElement} */ (shown).style.setProperty("font-size", `${size}px`);
    fill(stage, el("div", { class: "t-bracket" }, shown));
    fitNames();
  };

  const tick = () => {
    if (left || !tournament.head) return;
    const { head } = tournament;
    const raced = tournament.raced ?? (head.phase === "racing" ? boards.raced() : null);
    const isNext = head.phase === "break" || head.phase === "pause";
    const go = head.go === null || head.paused ? null : head.go - tournament.now();
    let text = "";
    if (isNext && go !== null) text = time(Math.ceil(go / 1000) * 1000, 0);
    // What is shown is as late as the boards are.
    else if (raced !== null) text = time(raced - tournament.info.settings.options.delay_seconds * 1000, 0);
    setText(clock, text);
    render();
    const digit = stage.querySelector(":scope > .countdown");
    if (digit && go !== null) setText(digit, String(secondsLeft(go)));
    boards.tick();
  };
  const timer = setInterval(tick, 100);
  const turns = setInterval(() => { turn += 1; }, TURN);
  const onResize = () => render(true);
  addEventListener("resize", onResize);
  begin();
  const endAwake = keepAwake();
  return { element, leave: () => {
    left = true;
    endAwake();
    clearInterval(timer);
    clearInterval(turns);
    clearTimeout(retry);
    removeEventListener("resize", onResize);
    boards.close();
    tournament.leave();
  } };
}

/**
 * The standings, in columns; a long list in several parts.
 * @param {Tournament} tournament @param {number} page @param {number} most
 */
function standings(tournament, page, most) {
  const rows = tournament.rows("standings");
  const unit = rows.length ? scoreUnit(rows[0].score) : "";
  const pages = Math.max(1, Math.ceil(rows.length / most));
  const from = (page % pages) * most;
  const part = rows.slice(from, from + most);
  const columns = part.length <= 16 ? 1 : part.length <= 34 ? 2 : 3;
  return el("ol", { class: "standings t-columns", "aria-label": "Standings", vars: { "--columns": columns, "--rows": Math.max(8, Math.ceil(part.length / columns)) } },
    part.map((row) => el("li", { vars: { "--progress": 0 } }, el("span", { class: "place" }, row.place), el("span", { class: "name", dir: "auto" }, tournament.nameOf(row.entrant)), el("span", { class: "end" }, row.started ? score(row.score) : "–", otherUnit(row, unit)))));
}

/**
 * @typedef {object} TableBox a table that is shown
 * @property {Room | null} room
 * @property {HTMLElement} box
 * @property {HTMLElement} stage
 * @property {HTMLElement} end
 * @property {BoardGrid | null} grid
 * @property {Rules | null} rules
 * @property {ReturnType<typeof setTimeout> | undefined} results until the results are shown
 */

/** The boards of the tables that are raced, each as a spectator of its room. */
class TableBoards {
  /** @param {() => {name: string, pin: string}} intent */
  constructor(intent) {
    this.intent = intent;
    this.list = el("ol", { class: "standings", "aria-label": "Standings" });
    this.boxes = el("div", { class: "t-boxes" });
    this.element = el("div", { class: "t-boards" }, this.boxes, this.list);
    /** @type {Map<string, TableBox>} */
    this.tables = new Map();
    /** @type {Rules[]} each holds the boards of one room: those that none needs now */
    this.spare = [];
  }

  /** @param {Tournament} tournament @param {number} turn */
  show(tournament, turn) {
    if (!tournament.has("tables")) return;
    const open = tournament.rows("tables").filter((table) => table.room);
    const windows = windowsOf(open);
    const chosen = windows[turn % Math.max(1, windows.length)] ?? [];
    // Tables that are closed stay until others are raced.
    if (!chosen.length) return;
    const codes = new Set(chosen.map((table) => table.room));
    for (const code of this.tables.keys()) if (!codes.has(code)) this.drop(code);
    for (const table of chosen) if (!this.tables.has(table.room)) this.follow(table, tableName(tournament, table), chosen.length);
    // Beside a single table there is room for its standings.
    this.element.classList.toggle("single", chosen.length === 1);
    this.boxes.style.setProperty("--across", String(across(chosen.length)));
  }

  /** @param {any} table @param {string} name @param {number} count */
  async follow(table, name, count) {
    const [stage, end] = [el("div", { class: "stage" }), el("span", { class: "faint" })];
    const title = el("div", { class: "t-board-head", hidden: count === 1 }, el("h2", {}, name), end);
    const box = el("section", { class: "t-board" }, title, stage);
    /** @type {TableBox} */
    const one = { room: null, box, stage, end, grid: null, rules: null, results: undefined };
    this.tables.set(table.room, one);
    box.style.order = String(1024 * table.round.round + table.number);
    this.boxes.append(box);
    const rules = this.spare.pop() ?? await Rules.load("/web/rules.wasm").catch(() => null);
    if (!rules) return this.retry(one, table.room);
    if (this.tables.get(table.room) !== one) {
      this.spare.push(rules);
      return;
    }
    one.rules = rules;
    one.room = new Room({ code: table.room, name: screenName(), role: "spectator", anonymous: true, pin: this.intent().pin || null }, { rules });
    one.room.addEventListener("change", (event) => this.change(one, /** @type {CustomEvent} */ (event).detail));
  }

  /** Follows a table anew after a pause. @param {TableBox} one @param {string} code */
  retry(one, code) {
    setTimeout(() => { if (this.tables.get(code) === one) this.drop(code); }, RETRY);
  }

  /** @param {TableBox} one @param {{what: string, detail: any}} change */
  change(one, { what, detail }) {
    const { room } = one;
    if (room?.link === "ended") {
      const isHidden = room.refusal === "same_boards" || room.why === SAME_BOARDS;
      if (isHidden) fill(one.stage, el("p", { class: "t-hidden faint" }, "Hidden while a player at this screen's address has these boards to race."));
      if (isHidden || !room.state) this.retry(one, room.intent.code ?? "");
    }
    if (!room?.state || room.link === "ended") return;
    if (what === "boards") one.grid?.update(detail);
    if (what === "standings") {
      one.grid?.captions();
      this.rank(room);
    }
    if (what !== "phase") return;
    clearTimeout(one.results);
    const { phase } = room;
    if (phase === "running") {
      one.grid?.close();
      one.grid = new BoardGrid(room);
      fill(one.stage, one.grid.element);
      this.rank(room);
    } else if (phase === "over") {
      const results = () => {
        room.state.rows = room.phaseBody.standings;
        one.grid?.captions();
        this.rank(room);
        setText(one.end, "done");
        if (!one.grid) fill(one.stage, el("ol", { class: "standings" }, standingRows(room)));
      };
      // They are as late as the boards are.
      if (one.grid) one.results = setTimeout(results, resultsAfter(room));
      else results();
    } else if (phase === "countdown") {
      fill(this.list);
      setText(one.end, "");
      one.grid?.close();
      one.grid = null;
      fill(one.stage, el("div", { class: "countdown", role: "timer" }));
    }
  }

  /** @param {Room} room */
  rank(room) {
    if (this.tables.size !== 1) return;
    fillStandings(this.list, room);
  }

  tick() {
    for (const { room, stage } of this.tables.values()) {
      const digit = stage.querySelector(".countdown");
      if (digit && room?.phase === "countdown") setText(digit, String(secondsLeft(room.phaseBody.go - room.now())));
    }
  }

  /** @returns {number | null} milliseconds since GO of a table's board */
  raced() {
    const rooms = [...this.tables.values()].map(({ room }) => room);
    return sinceGo(rooms.find((room) => room?.phase === "running") ?? null);
  }

  /** @param {string} code */
  drop(code) {
    const one = this.tables.get(code);
    if (!one) return;
    this.tables.delete(code);
    clearTimeout(one.results);
    one.grid?.close();
    one.room?.close();
    if (one.rules) this.spare.push(one.rules);
    one.box.remove();
  }

  close() {
    for (const code of [...this.tables.keys()]) this.drop(code);
  }
}

/** Parts tables into as many as fit the screen at once. @param {any[]} tables @returns {any[][]} */
function windowsOf(tables) {
  /** @type {any[][]} */
  const windows = [];
  let boards = 0;
  for (const table of tables) {
    const last = windows.at(-1);
    if (last && last.length < TABLES && boards + table.seats.length <= BOARDS) {
      last.push(table);
      boards += table.seats.length;
    } else {
      windows.push([table]);
      boards = table.seats.length;
    }
  }
  return windows;
}

/** @param {number} count @returns {number} columns of tables */
const across = (count) => (count <= 1 ? 1 : count <= 4 ? 2 : count <= 6 ? 3 : 4);
