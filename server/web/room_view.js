// A room on a phone or a desktop: the name, then what the room's phase shows.

import { Room, keepPin, keptPin, keptSeat } from "./room.js";
import { brand, button, closeDialogs, el, fill, replace, setText, store, stored } from "./dom.js";
import { PhaseView, stayingInRace } from "./phase_view.js";
import { isSoundOn, setSound } from "./sound.js";
import { refused, shortPuzzle } from "./words.js";

/**
 * @param {{code?: string, open?: any, name?: string, role?: "player" | "spectator"}} intent
 * @param {(path: string, intent?: any) => void} go
 * @returns {import("./main.js").Page}
 */
export function roomView(intent, go) {
  const front = el("main", { class: "room-main" });
  const title = el("h1", { class: "title", dir: "auto" }, intent.code ? `Room ${intent.code}` : "gridrace");
  const link = el("span", { class: "linkstate", role: "status" });
  const menuButton = button("Menu", () => menu(), { class: "quiet", hidden: true });
  const bar = el("header", { class: "bar" }, el("a", { href: "/", "aria-label": "gridrace, first page", class: "home-link" }, brand()), title, link, menuButton);
  const element = el("div", { class: "room" }, bar, front);
  /** @type {Room | undefined} */
  let room;
  /** @type {PhaseView | undefined} */
  let view;

  /** Shows something in place of the room. @param {Element} content */
  const stand = (content) => {
    view?.close();
    if (view) replace(view.element, front);
    view = undefined;
    closeDialogs("");
    fill(front, content);
  };

  /** @param {string} name @param {"player" | "spectator"} role @param {string | null} [pin] */
  const enter = (name, role, pin) => {
    room?.close();
    room = new Room({ code: intent.code, open: intent.open, name, role, pin });
    room.addEventListener("change", (event) => change(/** @type {CustomEvent} */ (event).detail));
    stand(el("p", { class: "faint center" }, "Joining…"));
  };

  /** Asks for the name, and the PIN unless it is given. @param {string} [error] @param {boolean} [needsPin] @param {string | null} [given] */
  const gate = (error, needsPin = false, given) => {
    document.title = `gridrace ${intent.code ?? ""}`;
    menuButton.hidden = true;
    const name = el("input", { name: "name", maxLength: 40, required: true, value: stored("name"), autocomplete: "nickname", placeholder: "Your name" });
    const pin = el("input", { name: "pin", inputMode: "numeric", pattern: "[0-9]{4,8}", title: "4 to 8 digits", required: true, autocomplete: "off" });
    const submit = (/** @type {"player" | "spectator"} */ role) => {
      if (!form.reportValidity()) return;
      store("name", name.value.trim());
      if (needsPin) keepPin(intent.code, pin.value);
      enter(name.value.trim(), role, needsPin ? pin.value : given);
    };
    const form = el("form", { class: "card gate", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); submit("player"); } },
      el("h2", {}, intent.code ? "Room " : "Your name", el("span", { class: "code" }, intent.code ?? "")),
      error ? el("p", { class: "bad", role: "alert" }, error) : null,
      el("label", { class: "field" }, el("span", {}, "Name"), name),
      needsPin ? el("label", { class: "field" }, el("span", {}, "PIN"), pin) : null,
      el("div", { class: "actions" }, el("button", { class: "primary" }, intent.code ? "Join" : "Continue"), intent.code ? button("Watch", () => submit("spectator"), { class: "quiet" }) : null));
    stand(form);
    // The first form is shown with the page, later.
    setTimeout(() => (needsPin ? pin : name).focus());
  };

  const menu = async () => {
    const { hostMenu } = await import("./menu.js");
    if (room?.state) hostMenu(room, { leave: () => { room?.leave(); go("/"); }, sound: { isOn: isSoundOn(), set: setSound } });
  };

  const head = () => {
    if (!room?.state || room.link === "ended") return;
    document.title = `${room.state.code} · gridrace`;
    menuButton.hidden = false;
    setText(title, `${room.state.name ?? room.state.code} · ${shortPuzzle(room.setup.options.spec)}`);
    element.dataset.phase = room.phase;
  };

  /** @param {{what: string, detail: any}} change */
  const change = ({ what, detail }) => {
    if (!room) return;
    if (what === "link") showLink();
    head();
    if (room.state && !view && room.link !== "ended") {
      view = new PhaseView(room);
      replace(front, view.element);
    }
    view?.change(what, detail);
  };

  const showLink = () => {
    if (!room) return;
    const text = room.link === "lost" ? "connection lost, trying again…" : "";
    setText(link, text);
    element.classList.toggle("lost", room.link === "lost");
    if (room.link === "joined") history.replaceState(history.state, "", `/${(intent.code = room.state.code)}`);
    if (room.link !== "ended") return;
    const needsPin = room.refusal === "needs_pin" || room.refusal === "wrong_pin" || (room.refusal === "too_fast" && Boolean(room.intent.pin));
    const isName = room.refusal === "name_taken" || room.refusal?.name;
    if (needsPin || isName) {
      gate(room.refusal === "needs_pin" ? "This room has a PIN." : refused(room.refusal), needsPin, room.intent.pin);
      return;
    }
    const table = room.state?.setup.table;
    stand(el("div", { class: "card gate" }, el("p", { role: "alert" }, room.why),
      el("div", { class: "actions" }, table ? el("a", { href: `/t/${table.tournament}`, class: "button primary" }, "To the tournament") : button("Try again", () => location.reload(), { class: "primary" }),
        el("a", { href: "/", class: "button" }, "First page"))));
    menuButton.hidden = true;
  };

  /** @param {KeyboardEvent} event */
  const onKey = (event) => view?.key(event);
  addEventListener("keydown", onKey);

  const seat = keptSeat(intent.code);
  if (intent.name) enter(intent.name, "player");
  else if (seat?.name) enter(seat.name, seat.role, keptPin(intent.code ?? ""));
  else gate();
  return { element, staying: () => stayingInRace(room), leave: () => {
    removeEventListener("keydown", onKey);
    view?.close();
    room?.close();
  } };
}

