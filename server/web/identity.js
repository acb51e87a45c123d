// The key instead of an account: made in the rules' module, kept by this browser for this address.

import { store, stored } from "./dom.js";

const KEY = "key";

/**
 * Makes a key at the first visit.
 * @param {import("./rules.js").Rules} rules @returns {{secret: string, fingerprint: string}}
 */
export function identity(rules) {
  try {
    return rules.call({ key: { secret: stored(KEY) } });
  } catch {
    const bytes = crypto.getRandomValues(new Uint8Array(32));
    return importKey(rules, [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(""));
  }
}

/** Answers the server's challenge. @param {import("./rules.js").Rules} rules @param {string} challenge */
export const proof = (rules, challenge) => rules.call({ prove: { secret: identity(rules).secret, challenge, host: location.host.toLowerCase() } });

/**
 * Takes over a key from another browser, or from the terminal program's file; throws if it is none.
 * @param {import("./rules.js").Rules} rules @param {string} text
 */
export function importKey(rules, text) {
  const known = rules.call({ key: { secret: text.trim() } });
  store(KEY, known.secret);
  return known;
}
