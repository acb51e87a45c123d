// A bell and a buzz at GO and at the finish, off by a switch.

import { store, stored } from "./dom.js";

/** @type {AudioContext | undefined} */
let audio;

export const isSoundOn = () => stored("sound", "on") === "on";
/** @param {boolean} on */
export function setSound(on) {
  store("sound", on ? "on" : "off");
  wakeSound();
}

/** A browser lets a page sound and vibrate only after a touch or a key: before that, it would only complain. */
function wakeSound() {
  if (!isSoundOn() || audio?.state === "running" || navigator.userActivation?.hasBeenActive === false) return;
  try {
    audio ??= new AudioContext();
    audio.resume().catch(() => undefined);
  } catch {
    // Without sound.
  }
}
// A finger that is put down may still scroll: a browser counts it when it is lifted.
for (const kind of ["pointerdown", "pointerup", "keydown"]) addEventListener(kind, wakeSound, { capture: true, passive: true });
wakeSound();

/** @param {number} pitch in hertz @param {number} length in seconds */
export function ring(pitch, length) {
  if (!isSoundOn()) return;
  if (navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.(Math.round(length * 300));
  if (!audio || audio.state !== "running") return;
  const [tone, volume] = [audio.createOscillator(), audio.createGain()];
  tone.frequency.value = pitch;
  volume.gain.setValueAtTime(0.15, audio.currentTime);
  volume.gain.exponentialRampToValueAtTime(0.001, audio.currentTime + length);
  tone.connect(volume).connect(audio.destination);
  tone.start();
  tone.stop(audio.currentTime + length);
}
