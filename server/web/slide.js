// The sliding puzzle: tiles as buttons. Tap, swipe, drag across tiles, and keys.

import { el, speak } from "./dom.js";
import { textOn, tileColor } from "./palette.js";
import { sizeOf } from "./families.js";
import { counted } from "./words.js";

/** How far a finger moves before a touch is a swipe, in parts of a cell. */
const SWIPE = 0.3;
/** How long a second finger's tap may last, in milliseconds. */
const TAP = 200;
/** @type {Record<string, [number, number]>} where a tile goes: rows and columns */
const KEYS = {
  ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1],
  w: [-1, 0], s: [1, 0], a: [0, -1], d: [0, 1], k: [-1, 0], j: [1, 0], h: [0, -1], l: [0, 1],
};

/**
 * The stage of a hint by method.
 * @param {any} stage
 * @returns {string}
 */
function stageText(stage) {
  if (stage === "single_line") return "The blank goes to its end";
  const [kind, { tile, tiles, line }] = /** @type {[string, any]} */ (Object.entries(stage)[0]);
  if (kind === "last_three") return `Last three tiles: ${tiles.join(", ")} round until they are home`;
  const place = line.row ? `Row ${line.row}` : `Last two rows, column ${line.column}`;
  switch (kind) {
    case "tile": return `${place}: tile ${tile} home`;
    case "park": return `${place}: tile ${tile} to the ${line.row ? "end of the row" : "foot of the column"}, to wait`;
    case "park_behind": return `${place}: tile ${tiles[1]} ${line.row ? "below" : "to the right of"} tile ${tiles[0]}`;
    default: return `${place}: ${tiles[0]} and ${tiles[1]} ${line.row ? "into the corner" : "home"} together`;
  }
}

export class SlideBoard {
  /**
   * @param {any} board
   * @param {import("./race.js").OwnRace} own
   */
  constructor(board, { play }) {
    this.play = play;
    const [rows, columns] = sizeOf(board);
    this.rows = rows;
    this.columns = columns;
    this.tiles = board.slide.tiles;
    /** @type {Set<number>} */
    this.movable = new Set();
    /** @type {Map<number, HTMLButtonElement>} */
    this.buttons = new Map();
    this.element = el("div", {
      class: "slide", role: "group", "aria-label": "Board", tabIndex: -1,
      vars: { "--rows": this.rows, "--columns": this.columns, "--letters": this.tiles.length > 100 ? "36cqmin" : "44cqmin" },
      onpointerdown: (/** @type {PointerEvent} */ event) => this.press(event),
      onpointermove: (/** @type {PointerEvent} */ event) => this.drag(event),
      onpointerup: (/** @type {PointerEvent} */ event) => this.release(event),
      onpointercancel: () => { this.touch = null; this.taps.clear(); },
      onkeydown: (/** @type {KeyboardEvent} */ event) => this.focusKey(event),
      // A screen reader's click comes without a pointer.
      onclick: (/** @type {MouseEvent} */ event) => { if (event.detail === 0) this.tap(this.cellOfTarget(event.target)); },
    });
    for (const tile of this.tiles) {
      if (tile === 0) continue;
      const fill = tileColor(tile, this.columns);
      const button = el("button", { type: "button", class: "tile", tabIndex: -1, vars: { "--fill": fill, "--ink": textOn(fill) } }, el("span", {}, tile));
      button.dataset.tile = String(tile);
      this.buttons.set(tile, button);
      this.element.append(button);
    }
    /** @type {{id: number, x: number, y: number, cell: number, moved: boolean} | null} */
    this.touch = null;
    /** @type {Map<number, number>} the cells of other fingers that came just now */
    this.taps = new Map();
    this.focused = this.tiles.find((/** @type {number} */ tile) => tile !== 0);
    this.place();
  }

  /** @param {any} race */
  update(race) {
    this.tiles = race.board.slide.tiles;
    this.movable = new Set(race.movable);
    this.hint = race.hint?.hint.slide;
    this.place();
  }

  place() {
    const hinted = this.hint ? this.tiles[this.hint.play] : 0;
    this.tiles.forEach((/** @type {number} */ tile, /** @type {number} */ cell) => {
      const button = this.buttons.get(tile);
      if (!button) return;
      const [row, column] = [Math.floor(cell / this.columns), cell % this.columns];
      button.style.setProperty("--row", String(row));
      button.style.setProperty("--column", String(column));
      button.classList.toggle("home", tile === cell + 1);
      button.classList.toggle("hinted", tile === hinted);
      button.tabIndex = tile === this.focused ? 0 : -1;
      const movable = this.movable.has(cell) ? ", movable" : "";
      const label = `tile ${tile}, row ${row + 1}, column ${column + 1}${movable}`;
      if (button.getAttribute("aria-label") !== label) button.setAttribute("aria-label", label);
    });
  }

  /** @param {EventTarget | null} target @returns {number} */
  cellOfTarget(target) {
    const button = target instanceof Element ? target.closest(".tile") : null;
    return button instanceof HTMLElement ? this.tiles.indexOf(Number(button.dataset.tile)) : -1;
  }

  /** @param {number} x @param {number} y @returns {number} the cell at a point of the window */
  cellAt(x, y) {
    const box = this.element.getBoundingClientRect();
    const [row, column] = [Math.floor((y - box.top) / (box.height / this.rows)), Math.floor((x - box.left) / (box.width / this.columns))];
    return row >= 0 && row < this.rows && column >= 0 && column < this.columns ? row * this.columns + column : -1;
  }

  get blank() {
    return this.tiles.indexOf(0);
  }

  /** @param {number} cell */
  tap(cell) {
    return cell >= 0 && cell !== this.blank && this.play({ slide: cell });
  }

  /** @param {number} down @param {number} right @param {boolean} [all] */
  go(down, right, all = false) {
    const [row, column] = [Math.floor(this.blank / this.columns), this.blank % this.columns];
    let [from, beside] = [row - down, column - right];
    if (all) {
      if (down) from = down > 0 ? 0 : this.rows - 1;
      else beside = right > 0 ? 0 : this.columns - 1;
    }
    if (from < 0 || from >= this.rows || beside < 0 || beside >= this.columns) return false;
    const cell = from * this.columns + beside;
    return cell !== this.blank && this.play({ slide: cell });
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key was one of the board's */
  key(event) {
    const direction = KEYS[event.key] ?? KEYS[event.key.toLowerCase()];
    if (!direction || event.ctrlKey || event.metaKey || event.altKey) return false;
    event.preventDefault();
    this.go(direction[0], direction[1], event.shiftKey);
    return true;
  }

  /** @param {KeyboardEvent} event */
  focusKey(event) {
    if (!event.ctrlKey || !(event.key in KEYS)) return;
    event.preventDefault();
    event.stopPropagation();
    const [down, right] = KEYS[event.key];
    let cell = this.tiles.indexOf(this.focused);
    do {
      const [row, column] = [Math.floor(cell / this.columns) + down, (cell % this.columns) + right];
      if (row < 0 || row >= this.rows || column < 0 || column >= this.columns) return;
      cell = row * this.columns + column;
    } while (this.tiles[cell] === 0);
    this.focused = this.tiles[cell];
    this.place();
    this.buttons.get(this.focused)?.focus();
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button !== 0) return;
    const cell = this.cellAt(event.clientX, event.clientY);
    // Two fingers zoom the page, two thumbs tap.
    if (!event.isPrimary) {
      this.touch = null;
      this.taps.set(event.pointerId, cell);
      setTimeout(() => this.taps.delete(event.pointerId), TAP);
      return;
    }
    this.touch = { id: event.pointerId, x: event.clientX, y: event.clientY, cell, moved: false };
    this.element.setPointerCapture(event.pointerId);
    // A tile in line with the blank slides at once.
    if (this.tap(cell)) this.touch.moved = true;
  }

  /** @param {PointerEvent} event */
  drag(event) {
    const { touch } = this;
    if (!touch || event.pointerId !== touch.id) return;
    for (const point of event.getCoalescedEvents?.() ?? [event]) {
      const [dx, dy] = [point.clientX - touch.x, point.clientY - touch.y];
      const cellSize = this.element.getBoundingClientRect().width / this.columns;
      const cell = this.cellAt(point.clientX, point.clientY);
      if (cell !== touch.cell && cell >= 0) {
        // Dragged across tiles: each that can slides.
        touch.cell = cell;
        if (touch.moved) {
          this.tap(cell);
          continue;
        }
      }
      if (!touch.moved && Math.max(Math.abs(dx), Math.abs(dy)) > cellSize * SWIPE) {
        touch.moved = true;
        if (Math.abs(dx) > Math.abs(dy)) this.go(0, Math.sign(dx));
        else this.go(Math.sign(dy), 0);
        touch.cell = cell;
      }
    }
  }

  /** @param {PointerEvent} event */
  release(event) {
    if (this.touch?.id === event.pointerId) this.touch = null;
    const cell = this.cellAt(event.clientX, event.clientY);
    if (this.taps.get(event.pointerId) === cell) this.tap(cell);
  }

  /** @param {any} given */
  showHint(given) {
    const tile = this.tiles[given.hint.slide.play];
    const { stage } = given.hint.slide;
    speak(stage ? `Hint: tile ${tile}. ${stageText(stage.stage)}.` : `Hint: tile ${tile}.`);
  }
  /** @param {any} given @returns {string} the words of a hint */
  hintText(given) {
    const { stage, at_least: least, at_most: most } = given.hint.slide;
    if (stage) return `${stageText(stage.stage)}; ${counted(stage.moves, "move")} left of this step.`;
    const text = least === most ? `${counted(most, "move")} to go.` : `${least} to ${most} moves to go.`;
    const change = given.distance_change;
    return change > 0 ? `${text} Your last move led ${counted(change, "move")} further away.` : text;
  }
}
