// Fields of forms.

import { el } from "./dom.js";

/** @param {string} label @param {Node} input @param {string} [more] classes */
export const field = (label, input, more = "") => el("label", { class: `field ${more}` }, el("span", {}, label), input);

/** @param {string} name @param {string} label @param {boolean} checked */
export const check = (name, label, checked) => el("label", { class: "check" }, el("input", { type: "checkbox", name, checked }), el("span", {}, label));

/** @param {string} name @param {string[][]} values each with its text @param {string} [chosen] */
export const select = (name, values, chosen) => el("select", { name }, values.map(([value, text]) => el("option", { value, selected: value === chosen }, text)));

/** @param {string} name @param {number} value @param {number} min @param {number} max */
export const number = (name, value, min, max) => el("input", { name, type: "number", value: String(value), min: String(min), max: String(max), required: true, inputMode: "numeric" });

/** The PIN that a room or a tournament is given. */
export const pinField = () => field("PIN, if it has one", el("input", { name: "pin", inputMode: "numeric", pattern: "[0-9]{4,8}", title: "4 to 8 digits", autocomplete: "off" }));
