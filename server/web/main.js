// Finds out by the address what to show.

import { closeDialogs, confirmed, el, fill, isTyping, loadStyles, toast } from "./dom.js";
import { raceRules } from "./rules.js";
import { roomView } from "./room_view.js";

const app = /** @type {HTMLElement} */ (document.getElementById("app"));

/** The addresses that the server has a page for: a room's code, a tournament's name. */
const CODE = /^[B-DF-HJKMNPQRTV-Z]{4}$/i;
const TOURNAMENT = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;

/** @type {Page | undefined} what is shown */
let current;
/** How many pages were asked for. */
let shows = 0;
/** How many pages of this visit lie before it in the browser's history. */
let index = history.state?.index ?? 0;
history.replaceState({ index }, "");
/** Whether the player has said that the race is to be left. */
let isLeaving = false;

/**
 * @typedef {object} Page
 * @property {Element} element
 * @property {() => void} [leave] is called when another page is shown
 * @property {() => string} [staying] the question before it is left; empty for none
 */

/** @param {string} path @param {any} [intent] @returns {Promise<Page>} */
async function pageOf(path, intent) {
  const [first, second, third, ...more] = path.split("/").filter(Boolean);
  const isScreen = (first === "t" ? third : second) === "tv";
  const name = second?.toLowerCase();
  if (first === "t" && TOURNAMENT.test(name) && (isScreen || third === undefined) && !more.length) {
    await loadStyles("results", "tournament", ...(isScreen ? ["tv"] : []));
    if (!isScreen) return (await import("./tournament_view.js")).tournamentView(name, intent);
    return (await import("./tournament_tv.js")).tournamentTv(name);
  }
  if (!first) {
    if (intent) return roomView(intent, go);
    const [{ home }] = await Promise.all([import("./home.js"), loadStyles("home")]);
    return home(go);
  }
  const isReplay = first === "r" && second && third === undefined;
  if (isReplay || (first === "results" && second === undefined)) {
    await loadStyles("results");
    return isReplay ? (await import("./replay.js")).replayPage(second) : (await import("./records.js")).records();
  }
  if (!CODE.test(first) || (second !== undefined && !isScreen) || third !== undefined) return nothingHere();
  if (!isScreen) return roomView({ code: first.toUpperCase(), ...intent }, go);
  await loadStyles("results", "tv");
  return (await import("./tv.js")).tv(first.toUpperCase());
}

/** @returns {Page} */
function nothingHere() {
  document.title = "gridrace";
  return { element: el("main", { class: "card gate" }, el("h1", {}, "There is nothing here"),
    el("p", {}, "A room's code has four letters of BCDFGHJKMNPQRTVWXYZ, as in ", el("span", { class: "code" }, "KQZT"), "."),
    el("div", { class: "actions" }, el("a", { class: "button primary", href: "/" }, "First page"))) };
}

/** @param {Promise<Page> | Page} page */
async function show(page) {
  const turn = ++shows;
  current?.leave?.();
  current = undefined;
  closeDialogs("");
  try {
    const shown = await page;
    // Another page was asked for while this one was loaded.
    if (turn !== shows) return shown.leave?.();
    current = shown;
    fill(app, current.element);
  } catch (error) {
    if (turn === shows) fill(app, el("main", { class: "card gate" }, el("h1", {}, "gridrace"), el("p", { role: "alert" }, "This page could not be loaded. Reload it.")));
    throw error;
  }
}

/**
 * Goes to an address of this server; with an intent to a room or tournament that is opened.
 * @param {string} path @param {any} [intent]
 */
function go(path, intent) {
  index += 1;
  history.pushState({ index }, "", path);
  show(pageOf(path, intent));
}

// Who would leave a race is asked first; a page that is closed keeps its seat.
addEventListener("popstate", ({ state }) => {
  const by = (state?.index ?? 0) - index;
  if (by === 0) return;
  const question = current?.staying?.();
  if (question && !isLeaving) {
    history.go(-by);
    closeDialogs("");
    confirmed(question, "Leave", () => {
      isLeaving = true;
      history.go(by);
    }, "Stay", "in-race");
    return;
  }
  isLeaving = false;
  index += by;
  show(pageOf(location.pathname));
});
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[href^='/']") : null;
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const question = current?.staying?.();
  if (question) confirmed(question, "Leave", () => go(link.pathname), "Stay", "in-race");
  else go(link.pathname);
});
addEventListener("keydown", async (event) => {
  if (event.key === "?" && !isTyping(event)) (await import("./help.js")).showHelp();
});
// What is loaded later may be lost.
addEventListener("unhandledrejection", ({ reason }) => { if (!reason || /module/.test(reason.message)) toast("No connection."); });

raceRules().catch(() => undefined);
show(pageOf(location.pathname));
