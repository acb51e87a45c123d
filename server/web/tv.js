// The big screen of a room: lobby, countdown, all boards, podium. It needs no hand, and comes back by
// itself.

import { Room, keepPin, keptPin } from "./room.js";
import { brand, button, el, fill, setText } from "./dom.js";
import { BoardGrid } from "./board_grid.js";
import { standingRows } from "./standings.js";
import { podium } from "./over.js";
import { joinWith, linkTo } from "./lobby.js";
import { keepAwake } from "./wake_lock.js";
import { counted, puzzle, secondsLeft, time } from "./words.js";

/** How long it waits before it asks again for a room that isn't there, in milliseconds. */
const RETRY = 5_000;
/** How long the last move is seen before the results, in milliseconds. */
const LAST_MOVE_SEEN = 1_000;

/**
 * @param {string} code
 * @returns {import("./main.js").Page}
 */
export function tv(code) {
  document.title = `${code} · gridrace`;
  const title = el("span", { class: "tv-title" });
  const clock = el("span", { class: "clock" });
  const stage = el("div", { class: "tv-stage" });
  const element = el("main", { class: "tv" }, el("header", { class: "tv-bar" }, brand(), el("h1", { class: "code" }, code), title, clock), stage);
  /** @type {Room | undefined} */
  let room;
  /** @type {BoardGrid | undefined} */
  let grid;
  let list = el("ol", { class: "standings", "aria-label": "Standings" });
  let shown = "";
  let left = false;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let retry;
  /** @type {ReturnType<typeof setTimeout> | undefined} until the results are shown, which are as late as the boards are */
  let results;
  /** @type {any} what the phase `running` brought */
  let race = null;

  const enter = () => {
    shown = "";
    // A screen is no player: it shows no key, so that no player's key keeps boards from it.
    room = new Room({ code, name: screenName(), role: "spectator", anonymous: true, pin: keptPin(code) });
    room.addEventListener("change", (event) => change(/** @type {CustomEvent} */ (event).detail));
  };

  /** @param {{what: string, detail: any}} change */
  const change = ({ what, detail }) => {
    if (!room) return;
    if (what === "link" && room.link === "ended" && !left) {
      const needsPin = room.refusal === "needs_pin";
      setText(title, needsPin ? "This room has a PIN." : room.why);
      fill(stage);
      if (needsPin || room.refusal === "wrong_pin") {
        askPin(stage, "PIN of the room", (pin) => {
          keepPin(code, pin);
          enter();
        });
        return;
      }
      retry = setTimeout(enter, RETRY);
      return;
    }
    element.classList.toggle("lost", room.link === "lost");
    if (!room.state) return;
    if (what === "phase") {
      clearTimeout(results);
      results = undefined;
      if (room.phase === "over" && grid) {
        results = setTimeout(() => {
          results = undefined;
          render();
        }, resultsAfter(room));
      }
    }
    if (what === "boards") grid?.update(detail);
    if (what === "image" && room?.setup.options.picture) grid?.loadPicture();
    if (what === "standings" || what === "roster") rank();
    if (["phase", "setup", "roster", "link", "closing"].includes(what)) render();
  };

  const render = () => {
    if (!room?.state || results) return;
    const { state, phase } = room;
    setText(title, room.link === "lost" ? "The connection is lost. Trying again…" : `${state.name ? `${state.name} · ` : ""}${puzzle(room.setup.options.spec)}`);
    const key = `${phase} ${state.setup.number}`;
    if (key === shown && phase !== "lobby") return;
    shown = key;
    grid?.close();
    grid = undefined;
    if (phase === "lobby" || phase === "drawing") fill(stage, lobbyScreen(room));
    else if (phase === "countdown") fill(stage, el("div", { class: "countdown", role: "timer" }));
    else if (phase === "running") {
      race = room.phaseBody;
      grid = new BoardGrid(room);
      fill(stage, el("div", { class: "tv-race" }, el("div", { class: "stage" }, grid.element), list));
    } else fill(stage, el("div", { class: "tv-over" }, podium(room, room.phaseBody.standings), list));
    rank();
  };

  const rank = () => {
    if (!room?.state || results) return;
    if (room.phase === "over") room.state.rows = room.phaseBody.standings;
    fillStandings(list, room, room.phase === "over");
    grid?.captions();
  };

  const tick = () => {
    if (left) return;
    requestAnimationFrame(tick);
    if (!room?.state) return;
    const body = room.phaseBody;
    if (room.phase === "countdown") {
      const digit = stage.querySelector(".countdown");
      if (digit) setText(digit, String(secondsLeft(body.go - room.now())));
      setText(clock, "");
    } else if (room.phase === "running" || results) {
      // What is shown is as late as the boards are.
      const at = Math.min(room.now(), race.ends) - room.setup.options.delay_seconds * 1000;
      setText(clock, time(at - race.go, 0));
      const { closing } = room.state;
      if (closing) setText(title, `${closing.why === "idle" ? "All who race are idle" : "Only bots race"}: the heat ends in ${Math.max(0, Math.ceil((closing.ends - room.now()) / 1000))} s`);
    } else setText(clock, "");
  };
  enter();
  requestAnimationFrame(tick);
  const endAwake = keepAwake();
  return { element, leave: () => {
    left = true;
    endAwake();
    clearTimeout(retry);
    clearTimeout(results);
    grid?.close();
    room?.leave();
  } };
}

/** @returns {string} the name of a big screen, by which others of the room know it */
export const screenName = () => `Screen ${Math.floor(Math.random() * 9000 + 1000)}`;

/**
 * How long after the end of a heat a big screen shows the results, in milliseconds: as late as the boards are, and
 * so that the last move is seen.
 * @param {Room} room
 */
export const resultsAfter = (room) => room.setup.options.delay_seconds * 1000 + LAST_MOVE_SEEN;

/**
 * Shows the standings on a big screen.
 * @param {HTMLElement} list @param {Room} room @param {boolean} [gaps] whether those behind the first show how far
 */
export function fillStandings(list, room, gaps) {
  list.style.setProperty("--count", String(Math.max(8, room.state.rows.length)));
  fill(list, standingRows(room, { finals: room.phase === "running" ? room.finalPlaces() : [], gaps }));
}

/**
 * Asks on a big screen for the PIN of what it shows.
 * @param {Element} stage @param {string} label @param {(pin: string) => void} then
 */
export function askPin(stage, label, then) {
  const text = el("input", { name: "pin", inputMode: "numeric", pattern: "[0-9]{4,8}", title: "4 to 8 digits", required: true, autocomplete: "off", "aria-label": label });
  fill(stage, el("form", { class: "card gate", onsubmit: (/** @type {Event} */ event) => {
    event.preventDefault();
    fill(stage);
    then(text.value);
  } }, text, el("div", { class: "actions" }, button("Show", () => text.form?.requestSubmit(), { class: "primary" }))));
  text.focus();
}

/** @param {Room} room */
function lobbyScreen(room) {
  const { players, state } = room;
  return el("div", { class: "tv-lobby" },
    el("div", {}, el("p", { class: "faint" }, joinWith(keptPin(state.code))), el("p", { class: "code" }, state.code), el("p", { class: "address" }, linkTo(state.code)),
      el("img", { class: "qr", src: `/${state.code}.svg`, alt: `QR code of ${linkTo(state.code)}`, onerror: (/** @type {Event} */ event) => /** @type {HTMLElement} */ (event.target).remove() })),
    el("div", {}, el("h2", {}, counted(players.length, "player")),
      el("ul", { class: "tv-names" }, players.map((member) => el("li", { class: member.ready ? "on" : "" }, `${member.ready ? "✓ " : ""}${member.name}`)))));
}
