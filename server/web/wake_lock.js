// Keeps the screen on.

/** @returns {() => void} ends it */
export function keepAwake() {
  /** @type {WakeLockSentinel | undefined} */
  let lock;
  let ended = false, asking = false;
  const take = async () => {
    // A page that was out of sight has lost its lock.
    if (asking || document.hidden || (lock && !lock.released)) return;
    asking = true;
    try {
      lock = await navigator.wakeLock?.request("screen");
      if (ended) await lock?.release();
    } catch {
      // Not in this browser, or not over plain HTTP.
    }
    asking = false;
  };
  document.addEventListener("visibilitychange", take);
  take();
  return () => {
    ended = true;
    document.removeEventListener("visibilitychange", take);
    lock?.release().catch(() => undefined);
  };
}
