// Makes the board of a seed, and its solution, in a worker.

import { replayRules } from "./rules.js";

self.onmessage = async ({ data: { spec, seed } }) => {
  try {
    const rules = await replayRules();
    self.postMessage(rules.call({ board: { spec, seed } }));
  } catch (error) {
    self.postMessage({ error: String(error) });
  }
};
