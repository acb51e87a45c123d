// A room on a phone or a desktop: the name, the lobby, the race, the results.

import { Room, keptSeat } from "./room.js";
import { brand, button, el, fill, setText, speak, store, stored, toast } from "./dom.js";
import { lobby } from "./lobby.js";
import { RaceView } from "./race.js";
import { isSoundOn, ring, setSound, wakeSound } from "./sound.js";
import { refused, shortPuzzle } from "./words.js";

/**
 * @param {{code?: string, open?: any, name?: string, role?: "player" | "spectator"}} intent
 * @param {(path: string, intent?: any) => void} go
 * @returns {import("./main.js").Page}
 */
export function roomView(intent, go) {
  const main = el("main", { class: "room-main" });
  const title = el("h1", { class: "title" }, intent.code ? `Room ${intent.code}` : "gridrace");
  const link = el("span", { class: "linkstate", role: "status" });
  const menuButton = button("Menu", () => menu(), { class: "quiet", hidden: true });
  const bar = el("header", { class: "bar" }, el("a", { href: "/", "aria-label": "gridrace, first page", class: "home-link" }, brand()), title, link, menuButton);
  const element = el("div", { class: "room" }, bar, main);
  /** @type {Room | undefined} */
  let room;
  /** @type {RaceView | undefined} */
  let race;
  let shown = "";

  /** @param {string} name @param {"player" | "spectator"} role @param {string} [pin] */
  const enter = (name, role, pin) => {
    wakeSound();
    room?.connection.close();
    room = new Room({ code: intent.code, open: intent.open, name, role, pin });
    room.addEventListener("change", (event) => change(/** @type {CustomEvent} */ (event).detail));
    fill(main, el("p", { class: "faint center" }, "Joining…"));
  };

  /** Asks for the name, and the PIN if the room has one. @param {string} [error] @param {boolean} [needsPin] */
  const gate = (error, needsPin = false) => {
    shown = "";
    document.title = `gridrace ${intent.code}`;
    const name = el("input", { name: "name", maxLength: 40, required: true, value: stored("name"), autocomplete: "nickname", placeholder: "Your name" });
    const pin = el("input", { name: "pin", inputMode: "numeric", pattern: "[0-9]{4,8}", required: true, autocomplete: "off" });
    const submit = (/** @type {"player" | "spectator"} */ role) => {
      if (!form.reportValidity()) return;
      store("name", name.value.trim());
      enter(name.value.trim(), role, needsPin ? pin.value : undefined);
    };
    const form = el("form", { class: "card gate", onsubmit: (/** @type {Event} */ event) => { event.preventDefault(); submit("player"); } },
      el("h2", {}, "Room ", el("span", { class: "code" }, intent.code)),
      error ? el("p", { class: "bad", role: "alert" }, error) : null,
      el("label", { class: "field" }, el("span", {}, "Name"), name),
      needsPin ? el("label", { class: "field" }, el("span", {}, "PIN"), pin) : null,
      el("div", { class: "actions" }, el("button", { class: "primary" }, "Join"), button("Watch", () => submit("spectator"), { class: "quiet" })));
    fill(main, form);
    (needsPin ? pin : name).focus();
  };

  const menu = async () => {
    const { hostMenu } = await import("./menu.js");
    if (room?.state) hostMenu(room, { leave: () => { room?.leave(); go("/"); }, sound: { isOn: isSoundOn(), set: setSound } });
  };

  const render = () => {
    if (!room?.state) return;
    const { phase } = room;
    const spec = room.setup.options.spec;
    document.title = `${room.state.code} · gridrace`;
    menuButton.hidden = false;
    setText(title, `${room.state.name ?? room.state.code} · ${shortPuzzle(spec)}`);
    const key = phase === "running" || phase === "countdown" ? `race ${room.state.setup.number}` : phase;
    element.dataset.phase = phase;
    if (phase === "lobby" || phase === "drawing") {
      race?.close();
      race = undefined;
      fill(main, lobby(room));
    } else if (phase === "over") {
      race?.close();
      race = undefined;
      if (shown !== "over") scrollTo(0, 0);
      showResults(room);
    } else {
      if (!race || shown !== key) {
        race?.close();
        race = new RaceView(room);
        fill(main, race.element);
      }
      race.phase();
    }
    shown = key;
  };

  /** @param {Room} ended */
  const showResults = async (ended) => {
    const { results } = await import("./over.js");
    if (ended === room && ended.phase === "over") fill(main, results(ended));
  };

  /** @param {{what: string, detail: any}} change */
  const change = ({ what, detail }) => {
    if (!room) return;
    switch (what) {
      case "link": showLink(); break;
      case "phase":
        if (room.phase === "over") {
          const own = room.phaseBody.standings.find((/** @type {any} */ row) => row.player === room?.state.you);
          speak(own ? `The heat is over. You are number ${own.place} of ${room.phaseBody.standings.length}.` : "The heat is over.", true);
          ring(own?.place === 1 ? 880 : 440, 0.6);
          room.send("results");
        }
        render();
        break;
      case "roster":
      case "setup":
      case "queue":
        if (race) race.standings(); else render();
        break;
      case "rated": render(); break;
      case "results": room.results = detail; if (room.phase === "over") render(); break;
      case "refused": toast(detail); race?.race(); break;
      case "announcement": toast(`${room.nameOf(detail.by).name}: ${detail.text}`); if (!race) render(); break;
      case "recording": if (detail !== "recorded") toast(detail === "slow" ? "The server's disk is slow." : "The server doesn't record this heat."); break;
      case "standings": race?.standings(); break;
      case "race": race?.race(); break;
      case "hint": race?.hint(); break;
      case "boards": race?.boards(detail); break;
      case "closing": race?.closing(); break;
      default: break;
    }
  };

  const showLink = () => {
    if (!room) return;
    const text = room.link === "lost" ? "connection lost, trying again…" : "";
    setText(link, text);
    element.classList.toggle("lost", room.link === "lost");
    if (room.link === "joined") history.replaceState(null, "", `/${room.state.code}`);
    if (room.link !== "ended") return;
    const needsPin = room.refusal === "needs_pin" || room.refusal === "wrong_pin" || (room.refusal === "too_fast" && Boolean(room.intent.pin));
    const isName = room.refusal === "name_taken" || room.refusal?.name;
    if (needsPin || isName) {
      gate(room.refusal === "needs_pin" ? "This room has a PIN." : refused(room.refusal), needsPin);
      return;
    }
    menuButton.hidden = true;
    fill(main, el("div", { class: "card gate" }, el("p", { role: "alert" }, room.why),
      el("div", { class: "actions" }, button("Try again", () => location.reload(), { class: "primary" }), el("a", { href: "/", class: "button" }, "First page"))));
  };

  /** @param {KeyboardEvent} event */
  const onKey = (event) => {
    if (document.querySelector("dialog[open]") || (event.target instanceof Element && event.target.closest("input, select, textarea"))) return;
    race?.key(event);
  };
  addEventListener("keydown", onKey);

  const seat = intent.code ? keptSeat(intent.code) : null;
  if (intent.open && intent.name) enter(intent.name, "player");
  else if (seat?.name) enter(seat.name, seat.role);
  else gate();
  return { element, leave: () => {
    removeEventListener("keydown", onKey);
    race?.close();
    room?.connection.close();
  } };
}

