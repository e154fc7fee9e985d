// Where answers come from: a worker with WebAssembly, a server, or a recording.

import { find } from './dom.js';

// A queue before what answers: one request at a time.
class Queue {
  constructor(send) {
    this.send = send;
    this.waiting = [];
    this.busy = false;
  }

  // The answer. A newer request of the same lane replaces an older that waits, which gets null;
  // requests that are `later` wait for all others.
  ask(request, { lane, later } = {}) {
    return new Promise((resolve) => {
      if (lane) this.drop(lane);
      this.waiting.push({ request, lane, resolve, rank: later ? 2 : lane ? 1 : 0 });
      this.next();
    });
  }

  drop(lane) {
    const old = this.waiting.filter((entry) => entry.lane === lane);
    this.waiting = this.waiting.filter((entry) => entry.lane !== lane);
    old.forEach((entry) => entry.resolve(null));
  }

  async next() {
    if (this.busy || this.waiting.length === 0) return;
    const first = this.waiting.reduce((best, entry) => (entry.rank < best.rank ? entry : best));
    this.waiting.splice(this.waiting.indexOf(first), 1);
    this.busy = true;
    try {
      first.resolve(await this.send(first.request));
    } catch (error) {
      first.resolve({ error: `This did not work (${error.message}).` });
    } finally {
      this.busy = false;
    }
    this.next();
  }
}

// Bytes of a module, inside the page or beside it; inside, one module may be all.
export async function moduleBytes(id, file) {
  const inside = (find(id) ?? find('#wasm'))?.textContent.trim();
  if (!inside) {
    const response = await fetch(file);
    if (!response.ok) throw new Error(`${file}: ${response.status}`);
    return response.arrayBuffer();
  }
  const packed = Uint8Array.from(atob(inside), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

function startWorker() {
  const source = find('#worker-source')?.textContent.trim();
  if (!source) return new Worker('worker.js');
  return new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })));
}

async function fromWorker() {
  const worker = startWorker();
  const open = new Map();
  let last = 0;
  worker.onmessage = ({ data }) => {
    open.get(data.id)?.(data.answer);
    open.delete(data.id);
  };
  const post = (message, transfer = []) => new Promise((resolve) => {
    last += 1;
    open.set(last, resolve);
    worker.postMessage({ id: last, ...message }, transfer);
  });
  worker.onerror = () => {
    open.forEach((resolve) => resolve({ error: 'The games have stopped: load the page again.' }));
    open.clear();
  };
  const bytes = await moduleBytes('#wasm', 'matchq.wasm');
  const begun = await post({ bytes }, [bytes]);
  if (begun.error) throw new Error(begun.error);
  return { kind: 'worker', send: (request) => post({ request }) };
}

// Headers of every request to the server.
function serverHeaders() {
  const token = new URLSearchParams(location.search).get('token');
  return { 'X-Matchq': '1', ...(token ? { Authorization: `Bearer ${token}` } : {}) };
}

// JSON from the server; an error's sentence is in `error`.
export async function fromServer(path, body) {
  const headers = { ...serverHeaders(), ...(body ? { 'Content-Type': 'application/json' } : {}) };
  try {
    const response = await fetch(path, { method: body ? 'POST' : 'GET', headers, body: body && JSON.stringify(body) });
    const text = await response.text();
    const answer = text.startsWith('{') ? JSON.parse(text) : { error: text || `The server answers ${response.status}.` };
    return response.ok || answer.error ? answer : { error: `The server answers ${response.status}.` };
  } catch {
    return { error: 'The server does not answer. Is the program still running?', gone: true };
  }
}

// Answers from a recording: `about`, `at`, `player`, `position` and `steps` of `values` and `played`.
function recorded(record) {
  const stepOf = (at) => record.steps[at.moves?.length ?? 0];
  const positions = [record.position, ...record.steps.filter((step) => step.played).map((step) => step.played.position)];
  return (request) => {
    const none = { error: 'This page holds one game only.' };
    switch (request.ask) {
      case 'about': return record.about;
      case 'position': return positions[request.at.moves?.length ?? 0] ?? none;
      case 'values': return stepOf(request.at)?.values ?? none;
      case 'play': return stepOf(request.at)?.played ?? none;
      default: return none;
    }
  };
}

// Starts what answers: its kind, the function `ask`, and the recording if there is one.
export async function startEngine() {
  const text = find('#record')?.textContent.trim();
  if (text) {
    const record = JSON.parse(text);
    const answer = recorded(record);
    return { kind: 'record', record, ask: async (request) => answer(request), drop: () => {} };
  }
  const serves = document.documentElement.dataset.engine === 'serve';
  const source = serves ? { kind: 'serve', send: (request) => fromServer('api/ask', request) } : await fromWorker();
  const queue = new Queue(source.send);
  return { kind: source.kind, ask: (request, how) => queue.ask(request, how), drop: (lane) => queue.drop(lane) };
}
