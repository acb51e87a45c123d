// Numberlink: cells to press, over a canvas with the links. Finger, mouse and keys draw strokes; the
// rules say on a copy what each would do, and a stroke is one move when it is let go.

import { button, el, speak } from "./dom.js";
import { isLinked, onGround, owners, paint, terminals } from "./paint.js";
import { sizeOf } from "./families.js";
import { letters } from "./link_colors.js";
import { counted } from "./words.js";

/** The least side of a cell that a finger meets, in CSS pixels, and that of an enlarged one. */
const TARGET = 44;
const ENLARGED = 52;
/** The largest board, in parts of what fits. */
const MOST = 4;
/** How near to the edge of what is shown a stroke moves an enlarged board on, and how far in a frame. */
const EDGE = 28;
const EDGE_STEP = 6;

/** @type {Record<string, [number, number]>} */
const KEYS = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  w: [-1, 0], s: [1, 0], a: [0, -1], d: [0, 1], k: [-1, 0], j: [1, 0], h: [0, -1], l: [0, 1],
};

/** @type {Record<string, string>} */
const STROKES = {
  solid: "That cell is solid.",
  other_terminal: "Another link ends there.",
  past_terminal: "The link ends here.",
  touches: "No link may touch itself here.",
  starts_nowhere: "Start at a letter or on a link.",
  too_long: "Too long for one stroke: let go.",
};

/** @param {any} why why a stroke isn't legal */
function illegalStroke(why) {
  const link = why?.link;
  const name = typeof link === "string" ? link : Object.keys(link ?? {})[0];
  return STROKES[name] ?? "";
}

/** @type {Record<string, string>} */
const REASONS = {
  corner: "in a corner there are only two ways",
  only_way_out: "it is the only way out",
  pass_through: "the link must pass through here",
  ring: "any other way closes a ring",
  would_touch: "any other way would touch itself",
  dead_end: "any other way leaves a dead end",
  would_cut_off: "any other way cuts off a part of the board",
  would_strand: "any other way leaves a cell that no link can reach",
  follows: "what must be drawn elsewhere leaves no other way",
};

/** @param {any} reason */
function reason(reason) {
  if (reason?.trial) return `any other way fails within ${counted(reason.trial.depth, "step")}`;
  return REASONS[reason] ?? "";
}

export class LinkBoard {
  /**
   * @param {any} board
   * @param {import("./race.js").OwnRace} own
   */
  constructor(board, { play, rules, tell }) {
    this.play = play;
    this.rules = rules;
    this.tell = tell;
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
    this.board = el("div", {
      class: "link", vars: { "--rows": this.rows, "--columns": this.columns },
      onpointerdown: (/** @type {PointerEvent} */ event) => this.press(event),
      onpointermove: (/** @type {PointerEvent} */ event) => this.drag(event),
      onpointerup: (/** @type {PointerEvent} */ event) => this.release(event),
      onpointercancel: (/** @type {PointerEvent} */ event) => {
        this.fingers.delete(event.pointerId);
        if (!this.fingers.size) this.pinch = null;
        this.cancel();
      },
      onfocusin: (/** @type {FocusEvent} */ event) => this.focusCell(event),
    }, this.canvas, this.grid);
    /** What is shown of the board: all of it, or a part that is enlarged. */
    this.element = el("div", { class: "link-view", onwheel: (/** @type {WheelEvent} */ event) => this.wheel(event) }, this.board);
    this.zoom = 1;
    /** Enlarges the board where its cells are smaller than a finger's target. */
    this.zoomButton = button("Zoom", () => {
      this.enlarge(this.zoom > 1 ? 1 : ENLARGED / this.fittingCell);
      tell(this.zoom > 1 ? "An empty cell, or two fingers, drag the board." : "");
    }, { "aria-pressed": "false", hidden: true });
    this.tools = [button("Undo", () => this.undo()), button("Clear", () => this.clear()), this.zoomButton];
    /** @type {Map<number, {x: number, y: number}>} the fingers on the board */
    this.fingers = new Map();
    /** @type {{x: number, y: number, apart: number, zoom: number} | null} two fingers that move or enlarge it */
    this.pinch = null;
    /** @type {{x: number, y: number} | null} where a finger moves an enlarged board */
    this.pan = null;
    this.edge = 0;
    this.observer = new ResizeObserver(() => this.resize());
    for (const element of [this.board, this.element]) this.observer.observe(element);
    this.endGround = onGround(() => this.paint());
    this.place();
  }

  close() {
    this.observer.disconnect();
    cancelAnimationFrame(this.edge);
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
    const { clientWidth: width, clientHeight: height } = this.board;
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
      const what = value === -1 ? "solid" : value > 0 ? `end of ${letters(value)}${link ? (isLinked(this.shown, value) ? ", linked" : ", begun") : ""}` : link ? `link ${letters(link)}` : "empty";
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
    const box = this.board.getBoundingClientRect();
    const row = Math.floor((y - box.top) / (box.height / this.rows));
    const column = Math.floor((x - box.left) / (box.width / this.columns));
    return row >= 0 && row < this.rows && column >= 0 && column < this.columns ? row * this.columns + column : -1;
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0) return;
    const cell = this.cellAt(event.clientX, event.clientY);
    if (cell < 0) return;
    event.preventDefault();
    this.board.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (this.fingers.size === 2) this.beginPinch();
    if (this.touch || this.fingers.size > 1) return;
    // From a cell on which nothing begins an enlarged board is moved.
    this.pan = this.zoom > 1 && !this.numberAt(cell) ? { x: event.clientX, y: event.clientY } : null;
    this.cursor = cell;
    this.held = this.numberAt(cell) ? [cell] : [];
    this.touch = { id: event.pointerId, tapping: this.held.length > 0 };
    this.refresh();
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const finger = this.fingers.get(event.pointerId);
    if (!finger) return;
    [finger.x, finger.y] = [event.clientX, event.clientY];
    if (this.pinch) return this.movePinch();
    if (this.pan) {
      this.element.scrollBy(this.pan.x - finger.x, this.pan.y - finger.y);
      this.pan = { ...finger };
      return;
    }
    if (!this.touch || event.pointerId !== this.touch.id || this.held.length === 0) return;
    for (const point of event.getCoalescedEvents?.() ?? [event]) {
      const cell = this.cellAt(point.clientX, point.clientY);
      if (cell < 0 || cell === this.held.at(-1)) continue;
      if (!this.extend(cell)) return;
    }
    if (this.zoom > 1) this.edge ||= requestAnimationFrame(() => this.followEdge(event.pointerId));
  }

  /** Moves an enlarged board on while a stroke is held at the edge of what is shown. @param {number} id */
  followEdge(id) {
    this.edge = 0;
    const finger = this.fingers.get(id);
    if (!finger || !this.touch || !this.held.length) return;
    const box = this.element.getBoundingClientRect();
    const side = (/** @type {number} */ at, /** @type {number} */ from, /** @type {number} */ to) => (at < from + EDGE ? -EDGE_STEP : at > to - EDGE ? EDGE_STEP : 0);
    const [right, down] = [side(finger.x, box.left, box.right), side(finger.y, box.top, box.bottom)];
    const before = [this.element.scrollLeft, this.element.scrollTop];
    this.element.scrollBy(right, down);
    if (this.element.scrollLeft === before[0] && this.element.scrollTop === before[1]) return;
    const cell = this.cellAt(finger.x, finger.y);
    if (cell >= 0 && cell !== this.held.at(-1) && !this.extend(cell)) return;
    this.edge = requestAnimationFrame(() => this.followEdge(id));
  }

  /** @returns {number} the side of a cell where the whole board is shown */
  get fittingCell() {
    return this.board.clientWidth / this.zoom / this.columns;
  }

  resize() {
    // Half a pixel is lost to rounding.
    this.zoomButton.hidden = this.zoom === 1 && this.fittingCell >= TARGET - 0.5;
    this.paint();
  }

  /**
   * Shows the board larger; what is at a point of the window stays there.
   * @param {number} zoom in parts of the size at which the whole board fits
   * @param {{x: number, y: number}} [at] the cursor's cell unless it is said
   */
  enlarge(zoom, at) {
    const next = Math.min(MOST, Math.max(1, zoom));
    if (!at) {
      const { left, top, width, height } = this.cells[this.cursor].getBoundingClientRect();
      at = { x: left + width / 2, y: top + height / 2 };
    }
    const box = this.board.getBoundingClientRect();
    const [x, y] = [(at.x - box.left) / box.width, (at.y - box.top) / box.height];
    this.zoom = next;
    this.element.classList.toggle("enlarged", next > 1);
    this.element.style.setProperty("--zoom", String(next));
    const now = this.board.getBoundingClientRect();
    this.element.scrollBy(now.left + x * now.width - at.x, now.top + y * now.height - at.y);
    this.zoomButton.setAttribute("aria-pressed", String(next > 1));
    this.resize();
  }

  /** @param {WheelEvent} event of two fingers on a touchpad, or with Ctrl */
  wheel(event) {
    if (!event.ctrlKey) return;
    event.preventDefault();
    this.enlarge(this.zoom * Math.exp(-event.deltaY / 200), { x: event.clientX, y: event.clientY });
  }

  /** The middle of two fingers, and how far they are apart. */
  spread() {
    const [one, two] = this.fingers.values();
    return { x: (one.x + two.x) / 2, y: (one.y + two.y) / 2, apart: Math.max(1, Math.hypot(one.x - two.x, one.y - two.y)) };
  }

  beginPinch() {
    // The first finger meant no stroke.
    this.cancel();
    this.pinch = { ...this.spread(), zoom: this.zoom };
  }

  movePinch() {
    if (!this.pinch || this.fingers.size < 2) return;
    const { x, y, apart } = this.spread();
    this.element.scrollBy(this.pinch.x - x, this.pinch.y - y);
    [this.pinch.x, this.pinch.y] = [x, y];
    this.enlarge((this.pinch.zoom * apart) / this.pinch.apart, { x, y });
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
    this.fingers.delete(event.pointerId);
    this.pan = null;
    // What is left of two fingers draws nothing.
    if (this.fingers.size === 0) this.pinch = null;
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
    // A stroke back along its link leaves its first cell without one.
    const number = cells.length > 1 ? this.numberAt(cells[0]) : 0;
    this.held = [];
    if (!number || !this.play({ link: { draw: cells } })) this.refresh();
    else if (isLinked(this.drawing, number)) speak(`${letters(number)} linked`);
  }

  cancel() {
    this.touch = this.pan = null;
    if (this.held.length) this.cursor = this.held[0];
    this.held = [];
    this.refresh();
  }

  undo() {
    if (this.held.length) this.cancel();
    else if (!this.play({ link: "undo" })) this.tell("There is nothing to undo.");
  }

  clear() {
    const number = this.numberAt(this.held[0] ?? this.cursor);
    this.held = [];
    const first = number ? this.drawing.links[number - 1][0] : undefined;
    if (first === undefined || !this.play({ link: { draw: [first] } })) {
      this.refresh();
      this.tell("No link is drawn here.");
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
    if (direction) this.step(direction[0], direction[1], event.shiftKey);
    else if (/^[1-9]$/.test(event.key)) this.goTo(Number(event.key));
    else if (event.key === " " || event.key === "Enter") this.grip();
    else if (event.key === "Backspace") this.back();
    else if (event.key === "Escape" && this.held.length) this.cancel();
    else if (event.key === "u") this.undo();
    else if (event.key === "c") this.clear();
    else if (event.key === "z" && !this.zoomButton.hidden) this.zoomButton.click();
    else if (event.key === "n" || event.key === "p") this.jump(event.key === "n");
    else return false;
    event.preventDefault();
    return true;
  }

  /** Moves the cursor, or draws. @param {number} down @param {number} right @param {boolean} far as far as nothing is cut */
  step(down, right, far) {
    const own = this.held.length ? this.numberAt(this.held[0]) : 0;
    for (let isFirst = true; isFirst || far; isFirst = false) {
      const [row, column] = [Math.floor(this.cursor / this.columns) + down, (this.cursor % this.columns) + right];
      if (row < 0 || row >= this.rows || column < 0 || column >= this.columns) break;
      const [from, to] = [this.cursor, row * this.columns + column];
      if (own && !isFirst && ![0, own].includes(this.numberAt(to))) break;
      if (!own) {
        this.cursor = to;
        this.place();
        continue;
      }
      const goesOn = this.extend(to);
      if (this.refused) this.tell(this.refused);
      if (!goesOn || this.cursor === from) break;
    }
    this.cells[this.cursor].focus();
  }

  /** Goes to a number; from there to its other end. @param {number} number */
  goTo(number) {
    const ends = terminals(this.drawing).filter(([, value]) => value === number).map(([cell]) => cell);
    if (!ends.length) return;
    this.letGo();
    this.cursor = ends[(ends.indexOf(this.cursor) + 1) % ends.length];
    this.refresh();
    this.cells[this.cursor].focus();
  }

  grip() {
    if (this.held.length) this.letGo();
    else if (this.numberAt(this.cursor)) {
      this.held = [this.cursor];
      speak(`drawing ${letters(this.numberAt(this.cursor))}`);
      this.refresh();
    } else {
      this.tell("Start at a letter or on a link.");
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
    if (at < 1) return this.tell("There is nothing to take back.");
    this.held = [];
    this.cursor = cells[at - 1];
    this.play({ link: { draw: [cells[at - 1]] } });
  }

  /** @param {any} given */
  showHint(given) {
    const hint = given.hint.link;
    const first = hint.wrong?.from ?? (hint.forced ?? hint.reveal)?.cells[0];
    if (first === undefined) return;
    if (this.held.length === 0) this.cursor = first;
    this.place();
    // Not under a finger that draws.
    if (this.fingers.size === 0) this.bringIntoView(first);
  }

  /** Moves an enlarged board until a cell is in the middle, unless it is shown. @param {number} cell */
  bringIntoView(cell) {
    const [shown, at] = [this.element.getBoundingClientRect(), this.cells[cell].getBoundingClientRect()];
    if (at.left >= shown.left && at.right <= shown.right && at.top >= shown.top && at.bottom <= shown.bottom) return;
    const middle = (/** @type {DOMRect} */ box) => [box.left + box.width / 2, box.top + box.height / 2];
    const [[x, y], [toX, toY]] = [middle(at), middle(shown)];
    this.element.scrollBy(x - toX, y - toY);
  }

  /** @param {any} given @returns {string} the words of a hint */
  hintText(given) {
    const { wrong, forced, reveal } = given.hint.link;
    if (wrong) return `Link ${letters(wrong.number)} can't be right from the marked cell on.`;
    if (forced) return `${forced.number ? `Link ${letters(forced.number)}` : "A link"}: ${reason(forced.reason)}.`;
    return `Link ${letters(reveal.number)} goes this way.`;
  }
}
