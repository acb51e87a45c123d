// Elements, and what a screen reader says. Text only ever enters as text.

/** @typedef {string | number | Node | null | undefined | false} Child */

/**
 * Makes an element. Properties that begin with `on` are listeners, `class` and those with a hyphen
 * are attributes, others properties.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} tag
 * @param {Record<string, any>} [props]
 * @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[T]}
 */
export function el(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class" || name === "role" || name.includes("-")) element.setAttribute(name, String(value));
    else if (name === "vars") for (const [key, text] of Object.entries(value)) element.style.setProperty(key, String(text));
    else /** @type {any} */ (element)[name] = value;
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false).map((child) => child instanceof Node ? child : String(child)));
  return element;
}

/** @type {Record<string, Promise<unknown>>} */
const styles = {};

/** Loads stylesheets that only some views need. @param {...string} names */
export const loadStyles = (...names) => Promise.all(names.map((name) => styles[name] ??= new Promise((resolve, reject) => document.head.append(el("link", {
  rel: "stylesheet",
  href: `/web/${name}.css`,
  onload: resolve,
  onerror: (/** @type {any} */ { target }) => {
    delete styles[name];
    reject(target.remove());
  },
})))));

/** Replaces the children of an element. @param {Element} parent @param {...(Child | Child[])} children */
export const fill = (parent, ...children) => keepFocus(parent, parent, () => parent.replaceChildren(...el("div", {}, ...children).childNodes));

/** Puts an element in place of another. @param {Element} from @param {Element} to */
export const replace = (from, to) => keepFocus(from, to, () => from.replaceWith(to));

/** @param {Element} from @param {Element} to @param {() => void} change */
function keepFocus(from, to, change) {
  const focused = document.activeElement;
  const isLost = from.contains(focused);
  change();
  if (isLost) refocus(focused, to);
}

/**
 * Gives the focus of an element that is gone to that with the same `data-id`, or else to the region where it was.
 * @param {any} lost @param {any} region
 */
function refocus(lost, region) {
  if (lost.isConnected) return;
  const { id } = lost.dataset;
  const next = id ? region.querySelector(`[data-id="${CSS.escape(id)}"]`) : null;
  if (!next && region.tabIndex < 0) region.tabIndex = -1;
  (next ?? region).focus({ preventScroll: !next });
}

/** Sets a text if it is another one. @param {Element} element @param {string} text */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Lets a screen reader say a line. @param {string} text @param {boolean} [atOnce] whether it interrupts what is being said */
export function speak(text, atOnce = false) {
  const region = document.getElementById(atOnce ? "assertive" : "polite");
  if (region) region.textContent = text;
}

/** @param {string} label @param {() => void} onclick @param {Record<string, any>} [props] */
export function button(label, onclick, props = {}) {
  return el("button", { type: "button", "data-id": label, onclick, ...props }, label);
}

/**
 * Shows a dialog over the page; the function returned closes it.
 * @param {string} title
 * @param {...(Child | Child[])} children
 * @returns {() => void}
 */
export function dialog(title, ...children) {
  const opener = document.activeElement;
  const close = () => {
    box.close();
    // It may have been drawn anew meanwhile.
    if (document.activeElement === document.body || box.contains(document.activeElement)) refocus(opener, document.querySelector("main") ?? document.body);
  };
  const heading = el("h2", { id: "dialog-title" }, title);
  const box = el("dialog", { "aria-labelledby": "dialog-title" },
    el("div", { class: "dialog-head" }, heading, button("✕", close, { class: "quiet", "aria-label": "Close" })),
    ...children);
  box.addEventListener("close", () => {
    close();
    box.remove();
  });
  const isOutside = (/** @type {MouseEvent} */ { target, clientX, clientY }) => {
    const { left, right, top, bottom } = box.getBoundingClientRect();
    return target === box && (clientX < left || clientX > right || clientY < top || clientY > bottom);
  };
  /** Whether the press began outside: a selection of text may end there. */
  let down = false;
  box.addEventListener("mousedown", (event) => { down = isOutside(event); });
  box.addEventListener("click", (event) => { if (down && isOutside(event)) close(); });
  document.body.append(box);
  box.showModal();
  // A phone's keyboard would cover numbers and choices.
  const first = /** @type {any} */ (box.querySelector("input, select"));
  if (first?.matches("input:not([type])")) first.focus();
  return close;
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let toastTimer;

/** Shows a line for some seconds, and says it. @param {string} text */
export function toast(text) {
  const line = document.querySelector(".toast") ?? el("div", { class: "toast", "aria-hidden": "true" });
  // Over what is open.
  (document.querySelector("dialog[open]") ?? document.body).append(line);
  line.textContent = text;
  speak(text);
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => line.remove(), 4000);
}

/**
 * Copies a text. Over plain HTTP a browser has no clipboard but for what is selected.
 * @param {string} text @returns {Promise<boolean>} whether it is copied
 */
export async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const focused = document.activeElement;
    const box = el("textarea", { value: text, readOnly: true, class: "spoken" });
    document.body.append(box);
    box.select();
    const isCopied = document.execCommand("copy");
    box.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return isCopied;
  }
}

/** @type {Map<string, string>} what the browser doesn't keep */
const unkept = new Map();

/** @param {string} name @param {string} [fallback] */
export function stored(name, fallback = "") {
  try {
    return unkept.get(name) ?? localStorage.getItem(`gridrace.${name}`) ?? fallback;
  } catch {
    return fallback;
  }
}

/** @param {string} name @param {string} value */
export function store(name, value) {
  try {
    localStorage.setItem(`gridrace.${name}`, value);
    unkept.delete(name);
  } catch {
    unkept.set(name, value);
  }
}

/** A row of tiles as the program's sign. */
export function brand() {
  return el("span", { class: "brand", "aria-hidden": "true" }, [..."gridrace"].map((letter, index) => el("i", { class: `t${index % 7}` }, letter)));
}

/**
 * Asks before something is done.
 * @param {string} question @param {string} yes @param {() => void} act @param {string} [no]
 * @param {string} [classes] of the dialog: `in-race` closes with the race, `online` also with the connection
 */
export function confirmed(question, yes, act, no = "Cancel", classes = "") {
  const actions = el("div", { class: "actions" }, button(yes, () => { close(); act(); }, { class: "danger" }), button(no, () => close(), { class: "primary" }));
  const close = dialog(question, actions);
  if (actions.parentElement) actions.parentElement.className = classes;
}

/** @param {Event} event @returns {boolean} whether a key is meant for a dialog or a field */
export const isTyping = ({ target }) => Boolean(document.querySelector("dialog[open]") || (target instanceof Element && target.closest("input, select, textarea")));

/** @param {string} selector */
export function closeDialogs(selector) {
  for (const box of document.querySelectorAll(`dialog${selector}`)) /** @type {HTMLDialogElement} */ (box).close();
}
