// A tournament on a phone or a desktop: entering, the way to one's table and back, standings, bracket,
// tables, players, log. The organiser commands it here.

import { Tournament, isSameRound } from "./tournament.js";
import { PhaseView, stayingInRace } from "./phase_view.js";
import { askGiveUp } from "./race.js";
import { brand, button, closeDialogs, confirmed, copyText, dialog, el, fill, replace, setText, speak, store, stored, toast } from "./dom.js";
import { bracket } from "./bracket.js";
import { entrantsList, finalPodium, isTableDone, logList, standingsTable, tablesList, teamsTable } from "./tournament_parts.js";
import { isSoundOn, ring, setSound } from "./sound.js";
import { boardName, planName, resultName, waiting } from "./tournament_words.js";
import { counted, ordinal, puzzle, time, timeLimit } from "./words.js";

/** How long before GO the table comes to the front, in milliseconds: long enough to look at the screen. */
const COUNTDOWN_SHOWN = 10_000;
/** How long the results of a board stay before the tournament's view is back. */
const RESULTS_SHOWN = 8_000;
/** Opponents that are named. */
const NAMED = 4;

/** What a player is told, by presence. @type {Record<string, string>} */
const STANDING = { present: "You are in.", withdrawn: "You are withdrawn: you are drawn no more.", disqualified: "The organiser has disqualified you." };

/** @param {number} seconds */
const pause = (seconds) => (seconds < 120 ? `${seconds} s` : timeLimit(seconds));

/** @typedef {"standings" | "bracket" | "tables" | "players" | "log"} Part */
/** @type {Record<Part, string>} */
const TITLES = { standings: "Standings", bracket: "Bracket", tables: "Tables", players: "Players", log: "Log" };

/**
 * @param {string} name
 * @param {any} [intent] a tournament that is to be opened, and what asks for another name if its name is taken
 * @returns {import("./main.js").Page}
 */
export function tournamentView(name, intent) {
  document.title = `${name} · gridrace`;
  const title = el("h1", { class: "title", dir: "auto" }, name);
  const link = el("span", { class: "linkstate", role: "status" });
  const commands = button("Commands", () => organise(({ organiserMenu }) => organiserMenu(tournament)), { hidden: true });
  const away = button("Back", () => { show(false); front.focus({ preventScroll: true }); }, { hidden: true, "aria-label": "Back to the tournament" });
  const menuButton = button("Menu", () => menu(), { class: "quiet", hidden: true });
  const bar = el("header", { class: "bar" }, el("a", { href: "/", "aria-label": "gridrace, first page", class: "home-link" }, brand()), title, link, commands, away, menuButton);
  const front = el("main", { class: "tournament", tabIndex: -1 });
  const element = el("div", { class: "room" }, bar, front);
  const phase = el("h2", { class: "t-phase" });
  const clock = el("p", { class: "clock t-clock", role: "timer", "aria-label": "Time until GO" });
  const detail = el("p", { class: "faint" });
  const spoken = el("p", { class: "announcement", hidden: true });
  const podium = el("div", {});
  const own = el("div", { class: "t-own" });
  const about = el("section", { class: "card t-about" });
  const tabs = el("div", { class: "tabs", role: "tablist", "aria-label": "Parts of the tournament" });
  const panel = el("div", { class: "t-panel", role: "tabpanel", id: "part", tabIndex: 0 });

  /** @type {Part} */
  let part = "standings";
  let chosePart = false;
  /** @type {PhaseView | undefined} the table that is played at or watched */
  let view;
  /** @type {boolean | null} what the player chose to see, until the table's next phase */
  let wanted = null;
  let resultsUntil = 0;
  let ownKey = "";
  let ownTeam = "";
  let aboutKey = "";
  let panelKey = "";
  let shownTab = "";
  let left = false;
  let called = "";
  let entering = false;

  /** @type {Tournament} */
  let tournament;
  /** @param {any} [open] @param {string} [pin] */
  const begin = (open, pin) => {
    tournament?.leave();
    tournament = new Tournament({ name, open, pin: pin ?? open?.pin });
    const mine = tournament;
    mine.addEventListener("change", (event) => { if (mine === tournament && !left) change(/** @type {CustomEvent} */ (event).detail); });
  };

  /** @param {(commands: typeof import("./organiser.js")) => void} act */
  const organise = async (act) => act(await import("./organiser.js"));

  // The table and the way there

  /** Shows the table, or the tournament. @param {boolean | null} table */
  const show = (table) => {
    wanted = table;
    // A table that is watched is left for good, one's own only goes out of sight.
    if (table === false && tournament.room?.intent.role === "spectator") tournament.leaveRoom();
    arrange();
  };

  /** @param {import("./room.js").Room} room */
  const isDue = (room) => {
    if (room !== tournament.room) return performance.now() < resultsUntil && wanted !== false;
    if (!room.state) return false;
    if (wanted !== null) return wanted;
    if (room.intent.role === "spectator" || room.phase === "running") return true;
    if (room.phase === "countdown") return room.phaseBody.go - room.now() <= COUNTDOWN_SHOWN;
    return room.phase === "over" && performance.now() < resultsUntil;
  };

  /** Brings to the front what is due: the table, or the tournament. */
  const arrange = () => {
    const { room } = tournament;
    if (room?.state && view?.room !== room && (!view || !isDue(view.room) || isDue(room))) {
      if (view) putBack();
      view = new PhaseView(room);
    }
    if (view) {
      const isShown = view.element.isConnected;
      if (isDue(view.room) && !isShown) {
        closeDialogs("");
        replace(front, view.element);
        view.render();
        scrollTo(0, 0);
      } else if (!isDue(view.room) && isShown) {
        putBack();
      }
      if (!isDue(view.room) && view.room !== room) view = undefined;
    }
    bars();
  };

  /** Puts the tournament in place of the table. */
  const putBack = () => {
    view?.close();
    if (!view?.element.isConnected) return;
    replace(view.element, front);
    shownTab = "";
    render();
  };

  /** Whether the organiser's commands are offered: nothing follows once the tournament is closed. */
  const directs = () => tournament.you.organiser && !tournament.head?.closed;

  const bars = () => {
    const isShown = Boolean(view?.element.isConnected);
    const state = view?.room.state;
    element.dataset.phase = isShown && view ? view.room.phase : "tournament";
    away.hidden = !isShown;
    commands.hidden = isShown || !directs() || tournament.link === "ended";
    menuButton.hidden = tournament.link === "ended" || !tournament.info;
    const table = state?.setup.table;
    setText(title, isShown && table ? `Table ${table.board.table + 1}, board ${table.board.board + 1}` : tournament.title);
    document.title = `${tournament.title} · gridrace`;
  };

  const menu = () => {
    const racing = Boolean(tournament.room?.race?.on) && tournament.room?.phase === "running";
    /** @param {() => void} act */
    const then = (act) => () => { close(); act(); };
    const { entrant, presence } = tournament.you;
    const isIn = entrant !== null && presence !== "disqualified" && tournament.head?.phase !== "over";
    const close = dialog("Menu", el("div", { class: "actions column" },
      racing ? button("Give up", then(() => tournament.room && askGiveUp(tournament.room, "board"))) : null,
      button(isSoundOn() ? "Turn sound off" : "Turn sound on", then(() => setSound(!isSoundOn()))),
      !isIn ? null : presence === "withdrawn" ? button("Check in again", then(() => tournament.send("check_in"))) : button("Withdraw from the tournament", then(() => confirmed("Withdraw? You are drawn no more until you check in again.", "Withdraw", () => tournament.send("withdraw")))),
      button("Rules and keys", then(async () => (await import("./help.js")).showHelp())),
      el("a", { class: "button", href: `/t/${name}/tv`, target: "_blank" }, "Big screen"),
      el("a", { class: "button", href: "/", onclick: () => close() }, "First page")));
  };

  /** @param {{what: string, detail: any}} change */
  const roomChange = ({ what, detail }) => {
    const { room } = tournament;
    if (!room || !room.state) return;
    if (what === "phase") {
      wanted = room.intent.role === "spectator" ? wanted : null;
      if (room.phase === "over") resultsUntil = performance.now() + RESULTS_SHOWN;
    }
    // Out of sight it is drawn anew when it comes to the front.
    if (view?.room === room && view.element.isConnected) view.change(what, detail);
    arrange();
    if (what === "link") showLink();
  };

  /** Shows a line at the table; the tournament's card shows what it is about. @param {string | undefined} text */
  const tell = (text) => {
    if (text && view?.element.isConnected) view.tell(text);
    else if (text) speak(text);
  };

  // What is shown

  /** @param {{what: string, detail: any}} change */
  const change = ({ what, detail }) => {
    switch (what) {
      case "link": showLink(); break;
      case "you":
        if (detail && detail !== tournament.you.presence) tell(STANDING[tournament.you.presence ?? ""]);
        choosePart();
        render();
        break;
      case "head":
        if (isRacedAgain(detail)) toast(`${boardName(tournament.info.plan, tournament.head)} is raced again.`);
        choosePart();
        render();
        break;
      case "table": {
        const key = `${detail?.code} ${tournament.call?.go}`;
        if (key !== called) {
          called = key;
          speak(`Your table is number ${detail.table + 1}.`);
          ring(784, 0.4);
        }
        render();
        break;
      }
      case "room":
        if (tournament.room) {
          const { room } = tournament;
          room.addEventListener("change", (event) => { if (room === tournament.room) roomChange(/** @type {CustomEvent} */ (event).detail); });
        } else if (detail?.intent.role === "spectator") {
          resultsUntil = 0;
          wanted = null;
        }
        arrange();
        render();
        break;
      case "page": render(); break;
      case "announcement":
        spoken.hidden = false;
        setText(spoken, detail.text);
        tell(`Organiser: ${detail.text}`);
        ring(659, 0.3);
        break;
      case "corrected": toast(`Corrected: ${resultName(tournament.info.plan, detail.key)}: ${detail.reason}`); break;
      case "done": toast("Done."); break;
      case "refused": toast(detail); ownKey = ""; render(); break;
      case "needs_confirmation": organise(({ askToConfirm }) => askToConfirm(tournament, detail)); break;
      default: break;
    }
  };

  const showLink = () => {
    const { link: state, refusal } = tournament;
    setText(link, state === "lost" ? "connection lost, trying again…" : "");
    element.classList.toggle("lost", state === "lost");
    if (state === "followed") {
      if (location.pathname !== `/t/${name}`) history.replaceState(history.state, "", `/t/${name}`);
      choosePart();
      bars();
      return;
    }
    if (state !== "ended") return;
    putBack();
    view = undefined;
    bars();
    if (refusal === "needs_pin" || refusal === "wrong_pin" || refusal === "too_fast") {
      gate(refusal === "needs_pin" ? "" : tournament.why);
      return;
    }
    fill(front, el("div", { class: "card gate" }, el("h2", {}, name), el("p", { role: "alert" }, tournament.why),
      el("div", { class: "actions" }, button(refusal === "name_taken" ? "Show that one" : "Try again", () => { fill(front); begin(refusal === "name_taken" ? undefined : tournament.intent.open); }, { class: "primary" }), el("a", { href: "/", class: "button" }, "First page"))));
    ownKey = aboutKey = "";
    if (refusal === "name_taken") intent?.askAgain(tournament.why);
  };

  /** Asks for the PIN. @param {string} error */
  const gate = (error) => {
    const pin = el("input", { name: "pin", inputMode: "numeric", pattern: "[0-9]{4,8}", title: "4 to 8 digits", required: true, autocomplete: "off" });
    fill(front, el("form", { class: "card gate", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      fill(front);
      begin(undefined, pin.value);
    } }, el("h2", {}, name), error ? el("p", { class: "bad", role: "alert" }, error) : null,
      el("label", { class: "field" }, el("span", {}, "PIN of the tournament"), pin), el("div", { class: "actions" }, el("button", { class: "primary" }, "Continue"))));
    ownKey = aboutKey = "";
    pin.focus();
  };

  /** @returns {Part[]} */
  const parts = () => ["standings", ...(tournament.hasBracket ? [/** @type {Part} */ ("bracket")] : []), "tables", "players", "log"];

  /** Shows the part that matters now, until the visitor has chosen one. */
  const choosePart = () => {
    if (!tournament.head || chosePart) return load();
    const { phase } = tournament.head;
    const isBefore = !tournament.head.round && phase !== "over";
    part = isBefore ? "players" : tournament.hasBracket && isBracketOn() ? "bracket" : "standings";
    return load();
  };

  const isBracketOn = () => ["knockout", "double"].includes(tournament.stage?.format);

  const load = () => {
    if (!tournament.head) return;
    const { info } = tournament;
    tournament.want([
      "entrants", "tables", "standings",
      ...(info.plan.team_scorers === null || info.plan.team_scorers === undefined ? [] : [/** @type {const} */ ("teams")]),
      ...(part === "bracket" ? [/** @type {const} */ ("bracket")] : []),
      ...(part === "log" || (part === "tables" && info.plan.stages.length > 1) ? [/** @type {const} */ ("log")] : []),
    ], part === "players" && directs() ? "entrants" : null);
  };

  /** @param {Part} to */
  const choose = (to) => {
    part = to;
    chosePart = true;
    if (to !== "tables" && tournament.round) tournament.chooseRound(null);
    load();
    render();
    /** @type {HTMLElement | null} */ (tabs.querySelector("[aria-selected=true]"))?.focus({ preventScroll: true });
  };

  const render = () => {
    if (left || tournament.link === "ended" || !tournament.head || view?.element.isConnected) return;
    bars();
    if (!front.contains(panel)) {
      shownTab = "";
      fill(front, el("div", { class: "t-left" }, el("section", { class: "card t-status" }, phase, clock, detail, spoken, podium, own), about),
        el("section", { class: "t-parts", "aria-label": "The tournament" }, tabs, panel));
    }
    const { head } = tournament;
    front.classList.toggle("begun", Boolean(head.round) || head.phase === "over");
    setText(phase, phaseText());
    setText(detail, detailText());
    const isOver = head.phase === "over";
    fill(podium, isOver ? finalPodium(tournament) : null);
    showClock();
    renderOwn();
    renderAbout();
    fill(tabs, parts().map((one) => button(TITLES[one], () => choose(one), {
      role: "tab", id: `tab-${one}`, "aria-selected": String(one === part), "aria-controls": "part", tabIndex: one === part ? 0 : -1, "data-id": `tab ${one}`,
      onkeydown: (/** @type {KeyboardEvent} */ event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const all = parts();
        event.preventDefault();
        choose(all[(all.indexOf(part) + step + all.length) % all.length]);
      },
    })));
    if (shownTab !== part) {
      // On a phone the row is wider than the screen.
      const one = /** @type {HTMLElement} */ (tabs.querySelector("[aria-selected=true]"));
      tabs.scrollLeft = one.offsetLeft - tabs.offsetLeft - 40;
      shownTab = part;
    }
    panel.setAttribute("aria-labelledby", `tab-${part}`);
    const now = JSON.stringify([part, tournament.loads, tournament.you, head.round, head.closed, tournament.round]);
    if (now === panelKey && panel.childNodes.length) return;
    panelKey = now;
    const at = [panel.scrollTop, panel.querySelector(".bracket-box")?.scrollLeft ?? 0];
    fill(panel, partElement());
    panel.scrollTop = at[0];
    const box = panel.querySelector(".bracket-box");
    if (box) box.scrollLeft = at[1];
  };

  const partElement = () => {
    const isOrganiser = directs();
    switch (part) {
      case "standings": return el("div", { class: "t-standings-part" }, standingsTable(tournament), teamsTable(tournament));
      case "bracket": return bracket(tournament);
      case "tables": return tablesList(tournament, {
        watch: (table) => watch(table),
        more: isOrganiser ? (table) => organise(({ tableMenu }) => tableMenu(tournament, table)) : null,
      });
      case "players": return entrantsList(tournament, isOrganiser ? (row) => organise(({ entrantMenu }) => entrantMenu(tournament, row)) : null);
      default: return logList(tournament, isOrganiser ? (entry, text) => organise(({ askTakeBack }) => askTakeBack(tournament, entry, text)) : null);
    }
  };

  /** @param {any} table */
  const watch = (table) => {
    if (tournament.call?.code === table.room) return show(true);
    if (tournament.call) return toast("You have a seat in this round: your table waits for you.");
    wanted = null;
    tournament.enter(table.room, "spectator");
  };

  const phaseText = () => {
    const { head, info } = tournament;
    switch (head.phase) {
      case "entries": return "Entries are open";
      case "check_in": return "Check-in";
      case "waiting": return waiting(head.counts);
      case "break":
      case "pause": return head.paused ? "Paused" : boardName(info.plan, head);
      case "racing": return boardName(info.plan, head);
      default: {
        const first = tournament.rows("standings").filter((row) => row.place === 1).map((row) => tournament.nameOf(row.entrant));
        return first.length === 1 ? `${first[0]} has won` : first.length ? `The first: ${first.join(", ")}` : "The tournament is over";
      }
    }
  };

  const detailText = () => {
    const { head, recording } = tournament;
    const { entrants, present } = head.counts;
    if (recording === "unrecorded") return "The server's disk is full or fails: nothing is recorded.";
    if (recording === "slow") return "The server's disk is slow: answers wait for it.";
    if (head.phase === "entries" || head.phase === "check_in") return `${counted(entrants, "player")}${entrants === present ? "" : `, ${present} here`}`;
    if (head.phase === "over") return `${counted(entrants, "player")}`;
    if (head.phase === "racing" && head.counts.tables > 1 && !head.paused) return `${head.counts.tables_done} of ${head.counts.tables} tables are done.`;
    return head.paused && head.phase !== "break" && head.phase !== "pause" ? "The organiser has paused: no further board starts." : head.paused ? "The organiser has paused." : "";
  };

  /** Whether the stage takes players who come late: docs/tournaments.md has the rules. */
  const takesLateEntries = () => {
    const { stage, round } = tournament.head.round;
    const { format } = tournament.stage;
    return stage === 0 && (Boolean(format.series ?? format.swiss ?? format.arena) || (Boolean(format.heats) && round === 0));
  };

  /** Whether an earlier board of the round is next. @param {any} before the head of before */
  const isRacedAgain = (before) => {
    const { head } = tournament;
    if (!before?.round || head.phase !== "pause" || !isSameRound(before.round, head.round)) return false;
    return ["over", "waiting"].includes(before.phase) || head.board < before.board;
  };

  /** Whether a player without a table is out of the stage; elsewhere a later round may have one. */
  const isOut = () => {
    const { format } = tournament.stage;
    const { stage, round } = tournament.head.round;
    // All who have reached one of these stages have a table in its first round, or a bye.
    return (stage > 0 && round === 0 && Boolean(format.series ?? format.swiss)) || typeof format === "string" || Boolean(format.heats ?? format.last_out);
  };

  /** What concerns the player alone; a form is left as it is while it is filled in. */
  const renderOwn = () => {
    const { head, you } = tournament;
    const isOver = head.phase === "over";
    const table = tournament.ownTable;
    const place = tournament.rows("standings").find((row) => row.entrant === you.entrant)?.place;
    const canEnter = !isOver && (!head.round || (head.late_entries && takesLateEntries()));
    const seats = table?.seats.map((/** @type {any} */ seat) => tournament.nameOf(seat.entrant)).join("|");
    // Who types a name isn't disturbed by what happens meanwhile.
    const key = you.entrant === null ? JSON.stringify([canEnter, isOver, you.organiser, entering]) : JSON.stringify([you, head.phase, head.round, Boolean(head.round), table?.number, table?.walkover, table && isTableDone(tournament, table), seats, place, canEnter, Boolean(tournament.room?.state), tournament.has("tables")]);
    if (key === ownKey) return;
    ownKey = key;
    fill(own, ownElement({ isOver, table, place, canEnter }));
  };

  /** @param {{isOver: boolean, table: any, place: number | undefined, canEnter: boolean}} own */
  const ownElement = ({ isOver, table, place, canEnter }) => {
    const { head, info, you } = tournament;
    if (you.entrant === null) {
      if (isOver) return null;
      // Who opened it mostly directs it.
      if (canEnter && you.organiser && !entering) return button("Enter as a player…", () => { entering = true; ownKey = ""; render(); }, { "data-id": "enter" });
      return canEnter ? entryForm() : el("p", { class: "faint" }, "No entries are taken any more. You watch.");
    }
    if (you.presence === "disqualified") return el("p", { class: "bad" }, STANDING.disqualified);
    if (isOver) return place ? el("p", { class: "t-you" }, placeText(place)) : null;
    const hasTable = tournament.room?.state && tournament.room.intent.role === "player";
    // The server also withdraws who was absent at two boards in a row; the seat of this round is kept.
    const wayBack = you.presence === "withdrawn" ? [el("p", { class: "mark" }, STANDING.withdrawn), button("Check in again", () => tournament.send("check_in"), { class: "primary", "data-id": "check-in" })] : [];
    if (wayBack.length && !hasTable) return wayBack;
    if (you.presence === "entered") {
      const isPossible = head.phase !== "entries" || !info.settings.check_in;
      return [el("p", { class: "t-you" }, "You have entered."), isPossible ? button("Check in: I am here", () => tournament.send("check_in"), { class: "primary", "data-id": "check-in" }) : el("p", { class: "faint" }, "Come back for the check-in, and say that you are here.")];
    }
    if (!head.round) return [el("p", { class: "t-you good" }, `✓ ${STANDING.present}`), el("p", { class: "faint" }, "Keep this page open: it takes you to your table ten seconds before GO.")];
    if (!tournament.has("tables")) return null;
    if (!table) {
      const why = isOut() ? "You race no more in this stage." : head.phase === "waiting" || (head.round && tournament.isArena(head.round)) ? "You wait for a table." : "You have no seat in this round.";
      return [el("p", { class: "faint" }, why), place ? el("p", { class: "t-you" }, placeText(place)) : null];
    }
    if (table.walkover) return el("p", { class: "t-you" }, `You have a bye: ${isBracketOn() ? "you go on without racing" : tournament.stage.format.swiss ? "it counts as a match won" : "you don't race in this round"}.`);
    const others = table.seats.map((/** @type {any} */ seat) => seat.entrant).filter((/** @type {number} */ entrant) => entrant !== you.entrant);
    const named = others.slice(0, NAMED).map((/** @type {number} */ entrant) => tournament.nameOf(entrant)).join(", ");
    const more = others.length > NAMED ? ` and ${others.length - NAMED} more` : "";
    const isDone = isTableDone(tournament, table);
    return [...wayBack, el("p", { class: "t-you" }, isDone ? `Your table ${table.number + 1} is done` : `Your table: ${table.number + 1}`), isDone ? null : el("p", {}, `with ${named}${more}`),
      hasTable ? button("To your table", () => show(true), { class: isDone ? "" : "primary", "data-id": "to-table" }) : null];
  };

  /** @param {number} place */
  const placeText = (place) => `You are ${ordinal(place)} of ${tournament.rows("standings").length}.`;

  const entryForm = () => {
    const { info } = tournament;
    const teams = info.plan.team_scorers !== null && info.plan.team_scorers !== undefined;
    const text = el("input", { name: "name", maxLength: 40, required: true, value: stored("name"), autocomplete: "nickname", placeholder: "Your name" });
    const team = el("input", { name: "team", value: ownTeam, maxLength: 6, pattern: "[A-Za-z0-9]{1,6}", autocomplete: "off", autocapitalize: "characters", placeholder: "RED" });
    return el("form", { class: "t-enter", onsubmit: (/** @type {Event} */ event) => {
      event.preventDefault();
      store("name", text.value.trim());
      ownTeam = team.value;
      tournament.send({ enter: { name: text.value.trim(), bot: false, team: teams ? team.value.trim() || null : null } });
    } }, el("label", { class: "field" }, el("span", {}, "Name"), text), teams ? el("label", { class: "field" }, el("span", {}, "Team, if you race for one"), team) : null,
      el("button", { class: "primary", "data-id": "enter" }, "Enter the tournament"));
  };

  const renderAbout = () => {
    const { head, info } = tournament;
    const { settings, plan } = info;
    const isOpen = head.phase === "entries" || head.phase === "check_in";
    const key = JSON.stringify([isOpen, head.phase === "over", head.closed, plan, settings]);
    if (key === aboutKey) return;
    aboutKey = key;
    const address = `${location.host}/t/${name}`;
    const specs = plan.stages.flatMap((/** @type {any} */ stage) => (stage.puzzles.length ? stage.puzzles : [settings.options.spec]));
    const copy = async () => {
      toast(await copyText(`${location.origin}/t/${name}`) ? "The link is copied." : `The link is ${address}`);
    };
    fill(about,
      isOpen ? el("div", { class: "t-invite" }, el("img", { class: "qr", src: `/t/${name}.svg`, alt: `QR code of ${address}`, width: 168, height: 168, onerror: (/** @type {Event} */ event) => /** @type {HTMLElement} */ (event.target).remove() }),
        el("div", {}, el("p", { class: "faint" }, "Friends enter at"), el("p", { class: "address" }, location.host, el("wbr"), `/t/${name}`), el("div", { class: "actions" }, button("Copy the link", copy), el("a", { class: "button quiet", href: `/t/${name}/tv`, target: "_blank" }, "Big screen")))) : null,
      el("dl", { class: "t-facts" },
        el("div", {}, el("dt", {}, "Plan"), el("dd", {}, planName(plan))),
        el("div", {}, el("dt", {}, "Puzzle"), el("dd", {}, [...new Set(specs)].map((spec) => puzzle(/** @type {string} */ (spec))).join("; "))),
        el("div", {}, el("dt", {}, "Time limit"), el("dd", {}, `${timeLimit(settings.options.time_limit_seconds)} a board`)),
        el("div", {}, el("dt", {}, "Pauses"), el("dd", {}, `${pause(settings.pause_seconds)} between boards, ${pause(settings.break_seconds)} between rounds`))),
      head.phase === "over" && !settings.options.private ? recordOf(head.closed) : null);
  };

  /** The record as a link, once the server has it. @param {boolean} isClosed whether no result can be corrected any more */
  const recordOf = (isClosed) => {
    const place = el("p", { class: "faint" });
    const href = `/t/${name}.grt`;
    if (!isClosed) setText(place, "Ten minutes after the last board, or when the organiser closes the tournament, the record is here: log and all replays.");
    else {
      fetch(href, { method: "HEAD" }).then(({ status }) => {
        if (status === 404) setText(place, "This server stores no replays, so there is no record.");
        else place.replaceWith(el("a", { class: "button", href, download: `${name}.grt` }, "The record: log and all replays"));
      }, () => undefined);
    }
    return place;
  };

  const showClock = () => {
    const { head, raced } = tournament;
    const isNext = head.phase === "break" || head.phase === "pause";
    let text = "";
    if (isNext && !head.paused && head.go !== null) text = `GO in ${time(Math.ceil((head.go - tournament.now()) / 1000) * 1000, 0)}`;
    else if (raced !== null) text = time(raced, 0);
    setText(clock, text);
    clock.hidden = !text;
  };

  const tick = () => {
    if (left || tournament.link === "ended" || !tournament.head) return;
    showClock();
    arrange();
  };

  /** @param {KeyboardEvent} event */
  const onKey = (event) => { if (view?.element.isConnected) view.key(event); };
  addEventListener("keydown", onKey);
  fill(front, el("p", { class: "faint center" }, "Loading…"));
  begin(intent?.openTournament);
  const timer = setInterval(tick, 200);
  return { element, staying: () => stayingInRace(tournament.room), leave: () => {
    left = true;
    clearInterval(timer);
    removeEventListener("keydown", onKey);
    view?.close();
    tournament.leave();
  } };
}
