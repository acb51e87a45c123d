// The results: podium, table, the check of the seed, and the way to the next heat.

import { button, copyText, el, setText, stored, toast } from "./dom.js";
import { editOptions } from "./options.js";
import { askWorker } from "./rules_worker_client.js";
import { counted, kindOf, ordinal, puzzle, time } from "./words.js";

/**
 * @param {import("./room.js").Room} room
 * @returns {Element}
 */
export function results(room) {
  const { state, me } = room;
  const result = room.phaseBody;
  const best = result.best?.at_most;
  const own = result.standings.find((/** @type {any} */ row) => row.player === state.you);
  const ready = Boolean(me?.ready);
  const { table } = state.setup;
  // The latest result is of this heat if it is the player's own one.
  const [latest] = room.results ?? [];
  const heat = own && latest?.heat.startsWith(`${state.code}-`) && latest.spec === room.setup.options.spec && latest.time === (own.state?.finished?.time ?? null) ? latest : null;
  const line = () => {
    const finish = own?.state?.finished ? time(own.state.finished.time) : "DNF";
    return `gridrace ${room.setup.options.spec} · ${finish} · ${ordinal(own.place)} of ${result.standings.length} · ${counted(own.moves.moves, "move")}${heat ? ` · ${location.origin}/r/${heat.heat}` : ""}`;
  };
  const copy = async () => {
    toast(await copyText(line()) ? "The result is copied." : line());
  };
  return el("div", { class: "over" },
    el("h2", { class: "verdict" }, own ? verdict(own, result.standings.length) : "Results"),
    podium(room, result.standings),
    el("div", { class: "table-box", tabIndex: 0, "data-id": "table", role: "region", "aria-label": "Results" }, el("table", {},
      el("thead", {}, el("tr", {}, ["", "Player", "Time", "Gap", "Moves", "×best", "Hints"].map((text) => el("th", { scope: "col" }, text || el("span", { class: "spoken" }, "Place"))))),
      el("tbody", {}, result.standings.map((/** @type {any} */ row) => {
        const finish = row.state?.finished?.time;
        const { name, kind } = room.nameOf(row.player);
        return el("tr", { class: row.player === state.you ? "own" : "" },
          el("td", {}, row.place), el("th", { scope: "row" }, name, kind === "human" ? null : el("small", { class: "faint" }, ` ${kindOf(kind)}`)),
          el("td", {}, finish === undefined ? `DNF ${Math.floor(row.progress / 10)} %` : time(finish), el("small", { class: "narrow-gap faint" }, gap(row, result.standings[0]))),
          el("td", {}, gap(row, result.standings[0])),
          el("td", {}, row.moves.moves),
          el("td", {}, finish !== undefined && best ? (row.moves.moves / best).toFixed(2) : ""),
          el("td", {}, row.hints ? `${row.hints}${row.penalty ? ` (+${row.penalty / 1000} s)` : ""}` : ""));
      })))),
    el("div", { class: "actions main-actions" },
      table ? null : room.isHost ? button("Rematch", () => room.send("rematch"), { class: "primary" }) : me?.role === "player" ? (ready
        ? button("Not ready", () => room.send({ ready: { ready: false } }), { "data-id": "again" })
        : button("Rematch", () => room.send("rematch"), { class: "primary", "data-id": "again" }))
        : button(me?.next_seat ? "No seat in the next heat" : "A seat in the next heat", () => room.send(me?.next_seat ? "leave_seat" : "take_seat")),
      room.hasHostPowers ? button("Next puzzle…", () => editOptions(room)) : null,
      own ? button("Copy the result", copy) : null,
      heat ? el("a", { class: "button", href: `/r/${heat.heat}`, "data-id": "replay" }, "Replay") : null),
    state.setup.queued ? el("p", { class: "center" }, `Next puzzle: ${puzzle(state.setup.queued.spec)}`) : null,
    table ? el("p", { class: "faint center" }, "The standings are on the tournament's page.") : readiness(room), checks(room, result));
}

/** @param {any} own @param {number} of */
function verdict(own, of) {
  const finish = own.state?.finished?.time;
  const done = Math.floor(own.progress / 10);
  if (finish === undefined) return done ? `Not finished: ${done} % done` : "Not finished";
  return of === 1 ? time(finish) : `${ordinal(own.place)} in ${time(finish)}`;
}

/** @param {any} row @param {any} first @returns {string} how far a player finished behind the first */
function gap(row, first) {
  const [own, best] = [row.state?.finished?.time, first.state?.finished?.time];
  return own > best ? `+${time(own - best, 2)}` : "";
}

/** @param {import("./room.js").Room} room @param {any[]} rows */
export function podium(room, rows) {
  const finishers = rows.filter((row) => row.state?.finished).slice(0, 3);
  if (!finishers.length) return el("p", { class: "faint center" }, "No player finished.");
  return el("ol", { class: "podium", "aria-hidden": "true" }, finishers.map((row, index) => el("li", { class: `step step${index + 1}` },
    el("b", { dir: "auto" }, room.nameOf(row.player).name), el("span", {}, gap(row, rows[0]) || time(row.state.finished.time, 2)), el("i", {}, row.place))));
}

/** @param {import("./room.js").Room} room */
function readiness(room) {
  const people = room.players.filter((member) => member.kind === "human" && member.connected);
  const ready = people.filter((member) => member.ready);
  return people.length > 1 && ready.length ? el("p", { class: "faint center" }, `${ready.length} of ${people.length} are ready for the next heat.`) : null;
}

/**
 * Checks the seed: against what was promised before the start, and against the board.
 * @param {import("./room.js").Room} room @param {any} result
 * @returns {Promise<{commitment: boolean | null, board: boolean | null, start: boolean}>}
 */
async function check(room, result) {
  const { setup, start } = room.state;
  // After a reload the page knows it from the countdown.
  const promised = room.state.promised ?? (stored("commitment") === setup.commitment ? setup : null);
  const { spec } = room.setup.options;
  const same = (/** @type {any} */ one, /** @type {any} */ other) => JSON.stringify(one) === JSON.stringify(other);
  const commitment = promised && room.rules
    ? room.rules.call({ proves: { spec, reveal: result.reveal, commitment: promised.commitment } }) : null;
  const board = await askWorker({ request: { board: { spec, seed: result.reveal.seed } } }, room.left.signal).then((made) => same(made, result.start), () => null);
  return { commitment, board, start: !start || same(start, result.start) };
}

/** @param {import("./room.js").Room} room @param {any} result */
function checks(room, result) {
  const lines = {
    commitment: el("li", {}, "Seed against the commitment: …"),
    board: el("li", {}, "Board against the seed: …"),
  };
  // The results are shown anew at each message of the roster; the check runs once.
  result.checking ??= check(room, result);
  result.checking.then((/** @type {Awaited<ReturnType<typeof check>>} */ { commitment, board, start }) => {
    setText(lines.commitment, commitment === null ? "Seed: this page was opened after the commitment was published." : commitment ? "✓ The seed is the one that was committed to before the start." : "✗ The seed is NOT the one that was committed to.");
    setText(lines.board, board === null ? "The board could not be checked here." : board && start ? "✓ The seed gives the board that was raced." : "✗ The board is NOT that of the seed.");
    lines.commitment.className = commitment === false ? "bad" : commitment ? "good" : "faint";
    lines.board.className = board === false || !start ? "bad" : board ? "good" : "faint";
  });
  return el("details", { class: "checks", open: !result.isFolded, ontoggle: (/** @type {any} */ { target }) => { result.isFolded = !target.open; } }, el("summary", { "data-id": "checks" }, "Fairness"), el("div", { role: "status" }, el("ul", {}, lines.commitment, lines.board)),
    el("p", { class: "faint mono" }, `${puzzle(room.setup.options.spec)} · seed ${result.reveal.seed}`));
}
