// Answers requests with the WebAssembly module, away from the page's thread.

'use strict';

let compiled;
let wasm;

// A page of one's own is a program with a trainer, whose tensor library would ask for a browser's GPU.
async function instance() {
  const imports = {};
  for (const { module, name } of WebAssembly.Module.imports(compiled)) {
    imports[module] ??= {};
    imports[module][name] = () => { throw new Error(`${name} was asked for`); };
  }
  const { exports } = await WebAssembly.instantiate(compiled, imports);
  exports.main?.(0, 0);
  return exports;
}

async function begin(bytes) {
  compiled = await WebAssembly.compile(bytes);
  wasm = await instance();
}

function answer(request) {
  const bytes = new TextEncoder().encode(JSON.stringify(request));
  const room = wasm.room(bytes.length) >>> 0;
  new Uint8Array(wasm.memory.buffer, room, bytes.length).set(bytes);
  const place = wasm.answer() >>> 0;
  const length = new DataView(wasm.memory.buffer).getUint32(place, true);
  return JSON.parse(new TextDecoder().decode(new Uint8Array(wasm.memory.buffer, place + 4, length)));
}

async function respond(request) {
  try {
    return answer(request);
  } catch (error) {
    // After a trap the instance is in no known state.
    wasm = await instance();
    return { error: `This did not work (${error.message}).`, lost: true };
  }
}

onmessage = async ({ data }) => {
  try {
    if (data.bytes) await begin(data.bytes);
    postMessage({ id: data.id, answer: data.bytes ? {} : await respond(data.request) });
  } catch (error) {
    postMessage({ id: data.id, answer: { error: `The games could not be started (${error.message}).` } });
  }
};
