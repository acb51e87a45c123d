// What a room's phase shows: the lobby, the race, the results.

import { closeDialogs, el, fill, isTyping, loadStyles, speak, toast } from "./dom.js";
import { lobby } from "./lobby.js";
import { RaceView } from "./race.js";
import { ring } from "./sound.js";

/**
 * The question before a race is left, if there is one.
 * @param {import("./room.js").Room | null | undefined} room
 */
export function stayingInRace(room) {
  const isRacing = room?.link !== "ended" && room?.me?.role === "player" && (room.phase === "countdown" || (room.phase === "running" && room.race?.on));
  if (!room || !isRacing) return "";
  const { grace_seconds: grace } = room.setup.options;
  return `Leave this race? ${grace ? `Your seat is kept for ${grace} s.` : "Your seat is lost."}`;
}

export class PhaseView {
  /** @param {import("./room.js").Room} room */
  constructor(room) {
    this.room = room;
    /** @type {RaceView | undefined} */
    this.race = undefined;
    this.shown = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.waiting = undefined;
    this.element = el("main", { class: "room-main" });
  }

  render() {
    const { room } = this;
    if (!room.state) return;
    const { phase } = room;
    const key = phase === "running" || phase === "countdown" ? `race ${room.state.setup.number}` : phase;
    if (!this.race && this.shown === key && this.element.querySelector("button:active")) {
      // A press is lost if its button is replaced.
      clearTimeout(this.waiting);
      this.waiting = setTimeout(() => this.render(), 99);
    } else if (phase === "lobby" || phase === "drawing") {
      this.close();
      fill(this.element, lobby(room));
    } else if (phase === "over") {
      this.close();
      if (this.shown !== "over") scrollTo(0, 0);
      this.results();
    } else {
      if (!this.race || this.shown !== key) {
        this.close();
        // What was opened in the lobby would cover the board.
        if (room.me?.role === "player") closeDialogs("");
        this.race = new RaceView(room);
        fill(this.element, this.race.element);
        // A phone may have been at the end of the lobby.
        if (this.element.isConnected) scrollTo(0, 0);
      }
      this.race.phase();
    }
    this.shown = key;
  }

  async results() {
    const [{ results }] = await Promise.all([import("./over.js"), loadStyles("results")]);
    if (this.room.phase === "over") fill(this.element, results(this.room));
  }

  /** @param {string} what @param {any} detail */
  change(what, detail) {
    const { room, race } = this;
    switch (what) {
      case "phase":
        if (room.phase === "over") {
          const { standings } = room.phaseBody;
          const own = standings.find((/** @type {any} */ row) => row.player === room.state.you);
          speak(`The heat is over.${own?.state?.finished ? ` You are number ${own.place} of ${standings.length}.` : ""}`, true);
          ring(own?.place === 1 ? 880 : 440, 0.6);
          room.askResults();
        }
        this.render();
        break;
      case "roster":
      case "setup":
      case "queue":
        if (race) race.standings(); else this.render();
        break;
      case "rated": this.render(); break;
      case "results": room.results = detail; if (room.phase === "over") this.render(); break;
      case "refused":
        race?.race();
        this.tell(detail);
        break;
      case "news": this.tell(detail); break;
      case "announcement":
        this.tell(`${room.nameOf(detail.by).name}: ${detail.text}`);
        if (!race) this.render();
        break;
      case "recording": if (detail !== "recorded") this.tell({ slow: "The server's disk is slow.", damaged: "The last moves may be lost." }[/** @type {string} */ (detail)] ?? "The server doesn't record this heat."); break;
      case "standings": race?.standings(); break;
      case "race": race?.race(); break;
      case "hint": race?.hint(); break;
      case "boards": race?.boards(detail); break;
      case "closing": race?.closing(); break;
      case "link": if (room.link === "lost") closeDialogs(".online"); break;
      // It follows the snapshot.
      case "image": if (race) { this.close(); this.render(); } break;
      default: break;
    }
  }

  /** Shows a line for some seconds, in a race beside the board. @param {string} text */
  tell(text) {
    if (this.race && !document.querySelector("dialog[open]")) this.race.tell(text);
    else toast(text);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (!isTyping(event)) this.race?.key(event);
  }

  close() {
    this.race?.close();
    this.race = undefined;
  }
}
