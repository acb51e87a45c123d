// A race: the countdown, one's own board or those that are watched, and the standings.

import { button, closeDialogs, confirmed, el, fill, loadStyles, setText, speak, store } from "./dom.js";
import { standingRows } from "./standings.js";
import { ring } from "./sound.js";
import { keepAwake } from "./wake_lock.js";
import { counted, hintRule, ordinal, secondsLeft, time } from "./words.js";

/** How long a line stays in the note beside the board, in milliseconds. */
const LINE_SHOWN = 5_000;
/** How long until what could not be loaded is loaded again, in milliseconds. */
const RELOAD = 1_000;

/** What loads the board of a family. */
const BOARDS = {
  slide: async () => (await import("./slide.js")).SlideBoard,
  link: async () => (await Promise.all([import("./link.js"), loadStyles("link")]))[0].LinkBoard,
};

/**
 * @typedef {object} OwnRace what a board needs of the race that it is played in
 * @property {(move: any) => boolean} play plays a move if it is legal
 * @property {(request: any) => any} rules answers requests about the own race
 * @property {(text: string) => void} tell shows a line in the note beside the board
 */

/** @param {import("./room.js").Room} room @param {string} [what] */
export const askGiveUp = (room, what = "race") => confirmed(`Give up this ${what}?`, "Give up", () => room.send("give_up"), "Cancel", "in-race online");

export class RaceView {
  /** @param {import("./room.js").Room} room */
  constructor(room) {
    this.room = room;
    /** @type {import("./slide.js").SlideBoard | import("./link.js").LinkBoard | undefined} */
    this.board = undefined;
    /** Loaded during the countdown. */
    this.loaded = this.load();
    /** @type {HTMLElement[]} on a heat with a picture: first the button of the numbers */
    this.pictureTools = [];
    this.begun = false;
    /** @type {import("./board_grid.js").BoardGrid | undefined} */
    this.grid = undefined;
    this.clock = el("span", { class: "clock", role: "timer", "aria-label": "Time" }, "0:00");
    this.place = el("span", { class: "own-place" });
    this.moves = el("div", { class: "faint" });
    this.hints = el("div", { class: "faint" });
    this.note = el("p", { class: "note", role: "status" });
    this.stage = el("div", { class: "stage" });
    // On a small phone it is scrolled.
    this.list = el("ol", { class: "standings", "aria-label": "Standings", tabIndex: 0 });
    this.tools = el("div", { class: "tools" });
    this.element = el("div", { class: "race" },
      el("div", { class: "race-head" }, this.place, this.clock, el("div", {}, this.moves, this.hints)),
      this.stage, el("div", { class: "race-side" }, this.tools, this.note, this.list));
    this.spokenPlace = 0;
    this.spokenCount = 0;
    this.hinted = -1;
    this.running = false;
    this.stopped = false;
    const frame = () => {
      if (this.stopped) return;
      this.tick();
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
    this.endAwake = keepAwake();
    /** What was told last, and until when it is shown. */
    this.told = { text: "", until: 0 };
  }

  /** Null if the network is gone. */
  load() {
    const { setup, state } = this.room;
    return Promise.all([
      BOARDS[/** @type {keyof typeof BOARDS} */ (setup.options.spec.split(":")[0])](), setup.options.picture ? import("./picture.js").then(({ pictureOf }) => pictureOf(setup, state.image)) : null,
    ]).catch(() => null);
  }

  phase() {
    const { room } = this;
    const running = room.phase === "running";
    this.element.classList.toggle("counting", !running);
    if (!running) {
      this.running = false;
      this.digit = el("div", { class: "countdown", "aria-hidden": "true" });
      fill(this.stage, this.digit);
      return;
    }
    if (!this.running) {
      this.running = true;
      this.digit = undefined;
      if (room.me?.role === "player") closeDialogs("");
      if (room.now() - room.phaseBody.go < 2000) {
        speak("Go!", true);
        ring(1175, 0.5);
      }
    }
    if (room.race && !this.begun) this.begin();
    else if (room.boards && !room.race) this.showGrid();
    this.race();
    this.standings();
    this.closing();
  }

  async begin() {
    this.begun = true;
    const { room } = this;
    const loaded = await this.loaded;
    if (this.stopped || !room.race) return;
    if (!loaded) {
      // Some browsers remember a module that was lost.
      this.tell(room.connection.stands ? "Reload this page to go on." : "No connection.");
      this.loaded = this.load();
      setTimeout(() => this.begin(), RELOAD);
      return;
    }
    const [Board, picture] = loaded;
    const board = new Board(room.race.board, {
      play: (move) => room.move(move),
      rules: (request) => room.rules?.call(request),
      tell: (text) => this.tell(text),
    });
    this.board = board;
    if (picture && "buttons" in board) this.pictureTools = picture.show(board, (text) => this.tell(text));
    fill(this.stage, el("div", { class: "board-box", vars: { "--ratio": board.columns / board.rows } }, board.element));
    const { options } = room.setup;
    this.hintButton = options.hints === "off" ? null : button("Hint", () => this.askHint(), { class: "hint", title: hintRule(options) });
    const price = options.hints.priced?.seconds;
    if (price) this.hintButton?.append(el("small", {}, `+${price} s`));
    this.methodButton = this.hintButton && options.hint_styles === "any"
      ? button("Method", () => this.changeHintStyle(), { title: "Hints step by step, as a person solves any board" }) : null;
    this.showHintStyle();
    fill(this.tools, this.hintButton, this.methodButton, this.pictureTools, "tools" in board ? board.tools : null,
      button("Give up", () => askGiveUp(room), { class: "quiet give-up" }));
    const focus = /** @type {HTMLElement | null} */ (board.element.querySelector("[tabindex='0']"));
    focus?.focus({ preventScroll: true });
    this.race();
  }

  askHint() {
    if (this.room.link === "lost") return this.tell("No connection.");
    this.hinted = -1;
    this.room.askHint();
  }

  /** Asks for hints of the other style from now on. */
  changeHintStyle() {
    const method = this.room.hintStyle() !== "method";
    store("hint_style", method ? "method" : "shortest");
    // The other style says something else of the same board.
    this.hinted = -1;
    this.showHintStyle();
    this.tell(method ? "Hints are now steps of the method." : "Hints are now the shortest way.");
  }

  showHintStyle() {
    this.methodButton?.setAttribute("aria-pressed", String(this.room.hintStyle() === "method"));
  }

  async showGrid() {
    if (this.grid || !this.room.boards) return;
    // A player needs it at the end of its race only.
    const [{ BoardGrid }] = await Promise.all([import("./board_grid.js"), loadStyles("results")]);
    if (this.stopped || this.grid || !this.room.boards) return;
    this.grid = new BoardGrid(this.room);
    fill(this.stage, this.grid.element);
    fill(this.tools);
    this.words();
  }

  race() {
    const { room, board } = this;
    if (!room.race || !board) return;
    board.update(room.race);
    const { moves, on, solved, hints, penalty } = room.race;
    setText(this.moves, counted(moves.moves, "move"));
    if (hints) setText(this.hints, `${counted(hints, "hint")}${penalty ? ` +${penalty / 1000} s` : ""}`);
    // Its words stay, so that nothing moves in mid-race.
    if (this.hintButton) this.hintButton.disabled = !on || room.race.hint_pending;
    if (!on && !this.ended) {
      this.ended = true;
      for (const control of this.tools.querySelectorAll("button")) control.disabled = true;
      board.element.classList.add(solved ? "solved" : "out");
      if (solved) {
        ring(1047, 0.4);
        speak(`Solved with ${counted(moves.moves, "move")}.`, true);
      }
    }
    this.words();
  }

  /** Shows a line in the note for some seconds. @param {string} text */
  tell(text) {
    this.told = { text, until: performance.now() + LINE_SHOWN };
    this.words();
  }

  words() {
    const { room } = this;
    if (this.told.text) {
      if (performance.now() < this.told.until) return setText(this.note, this.told.text);
      this.told.text = "";
    }
    const { race, state } = room;
    if (!race) return setText(this.note, this.closingText() || (!room.me?.next_seat ? "" : state.setup.table ? "This board goes on without you." : "You race in the next heat."));
    let text = race.hint && this.board ? this.board.hintText(race.hint) : "";
    if (race.solved) text = room.boards ? "Solved! The others' boards:" : "Solved! Waiting for the others.";
    else if (race.out) text = "You are out. Waiting for the others.";
    if (state.closing) text = this.closingText() || text;
    setText(this.note, text);
  }

  hint() {
    const given = this.room.race?.hint;
    const isNew = given && !this.room.race?.hint_pending && given.after !== this.hinted;
    if (isNew) this.told.text = "";
    this.race();
    if (isNew) {
      this.hinted = given.after;
      this.board?.showHint(given);
    }
  }

  standings() {
    const { room } = this;
    if (!room.state.rows.length) {
      fill(this.list);
      return;
    }
    fill(this.list, standingRows(room, { finals: room.finalPlaces() }));
    const own = room.state.rows.find((/** @type {any} */ row) => row.player === room.state.you);
    if (!own) return;
    setText(this.place, `${ordinal(own.place)} of ${room.state.rows.length}`);
    if (own.place !== this.spokenPlace && own.progress > 0) {
      if (this.spokenPlace) speak(`You are ${ordinal(own.place)}.`);
      this.spokenPlace = own.place;
    }
  }

  /** @param {number[]} players */
  boards(players) {
    if (this.room.race?.on) return;
    if (!this.grid && this.room.boards?.size) this.showGrid();
    this.grid?.update(players);
    this.words();
  }

  closingText() {
    const { closing } = this.room.state;
    if (!closing) return "";
    const left = Math.max(0, Math.ceil((closing.ends - this.room.now()) / 1000));
    return `${closing.why === "idle" ? "All who race are idle" : "Only bots race"}: the heat ends in ${left} s${this.room.race?.on ? " unless you move" : ""}.`;
  }

  closing() {
    const text = this.closingText();
    if (text) speak(text);
    // It is said once, not each second.
    this.note.ariaLive = text ? "off" : "polite";
    this.words();
  }

  tick() {
    const { room } = this;
    if (!room.state) return;
    const body = room.phaseBody;
    if (room.phase === "countdown" && this.digit) {
      const left = secondsLeft(body.go - room.now());
      setText(this.digit, String(left));
      if (left !== this.spokenCount) {
        this.spokenCount = left;
        if (left <= 3) ring(587, 0.12);
        if (left <= 3 || left % 10 === 0) speak(String(left), true);
      }
      setText(this.clock, `−${time(body.go - room.now(), 1)}`);
    } else if (room.phase === "running") {
      const { race } = room;
      const end = race?.solved_at;
      // For those who watch it is as late as the boards are.
      const late = race ? 0 : room.setup.options.delay_seconds * 1000;
      const spent = (end ?? Math.min(room.now(), body.ends) - late) - body.go;
      // The price of the hints stands beside it.
      setText(this.clock, time(spent, end ? 3 : 1));
    }
    if (room.state.closing || this.told.text) this.words();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { board, room } = this;
    if (!board || !room.race?.on) return;
    if (event.key === "Tab" || event.defaultPrevented) return;
    const onButton = event.target instanceof Element && event.target.closest(".tools button, .bar");
    if (onButton && (event.key === " " || event.key === "Enter")) return;
    const { list } = this;
    if (event.target === list && event.key.startsWith("Arrow") && list.scrollHeight > list.clientHeight) return;
    if (board.key(event)) return;
    if (event.key === "p" && !event.ctrlKey && !event.metaKey) this.pictureTools[0]?.click();
    if (event.key === "t" && !event.ctrlKey && !event.metaKey && this.hintButton) this.askHint();
  }

  close() {
    this.stopped = true;
    closeDialogs(".in-race");
    this.grid?.close();
    if (this.board && "close" in this.board) this.board.close();
    this.endAwake();
  }
}
