// The lobby: who is here, how to come in, and what the host may set.

import { button, confirmed, copyText, el, toast } from "./dom.js";
import { keptPin } from "./room.js";
import { counted, hintRule, isScreen, kindOf, puzzle, timeLimit } from "./words.js";

/** @param {string} code */
export const linkTo = (code) => `${location.host}/${code}`;

/** @param {string} pin */
export const joinWith = (pin) => `Join with the code${pin && " and the PIN"}`;

/**
 * @param {import("./room.js").Room} room
 * @returns {Element}
 */
export function lobby(room) {
  const { state, me } = room;
  if (state.setup.table) return tableLobby(room);
  const { options, held_by } = state.setup;
  const { players } = room;
  const spectators = state.roster.members.filter((/** @type {any} */ member) => member.role === "spectator");
  const watching = spectators.filter((/** @type {any} */ member) => !isScreen(member)).map((/** @type {any} */ member) => member.name);
  const screens = spectators.length - watching.length;
  if (screens) watching.push(counted(screens, "big screen"));
  const drawing = room.phase === "drawing";
  const copy = async () => {
    toast(await copyText(`${location.origin}/${state.code}`) ? "The link is copied." : `The link is ${linkTo(state.code)}`);
  };
  const isPlayer = me?.role === "player";
  // The main button is Start once all people are ready, until then Ready.
  const starts = room.hasHostPowers && !players.some((member) => member.kind === "human" && member.id !== state.you && !member.ready);
  const actions = drawing ? [el("p", { class: "faint", role: "status" }, state.ahead ? `The board is being made. ${counted(state.ahead, "board")} before it.` : "The board is being made…")] : [
    isPlayer ? button(me.ready ? "Not ready" : "Ready", () => room.send({ ready: { ready: !me.ready } }), { class: me.ready || starts ? "" : "primary", "data-id": "ready", "aria-pressed": String(me.ready) }) : null,
    room.hasHostPowers ? button("Start", () => room.send("start"), { class: starts || me?.ready || !isPlayer ? "primary" : "" }) : null,
    isPlayer ? button("Watch instead", () => room.send("leave_seat"), { class: "quiet" }) : button("Take a seat", () => room.send("take_seat"), { class: "primary" }),
  ];
  return el("div", { class: "lobby" },
    el("section", { class: "card invite" },
      el("img", { class: "qr", src: `/${state.code}.svg`, alt: `QR code of ${linkTo(state.code)}`, width: 168, height: 168, onerror: (/** @type {Event} */ event) => /** @type {HTMLElement} */ (event.target).remove() }),
      el("div", {}, el("p", { class: "faint" }, joinWith(keptPin(state.code))), el("p", { class: "code giant" }, state.code),
        el("p", { class: "address" }, linkTo(state.code)),
        el("div", { class: "actions" }, button("Copy the link", copy), el("a", { class: "button quiet", href: `/${state.code}/tv`, target: "_blank", "data-id": "tv" }, "Big screen")),
        state.pin ? el("p", {}, "PIN ", el("b", { class: "code" }, state.pin)) : null)),
    el("section", { class: "card people" }, el("h2", {}, `${counted(players.length, "player")}`),
      el("ul", { class: "members" }, players.map((member) => memberRow(room, member))),
      watching.length ? el("p", { class: "faint" }, `Watching: ${watching.join(", ")}`) : null,
      state.announcement ? el("p", { class: "announcement" }, el("b", {}, room.nameOf(state.announcement.by).name), ` ${state.announcement.text}`) : null,
      held_by !== null && held_by !== undefined ? el("p", { class: "mark" }, "The host holds the start.") : null,
      el("div", { class: "actions main-actions" }, actions),
      !drawing && isPlayer && !room.hasHostPowers ? el("p", { class: "faint" }, "The heat starts when all are ready, or when the host starts it.") : null),
    el("section", { class: "card rules" }, el("h2", {}, puzzle(options.spec)),
      el("p", { class: "faint" }, `${hintRule(options)} · time limit ${timeLimit(options.time_limit_seconds)}${options.bots_allowed ? "" : " · no bots"}${state.setup.seed === "host" ? " · the host set the seed" : ""}`),
      room.hasHostPowers ? el("div", { class: "actions" }, button("Options…", async () => (await import("./options.js")).editOptions(room)), options.bots_allowed ? button("Add a bot…", async () => (await import("./options.js")).addBot(room)) : null) : null));
}

/** @param {import("./room.js").Room} room */
function tableLobby(room) {
  const { players } = room;
  const { setup } = room.state;
  const { tournament, board } = setup.table;
  return el("div", { class: "lobby" },
    el("section", { class: "card" }, el("h2", {}, `Table ${board.table + 1}, board ${board.board + 1}`), el("p", {}, puzzle(setup.options.spec)),
      el("p", { class: "faint", role: "status" }, room.phase === "drawing" ? "The board is being made…" : "The tournament starts it by itself."), el("a", { class: "button", href: `/t/${tournament}` }, "To the tournament")),
    el("section", { class: "card people" }, el("h2", {}, counted(players.length, "player")), el("ul", { class: "members" }, players.map((member) => memberRow(room, member)))));
}

/** @param {import("./room.js").Room} room @param {any} member */
function memberRow(room, member) {
  const { roster, you } = room.state;
  const marks = [member.id === roster.host ? "host" : "", kindOf(member.kind), member.id === you ? "you" : ""].filter(Boolean).join(" · ");
  const removable = room.hasHostPowers && member.id !== you;
  return el("li", { class: member.id === you ? "own" : "" },
    el("span", { class: member.ready ? "tick on" : "tick", role: "img", "aria-label": member.ready ? "ready" : "not ready" }, member.ready ? "✓" : "○"),
    el("span", { class: "name", dir: "auto" }, member.name, " ", el("small", { class: "faint" }, marks), member.connected ? null : el("small", { class: "bad" }, " connection lost")),
    removable ? el("button", { type: "button", class: "quiet small", "aria-label": `Remove ${member.name}`, "data-id": `kick ${member.id}`, onclick: () => confirmed(`Remove ${member.name}?`, "Remove", () => room.send({ kick: { player: member.id } })) }, "✕") : null);
}
