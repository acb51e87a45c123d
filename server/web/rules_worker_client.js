// Asks the worker of rules_worker.js.

/**
 * Makes the board of a seed, or verifies a replay, beside the page, as a large board takes seconds.
 * @param {{request?: any, file?: Uint8Array}} question
 * @param {AbortSignal} left
 * @returns {Promise<any>}
 */
export function askWorker(question, left) {
  const worker = new Worker("/web/rules_worker.js", { type: "module" });
  left.addEventListener("abort", () => worker.terminate());
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => ("ok" in data ? resolve(data.ok) : reject(new Error(data.error)));
    worker.onerror = () => reject(new Error("the worker failed"));
    worker.postMessage(question);
  }).finally(() => worker.terminate());
}
