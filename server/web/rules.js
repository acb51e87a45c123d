// The rules, from `gridrace-shared` as WebAssembly: see bindings/wasm.

/** What a request is answered with if it is refused. */
export class RulesError extends Error {}

/** One WebAssembly module, called with JSON. */
export class Rules {
  /** @param {WebAssembly.Exports} exports */
  constructor(exports) {
    /** @type {any} */
    this.exports = exports;
    this.encoder = new TextEncoder();
    this.decoder = new TextDecoder();
  }

  /** @param {string} path */
  static async load(path) {
    const answer = await fetch(path);
    if (!answer.ok) throw new Error(`${path}: status ${answer.status}`);
    const { instance } = await WebAssembly.instantiate(await answer.arrayBuffer(), {});
    return new Rules(instance.exports);
  }

  /** Answers a request; throws a RulesError if it is refused. @param {any} request */
  call(request) {
    this.write(this.encoder.encode(JSON.stringify(request)));
    return this.answer(this.exports.gridrace_call());
  }

  /** Reads the file of a replay. @param {Uint8Array} file */
  replay(file) {
    this.write(file);
    return this.answer(this.exports.gridrace_replay());
  }

  /** Returns what doesn't hold in the file of a replay. @param {Uint8Array} file @returns {string[]} */
  verify(file) {
    this.write(file);
    return this.answer(this.exports.gridrace_verify());
  }

  /** @param {Uint8Array} bytes */
  write(bytes) {
    const at = this.exports.gridrace_input(bytes.length);
    if (at === 0) throw new RulesError("too long");
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
  }

  /** @param {number} length */
  answer(length) {
    const bytes = new Uint8Array(this.exports.memory.buffer, this.exports.gridrace_output(), length);
    const answer = JSON.parse(this.decoder.decode(bytes));
    if ("error" in answer) throw new RulesError(answer.error);
    return answer.ok;
  }
}

/** @type {Map<string, Promise<Rules>>} */
const loaded = new Map();

/** @param {string} name */
function load(name) {
  let module = loaded.get(name);
  if (!module) {
    module = Rules.load(`/web/${name}.wasm`);
    // Another attempt may succeed.
    module.catch(() => loaded.delete(name));
    loaded.set(name, module);
  }
  return module;
}

/** What a race needs: rules, key, commitment. */
export const raceRules = () => load("rules");
/** What is needed once it is over: boards of seeds, and replays. */
export const replayRules = () => load("replay");

/** Draws the pictures of sliding puzzles. */
export const pictureRules = () => load("picture");
