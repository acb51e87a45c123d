// What the page says of tournaments: rounds, phases, scores, lines of the log, and why something was refused.

import { counted, refused, time } from "./words.js";

/** @param {number} milliseconds as times are shown in results */
export const result = (milliseconds) => time(milliseconds, 2);

/** @param {any} outcome of a board */
export function outcome(outcome) {
  if (outcome === "dns") return "DNS";
  if (outcome === "disqualified") return "DQ";
  if (outcome.finished) return result(outcome.finished.time);
  return `DNF ${Math.floor(outcome.dnf.progress / 10)} %`;
}

/** @param {any} score */
export function score(score) {
  if ("time" in score) return score.time === null ? "DNF" : result(score.time);
  return String(score.points ?? score.places);
}

/** @param {any} score */
export function scoreUnit(score) {
  return "time" in score ? "Time" : "places" in score ? "Places" : "Points";
}

/** @type {Record<string, string>} */
export const PRESENCE = { entered: "not here yet", present: "here", withdrawn: "withdrawn", disqualified: "disqualified" };

/** Names a round; the stage only where there are several. @param {any} plan @param {any} key */
export function roundName(plan, { stage, round }) {
  return plan.stages.length > 1 ? `Stage ${stage + 1}, round ${round + 1}` : `Round ${round + 1}`;
}

/** @param {any} counts @returns {string} why no round is drawn */
export const waiting = (counts) =>
  counts.present < 2 ? "Waiting: fewer than two players are here" : "Waiting for the next draw";

/** @param {any} plan @param {any} head the round and its board */
export function boardName(plan, head) {
  if (!head.round) return "";
  const { boards } = plan.stages[head.round.stage];
  return `${roundName(plan, head.round)}${boards > 1 ? `, board ${head.board + 1} of ${boards}` : ""}`;
}

/** @param {any} stage @returns {string} a stage in words */
function stageName({ format, boards, score }) {
  const [name, body] = typeof format === "string" ? [format, {}] : Object.entries(format)[0];
  const matches = score === "best_of" && boards > 1 ? `best of ${boards}` : counted(boards, "board");
  switch (name) {
    case "series": return score === "average" ? `average of ${boards}` : score === "mean" ? `mean of ${boards}` : `${counted(boards, "board")}, all together`;
    case "last_out": return `the last ${body.drop === 1 ? "is" : `${body.drop} are`} out each round`;
    case "heats": return `heats at tables of ${body.table}, ${body.top} go on`;
    case "swiss": return `${counted(body.rounds, "Swiss round")}${body.table > 2 ? ` at tables of ${body.table}` : ""}, ${matches}`;
    case "round_robin": return `each meets each, ${matches}`;
    case "knockout": return `knock-out, ${matches}`;
    case "double": return `double elimination, ${matches}`;
    case "arena": return `an arena of ${body.minutes} minutes at tables of ${body.table}`;
    default: return name;
  }
}

/** @param {any} plan */
export function planName(plan) {
  const name = plan.stages.map(stageName).join("; then ");
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** @param {string} plan as it is written, like `heats:8/2+final:3`; its formats alone are named */
export const formats = (plan) => plan.split("+").map((stage) => stage.replace(/\W.*/, "")).join(", then ").replace("double", "double elimination").replace("lastout", "last out").replace("roundrobin", "round robin");

/**
 * Names a result: round, table, board.
 * @param {any} plan @param {any} key
 */
export function resultName(plan, key) {
  return `${roundName(plan, key.round)}, table ${key.table + 1}, board ${key.board + 1}`;
}

/**
 * What a line of the log is about.
 * @param {import("./tournament.js").Tournament} tournament
 * @param {any} line
 * @returns {string}
 */
export function logText(tournament, line) {
  const { event } = line;
  const { plan } = tournament.info;
  const [kind, body] = typeof event === "string" ? [event, {}] : Object.entries(event)[0];
  switch (kind) {
    case "entry": return entryText(tournament, body.entry) + (body.reason ? ` (${body.reason})` : "");
    case "draw_committed": return `${roundName(plan, body.key.round)}: the draw's commitment is published`;
    case "secret_revealed": return "The secret of all draws is revealed";
    case "check_in_opened": return "Check-in opens";
    case "check_in_closed": return "Check-in closes";
    case "begun": return "The tournament begins";
    case "paused": return "Paused";
    case "resumed": return "Resumed";
    case "go_moved": return "The next GO is moved";
    case "late_entries": return body.open ? "Late entries are taken" : "No late entries are taken";
    case "announced": return `Announced: ${body.text}`;
    case "handed_over": return "Another key is the organiser's";
    case "helper_added": return "A helper is added";
    case "helper_removed": return "A helper is removed";
    case "ended": return `The tournament ends${body.reason ? ` (${body.reason})` : ""}`;
    default: return kind.replaceAll("_", " ");
  }
}

/** @param {import("./tournament.js").Tournament} tournament @param {any} entry @returns {string} */
function entryText(tournament, entry) {
  const { plan } = tournament.info;
  const [kind, body] = typeof entry === "string" ? [entry, {}] : Object.entries(entry)[0];
  const name = (/** @type {number} */ entrant) => tournament.nameOf(entrant);
  const board = (/** @type {number | null} */ number) => (number === null ? "" : `, board ${number + 1}`);
  switch (kind) {
    case "enter": return `${name(body.entrant)} enters${body.team ? ` for ${body.team}` : ""}`;
    case "check_in": return `${name(body.entrant)} is here`;
    case "withdraw": return `${name(body.entrant)} withdraws`;
    case "disqualify": return `${name(body.entrant)} is disqualified`;
    case "seed": return `Seeds: ${body.order.map(name).join(", ")}`;
    case "draw": return `${roundName(plan, body.key.round)} is drawn`;
    case "result": return `${resultName(plan, body.key)}: ${body.result.rows.map((/** @type {any} */ [entrant, row]) => `${name(entrant)} ${outcome(row)}`).join(", ")}`;
    case "replay": return `Raced again: ${roundName(plan, body.round)}${body.table === null ? "" : `, table ${body.table + 1}`}${board(body.board)}`;
    case "seat": return `${name(body.entrant)} is seated at table ${body.table + 1}`;
    case "unseat": return `${name(body.entrant)} gives up the seat`;
    case "void": return `${roundName(plan, body.round)}, board ${body.board + 1} counts for nobody`;
    case "end_stage": return `Stage ${body.stage + 1} ends`;
    case "take_back": {
      const taken = tournament.rows("log").filter((line) => line.event.entry)[body.entry];
      return taken ? `Taken back: ${logText(tournament, taken)}` : `Entry ${body.entry + 1} is taken back`;
    }
    default: return kind.replaceAll("_", " ");
  }
}

/** @type {Record<string, string>} */
const REFUSALS = {
  not_offered: "This server runs no tournaments.",
  no_such_tournament: "There is no tournament of this name.",
  name_taken: "Another tournament has this name.",
  too_many_tournaments: "The server runs as many tournaments as it can.",
  not_following: "The tournament isn't followed. Reload this page.",
  too_many_followers: "As many follow the tournament as may.",
  needs_key: "The server doesn't know your key. Reload this page.",
  not_organiser: "Only the tournament's organiser may do this.",
  needs_pin: "This tournament has a PIN.",
  wrong_pin: "Wrong PIN.",
  too_fast: "Too many attempts: wait a moment.",
  busy: "The server is busy: try again in a moment.",
  player_name_taken: "Another entrant has this name, or one that looks like it.",
  already_entered: "You have entered already.",
  not_entered: "Enter the tournament first.",
  entries_closed: "No entries are taken any more.",
  full: "As many players have entered as may.",
  no_bots: "This tournament allows no bots.",
  check_in_closed: "Check-in is not open.",
  check_in_open: "Check-in is open already.",
  has_begun: "The tournament has begun already.",
  not_begun: "The tournament has not begun yet.",
  paused: "It is paused already.",
  not_paused: "It isn't paused.",
  no_go: "No GO is ahead: a board is raced, or none is left.",
  no_round: "No round is drawn yet.",
  takes_late_entries: "Late entries are taken already.",
  takes_no_late_entries: "Late entries are not taken already.",
  is_organiser: "This key is the organiser's already.",
  is_helper: "This key may give commands already.",
  not_helper: "This key is no helper's.",
  keeps_entries: "An entry isn't taken back: withdraw the player, or disqualify.",
  over: "The tournament is over.",
  too_many_of_key: "You run as many tournaments as one key may: end one first.",
  go_delay: "A GO is at most a day away.",
  too_many_helpers: "The tournament has as many helpers as it may.",
  no_past_tournaments: "This server keeps no past tournaments: it was started without a data folder.",
  unreadable_past_tournaments: "The server can't read its past tournaments now.",
};
/** @type {Record<string, string>} */
const LOG = {
  log_full: "The log is full.",
  too_many_replays: "As many boards were raced again as may.",
  entries_closed: "No entries are taken any more.",
  seeds: "Each entrant is seeded once, before the first draw.",
  other_seats: "The result is of other players than sit there.",
  void_in_average: "An average needs all its boards: let it be raced again instead.",
  no_board_left: "A round keeps one board at least: let it be raced again instead.",
  over: "The tournament is over.",
  racing: "That player is racing: wait for the end of the board.",
  disqualified: "That player is disqualified.",
  unknown_entrant: "There is no such entrant.",
  unknown_round: "There is no such round.",
  unknown_board: "There is no such board.",
  other_attempt: "That board is raced again: its earlier result doesn't count.",
  not_latest_round: "That is possible in the latest round alone.",
  stage_not_running: "That stage isn't running.",
  no_such_entry: "There is no such entry that could be taken back.",
};
/** @type {Record<string, string>} */
const SEATS = {
  is_match: "A match keeps its two players.",
  no_open_table: "That table is not open.",
  not_in_stage: "That player isn't in this stage.",
  in_round: "That player sits at another table of this round.",
  not_in_round: "That player has no seat in this round.",
  table_full: "That table is full.",
  too_few_left: "Too few would be left at the table.",
};
/** @type {Record<string, string>} */
const DRAWS = {
  round_open: "A round is still open.",
  stage_over: "The stage is over.",
  too_few: "Too few players are here.",
  waiting: "Too few wait for a table.",
};
/** @type {Record<string, string>} */
const TEXTS = { empty: "Type something.", forbidden: "This text has a character that isn't allowed." };
/** @type {Record<string, string>} */
const SETTINGS = { pause: "The pause between boards is 3 to 3600 seconds.", break: "The break between rounds is 3 to 3600 seconds.", max_entrants: "A tournament has 2 to 1024 entrants." };

/** @param {any} why @returns {string} */
export function tournamentRefused(why) {
  if (typeof why === "string") return REFUSALS[why] ?? sentence(why);
  const [kind, body] = Object.entries(why)[0];
  if (kind === "player_name") return refused({ name: body });
  if (kind === "settings") return SETTINGS[body] ?? "These settings are not possible.";
  if (kind === "text") return TEXTS[body] ?? `The text is too long: ${body.too_long?.most ?? ""} characters at most.`;
  if (kind !== "log") return sentence(kind);
  const [error, detail] = typeof body === "string" ? [body, null] : Object.entries(body)[0];
  if (error === "seat") return SEATS[typeof detail === "string" ? detail : Object.keys(detail)[0]] ?? "That seat can't be given.";
  if (error === "draw") return DRAWS[detail] ?? "The draw isn't possible.";
  if (error === "field") return detail.entrants ? `A tournament has 2 to 1024 players who are here; there ${counted(detail.entrants.found, "is", "are")}.` : "A round robin has at most 32 players.";
  if (error === "already_entered") return "That player has entered already.";
  return LOG[error] ?? sentence(error);
}

/** @param {string} name */
const sentence = (name) => `${name.charAt(0).toUpperCase()}${name.slice(1).replaceAll("_", " ")}.`;
