// One's own results on this server, and the key by which it knows them.

import { Connection } from "./net.js";
import { raceRules } from "./rules.js";
import { identity, importKey, proof } from "./identity.js";
import { brand, button, dialog, el, fill, toast } from "./dom.js";
import { refused, shortPuzzle, time } from "./words.js";

/** @type {Record<string, string>} */
const REFUSALS = { nobody: "Your key isn't known here yet.", no_results: "This server has no results to show." };

/** @returns {Promise<import("./main.js").Page>} */
export async function records() {
  document.title = "Results · gridrace";
  const rules = await raceRules();
  const list = el("div", { class: "table-box records", tabIndex: 0, role: "region", "aria-label": "Results" }, el("p", { class: "faint" }, "Loading…"));
  let known = identity(rules);
  const fingerprint = el("code", {}, known.fingerprint);
  const connection = new Connection({
    welcome: ({ challenge }) => {
      connection.send({ identify: proof(rules, challenge) });
      connection.send("results");
    },
    receive: (kind, body) => {
      if (kind === "results") fill(list, body.length ? table(body) : el("p", { class: "faint" }, "You have finished no heat here yet."));
      if (kind === "refused") fill(list, el("p", { class: "faint" }, REFUSALS[body] ?? refused(body)));
    },
    lost: () => {},
    end: (why) => fill(list, el("p", { role: "alert" }, why)),
  });
  const show = () => dialog("Your key", el("p", {}, "Whoever has it is you on this server. Keep it as you keep a password; the terminal program reads it from the file ~/.config/gridrace/key."),
    el("input", { readOnly: true, value: known.secret, class: "mono", "aria-label": "Key", onfocus: (/** @type {FocusEvent} */ event) => /** @type {HTMLInputElement} */ (event.target).select() }));
  const take = () => {
    const text = el("input", { class: "mono", autocomplete: "off", spellcheck: false, required: true, pattern: "\\s*[0-9a-fA-F]{64}\\s*", "aria-label": "Key of 64 hexadecimal digits" });
    const close = dialog("Take over a key", el("form", { onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      known = importKey(rules, text.value);
      fingerprint.textContent = known.fingerprint;
      close();
      toast("From now on this key is yours here.");
      connection.drop();
    } }, el("label", { class: "field" }, el("span", {}, "64 hexadecimal digits; your key here until now is replaced"), text), el("div", { class: "actions" }, el("button", { class: "primary" }, "Take over"))));
  };
  const element = el("div", { class: "room" }, el("header", { class: "bar" }, el("a", { href: "/", "aria-label": "gridrace, first page", class: "home-link" }, brand()), el("h1", { class: "title" }, "Your results")),
    el("main", { class: "wide-page" }, list, el("section", { class: "card" }, el("h2", {}, "Your key"), el("p", {}, "This server knows you by the fingerprint ", fingerprint, "."),
      el("div", { class: "actions" }, button("Show the key…", show), button("Take over a key…", take)))));
  return { element, leave: () => connection.close() };
}

/** @param {any[]} results */
function table(results) {
  return el("table", {}, el("thead", {}, el("tr", {}, ["Replay", "When", "Puzzle", "Name", "Place", "Time", "Moves", "Hints"].map((text) => el("th", { scope: "col" }, text)))),
    el("tbody", {}, results.map((row) => el("tr", {}, el("td", {}, el("a", { class: "button", href: `/r/${row.heat}`, "aria-label": `Replay of ${shortPuzzle(row.spec)}` }, "▶")), el("td", {}, new Date(row.ended).toLocaleString(undefined, { dateStyle: "short", timeStyle: "short" })), el("th", { scope: "row" }, shortPuzzle(row.spec)), el("td", {}, row.name),
      el("td", {}, `${row.place} of ${row.of}`), el("td", {}, row.time === null ? "DNF" : time(row.time), row.inhuman_speed ? el("small", { class: "mark" }, " too fast") : null), el("td", {}, row.moves), el("td", {}, row.hints)))));
}
