// The first page: play now, host, join, the open rooms and tournaments.

import { Connection } from "./net.js";
import { brand, button, dialog, el, fill, store, stored, toast } from "./dom.js";
import { familyOf } from "./families.js";
import { field } from "./forms.js";
import { DEFAULTS, PRESETS, optionsForm } from "./options.js";
import { formats } from "./tournament_words.js";
import { counted, puzzle } from "./words.js";

/** How often the list of rooms is asked for, in milliseconds. */
const REFRESH = 3_000;

/** @type {Record<string, string>} how far a tournament is */
const STATES = { entries: "open", check_in: "open", waiting: "racing", break: "racing", racing: "racing", pause: "racing", over: "over" };

/**
 * @param {(path: string, intent?: any) => void} go
 * @returns {import("./main.js").Page}
 */
export function home(go) {
  document.title = "gridrace";
  const name = el("input", { id: "name", name: "name", maxLength: 40, value: stored("name"), autocomplete: "nickname", placeholder: "Your name", "aria-label": "Your name" });
  const chosen = () => {
    const text = name.value.trim() || "Player";
    store("name", text);
    return text;
  };
  const list = el("ul", { class: "rooms" }, el("li", { class: "faint" }, "Looking for rooms…"));
  const cups = el("ul", { class: "rooms" });
  /** @type {Record<string, string>} what was listed last, so that an answer that says the same takes no focus and no tap */
  const listed = {};
  const isNew = (/** @type {string} */ kind, /** @type {any} */ body) => listed[kind] !== (listed[kind] = JSON.stringify(body));
  const ask = () => {
    connection.send("rooms");
    connection.send({ tournament: "list" });
  };
  /** @type {ReturnType<typeof import("./past_tournaments.js").pastTournaments> | undefined} once it was opened */
  let past;
  const connection = new Connection({
    welcome: () => { ask(); past?.welcome(); },
    receive: (kind, body) => {
      // An empty room stands, or closes once no seat in it is kept.
      if (kind === "rooms" && isNew(kind, body)) fill(list, rows(body.sort((/** @type {any} */ one, /** @type {any} */ other) => Number(!one.people) - Number(!other.people))));
      if (kind === "tournament" && body.list && isNew(kind, body)) fill(cups, body.list.length ? body.list.map(cup) : el("li", { class: "faint" }, "No tournament is open."));
      if (kind === "tournament") past?.receive(body);
    },
    lost: () => { listed.rooms = listed.tournament = ""; fill(cups); fill(list, el("li", { class: "faint" }, "The server doesn't answer. Trying again…")); },
    end: (why) => fill(list, el("li", { class: "faint" }, why)),
  });
  const timer = setInterval(ask, REFRESH);
  const stands = () => connection.stands;

  /** @param {any} one */
  const cup = (one) => el("li", {}, el("a", { href: `/t/${one.name}`, "data-id": one.name },
    el("b", {}, one.title ?? one.name),
    el("span", { class: "faint" }, `${formats(one.plan)} · ${counted(one.entrants, "player")}${one.needs_pin ? " · PIN" : ""}`),
    el("span", { class: `state ${STATES[one.phase] === "open" ? "open" : STATES[one.phase] === "racing" ? "racing" : ""}` }, STATES[one.phase])));

  /** @param {any[]} rooms */
  const rows = (rooms) => rooms.length === 0 ? [el("li", { class: "faint" }, "No room is open. Host one!")] : rooms.map((room) => {
    const state = room.phase === "lobby" ? (room.full ? "full" : "open") : room.phase === "racing" ? "racing" : "results";
    return el("li", {}, el("a", { href: `/${room.code}`, "data-id": room.code },
      el("b", { class: "code" }, room.code),
      el("span", {}, room.name ?? (room.host ? `${room.host}'s room` : "a room")),
      el("span", { class: "faint" }, `${puzzle(room.spec)} · ${counted(room.people, "person", "people")}${room.needs_pin ? " · PIN" : ""}`),
      el("span", { class: `state ${state}` }, state)));
  });

  /** @param {string} spec */
  const playNow = (spec) => go("/", { name: chosen(), role: "player", open: { options: { ...DEFAULTS, spec, private: true }, seed: null, pin: null, bots: ["casual", "steady", "expert"], start: true } });
  const host = () => {
    const { form, read } = optionsForm(DEFAULTS, { seed: true, pin: true });
    const close = dialog("Host a heat", form, el("div", { class: "actions" }, button("Open the room", () => {
      if (!form.reportValidity()) return;
      // What was filled in stays.
      if (!stands()) return toast("No connection.");
      close();
      const open = read();
      if (open.pin) open.options.private = true;
      go("/", { name: chosen(), role: "player", open });
    }, { class: "primary" })));
  };
  // A shell takes brackets for a pattern.
  const address = location.host.startsWith("[") ? `'${location.host}'` : location.host;
  const cupForm = async () => (await import("./new_tournament.js")).askTournament(go, stands);
  const pastBox = el("details", { class: "past", ontoggle: async () => {
    if (!pastBox.open) return;
    const { pastTournaments } = await import("./past_tournaments.js");
    if (!past) pastBox.append((past = pastTournaments(connection)).element);
    past.load();
  } }, el("summary", {}, "Past tournaments"));
  const code = el("input", { name: "code", maxLength: 4, autocomplete: "off", autocapitalize: "characters", spellcheck: false, placeholder: "KQZT", "aria-label": "Code of a room", class: "code", pattern: "[A-Za-z]{4}", title: "4 letters", required: true });
  const join = el("form", { class: "join", onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    // The room asks for a name only if there is none yet.
    go(`/${code.value.trim().toUpperCase()}`, name.value.trim() ? { name: chosen() } : undefined);
  } }, code, el("button", { class: "primary" }, "Join"));

  const element = el("main", { class: "home" },
    el("header", { class: "hero" }, el("h1", {}, brand(), el("span", { class: "spoken" }, "gridrace")),
      el("p", {}, "Race your friends on the identical puzzle.")),
    el("section", { class: "card" }, el("h2", {}, "Join"), field("Name", name), join),
    el("section", { class: "card" }, el("h2", {}, "Play now against bots"),
      el("div", { class: "presets" }, PRESETS.map(([spec, size, what]) => el("button", { type: "button", class: "preset", "data-family": spec.split(":")[0], onclick: () => playNow(spec) },
        el("b", {}, size), el("span", {}, familyOf(spec).short), el("span", { class: "faint" }, what))))),
    el("section", { class: "card" }, el("h2", {}, "Host a heat"), el("p", { class: "faint" }, "Friends join by a link, a code or a QR code."), button("Host…", host, { class: "primary" })),
    el("section", { class: "card wide" }, el("h2", {}, "Open rooms"), list),
    el("section", { class: "card wide" }, el("div", { class: "card-head" }, el("h2", {}, "Tournaments"), button("New…", cupForm)), cups, pastBox),
    el("footer", {}, el("a", { href: "/results" }, "Your results and your key"), el("span", { class: "faint" }, `In a terminal: gridrace join CODE ${address}`)));
  return { element, leave: () => { clearInterval(timer); connection.close(); } };
}
