// The standings as rows: place, name, progress, time.

import { el } from "./dom.js";
import { kindOf, ordinal, time } from "./words.js";

/**
 * @param {import("./room.js").Room} room
 * @param {{finals?: boolean[], gaps?: boolean}} [marks] whether those behind the first show how far
 */
export function standingRows(room, { finals = [], gaps = false } = {}) {
  const { rows, you } = room.state;
  const winner = rows[0]?.state?.finished?.time;
  return rows.map((/** @type {any} */ row, /** @type {number} */ index) => {
    const { name, kind } = room.nameOf(row.player);
    const finished = row.state?.finished;
    const end = finished ? (gaps && finished.time > winner ? `+${time(finished.time - winner, 2)}` : time(finished.time, 2)) : row.state === "dnf" ? "out" : `${Math.floor(row.progress / 10)} %`;
    const provisional = finished && finals[index] === false ? "?" : "";
    return el("li", { class: [row.player === you ? "own" : "", finished ? "finished" : "", row.state === "dnf" ? "out" : "", row.connected ? "" : "away"].join(" "), vars: { "--progress": row.progress / 1000 } },
      el("span", { class: "place" }, row.place, el("span", { class: "spoken" }, ordinal(row.place).replace(/\d+/, "")), provisional),
      el("span", { class: "name", dir: "auto" }, name, kind === "human" ? null : el("small", { class: "faint" }, ` ${kindOf(kind)}`), row.connected ? null : el("small", { class: "bad" }, " away")),
      el("span", { class: "end" }, end));
  });
}
