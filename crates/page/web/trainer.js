// A training in the browser: a worker with the trainer's module, which trains a round after the other.

'use strict';

// Milliseconds of training between looks at messages, between shown curves, and between saves.
const WORK = 100;
const SHOWN = 1000;
const SAVED = 8000;
// Most rounds at once.
const MOST = 4096;

let wasm;
let going = false;

function filled(bytes) {
  const room = wasm.trainer_room(bytes.length) >>> 0;
  new Uint8Array(wasm.memory.buffer, room, bytes.length).set(bytes);
}

// Bytes at an address, after their length; above two gigabytes the module's addresses come as negative numbers.
function bytesAt(address) {
  const place = address >>> 0;
  const length = new DataView(wasm.memory.buffer).getUint32(place, true);
  return new Uint8Array(wasm.memory.buffer, place + 4, length);
}

function call(request) {
  filled(new TextEncoder().encode(JSON.stringify(request)));
  return JSON.parse(new TextDecoder().decode(bytesAt(wasm.trainer_answer(performance.now()))));
}

// The run's files by their names.
function files() {
  const bytes = bytesAt(wasm.trainer_files()).slice();
  const view = new DataView(bytes.buffer);
  const found = {};
  for (let at = 0; at < bytes.length;) {
    const [name, content] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    const middle = at + 8 + name;
    found[new TextDecoder().decode(bytes.subarray(at + 8, middle))] = bytes.slice(middle, middle + content);
    at = middle + content;
  }
  return found;
}

function put(run, name, content) {
  const head = new TextEncoder().encode(`${run}/${name}\0`);
  const bytes = new Uint8Array(head.length + content.length);
  bytes.set(head);
  bytes.set(content, head.length);
  filled(bytes);
  wasm.trainer_put();
}

// Lets messages in.
const channel = new MessageChannel();
let breathed;
channel.port1.onmessage = () => breathed();
function breath() {
  return new Promise((done) => {
    breathed = done;
    channel.port2.postMessage(null);
  });
}

function tell(kind, more) {
  postMessage({ kind, ...more });
}

function show(answer) {
  tell('shown', { step: answer.step, summary: answer.summary, detail: answer.detail });
}

function save() {
  const answer = call({ ask: 'save' });
  if (answer.error) throw new Error(answer.error);
  show(answer);
  tell('saved', { files: files() });
}

// Trains until the end, or until it is asked to stop; both save.
async function train() {
  going = true;
  save();
  let [rounds, shown, saved, done] = [1, performance.now(), performance.now(), false];
  while (going && !done) {
    const began = performance.now();
    const answer = call({ ask: 'advance', rounds });
    if (answer.error) throw new Error(answer.error);
    done = answer.done;
    const now = performance.now();
    rounds = Math.min(MOST, Math.max(1, Math.round(rounds * Math.min(2, WORK / Math.max(1, now - began)))));
    if (now - saved > SAVED) {
      save();
      shown = saved = performance.now();
    } else if (now - shown > SHOWN) {
      show(call({ ask: 'show' }));
      shown = performance.now();
    }
    await breath();
  }
  save();
  tell('ended', { done });
}

// What burn would ask of a browser's GPU, which is never done here.
function unused(module) {
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = () => { throw new Error(`${name} was asked for`); };
  }
  return imports;
}

// What the module says of its end, or the browser.
function faultOf(error) {
  if (!(error instanceof WebAssembly.RuntimeError || error instanceof RangeError)) return error.message;
  let said = '';
  try {
    said = new TextDecoder().decode(bytesAt(wasm.trainer_fault()));
  } catch {
    // Without memory there is none for a sentence.
  }
  return /alloc|memory/.test(said) || !said ? 'the browser gave it no more memory' : said;
}

const tasks = {
  async open({ bytes }) {
    const module = await WebAssembly.compile(bytes);
    wasm = (await WebAssembly.instantiate(module, unused(module))).exports;
    wasm.trainer_begin();
    // A program's games and configurations.
    wasm.main?.(0, 0);
    return {};
  },
  async configurations() {
    return call({ ask: 'configurations' });
  },
  async start({ config, set, name }) {
    return call({ ask: 'start', config, set, name });
  },
  async rounds({ rounds }) {
    return call({ ask: 'advance', rounds });
  },
  async look({ slots }) {
    return call({ ask: 'look', slots });
  },
  async source() {
    return call({ ask: 'source' });
  },
  async resume({ name, given }) {
    Object.entries(given).forEach(([file, content]) => put(name, file, content));
    return call({ ask: 'resume', name });
  },
};

onmessage = async ({ data }) => {
  try {
    if (data.task === 'stop') going = false;
    else if (data.task === 'train') await train();
    else tell('answer', { id: data.id, answer: await tasks[data.task](data) });
  } catch (error) {
    // After a fault the module is in no known state: the last save stays.
    const sentence = faultOf(error);
    if (data.id === undefined) tell('failed', { error: sentence });
    else tell('answer', { id: data.id, answer: { error: sentence } });
  }
};
