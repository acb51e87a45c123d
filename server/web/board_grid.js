// All boards of a heat side by side, as large as the room for them allows.

import { el, setText } from "./dom.js";
import { onGround, paint } from "./paint.js";
import { sizeOf } from "./families.js";
import { ordinal, time } from "./words.js";

/** Height of a caption in pixels and on a large screen in parts of it, and the gap between boards: the wider where there is room. */
const CAPTION = { least: 30, part: 0.028 };
const GAPS = [12, 28];
/** Boards narrower than this many heights of their captions have short ones. */
const BRIEF = 7.7;
/** Where there is room: the least width, and the most boards. */
const ROOMY = { width: 900, boards: 12 };

export class BoardGrid {
  /** @param {import("./room.js").Room} room */
  constructor(room) {
    this.room = room;
    /** @type {Map<number, {box: HTMLElement, canvas: HTMLCanvasElement, name: HTMLElement, end: HTMLElement}>} */
    this.boxes = new Map();
    /** @type {Set<number>} the boards to paint in the next frame */
    this.dirty = new Set();
    this.element = el("div", { class: "board-grid" });
    this.observer = new ResizeObserver(() => this.layout());
    this.observer.observe(this.element);
    this.endGround = onGround(() => this.all());
    this.frame = 0;
    /** @type {import("./picture.js").Picture | null} what tiles show */
    this.picture = null;
    if (room.setup.options.picture) this.loadPicture();
    /** @type {number[] | undefined} width and height of a board */
    this.size = undefined;
    this.caption = CAPTION.least;
    this.all();
  }

  async loadPicture() {
    const { pictureOf } = await import("./picture.js");
    this.picture = await pictureOf(this.room.setup, this.room.state.image);
    this.all();
  }

  all() {
    this.update([...(this.room.boards?.keys() ?? [])]);
  }

  /** @param {number[]} players */
  update(players) {
    const { race, state } = this.room;
    for (const player of players) {
      // Boards are late: a player who has just solved would see its own unsolved.
      if (race && player === state.you) continue;
      if (!this.boxes.has(player)) this.add(player);
      this.dirty.add(player);
    }
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.paint();
    });
  }

  /** @param {number} player */
  add(player) {
    // Its progress joins its name in the next frame.
    const canvas = el("canvas", { role: "img", "aria-label": `Board of ${this.room.nameOf(player).name}` });
    const [name, end] = [el("span", { class: "name", dir: "auto" }), el("span", { class: "end" })];
    const box = el("figure", { class: "watched" }, el("figcaption", {}, name, end), canvas);
    this.boxes.set(player, { box, canvas, name, end });
    this.element.append(box);
    this.layout();
  }

  /** Finds the number of columns with the largest boards. */
  layout() {
    const { clientWidth: width, clientHeight: height } = this.element;
    const board = this.room.boards?.values().next().value;
    const count = this.boxes.size;
    if (!board || !count || !width) return;
    const [rows, columns] = sizeOf(board);
    this.caption = Math.max(CAPTION.least, Math.floor(CAPTION.part * Math.min(innerWidth, innerHeight)));
    const gap = GAPS[width > ROOMY.width && count <= ROOMY.boards ? 1 : 0];
    let best = { size: 0, across: 1 };
    for (let across = 1; across <= count; across++) {
      const down = Math.ceil(count / across);
      const cell = Math.min(((width - (across - 1) * gap) / across) / columns, ((height - (down - 1) * gap) / down - this.caption) / rows);
      if (cell > best.size) best = { size: cell, across };
    }
    const cell = Math.max(4, Math.floor(best.size));
    this.size = [cell * columns, cell * rows];
    this.element.style.setProperty("--caption", `${this.caption}px`);
    this.element.style.gap = `${gap}px`;
    this.element.style.gridTemplateColumns = `repeat(${best.across}, ${cell * columns}px)`;
    this.all();
  }

  paint() {
    const { room } = this;
    if (!this.size) return;
    for (const player of this.dirty) {
      const box = this.boxes.get(player);
      const board = room.boards?.get(player);
      if (box && board) paint(box.canvas, board, this.size[0], this.size[1], { picture: this.picture });
    }
    this.dirty.clear();
    this.captions();
  }

  captions() {
    const { room } = this;
    // Beside the time there would be no room for the name.
    const brief = (this.size?.[0] ?? 0) < BRIEF * this.caption;
    const rows = new Map(room.state.rows.map((/** @type {any} */ row) => [row.player, row]));
    for (const [player, { box, canvas, name, end }] of this.boxes) {
      const row = rows.get(player);
      const finished = row?.state?.finished;
      const text = room.nameOf(player).name;
      setText(name, text);
      setText(end, !row ? "" : finished ? `${ordinal(row.place)}${brief ? "" : ` · ${time(finished.time, 1)}`}` : row.state === "dnf" ? "out" : `${Math.floor(row.progress / 10)} %`);
      box.classList.toggle("leader", row?.place === 1 && row.progress > 0);
      box.classList.toggle("finished", Boolean(finished));
      box.classList.toggle("out", row?.state === "dnf");
      canvas.setAttribute("aria-label", `Board of ${text}${row ? `, ${Math.floor(row.progress / 10)} % done` : ""}`);
      box.style.order = String(row?.place ?? 99);
    }
  }

  close() {
    this.observer.disconnect();
    this.endGround();
    cancelAnimationFrame(this.frame);
  }
}
