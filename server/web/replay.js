// A replay: play, pause, speed, seek; checked before it plays.

import { Connection } from "./net.js";
import { raceRules, replayRules } from "./rules.js";
import { askWorker } from "./rules_worker_client.js";
import { proof } from "./identity.js";
import { brand, button, el, fill, isTyping, setText } from "./dom.js";
import { BoardGrid } from "./board_grid.js";
import { counted, isolate, puzzle, refused, time } from "./words.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 16];

/**
 * @param {string} id
 * @returns {Promise<import("./main.js").Page>}
 */
export async function replayPage(id) {
  document.title = `Replay ${id} · gridrace`;
  const main = el("main", { class: "replay" });
  const element = el("div", { class: "room" }, el("header", { class: "bar" }, el("a", { href: "/", "aria-label": "gridrace, first page", class: "home-link" }, brand()), el("h1", { class: "title" }, `Replay ${id}`)), main);
  fill(main, el("p", { class: "faint" }, "Loading…"));
  const left = new AbortController();
  open(id, main, left.signal).catch((error) => fill(main, el("div", { class: "card gate" }, el("p", { role: "alert" }, error.message),
    el("div", { class: "actions" }, el("a", { class: "button primary", href: "/" }, "First page")))));
  return { element, leave: () => left.abort() };
}

/**
 * Asks the server for the file of a heat, which it gives of a private room to those who raced alone.
 * @param {string} id
 * @param {AbortSignal} left
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
async function download(id, left) {
  const rules = await raceRules();
  left.throwIfAborted();
  return new Promise((resolve, reject) => {
    /** @type {number[]} */
    let bytes = [];
    const connection = new Connection({
      welcome: ({ challenge }) => {
        connection.send({ identify: proof(rules, challenge) });
        connection.send({ replay: { heat: id, from: bytes.length } });
      },
      receive: (kind, body) => {
        if (kind === "refused" && body !== "unproven") {
          connection.close();
          reject(new Error(body === "no_replay" ? "This server shows you no replay of that name: its heat may have been private." : refused(body)));
        } else if (kind === "replay" && body.from === bytes.length) {
          bytes = bytes.concat((body.bytes.match(/../g) ?? []).map((/** @type {string} */ digits) => parseInt(digits, 16)));
          if (bytes.length < body.total) return connection.send({ replay: { heat: id, from: bytes.length } });
          connection.close();
          resolve(new Uint8Array(bytes));
        }
      },
      lost: () => {},
      end: (why) => reject(new Error(why)),
    });
    left.addEventListener("abort", () => connection.close());
  });
}

/** @param {string} id @param {HTMLElement} main @param {AbortSignal} left */
async function open(id, main, left) {
  const [rules, file] = await Promise.all([replayRules(), download(id, left)]);
  if (left.aborted) return;
  const summary = rules.replay(file);
  let moment = rules.call({ seek: { at: 0 } });
  const names = new Map(summary.players.map((/** @type {any} */ player) => [player.id, { ...player, name: isolate(player.name) }]));
  // What the grid of boards asks of a room.
  const room = /** @type {any} */ ({
    setup: { options: summary.options, commitment: summary.commitment },
    boards: new Map(), state: { rows: [] },
    nameOf: (/** @type {number} */ player) => names.get(player) ?? { name: String(player), kind: "human" },
  });
  const take = () => {
    room.state.rows = moment.standings;
    for (const { player, board } of moment.boards) room.boards.set(player, board);
  };
  take();
  const grid = new BoardGrid(room);
  let [playing, speed, at, last] = [true, 1, 0, performance.now()];
  const clock = el("span", { class: "clock" });
  const bar = el("input", { type: "range", min: "0", max: String(Math.ceil(summary.end / 100) * 100), step: "100", value: "0", "aria-label": "Time", oninput: () => seek(Number(bar.value)) });
  const pause = button("Pause", () => toggle(), { "data-id": "pause" });
  const speeds = el("select", { "aria-label": "Speed", onchange: () => { speed = Number(speeds.value); } }, SPEEDS.map((value) => el("option", { value: String(value), selected: value === 1 }, `${value}×`)));
  const show = () => {
    take();
    grid.update(moment.boards.map((/** @type {any} */ one) => one.player));
    setText(clock, `${time(at, 1)} / ${time(summary.end, 1)}`);
    bar.value = String(at);
    bar.setAttribute("aria-valuetext", time(at, 1));
    setText(pause, playing ? "Pause" : at >= summary.end ? "Again" : "Play");
  };
  /** @param {number} to */
  const seek = (to) => {
    at = Math.max(0, Math.min(summary.end, to));
    moment = rules.call({ seek: { at: Math.round(at) } });
    show();
  };
  const toggle = () => {
    if (!playing && at >= summary.end) at = 0;
    playing = !playing;
    seek(at);
  };
  /** @param {string} request */
  const step = (request) => {
    playing = false;
    moment = rules.call(request);
    at = moment.at;
    show();
  };
  const signature = { valid: `signed by server ${summary.signer}`, invalid: "the signature is WRONG", unsigned: "unsigned" }[/** @type {"valid"} */ (summary.signature)];
  const verdict = el("div", { role: "status" }, el("p", { class: "faint" }, "Checking moves, times and places…"));
  askWorker({ file }, left).then((/** @type {string[]} */ errors) => {
    fill(verdict, errors.length ? el("p", { class: "bad", role: "alert" }, `✗ ${counted(errors.length, "thing does", "things do")} not hold: ${errors.slice(0, 3).join("; ")}`)
      : el("p", { class: "good" }, "✓ Every move, time and place follows from the rules and the seed."));
  }, (error) => fill(verdict, el("p", { class: "faint" }, `Not checked: ${error.message}.`)));
  const address = URL.createObjectURL(new Blob([file]));
  const source = el("details", {}, el("summary", {}, summary.signature === "unsigned" ? "Seed" : "Seed and signature"), el("p", { class: "mono faint" }, `seed ${summary.seed}; ${signature}`));
  fill(main, el("div", {}, el("p", {}, `${puzzle(summary.options.spec)} · ${counted(summary.players.length, "player")}${summary.began ? ` · ${new Date(summary.began * 1000).toLocaleString()}` : ""}`), verdict, summary.signature === "invalid" ? el("p", { class: "bad", role: "alert" }, "✗ The signature is WRONG.") : null, source),
    el("div", { class: "stage" }, grid.element),
    el("div", { class: "player-bar" }, pause, button("‹", () => step("back"), { "aria-label": "Event before" }), button("›", () => step("forward"), { "aria-label": "Next event" }), bar, clock, speeds,
      el("a", { class: "button quiet", href: address, download: `${id}.grr` }, "File")));
  /** @param {KeyboardEvent} event */
  const onKey = (event) => {
    if (isTyping(event) || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === " " && !(event.target instanceof Element && event.target.closest("button, summary, a"))) toggle();
    else if (event.key === "ArrowLeft") seek(at - 5000);
    else if (event.key === "ArrowRight") seek(at + 5000);
    else if (event.key === "Home") seek(0);
    else if (event.key === "End") seek(summary.end);
    else return;
    event.preventDefault();
  };
  addEventListener("keydown", onKey, { signal: left });
  const frame = (/** @type {number} */ now) => {
    if (left.aborted) return;
    requestAnimationFrame(frame);
    // A tab that was hidden goes on where it was.
    const passed = Math.min(100, now - last);
    last = now;
    if (!playing) return;
    if (at + passed * speed >= summary.end) playing = false;
    seek(at + passed * speed);
  };
  requestAnimationFrame(frame);
  left.addEventListener("abort", () => {
    grid.close();
    URL.revokeObjectURL(address);
  });
}
