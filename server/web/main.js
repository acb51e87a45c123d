// Finds out by the address what to show.

import { el, fill } from "./dom.js";
import { raceRules } from "./rules.js";
import { roomView } from "./room_view.js";

const app = /** @type {HTMLElement} */ (document.getElementById("app"));

/** @type {(() => void) | undefined} */
let leave;

/**
 * @typedef {object} Page
 * @property {Element} element
 * @property {() => void} [leave] is called when another page is shown
 */

/** Loads what only tournaments look like. @returns {Promise<unknown>} */
async function tournamentStyle() {
  const href = "/web/tournament.css";
  if (document.querySelector(`link[href="${href}"]`)) return;
  await new Promise((resolve, reject) => document.head.append(el("link", { rel: "stylesheet", href, onload: resolve, onerror: reject })));
}

/** @param {string} path @param {any} [intent] @returns {Promise<Page>} */
async function pageOf(path, intent) {
  const [first, second, third] = path.split("/").slice(1);
  if (first === "t" && second) {
    const name = second.toLowerCase();
    await tournamentStyle();
    if (third === "tv") return (await import("./tournament_tv.js")).tournamentTv(name);
    return (await import("./tournament_view.js")).tournamentView(name, go, intent);
  }
  if (intent) return roomView(intent, go);
  if (!first) return (await import("./home.js")).home(go);
  if (first === "results" && !second) return (await import("./records.js")).records();
  if (first === "r" && second) return (await import("./replay.js")).replayPage(second);
  if (second === "tv") return (await import("./tv.js")).tv(first.toUpperCase());
  return roomView({ code: first.toUpperCase() }, go);
}

/** @param {Promise<Page> | Page} page */
async function show(page) {
  leave?.();
  leave = undefined;
  try {
    const shown = await page;
    leave = shown.leave;
    fill(app, shown.element);
  } catch (error) {
    fill(app, el("main", { class: "narrow" }, el("h1", {}, "gridrace"), el("p", { role: "alert" }, "This page could not be loaded. Reload it.")));
    throw error;
  }
}

/**
 * Goes to an address of this server; with an intent to a room or tournament that is opened.
 * @param {string} path @param {any} [intent]
 */
function go(path, intent) {
  history.pushState(null, "", path);
  show(pageOf(path, intent));
}

addEventListener("popstate", () => show(pageOf(location.pathname)));
document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a[href^='/']") : null;
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download") || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  go(link.pathname);
});

raceRules().catch(() => undefined);
show(pageOf(location.pathname));
