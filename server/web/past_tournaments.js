// The first page's list of tournaments that are closed. It comes in parts, the last ones first.

import { button, el, fill, setText } from "./dom.js";
import { formats, tournamentRefused } from "./tournament_words.js";
import { counted } from "./words.js";

/** After how many milliseconds a request that came too early is sent again: a server answers one a second. */
const RETRY = 1_000;

/** @param {import("./net.js").Connection} connection */
export function pastTournaments(connection) {
  const list = el("ul", {});
  const note = el("p", { class: "faint", role: "status" });
  const more = button("Earlier ones", () => ask());
  /** Where the next part begins. @type {any} */
  let before = null;
  let isWaiting = false;
  const request = () => { if (isWaiting) connection.send({ tournament: { past: { before } } }); };
  const ask = () => {
    if (isWaiting) return;
    isWaiting = true;
    setText(note, "Loading…");
    request();
  };
  /** @param {string} text @param {string} next what the button does; nothing hides it */
  const answered = (text, next) => {
    isWaiting = false;
    setText(note, text);
    setText(more, next);
    more.hidden = !next;
  };
  /** @param {any} past */
  const add = ({ rows, next }) => {
    const isFocused = document.activeElement === more;
    const added = /** @type {any[]} */ (rows).map(row);
    list.append(...added);
    before = next;
    answered(list.children.length ? "" : "No tournament has ended here yet.", next ? "Earlier ones" : "");
    if (isFocused) added[0]?.querySelector("a")?.focus();
  };
  /** @param {string} why */
  const refuse = (why) => {
    if (why === "too_fast" || why === "busy") setTimeout(request, RETRY);
    else answered(tournamentRefused(why), why === "no_past_tournaments" ? "" : "Try again");
  };
  more.hidden = true;
  return {
    element: el("div", {}, list, note, more),
    /** Shows the latest. */
    load: () => {
      if (isWaiting) return;
      before = null;
      fill(list);
      ask();
    },
    /** Asks again on another connection for what was lost with the one before. */
    welcome: request,
    /** @param {any} body */
    receive: (body) => {
      if (isWaiting && body.past) add(body.past);
      if (isWaiting && body.refused) refuse(body.refused);
    },
  };
}

/** @param {any} past */
function row({ record, title, plan, ended, outcome, followable }) {
  const name = title ?? record;
  const day = new Date(ended).toLocaleDateString(undefined, { dateStyle: "medium" });
  const facts = [title && record, day, outcome && counted(outcome.entrants, "player"), formats(plan)];
  return el("li", {},
    el("b", {}, followable ? el("a", { href: `/t/${record.split("~")[0]}` }, name) : name),
    el("span", {}, outcome && winners(outcome)),
    el("span", { class: "faint" }, facts.filter(Boolean).join(" · ")),
    el("a", { class: "button", href: `/t/${record}.grt`, download: `${record}.grt`, "aria-label": `Record of ${name}, ${day}` }, "Record"));
}

/** @param {any} outcome */
function winners({ champions, more_champions: more }) {
  if (!champions.length) return "no champion";
  return `won by ${champions.join(", ")}${more ? ` and ${more} more` : ""}`;
}
