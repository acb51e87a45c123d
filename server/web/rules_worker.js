// Answers one question about a heat that is over, in a worker: see rules_worker_client.js.

import { replayRules } from "./rules.js";

self.onmessage = async ({ data: { request, file } }) => {
  try {
    const rules = await replayRules();
    self.postMessage({ ok: file ? rules.verify(file) : rules.call(request) });
  } catch (error) {
    self.postMessage({ error: String(error) });
  }
};
