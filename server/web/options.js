// The options of a heat as a form, and a host's dialogs in a room.

import { button, dialog, el } from "./dom.js";
import { FAMILIES, familyOf } from "./families.js";
import { check, field, number, pinField, select } from "./forms.js";

export const DEFAULTS = {
  spec: "slide:4x4", countdown_seconds: 3, time_limit_seconds: 600, hints: { priced: { seconds: 10 } }, bots_allowed: true, private: false,
  delay_seconds: 2, grace_seconds: 60, idle_seconds: 60, finishers_watch: true, hint_styles: "any", picture: false,
};
const SKILLS = ["beginner", "casual", "steady", "expert", "master"];
/** Puzzles to choose with one tap. */
export const PRESETS = [
  ["slide:3x3", "3×3", "a minute"], ["slide:4x4", "4×4", "the classic"], ["slide:5x5", "5×5", "long"],
  ["link:5x5", "5×5", "quick"], ["link:7x7", "7×7", "the usual"], ["link:9x9:hard", "9×9", "hard"],
];

/** @param {string[]} preset @returns {string} its puzzle in one line */
export const presetName = ([spec, size]) => `${familyOf(spec).short} ${size}${spec.endsWith("hard") ? " hard" : ""}`;

/**
 * A form of options; `read` returns what it says.
 * @param {any} options
 * @param {{seed?: boolean, pin?: boolean, bots?: boolean}} extra
 */
export function optionsForm(options, extra = {}) {
  const [family, size, grade = ""] = options.spec.split(":");
  const [least, most] = familyOf(family).sides;
  const [rows, columns] = size.split("x");
  const price = options.hints?.priced?.seconds ?? DEFAULTS.hints.priced.seconds;
  const gradeField = field("Grade", select("grade", [["", "any"], ...Object.values(FAMILIES).flatMap(({ grades }) => grades.map((text) => [text, text]))], grade));
  const styleField = field("Style of hints", select("hint_styles", [["any", "as each player likes"], ["shortest", "the shortest way"], ["method", "step by step, to learn"]], options.hint_styles ?? "any"));
  const priceField = field("Price of a hint, seconds", number("price", price, 1, 600));
  const pictureField = check("picture", "A picture on the tiles", Boolean(options.picture));
  const chosenFamily = () => familyOf(value("family"));
  const canShow = () => Math.max(1, Number(value("rows")), Number(value("columns"))) <= chosenFamily().pictured;
  const sides = () => {
    pictureField.hidden = !canShow();
    const { grades, sides: [least, most] } = chosenFamily();
    gradeField.hidden = !grades.length;
    priceField.hidden = value("hints") !== "priced";
    styleField.hidden = value("hints") === "off";
    for (const name of ["rows", "columns"]) {
      const input = /** @type {HTMLInputElement} */ (form.elements.namedItem(name));
      [input.min, input.max] = [String(least), String(most)];
    }
  };
  const form = el("form", { class: "options", onchange: () => sides(), onsubmit: (/** @type {Event} */ event) => event.preventDefault() },
    el("div", { class: "chips", role: "group", "aria-label": "Puzzles" }, PRESETS.map((preset) => button(presetName(preset), () => choose(preset[0]), { class: "chip" }))),
    el("div", { class: "fields" },
      field("Puzzle", select("family", Object.entries(FAMILIES).map(([key, { name }]) => [key, name]), family)),
      field("Rows", number("rows", rows, least, most)),
      field("Columns", number("columns", columns, least, most)),
      gradeField,
      field("Hints", select("hints", [["off", "none"], ["free", "free"], ["priced", "for a price"]], typeof options.hints === "string" ? options.hints : "priced")),
      priceField,
      styleField,
      field("Time limit, seconds", number("time_limit_seconds", options.time_limit_seconds, 5, 7200)),
      field("Countdown, seconds", number("countdown_seconds", options.countdown_seconds, 1, 60)),
      extra.pin ? pinField() : null,
      extra.seed ? field("Seed, if you set it", el("input", { name: "seed", pattern: "[A-Za-z0-9_\\-]{1,32}", autocomplete: "off", autocapitalize: "off", spellcheck: false })) : null),
    el("details", {}, el("summary", {}, "More"),
      el("div", { class: "fields" },
        field("Spectators see boards later by, seconds", number("delay_seconds", options.delay_seconds, 0, 60)),
        field("A lost connection keeps its seat, seconds", number("grace_seconds", options.grace_seconds, 0, 600)),
        field("Idle heats end after, seconds; 0 for never", number("idle_seconds", options.idle_seconds, 0, 3600)),
        pictureField,
        check("bots_allowed", "Bots may play", options.bots_allowed),
        check("finishers_watch", "Who has finished may watch", options.finishers_watch),
        check("private", "Not listed: only the code leads here", options.private))));
  const value = (/** @type {string} */ name) => /** @type {any} */ (form.elements.namedItem(name))?.value ?? "";
  const checked = (/** @type {string} */ name) => Boolean(/** @type {any} */ (form.elements.namedItem(name))?.checked);
  const choose = (/** @type {string} */ spec) => {
    const [newFamily, newSize, newGrade = ""] = spec.split(":");
    const [newRows, newColumns] = newSize.split("x");
    for (const [name, text] of [["family", newFamily], ["rows", newRows], ["columns", newColumns], ["grade", newGrade]]) {
      /** @type {any} */ (form.elements.namedItem(name)).value = text;
    }
    sides();
  };
  const read = () => {
    const chosen = chosenFamily().grades.includes(value("grade")) ? `:${value("grade")}` : "";
    return {
      options: {
        spec: `${value("family")}:${value("rows")}x${value("columns")}${chosen}`,
        countdown_seconds: Number(value("countdown_seconds")), time_limit_seconds: Number(value("time_limit_seconds")),
        hints: value("hints") === "priced" ? { priced: { seconds: Number(value("price")) } } : value("hints"),
        bots_allowed: checked("bots_allowed"), private: checked("private"), delay_seconds: Number(value("delay_seconds")),
        grace_seconds: Number(value("grace_seconds")), idle_seconds: Number(value("idle_seconds")), finishers_watch: checked("finishers_watch"),
        hint_styles: value("hint_styles"), picture: canShow() && checked("picture"),
      },
      seed: value("seed") || null,
      pin: value("pin") || null,
    };
  };
  sides();
  return { form, read };
}

/** Asks a host for the options of a heat. @param {import("./room.js").Room} room */
export function editOptions(room) {
  const { setup } = room.state;
  const { form, read } = optionsForm({ ...DEFAULTS, ...(setup.queued ?? setup.options) }, { seed: true });
  const inLobby = room.phase === "lobby";
  const close = dialog(inLobby ? "Options" : "Options of the next heat", form, el("div", { class: "actions" }, button("Set", () => {
    if (!form.reportValidity()) return;
    const { options, seed } = read();
    if (room.send({ options: { options, seed } })) close();
  }, { class: "primary" })));
}

/** Asks a host for the skill of a bot. @param {import("./room.js").Room} room */
export function addBot(room) {
  const close = dialog("Add a bot", el("div", { class: "actions column" }, SKILLS.map((skill) => button(skill, () => {
    room.send({ add_bot: { skill } });
    close();
  }))));
}
