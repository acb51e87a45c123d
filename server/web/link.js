// Numberlink: cells to press, over a canvas with the links. Finger, mouse and keys draw strokes; the
// rules say on a copy what each would do, and a stroke is one move when it is let go.

import { el, speak, toast } from "./dom.js";
import { isLinked, owners, paint, sizeOf } from "./paint.js";
import { onGround } from "./palette.js";
import { illegalStroke } from "./words.js";

/** @type {Record<string, [number, number]>} */
const KEYS = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  w: [-1, 0], s: [1, 0], a: [0, -1], d: [0, 1], k: [-1, 0], j: [1, 0], h: [0, -1], l: [0, 1],
};

export class LinkBoard {
  /**
   * @param {any} board
   * @param {(move: any) => boolean} play
   * @param {(request: any) => any} rules answers requests about the own race
   */
  constructor(board, play, rules) {
    this.play = play;
    this.rules = rules;
    this.drawing = board.link;
    const [rows, columns] = sizeOf(board);
    this.rows = rows;
    this.columns = columns;
    /** @type {number[]} the stroke in the making */
    this.held = [];
    /** @type {any} the drawing with that stroke */
    this.shown = this.drawing;
    /** @type {{id: number, tapping: boolean} | null} */
    this.touch = null;
    this.cursor = Math.max(0, this.drawing.puzzle.cells.indexOf(1));
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.grid = el("div", { class: "cells", role: "grid", "aria-label": "Board", "aria-rowcount": this.rows, "aria-colcount": this.columns });
    /** @type {HTMLElement[]} */
    this.cells = [];
    for (let row = 0; row < this.rows; row++) {
      const line = el("div", { role: "row" });
      for (let column = 0; column < this.columns; column++) {
        const cell = el("div", { role: "gridcell", tabIndex: -1, class: "cell" });
        this.cells.push(cell);
        line.append(cell);
      }
      this.grid.append(line);
    }
    this.element = el("div", {
      class: "link", vars: { "--rows": this.rows, "--columns": this.columns },
      onpointerdown: (/** @type {PointerEvent} */ event) => this.press(event),
      onpointermove: (/** @type {PointerEvent} */ event) => this.drag(event),
      onpointerup: (/** @type {PointerEvent} */ event) => this.release(event),
      onpointercancel: () => this.cancel(),
      onfocusin: (/** @type {FocusEvent} */ event) => this.focusCell(event),
    }, this.canvas, this.grid);
    this.observer = new ResizeObserver(() => this.paint());
    this.observer.observe(this.element);
    this.endGround = onGround(() => this.paint());
    this.place();
  }

  close() {
    this.observer.disconnect();
    this.endGround();
  }

  /** @param {any} race */
  update(race) {
    this.drawing = race.board.link;
    this.hint = race.hint?.hint.link;
    // What can't be drawn any longer is put down.
    if (this.held.length > 1 && this.try(this.held).cells.length < this.held.length) this.held = [];
    this.refresh();
  }

  /** @param {number[]} cells */
  try(cells) {
    return this.rules({ try: { cells } });
  }

  refresh() {
    this.shown = this.held.length > 1 ? this.try(this.held).board?.link ?? this.drawing : this.drawing;
    this.place();
    this.paint();
  }

  paint() {
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!width) return;
    const hint = this.hint?.forced?.cells ?? this.hint?.reveal?.cells;
    paint(this.canvas, { link: this.shown }, width, height, { hint, wrong: this.hint?.wrong?.from });
  }

  place() {
    const owner = owners(this.shown);
    this.cells.forEach((cell, index) => {
      const value = this.shown.puzzle.cells[index];
      const [row, column] = [Math.floor(index / this.columns) + 1, (index % this.columns) + 1];
      const link = owner.get(index);
      const what = value === -1 ? "solid" : value > 0 ? `number ${value}${link ? (isLinked(this.shown, value) ? ", linked" : ", begun") : ""}` : link ? `link ${link}` : "empty";
      const label = `${what}, row ${row}, column ${column}`;
      if (cell.getAttribute("aria-label") !== label) cell.setAttribute("aria-label", label);
      cell.tabIndex = index === this.cursor ? 0 : -1;
      cell.classList.toggle("cursor", index === this.cursor);
      cell.classList.toggle("held", this.held.includes(index));
    });
  }

  /** @param {number} cell @returns {number} the number whose terminal or link it is; 0 for none */
  numberAt(cell) {
    const value = this.drawing.puzzle.cells[cell];
    return value > 0 ? value : owners(this.drawing).get(cell) ?? 0;
  }

  /** @param {number} x @param {number} y */
  cellAt(x, y) {
    const box = this.element.getBoundingClientRect();
    const row = Math.floor((y - box.top) / (box.height / this.rows));
    const column = Math.floor((x - box.left) / (box.width / this.columns));
    return row >= 0 && row < this.rows && column >= 0 && column < this.columns ? row * this.columns + column : -1;
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0 || this.touch) return;
    const cell = this.cellAt(event.clientX, event.clientY);
    if (cell < 0) return;
    event.preventDefault();
    this.element.setPointerCapture(event.pointerId);
    this.cursor = cell;
    this.held = this.numberAt(cell) ? [cell] : [];
    this.touch = { id: event.pointerId, tapping: this.held.length > 0 };
    this.refresh();
  }

  /** @param {PointerEvent} event */
  drag(event) {
    if (!this.touch || event.pointerId !== this.touch.id || this.held.length === 0) return;
    for (const point of event.getCoalescedEvents?.() ?? [event]) {
      const cell = this.cellAt(point.clientX, point.clientY);
      if (cell < 0 || cell === this.held.at(-1)) continue;
      if (!this.extend(cell)) return;
    }
  }

  /**
   * Extends the stroke to a cell; a whole link is a move at once.
   * @param {number} to @returns {boolean} whether the stroke goes on
   */
  extend(to) {
    const trial = this.rules({ extend: { cells: this.held, to } });
    if (this.touch) this.touch.tapping &&= trial.cells.length === 1;
    this.held = trial.cells;
    this.cursor = this.held.at(-1) ?? this.cursor;
    if (trial.whole && this.held.length > 1) {
      this.letGo();
      return false;
    }
    this.refused = trial.refused ? illegalStroke(trial.refused) : "";
    this.refresh();
    return true;
  }

  /** @param {PointerEvent} event */
  release(event) {
    if (this.touch?.id !== event.pointerId) return;
    const { tapping } = this.touch;
    this.touch = null;
    // A tap on a terminal wipes its link out, one on a drawn cell what lies behind it.
    if (tapping) {
      const cells = this.held;
      this.held = [];
      if (!this.play({ link: { draw: cells } })) this.refresh();
    } else {
      this.letGo();
    }
  }

  letGo() {
    const cells = this.held;
    this.held = [];
    const played = cells.length > 1 && this.play({ link: { draw: cells } });
    if (!played) this.refresh();
    else if (isLinked(this.drawing, this.numberAt(cells[0]))) speak(`${this.numberAt(cells[0])} linked`);
  }

  cancel() {
    this.touch = null;
    if (this.held.length) this.cursor = this.held[0];
    this.held = [];
    this.refresh();
  }

  undo() {
    if (this.held.length) this.cancel();
    else if (!this.play({ link: "undo" })) toast("There is nothing to undo.");
  }

  clear() {
    const number = this.numberAt(this.held[0] ?? this.cursor);
    this.held = [];
    const first = number ? this.drawing.links[number - 1][0] : undefined;
    if (first === undefined || !this.play({ link: { draw: [first] } })) {
      this.refresh();
      toast("No link is drawn here.");
    }
  }

  /** Goes on to a terminal of a number that isn't linked yet. @param {boolean} forward */
  jump(forward) {
    this.letGo();
    /** @type {number[]} */
    const ends = [];
    for (let number = 1; number <= this.drawing.links.length; number++) {
      this.drawing.puzzle.cells.forEach((/** @type {number} */ value, /** @type {number} */ cell) => {
        if (value === number && (cell === this.cursor || !isLinked(this.drawing, number))) ends.push(cell);
      });
    }
    const at = ends.indexOf(this.cursor);
    this.cursor = ends[at < 0 ? 0 : (at + (forward ? 1 : ends.length - 1)) % ends.length] ?? this.cursor;
    this.refresh();
    this.cells[this.cursor].focus();
  }

  /** @param {FocusEvent} event */
  focusCell(event) {
    const index = this.cells.indexOf(/** @type {HTMLElement} */ (event.target));
    if (index < 0 || index === this.cursor || this.held.length) return;
    this.cursor = index;
    this.place();
  }

  /** @param {KeyboardEvent} event @returns {boolean} */
  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return false;
    const direction = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
    if (direction) this.step(direction[0], direction[1]);
    else if (event.key === " " || event.key === "Enter") this.grip();
    else if (event.key === "Backspace") this.back();
    else if (event.key === "Escape" && this.held.length) this.cancel();
    else if (event.key === "u") this.undo();
    else if (event.key === "c") this.clear();
    else if (event.key === "n" || event.key === "p") this.jump(event.key === "n");
    else return false;
    event.preventDefault();
    return true;
  }

  /** @param {number} down @param {number} right */
  step(down, right) {
    const [row, column] = [Math.floor(this.cursor / this.columns) + down, (this.cursor % this.columns) + right];
    if (row < 0 || row >= this.rows || column < 0 || column >= this.columns) return;
    const to = row * this.columns + column;
    if (this.held.length) {
      this.extend(to);
      if (this.refused) toast(this.refused);
    } else {
      this.cursor = to;
      this.place();
    }
    this.cells[this.cursor].focus();
  }

  grip() {
    if (this.held.length) this.letGo();
    else if (this.numberAt(this.cursor)) {
      this.held = [this.cursor];
      speak(`drawing ${this.numberAt(this.cursor)}`);
      this.refresh();
    } else {
      toast("Start at a number or on a link.");
    }
  }

  /** One step back along the link here. */
  back() {
    if (this.held.length > 1) {
      this.extend(this.held[this.held.length - 2]);
      return;
    }
    const number = this.numberAt(this.cursor);
    const cells = number ? this.drawing.links[number - 1] : [];
    const at = cells.indexOf(this.cursor);
    if (at < 1) return toast("There is nothing to take back.");
    this.held = [];
    this.cursor = cells[at - 1];
    this.play({ link: { draw: [cells[at - 1]] } });
  }

  /** @param {any} given */
  showHint(given) {
    const hint = given.hint.link;
    const first = hint.wrong?.from ?? (hint.forced ?? hint.reveal)?.cells[0];
    if (first !== undefined && this.held.length === 0) this.cursor = first;
    this.place();
  }
}
