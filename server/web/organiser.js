// The organiser's commands: for the tournament, for a table, for a player, for a line of the log.

import { button, confirmed, dialog, el, toast } from "./dom.js";
import { field, number, select } from "./forms.js";
import { isSameRound } from "./tournament.js";
import { order, tableName } from "./tournament_parts.js";
import { resultName, roundName } from "./tournament_words.js";
import { counted, time } from "./words.js";

/** @typedef {import("./tournament.js").Tournament} Tournament */

const REASON = 120;

/**
 * A dialog with a form; `act` is called with its values, and says whether that is done.
 * @param {string} title @param {string} yes
 * @param {(Node | null)[]} fields
 * @param {(value: (name: string) => string) => boolean} act
 */
function ask(title, yes, fields, act) {
  const value = (/** @type {string} */ name) => /** @type {any} */ (form.elements.namedItem(name))?.value.trim() ?? "";
  const form = el("form", { class: "command", onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    if (act(value)) close();
  } }, fields.filter((field) => field !== null), el("div", { class: "actions" }, el("button", { class: "primary" }, yes), button("Cancel", () => close())));
  const close = dialog(title, form);
}

/** @param {boolean} [required] */
const reasonField = (required = true) => field(required ? "Reason, for all to read" : "Reason, if you give one", el("input", { name: "reason", maxLength: REASON, required, autocomplete: "off" }));
/** A choice of boards. @param {number} count @param {string} all the text for all of them, if that is a choice */
const boardChoice = (count, all) => [...(all ? [["", all]] : []), ...Array.from({ length: count }, (_, board) => [String(board), `Board ${board + 1}`])];

/** @param {Tournament} tournament */
const shownRound = (tournament) => tournament.round ?? tournament.head.round;

/**
 * Asks before a command is given again that throws results away, or ends the tournament before its time.
 * @param {Tournament} tournament
 * @param {{command: any, discards: number, unraced: number, first: any[]}} question
 */
export function askToConfirm(tournament, { command, discards, unraced, first }) {
  const { plan } = tournament.info;
  const isEnd = Boolean(command.end);
  const count = isEnd ? unraced : discards;
  const [title, lost, yes, no] = isEnd
    ? ["End the tournament as it stands?", unraced ? `${counted(unraced, "board")} of this round would not be raced:` : "The plan isn't raced to its end.", "End it", "Go on"]
    : ["This throws results away", `${counted(discards, "result")} would not count any more:`, "Throw them away", "Keep them"];
  const close = dialog(title,
    el("p", {}, lost),
    first.length ? el("ul", { class: "discards" }, first.map((key) => el("li", {}, resultName(plan, key))), count > first.length ? el("li", { class: "faint" }, `and ${count - first.length} more`) : null) : null,
    el("div", { class: "actions" }, button(yes, () => { if (tournament.command(command, true)) close(); }, { class: "danger" }), button(no, () => close(), { class: "primary" })));
}

/** The commands for the tournament as a whole. @param {Tournament} tournament */
export function organiserMenu(tournament) {
  const { head, info } = tournament;
  const isBefore = head.phase === "entries" || head.phase === "check_in";
  const isOver = head.phase === "over";
  /** @param {() => void} act */
  const then = (act) => () => { close(); act(); };
  /** @param {any} command */
  const give = (command) => then(() => tournament.command(command));
  const group = (/** @type {string} */ title, /** @type {(Node | null)[]} */ ...buttons) => (buttons.some(Boolean) ? [el("h3", {}, title), ...buttons] : []);
  const stage = head.round ? info.plan.stages[shownRound(tournament).stage] : null;
  const close = dialog("Organiser's commands", el("div", { class: "actions column" },
    isBefore ? group("Before the first round",
      head.phase === "entries" ? button("Open the check-in", give("open_check_in")) : button("Close the check-in", give("close_check_in")),
      button("Seeds…", then(() => askSeeds(tournament))),
      button("Begin: draw the first round", give("begin"), { class: "primary" })) : null,
    group("To all", button("Announce…", then(() => ask("Announce", "Announce", [field("A line to all who follow", el("input", { name: "text", maxLength: 120, required: true, autocomplete: "off" }))], (value) => tournament.command({ announce: { text: value("text") } })))), button("Invite a helper…", then(() => askHelper(tournament)))),
    isBefore || isOver ? null : group("Time",
      head.paused ? button("Go on", give("resume"), { class: "primary" }) : button("Pause: start no further board", give("pause")),
      button("Move the next GO…", then(() => ask("The next GO", "Set", [field("Seconds from now", number("seconds", 60, 0, 86_400))], (value) => tournament.command({ move_go: { seconds: Number(value("seconds")) } }))))),
    head.round && !head.closed ? group("This round",
      button("Race it again…", then(() => askReplay(tournament, null))),
      button("A board counts for nobody…", then(() => ask("Void a board", "Void it", [field(roundName(info.plan, shownRound(tournament)), select("board", boardChoice(stage.boards, ""))), reasonField(false)], (value) => tournament.command({ void: { round: shownRound(tournament), board: Number(value("board")), reason: value("reason") || null } })))),
      button("Draw it again…", then(() => ask("Draw the round again", "Draw it again", [reasonField(false)], (value) => tournament.command({ redraw: { reason: value("reason") || null } }))))) : null,
    isOver ? null : group("Entries", button("Take late entries", give({ late_entries: { open: true } }), { hidden: head.late_entries }), button("Take no late entries", give({ late_entries: { open: false } }), { hidden: !head.late_entries })),
    isOver ? (head.closed ? null : group("The end", button("Close the tournament: correct no more results", give({ end: { reason: null } })))) : group("The end",
      head.round ? button("End this stage: draw no further round", then(() => confirmed("Draw no further round of this stage?", "End the stage", () => tournament.command("end_stage")))) : null,
      button("End the tournament…", then(() => ask("End the tournament with the standings as they are", "End it", [reasonField(false)], (value) => tournament.command({ end: { reason: value("reason") || null } })))))));
}

/** @param {Tournament} tournament */
function askHelper(tournament) {
  ask("Helpers direct the tournament with you", "Add", [
    field("A player", select("player", [["", "by the fingerprint below"], ...tournament.rows("entrants").map((row) => [row.key, row.name])])),
    field("Or the fingerprint of a key, from their page of results", el("input", { name: "key", pattern: "\\s*[0-9a-fA-F]{32}\\s*", autocomplete: "off", spellcheck: false, class: "mono" })),
    field("What for", select("what", [["add_helper", "Helps from now on"], ["remove_helper", "Helps no more"], ["hand_over", "Is the organiser in place of you"]])),
  ], (value) => {
    const key = value("key").toLowerCase() || value("player");
    if (!key) {
      toast("Choose a player, or give a fingerprint.");
      return false;
    }
    return tournament.command(value("what") === "hand_over" ? { hand_over: { to: key } } : { [value("what")]: { key } });
  });
}

/** @param {Tournament} tournament */
function askSeeds(tournament) {
  const rows = tournament.rows("entrants").filter((row) => row.presence !== "disqualified" && row.presence !== "withdrawn");
  /** @type {number[]} */
  const chosen = [];
  const line = el("p", { class: "note left" }, "Tap the best first. All others are drawn by lot.");
  const close = dialog("Seeds", line, el("div", { class: "actions column seeds" }, rows.map((row) => {
    const one = button(row.name, () => {
      const at = chosen.indexOf(row.entrant);
      if (at >= 0) chosen.splice(at, 1); else chosen.push(row.entrant);
      one.setAttribute("aria-pressed", String(at < 0));
      line.textContent = chosen.map((entrant, index) => `${index + 1}. ${tournament.nameOf(entrant)}`).join("  ") || "All are drawn by lot.";
    }, { "data-id": `seed ${row.entrant}`, "aria-pressed": "false" });
    return one;
  })), el("div", { class: "actions" }, button("Set the seeds", () => { if (tournament.command({ seed: { order: chosen } })) close(); }, { class: "primary" })));
}

/** @param {Tournament} tournament @param {any} table */
function askReplay(tournament, table) {
  const round = table?.round ?? shownRound(tournament);
  const { boards } = tournament.info.plan.stages[round.stage];
  const where = table ? tableName(tournament, table) : roundName(tournament.info.plan, round);
  ask(`${where}: race again`, "Race again", [field("Boards", select("board", boardChoice(boards, boards > 1 ? "All boards" : "The board"))), reasonField(false)], (value) => {
    return tournament.command({ replay: { round, table: table?.number ?? null, board: value("board") === "" ? null : Number(value("board")), reason: value("reason") || null } });
  });
}

/** The commands for a table. @param {Tournament} tournament @param {any} table */
export function tableMenu(tournament, table) {
  /** @param {() => void} act */
  const then = (act) => () => { close(); act(); };
  const isLatest = isSameRound(table.round, tournament.head.round);
  const close = dialog(tableName(tournament, table), el("div", { class: "actions column" },
    table.attempts.map((/** @type {number} */ _, /** @type {number} */ board) => button(table.attempts.length > 1 ? `Set the result of board ${board + 1}…` : "Set the result…", then(() => askResult(tournament, table, board)))),
    button("Race again…", then(() => askReplay(tournament, table))),
    isLatest ? button("Give a seat…", then(() => askSeat(tournament, table))) : null,
    isLatest ? table.seats.map((/** @type {any} */ seat) => button(`Take ${tournament.nameOf(seat.entrant)}'s seat away`, then(() => tournament.command({ unseat: { entrant: seat.entrant } })), { "data-id": `unseat ${seat.entrant}` })) : null));
}

/** @param {Tournament} tournament @param {any} table */
function askSeat(tournament, table) {
  const seated = new Set(tournament.rows("tables").flatMap((row) => row.seats.map((/** @type {any} */ seat) => seat.entrant)));
  const free = tournament.rows("entrants").filter((row) => !seated.has(row.entrant) && row.presence !== "disqualified");
  if (!free.length) return toast("All players have a seat in this round.");
  ask(`A seat at ${tableName(tournament, table).toLowerCase()}`, "Give the seat", [field("Player", select("entrant", free.map((row) => [String(row.entrant), row.name]))), reasonField(false)], (value) => {
    return tournament.command({ seat: { table: table.number, entrant: Number(value("entrant")), reason: value("reason") || null } });
  });
}

/** @param {string} text like 31.48 or 1:03.5 @returns {number | null} milliseconds */
function readTime(text) {
  const found = /^(?:(\d{1,4}):)?(\d{1,5})(?:[.,](\d{1,3}))?$/.exec(text.trim());
  if (!found) return null;
  const [, minutes = "0", seconds, decimals = ""] = found;
  return (Number(minutes) * 60 + Number(seconds)) * 1000 + Number(decimals.padEnd(3, "0")) || null;
}

/** @param {Tournament} tournament @param {any} table @param {number} board */
function askResult(tournament, table, board) {
  const rows = table.seats.map((/** @type {any} */ seat) => {
    const now = seat.outcomes[board];
    const kind = !now ? "finished" : now.finished ? "finished" : now.dnf ? "dnf" : now;
    const name = tournament.nameOf(seat.entrant);
    const how = select(`how ${seat.entrant}`, [["finished", "finished in"], ["dnf", "did not finish, %"], ["dns", "did not start"], ["disqualified", "ruled out"]]);
    how.value = kind;
    how.setAttribute("aria-label", `How ${name} ended`);
    const amount = el("input", { name: `amount ${seat.entrant}`, "aria-label": `${name}: time such as 1:03.5, or percent`, placeholder: "1:03.5", inputMode: "decimal", autocomplete: "off",
      value: now?.finished ? time(now.finished.time) : now?.dnf ? String(now.dnf.progress / 10) : "" });
    const check = () => {
      const needed = how.value === "finished" || how.value === "dnf";
      amount.hidden = !needed;
      const isValid = !needed || (how.value === "finished" ? readTime(amount.value) !== null : /^\d{1,3}([.,]\d)?$/.test(amount.value.trim()) && parseFloat(amount.value.replace(",", ".")) <= 100);
      amount.setCustomValidity(isValid ? "" : how.value === "finished" ? "A time such as 31.48 or 1:03.5" : "0 to 100");
    };
    how.addEventListener("change", check);
    amount.addEventListener("input", check);
    check();
    return el("div", { class: "result-row" }, el("b", { dir: "auto" }, name), how, amount);
  });
  ask(`${tableName(tournament, table)}, board ${board + 1}`, "Set the result", [...rows, reasonField()], (value) => {
    const result = table.seats.map((/** @type {any} */ { entrant }) => {
      const how = value(`how ${entrant}`);
      const amount = value(`amount ${entrant}`);
      if (how === "finished") return [entrant, { finished: { time: readTime(amount) } }];
      if (how === "dnf") return [entrant, { dnf: { progress: Math.round(parseFloat(amount.replace(",", ".")) * 10) } }];
      return [entrant, how];
    });
    result.sort((/** @type {any} */ [, a], /** @type {any} */ [, b]) => order(a) - order(b));
    return tournament.command({ set_result: { key: { round: table.round, table: table.number, board, attempt: table.attempts[board] }, result: { rows: result }, reason: value("reason") } });
  });
}

/** The commands for a player. @param {Tournament} tournament @param {any} row */
export function entrantMenu(tournament, row) {
  const { entrant, key, name } = row;
  const isLatest = (/** @type {any} */ table) => isSameRound(table.round, tournament.head.round);
  const tables = tournament.round ? [] : tournament.rows("tables").filter((table) => !table.walkover && isLatest(table));
  const seated = tables.find((table) => table.seats.some((/** @type {any} */ seat) => seat.entrant === entrant));
  /** @param {() => void} act */
  const then = (act) => () => { close(); act(); };
  const close = dialog(name, el("div", { class: "actions column" },
    row.presence === "present" ? null : button("Check in", then(() => tournament.command({ check_in: { entrant } }))),
    row.presence === "withdrawn" || row.presence === "disqualified" ? null : button("Withdraw", then(() => tournament.command({ withdraw: { entrant } }))),
    seated ? button(`Take the seat at table ${seated.number + 1} away`, then(() => tournament.command({ unseat: { entrant } }))) : null,
    !seated && tables.length ? button("Give a seat…", then(() => ask(`A seat for ${name}`, "Give the seat", [field("Table", select("table", tables.map((table) => [String(table.number), tableName(tournament, table)])))], (value) => tournament.command({ seat: { table: Number(value("table")), entrant } })))) : null,
    row.presence === "disqualified" ? null : button("Disqualify…", then(() => ask(`Disqualify ${name}`, "Disqualify", [reasonField()], (value) => tournament.command({ disqualify: { entrant, reason: value("reason") } }))), { class: "danger" }),
    button("Let them help", then(() => tournament.command({ add_helper: { key } }))),
    button("Hand the tournament over", then(() => confirmed(`Make ${name} the organiser in place of you?`, "Hand over", () => tournament.command({ hand_over: { to: key } }))))));
}

/** @param {Tournament} tournament @param {number} entry @param {string} text */
export function askTakeBack(tournament, entry, text) {
  ask("Take back", "Take it back", [el("p", {}, text), reasonField()], (value) => tournament.command({ take_back: { entry, reason: value("reason") } }));
}
