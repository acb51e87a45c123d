// Makes the board of a seed in a worker.

import { replayRules } from "./rules.js";

self.onmessage = async ({ data: { spec, seed } }) => {
  try {
    const rules = await replayRules();
    self.postMessage({ board: rules.call({ board: { spec, seed } }) });
  } catch (error) {
    self.postMessage({ error: String(error) });
  }
};
