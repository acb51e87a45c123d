// The menu of a room: what everybody may do, and the host's commands.

import { button, confirmed, dialog, el } from "./dom.js";
import { addBot, editOptions } from "./options.js";
import { askGiveUp } from "./race.js";

/**
 * @param {import("./room.js").Room} room
 * @param {{leave: () => void, sound: {isOn: boolean, set: (on: boolean) => void}}} actions
 */
export function hostMenu(room, { leave, sound }) {
  const { state, phase, me } = room;
  /** @param {() => void} act */
  const then = (act) => () => { close(); act(); };
  const others = state.roster.members.filter((/** @type {any} */ member) => member.id !== state.you);
  const people = others.filter((/** @type {any} */ member) => member.kind === "human");
  const racing = phase === "running" && Boolean(room.race?.on);
  const { table } = state.setup;
  const watches = me?.role === "spectator" && !table;
  const common = [
    racing ? button("Give up", then(() => askGiveUp(room))) : null,
    watches && phase !== "lobby" ? button(me.next_seat ? "No seat in the next heat" : "A seat in the next heat", then(() => room.send(me.next_seat ? "leave_seat" : "take_seat"))) : null,
    button(sound.isOn ? "Turn sound off" : "Turn sound on", then(() => sound.set(!sound.isOn))),
    button("Rules and keys", then(async () => (await import("./help.js")).showHelp())),
    table ? el("a", { class: "button", href: `/t/${table.tournament}`, onclick: () => close() }, "To the tournament") : null,
    button("Leave the room", then(() => confirmed("Leave the room?", "Leave", leave))),
  ];
  /** @param {string} title @param {any[]} members @param {(player: number) => any} message */
  const choose = (title, members, message) => then(() => {
    const closeList = dialog(title, el("div", { class: "actions column" }, members.map((member) => button(member.name, () => {
      closeList();
      room.send(message(member.id));
    }, { "data-id": String(member.id) }))));
  });
  const announce = then(() => {
    const text = el("input", { name: "text", maxLength: 120, required: true, "aria-label": "A line to all" });
    const closeLine = dialog("Announce", el("form", { onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      if (room.send({ announce: { text: text.value } })) closeLine();
    } }, el("label", { class: "field" }, el("span", {}, "A line to all"), text), el("div", { class: "actions" }, el("button", { class: "primary" }, "Announce"))));
  });
  const lift = then(() => {
    const closeList = dialog("Lift a ban", el("div", { class: "actions column" }, state.banned.map((/** @type {any} */ ban) => button(ban.name, () => {
      closeList();
      room.send({ unban: { key: ban.key } });
    }, { "data-id": ban.key }))));
  });
  const held = state.setup.held_by !== null;
  const host = room.hasHostPowers ? [
    el("h3", {}, "Host"),
    phase === "running" ? button("End the heat", then(() => confirmed("End the heat with the standings as they are?", "End the heat", () => room.send("end_heat"), "Cancel", "in-race online"))) : null,
    phase === "lobby" || phase === "countdown" ? button(held ? "Let it start" : "Hold the start", then(() => room.send({ hold: { hold: !held } }))) : null,
    phase === "over" ? button("Back to the lobby", then(() => room.send("rematch"))) : null,
    button(phase === "lobby" ? "Options…" : "Options of the next heat…", then(() => editOptions(room))),
    phase === "lobby" ? button("Add a bot…", then(() => addBot(room))) : null,
    others.length ? button("Remove…", choose("Remove", others, (player) => ({ kick: { player } }))) : null,
    people.length ? button("Ban…", choose("Ban", people, (player) => ({ ban: { player } }))) : null,
    state.banned.length ? button("Lift a ban…", lift) : null,
    people.length ? button("Hand over to…", choose("New host", people, (player) => ({ hand_over: { player } }))) : null,
    button("Announce…", announce),
  ] : [];
  const list = el("div", { class: "actions column" }, common, host);
  const close = dialog("Menu", list);
  // What it offers in a race ends with it.
  if (phase === "running") list.parentElement?.classList.add("in-race");
}
