// The parts of a tournament's view: standings, teams, tables, players, log.

import { button, el } from "./dom.js";
import { PRESENCE, logText, outcome, score, scoreUnit, roundName } from "./tournament_words.js";
import { isSameRound } from "./tournament.js";
import { counted, kindOf, time } from "./words.js";

/** @typedef {import("./tournament.js").Tournament} Tournament */

/** Most names on a step of the podium. */
const SHARING = 3;

/** @param {Tournament} tournament @returns {Element} */
export function standingsTable(tournament) {
  const rows = tournament.rows("standings");
  if (!rows.length) return el("p", { class: "faint" }, tournament.has("standings") ? "Standings follow the first draw." : "Loading…");
  const { own, hasTables } = { own: tournament.you.entrant, hasTables: !tournament.round };
  const boards = hasTables ? boardOutcomes(tournament) : new Map();
  const count = Math.max(0, ...[...boards.values()].map((list) => list.length));
  const unit = scoreUnit(rows[0].score);
  return el("div", { class: "table-box", tabIndex: 0, role: "region", "aria-label": "Standings" }, el("table", { class: "t-standings" },
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, el("span", { class: "spoken" }, "Place")), el("th", { scope: "col" }, "Player"), el("th", { scope: "col" }, unit),
      Array.from({ length: count }, (_, board) => el("th", { scope: "col", class: "board" }, `Board ${board + 1}`)))),
    el("tbody", {}, rows.map((row) => el("tr", { class: [row.entrant === own ? "own" : "", row.started ? "" : "faint"].join(" ") },
      el("td", {}, row.place), el("th", { scope: "row", dir: "auto" }, playerName(tournament, row.entrant)), el("td", {}, el("b", {}, row.started ? score(row.score) : "–"), otherUnit(row, unit)),
      Array.from({ length: count }, (_, board) => {
        const one = boards.get(row.entrant)?.[board];
        return el("td", { class: "board faint" }, one ? outcome(one) : "");
      }))))));
}

/** The unit of a score that isn't the first one's: of those who went no further than an earlier stage. @param {any} row @param {string} unit */
export const otherUnit = (row, unit) => (row.started && scoreUnit(row.score) !== unit ? el("small", { class: "faint" }, ` ${scoreUnit(row.score).toLowerCase()}`) : null);

/** @param {Tournament} tournament @returns {Map<number, any[]>} the outcomes of the latest round by entrant */
function boardOutcomes(tournament) {
  const map = new Map();
  for (const table of tournament.rows("tables")) for (const seat of table.seats) if (seat.outcomes.some(Boolean)) map.set(seat.entrant, seat.outcomes);
  return map;
}

/** @param {Tournament} tournament @param {number} entrant */
function playerName(tournament, entrant) {
  const row = tournament.entrants.get(entrant);
  const kind = row ? kindOf(row.kind) : "";
  return [row?.team ? el("small", { class: "team", dir: "ltr" }, row.team) : null, tournament.nameOf(entrant), kind ? el("small", { class: "faint" }, ` ${kind}`) : null];
}

/** @param {Tournament} tournament @returns {Element | null} */
export function teamsTable(tournament) {
  const rows = tournament.rows("teams");
  if (!rows.length) return null;
  return el("div", {}, el("h3", {}, "Teams"), el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, el("span", { class: "spoken" }, "Place")), el("th", { scope: "col" }, "Team"), el("th", { scope: "col" }, scoreUnit(rows[0].score)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, el("td", {}, row.place),
      el("th", { scope: "row" }, el("small", { class: "team" }, row.team), row.members.map((/** @type {number} */ member) => tournament.nameOf(member)).join(", ")), el("td", {}, el("b", {}, score(row.score))))))));
}

/**
 * How far a table is: `bye`, `done`, `open`, `waits`.
 * @param {Tournament} tournament @param {any} table
 */
function tableState(tournament, table) {
  if (table.walkover) return "bye";
  if (isTableDone(tournament, table)) return "done";
  return table.room ? "open" : "waits";
}

/** Whether no board of a table is left to be raced. @param {Tournament} tournament @param {any} table */
export function isTableDone(tournament, table) {
  const boards = table.attempts.length;
  const isRaced = (/** @type {number} */ board) => table.seats.every((/** @type {any} */ seat) => seat.outcomes[board] !== null);
  const raced = Array.from({ length: boards }, (_, board) => board).filter(isRaced);
  if (raced.length === boards) return true;
  if (tournament.info.plan.stages[table.round.stage].score !== "best_of") return false;
  // A match ends as soon as one side has won more boards than the other still can.
  const won = table.seats.map((/** @type {any} */ seat) => raced.filter((board) => {
    const times = table.seats.map((/** @type {any} */ other) => other.outcomes[board].finished?.time ?? Infinity);
    return seat.outcomes[board].finished && seat.outcomes[board].finished.time === Math.min(...times);
  }).length);
  return won.some((/** @type {number} */ count) => count > boards / 2);
}

/** @param {Tournament} tournament @param {any} table @returns {string} in an arena, whose rounds overlap, with its round's number */
export const tableName = (tournament, table) => `Table ${tournament.isArena(table.round) ? `${table.round.round + 1}.` : ""}${table.number + 1}`;

/**
 * @param {Tournament} tournament
 * @param {{watch: (table: any) => void, more: ((table: any) => void) | null}} actions
 * @returns {Element}
 */
export function tablesList(tournament, { watch, more }) {
  const { head, info } = tournament;
  if (!head.round) return el("p", { class: "faint" }, "Tables follow the first draw.");
  const round = tournament.round ?? head.round;
  const rounds = knownRounds(tournament);
  const at = rounds.findIndex((one) => isSameRound(one, round));
  const turn = (/** @type {number} */ by, /** @type {string} */ text, /** @type {string} */ label) => {
    const to = rounds[at + by];
    return button(text, () => tournament.chooseRound(to), { class: "quiet", "aria-label": label, "data-id": label, disabled: !to });
  };
  const tables = tournament.rows("tables");
  return el("div", { class: "t-tables" },
    rounds.length > 1 ? el("div", { class: "t-rounds" }, turn(-1, "‹", "Round before"), el("h3", {}, roundName(info.plan, round)), turn(1, "›", "Next round")) : null,
    tournament.has("tables") ? null : el("p", { class: "faint" }, "Loading…"),
    el("ul", { class: "t-table-list" }, tables.map((table) => {
      const state = tableState(tournament, table);
      const isOwn = table.seats.some((/** @type {any} */ seat) => seat.entrant === tournament.you.entrant);
      const name = table.walkover ? "Bye" : tableName(tournament, table);
      const id = `${table.round.round} ${table.number}`;
      return el("li", { class: isOwn ? "t-table own-table" : "t-table" },
        el("div", { class: "t-table-head" }, el("h3", {}, name), el("span", { class: `state ${state}` }, state === "open" ? "open" : state === "waits" ? "waits" : state === "done" ? "done" : ""),
          table.room && !head.closed ? button("Watch", () => watch(table), { "data-id": `watch ${id}`, "aria-label": `Watch ${name.toLowerCase()}`, class: "small-button" }) : null,
          more && !table.walkover ? button("⋯", () => more(table), { "data-id": `more ${id}`, "aria-label": `Commands for ${name.toLowerCase()}`, class: "quiet small" }) : null),
        seatsTable(tournament, table, name));
    })));
}

/** @param {Tournament} tournament @param {any} table @param {string} name */
function seatsTable(tournament, table, name) {
  const seats = [...table.seats].sort((a, b) => order(latest(a)) - order(latest(b)));
  const boards = table.attempts.length;
  const tooWide = boards > 3;
  return el("table", { class: "t-seats", "aria-label": name }, el("tbody", {}, seats.map((seat) => el("tr", { class: seat.entrant === tournament.you.entrant ? "own" : "" },
    el("th", { scope: "row", dir: "auto" }, playerName(tournament, seat.entrant)),
    tooWide ? el("td", {}, latest(seat) ? `${outcome(latest(seat))} (${seat.outcomes.filter(Boolean).length} of ${boards})` : "")
      : Array.from({ length: boards }, (_, board) => el("td", {}, seat.outcomes[board] ? outcome(seat.outcomes[board]) : "·"))))));
}

/** @param {any} seat @returns {any} the outcome of the latest board that has one */
export const latest = (seat) => seat.outcomes.filter(Boolean).at(-1) ?? null;

/** @param {any} outcome @returns {number} less is better */
export function order(outcome) {
  if (!outcome) return 4e9;
  if (outcome === "dns") return 2e9;
  if (outcome === "disqualified") return 3e9;
  return outcome.finished ? outcome.finished.time : 1e9 + 1000 - outcome.dnf.progress;
}

/** @param {Tournament} tournament @returns {any[]} the rounds of the stage, and those that the log tells of */
function knownRounds(tournament) {
  const { head } = tournament;
  /** @type {Map<string, any>} */
  const rounds = new Map();
  for (const { event } of tournament.rows("log")) {
    const key = event.entry?.entry?.draw?.key.round;
    if (key) rounds.set(`${key.stage} ${key.round}`, key);
  }
  for (let round = 0; round <= head.round.round; round++) rounds.set(`${head.round.stage} ${round}`, { stage: head.round.stage, round });
  return [...rounds.values()].sort((a, b) => a.stage - b.stage || a.round - b.round);
}

/**
 * @param {Tournament} tournament
 * @param {((row: any) => void) | null} more
 * @returns {Element}
 */
export function entrantsList(tournament, more) {
  const rows = tournament.rows("entrants");
  if (!rows.length) return el("p", { class: "faint" }, tournament.has("entrants") ? "Nobody has entered yet." : "Loading…");
  return el("ul", { class: "members t-entrants" }, rows.map((row) => el("li", { class: row.entrant === tournament.you.entrant ? "own" : "" },
    el("span", { class: row.drawn_next ? "tick on" : "tick", "aria-hidden": "true" }, row.drawn_next ? "✓" : "○"),
    el("span", { class: "name", dir: "auto" }, playerName(tournament, row.entrant)),
    el("small", { class: row.drawn_next ? "good" : row.presence === "disqualified" ? "bad" : "faint" }, row.connected || row.presence !== "present" ? PRESENCE[row.presence] : "here, not connected"),
    more ? button("⋯", () => more(row), { class: "quiet small", "data-id": `entrant ${row.entrant}`, "aria-label": `Commands for ${row.name}` }) : null)));
}

/** @param {any[]} lines of the log @returns {Set<number>} the entries that are taken back; one that takes back may be so itself */
function takenBackOf(lines) {
  const entries = lines.flatMap(({ event }) => event.entry?.entry ?? []);
  /** @type {Set<number>} */
  const takenBack = new Set();
  for (const [at, { take_back }] of [...entries.entries()].reverse()) if (take_back && !takenBack.has(at)) takenBack.add(take_back.entry);
  return takenBack;
}

/**
 * The log, the latest line first.
 * @param {Tournament} tournament
 * @param {((entry: number, text: string) => void) | null} takeBack
 * @returns {Element}
 */
export function logList(tournament, takeBack) {
  const lines = tournament.rows("log");
  if (!lines.length) return el("p", { class: "faint" }, tournament.has("log") ? "Nothing has happened yet." : "Loading…");
  const takenBack = takenBackOf(lines);
  let entries = 0;
  const items = lines.flatMap((line) => {
    const isEntry = Boolean(line.event.entry);
    const entry = entries;
    if (isEntry) entries += 1;
    // That an entrant has a number and a name says the line of the entry as well.
    if (line.event.entrant) return [];
    const text = logText(tournament, line);
    const isOrganiser = line.by !== "server" && line.by?.key === tournament.info.organiser;
    return [el("li", {}, el("span", { class: "faint mono" }, time(line.at, 0)),
      el("span", { class: line.by === "server" ? "faint what" : "what" }, takenBack.has(entry) && isEntry ? el("s", {}, text) : text, isOrganiser ? el("small", { class: "faint" }, " by the organiser") : null),
      takeBack && isEntry && !takenBack.has(entry) && !line.event.entry.entry.take_back && !line.event.entry.entry.enter ? button("Take back…", () => takeBack(entry, text), { class: "quiet", "data-id": `back ${entry}`, "aria-label": `Take back: ${text}` }) : null)];
  });
  // A league's log has thousands of lines.
  return el("ol", { class: "t-log", reversed: true }, items.reverse().slice(0, 400));
}

/**
 * The first three places; those who share one share its step.
 * @param {Tournament} tournament
 * @returns {Element | null}
 */
export function finalPodium(tournament) {
  const places = [1, 2, 3].map((place) => tournament.rows("standings").filter((row) => row.place === place)).filter((rows) => rows.length);
  if (!places.length) return null;
  return el("ol", { class: "podium", "aria-hidden": "true" }, places.map((rows) => {
    const [{ place, score: reached }] = rows;
    return el("li", { class: `step step${place}` }, rows.slice(0, SHARING).map((row) => el("b", { dir: "auto" }, tournament.nameOf(row.entrant))),
      rows.length > SHARING ? el("b", {}, `and ${rows.length - SHARING} more`) : null,
      el("span", {}, "points" in reached ? counted(reached.points, "point") : score(reached)), el("i", {}, place));
  }));
}
