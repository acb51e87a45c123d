// Opening a tournament.

import { button, dialog, el, toast } from "./dom.js";
import { check, field, number, pinField, select } from "./forms.js";
import { DEFAULTS, PRESETS, presetName } from "./options.js";

/** What can be chosen: the name of a plan, what it means, and the stages of it for so many boards. */
/** @type {Record<string, [string, (boards: number) => any[]]>} */
const PLANS = {
  series: ["All together, points for places", (boards) => [{ format: { series: { top: null } }, boards }]],
  average: ["All together, average of 5", () => [{ format: { series: { top: null } }, boards: 5, score: "average" }]],
  swiss: ["Swiss, one on one, five rounds", (boards) => [{ format: { swiss: { table: 2, rounds: 5, top: null } }, boards: odd(boards) }]],
  round_robin: ["Each meets each", (boards) => [{ format: { round_robin: { top: null } }, boards: odd(boards) }]],
  knockout: ["Knock-out", (boards) => [{ format: "knockout", boards: odd(boards) }]],
  double: ["Double elimination", (boards) => [{ format: "double", boards: odd(boards) }]],
  heats: ["Heats at tables of 8, then a final", (boards) => [{ format: { heats: { table: 8, top: 4 } }, boards: 1 }, { format: { series: { top: null } }, boards }]],
  last_out: ["Each round the last is out", () => [{ format: { last_out: { drop: 1, until: 1 } }, boards: 1 }]],
};

/** A match has an odd number of boards. @param {number} boards */
const odd = (boards) => (boards % 2 ? boards : Math.min(11, boards + 1));

/**
 * Asks for a new tournament.
 * @param {(path: string, intent: any) => void} go
 * @param {() => boolean} stands whether there is a connection
 */
export function askTournament(go, stands) {
  const value = (/** @type {string} */ name) => /** @type {any} */ (form.elements.namedItem(name)).value.trim();
  const checked = (/** @type {string} */ name) => Boolean(/** @type {any} */ (form.elements.namedItem(name)).checked);
  const name = el("input", { name: "name", required: true, maxLength: 32, pattern: "[A-Za-z0-9]([A-Za-z0-9\\-]*[A-Za-z0-9])?", autocomplete: "off", autocapitalize: "off", spellcheck: false, placeholder: "friday", "aria-describedby": "refusal" });
  const refusal = el("p", { class: "bad wide", id: "refusal", hidden: true });
  const form = el("form", { class: "options", onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    // What was filled in stays. The page of a name that is taken has left the first page's connection.
    if (refusal.hidden && !stands()) return toast("No connection.");
    close();
    const [, stages] = PLANS[value("plan")];
    const pin = value("pin") || null;
    const options = { ...DEFAULTS, spec: value("spec"), hints: value("hints") === "priced" ? DEFAULTS.hints : value("hints"), bots_allowed: checked("bots_allowed"), private: checked("private") || pin !== null, time_limit_seconds: Number(value("minutes")) * 60 };
    const settings = { title: value("title") || null, options, pause_seconds: Number(value("pause")), break_seconds: Number(value("break")), check_in: checked("check_in") };
    go(`/t/${value("name").toLowerCase()}`, { openTournament: { plan: { stages: stages(Number(value("boards"))) }, settings, pin }, askAgain });
  } },
    el("div", { class: "fields" },
      field("Name in the link: a-z, 0-9 and -", name, "wide"), refusal,
      field("Title, if it has one", el("input", { name: "title", maxLength: 48, autocomplete: "off", placeholder: "Friday cup" }), "wide"),
      field("How it is raced", select("plan", Object.entries(PLANS).map(([key, [text]]) => [key, text]), "series"), "wide"),
      field("Boards of a round or match", number("boards", 5, 1, 12)),
      field("Puzzle", select("spec", PRESETS.map((preset) => [preset[0], presetName(preset)]), "slide:4x4")),
      field("Time limit of a board, minutes", number("minutes", 10, 1, 120))),
    el("details", {}, el("summary", {}, "More"), el("div", { class: "fields" },
      field("Pause between boards, seconds", number("pause", 20, 3, 3600)), field("Break between rounds, seconds", number("break", 60, 3, 3600)),
      pinField(),
      field("Hints", select("hints", [["off", "none"], ["free", "free"], ["priced", `${DEFAULTS.hints.priced.seconds} s each`]], "priced")),
      check("check_in", "Players check in before the first round", false), check("bots_allowed", "Bots may enter", true), check("private", "Not listed: only the link leads here", false))),
    el("div", { class: "actions" }, el("button", { class: "primary" }, "Open the tournament"), button("Cancel", () => close())));
  const ask = () => dialog("A new tournament", form);
  /** Shows the form as it was filled in, its name refused. @param {string} why */
  const askAgain = (why) => {
    refusal.textContent = why;
    refusal.hidden = false;
    close = ask();
  };
  let close = ask();
}
