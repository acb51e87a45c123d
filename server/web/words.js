// What the page says: times, places, and why something was refused.

import { familyOf } from "./families.js";

/** Letters that are written from right to left. */
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ud802-\ud83b\ufb1d-\ufefc]/;

/** Isolates a text from right to left, which would move words and numbers beside it. @param {any} value of JSON */
export const isolate = (value) => typeof value === "string" && RIGHT_TO_LEFT.test(value) ? `\u2068${value}\u2069` : value;

/** Reads JSON, and isolates its texts. @param {string} json */
export const parse = (json) => JSON.parse(json, RIGHT_TO_LEFT.test(json) ? (_, value) => isolate(value) : undefined);

/** @param {number} milliseconds @param {number} [digits] */
export function time(milliseconds, digits = 3) {
  const total = Math.max(0, milliseconds);
  const seconds = Math.floor(total / 1000);
  const part = String(Math.floor(total % 1000)).padStart(3, "0").slice(0, digits);
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return digits ? `${text}.${part}` : text;
}

/** @param {number} milliseconds until GO */
export const secondsLeft = (milliseconds) => Math.max(1, Math.ceil(milliseconds / 1000));

/** @param {number} seconds */
export const timeLimit = (seconds) => `${seconds % 60 ? time(seconds * 1000, 0) : seconds / 60} min`;

/** @param {number} number */
export function ordinal(number) {
  const tens = number % 100;
  const ending = tens > 10 && tens < 14 ? "th" : ["th", "st", "nd", "rd"][number % 10] ?? "th";
  return `${number}${ending}`;
}

/** @param {number} count @param {string} one @param {string} [many] */
export const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** @param {string} spec a puzzle like `slide:4x4` or `link:9x9:hard` */
export function puzzle(spec, name = familyOf(spec).name) {
  const [, size, grade] = spec.split(":");
  return `${name} ${size.replace("x", "×")}${grade ? `, ${grade}` : ""}`;
}

/** @param {string} spec the same where there is little room */
export const shortPuzzle = (spec) => puzzle(spec, familyOf(spec).short);

/** @param {any} options */
export function hintRule({ hints, hint_styles: styles }) {
  if (hints === "off") return "no hints";
  const price = hints === "free" ? "free hints" : `a hint costs ${hints.priced.seconds} s`;
  return styles === "any" ? price : `${price}, ${styles === "method" ? "by method" : "shortest way"}`;
}

/** @param {any} member @returns {boolean} whether it is a big screen, and no person */
export const isScreen = (member) => member.role === "spectator" && /^Screen \d{4}$/.test(member.name);

/** @param {any} kind */
export function kindOf(kind) {
  if (kind === "human") return "";
  return kind === "bot" ? "bot" : `${kind.house_bot} bot`;
}

export const SAME_BOARDS = "You, or a player at your address, have the boards of this table to race at another one.";

/** @type {Record<string, string>} */
const REFUSALS = {
  no_such_room: "There is no room with this code.",
  name_taken: "Another member of this room has this name, or one that looks like it.",
  full: "No place is left.",
  busy: "The server is busy: try again in a moment.",
  wrong_phase: "That isn't possible now.",
  same_boards: SAME_BOARDS,
  not_host: "Only the host may do this.",
  operator_only: "Only an operator of this server may do this.",
  not_seated: "Only players may do this.",
  no_such_player: "There is no such player.",
  no_bots: "This heat allows no bots.",
  no_players: "There are no players.",
  no_hints: "This heat has no hints.",
  hint_pending: "A hint is on its way.",
  hint_busy: "The solver is busy: ask again.",
  not_drawn: "The board could not be made: start again.",
  too_fast: "Too many attempts: wait a moment.",
  unproven: "The server doesn't accept your key.",
  needs_pin: "This room needs a PIN.",
  wrong_pin: "Wrong PIN.",
  banned: "You are banned from this room.",
  too_many_rooms: "Too many rooms are open from your address: leave one first.",
  in_a_room: "Leave the room first.",
};
/** @type {Record<string, string>} */
const NAMES = {
  empty: "Type a name.",
  too_long: "A name has at most 20 characters.",
  forbidden: "This name has a character that isn't allowed.",
  stacked_marks: "This name has too many accents on one letter.",
  mixed_scripts: "This name mixes scripts that look alike.",
  reserved: "Names like this are for big screens.",
};

/** @param {any} refusal */
export function refused(refusal) {
  if (typeof refusal === "string") return REFUSALS[refusal] ?? refusal.replaceAll("_", " ");
  if (refusal?.name) return NAMES[refusal.name] ?? "This name isn't allowed.";
  if (refusal?.options) return "These options are not possible.";
  if (refusal?.hint_unsolved) return "The solver found no hint in time.";
  return "The server refused this.";
}
