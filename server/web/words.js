// What the page says: times, places, and why something was refused.

/** @param {number} milliseconds @param {number} [digits] */
export function time(milliseconds, digits = 3) {
  const total = Math.max(0, milliseconds);
  const seconds = Math.floor(total / 1000);
  const part = String(Math.floor(total % 1000)).padStart(3, "0").slice(0, digits);
  const text = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
  return digits ? `${text}.${part}` : text;
}

/** @param {number} seconds */
export const timeLimit = (seconds) => `${seconds % 60 ? time(seconds * 1000, 0) : seconds / 60} min`;

/** @param {number} number */
export function ordinal(number) {
  const tens = number % 100;
  const ending = tens > 10 && tens < 14 ? "th" : ["th", "st", "nd", "rd"][number % 10] ?? "th";
  return `${number}${ending}`;
}

/** @param {number} number of a link, from 1 @returns {string} `A` to `Z`, then `AA`, `AB` and so on */
export function letters(number) {
  let text = "";
  for (let left = number; left > 0; left = Math.floor((left - 1) / 26)) text = String.fromCharCode(65 + ((left - 1) % 26)) + text;
  return text;
}

/** @param {number} count @param {string} one @param {string} [many] */
export const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** @param {string} spec a puzzle like `slide:4x4` or `link:9x9:hard` */
export function puzzle(spec) {
  const [family, size, grade] = spec.split(":");
  const name = family === "link" ? "Numberlink" : "Sliding puzzle";
  return `${name} ${size.replace("x", "×")}${grade ? `, ${grade}` : ""}`;
}

/** @param {string} spec @returns {string} the same where there is little room */
export const shortPuzzle = (spec) => puzzle(spec).replace("Sliding puzzle", "Sliding");

/** @param {any} options */
export function hintRule({ hints, hint_styles: styles }) {
  if (hints === "off") return "no hints";
  const price = hints === "free" ? "free hints" : `a hint costs ${hints.priced.seconds} s`;
  return styles === "any" ? price : `${price}, ${styles === "method" ? "by method" : "shortest way"}`;
}

/** @returns {string} the name of a big screen, by which others of the room know it */
export const screenName = () => `Screen ${Math.floor(Math.random() * 9000 + 1000)}`;

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
  not_resumed: "This seat is gone.",
  too_fast: "Too many attempts: wait a moment.",
  unproven: "The server doesn't accept your key.",
  needs_pin: "This room needs a PIN.",
  wrong_pin: "Wrong PIN.",
  banned: "You are banned from this room.",
  nobody: "Your key isn't known here yet.",
  no_results: "This server has no results to show.",
  too_many_rooms: "Too many rooms are open from your address: leave one first.",
  no_replay: "This server shows you no replay of that name: its heat may have been private.",
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

/** @type {Record<string, string>} */
const STROKES = {
  solid: "That cell is solid.",
  other_terminal: "Another link ends there.",
  past_terminal: "The link ends here.",
  touches: "No link may touch itself here.",
  starts_nowhere: "Start at a letter or on a link.",
  too_long: "Too long for one stroke: let go.",
};

/** @param {any} why why a stroke isn't legal */
export function illegalStroke(why) {
  const link = why?.link;
  const name = typeof link === "string" ? link : Object.keys(link ?? {})[0];
  return STROKES[name] ?? "";
}

/** @type {Record<string, string>} */
const REASONS = {
  corner: "in a corner there are only two ways",
  only_way_out: "it is the only way out",
  pass_through: "the link must pass through here",
  ring: "any other way closes a ring",
  would_touch: "any other way would touch itself",
  dead_end: "any other way leaves a dead end",
  would_cut_off: "any other way cuts off a part of the board",
  would_strand: "any other way leaves a cell that no link can reach",
  follows: "what must be drawn elsewhere leaves no other way",
};

/** @param {any} reason */
export function reason(reason) {
  if (reason?.trial) return `any other way fails within ${counted(reason.trial.depth, "step")}`;
  return REASONS[reason] ?? "";
}

/**
 * The stage of a hint by method.
 * @param {any} stage
 * @returns {string}
 */
export function stageText(stage) {
  if (stage === "single_line") return "The blank goes to its end";
  const [kind, { tile, tiles, line }] = /** @type {[string, any]} */ (Object.entries(stage)[0]);
  if (kind === "last_three") return `Last three tiles: ${tiles.join(", ")} round until they are home`;
  const place = line.row ? `Row ${line.row}` : `Last two rows, column ${line.column}`;
  switch (kind) {
    case "tile": return `${place}: tile ${tile} home`;
    case "park": return `${place}: tile ${tile} to the ${line.row ? "end of the row" : "foot of the column"}, to wait`;
    case "park_behind": return `${place}: tile ${tiles[1]} ${line.row ? "below" : "to the right of"} tile ${tiles[0]}`;
    default: return `${place}: ${tiles[0]} and ${tiles[1]} ${line.row ? "into the corner" : "home"} together`;
  }
}

/**
 * The words of a hint.
 * @param {any} given
 */
export function hintText(given) {
  const { slide, link } = given.hint;
  let text = "";
  if (slide?.stage) {
    text = `${stageText(slide.stage.stage)}; ${counted(slide.stage.moves, "move")} left of this step.`;
  } else if (slide) {
    const { at_least: least, at_most: most } = slide;
    text = least === most ? `${counted(most, "move")} to go.` : `${least} to ${most} moves to go.`;
    const change = given.distance_change;
    if (change > 0) text += ` Your last move led ${counted(change, "move")} further away.`;
  } else if (link?.wrong) {
    text = `Link ${letters(link.wrong.number)} can't be right from the marked cell on.`;
  } else if (link?.forced) {
    text = `${link.forced.number ? `Link ${letters(link.forced.number)}` : "A link"}: ${reason(link.forced.reason)}.`;
  } else if (link?.reveal) {
    text = `Link ${letters(link.reveal.number)} goes this way.`;
  }
  return text;
}
