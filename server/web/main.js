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

/** @param {string} path @returns {Promise<Page>} */
async function pageOf(path) {
  const [first, second] = path.split("/").slice(1);
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
 * Goes to an address of this server; with an intent into a room that is opened.
 * @param {string} path @param {any} [intent]
 */
function go(path, intent) {
  history.pushState(null, "", path);
  show(intent ? roomView(intent, go) : pageOf(path));
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
