// Files in one: a ZIP, written without compression, and read with it or without.

const LOCAL = 0x04034b50;
const ENTRY = 0x02014b50;
const END = 0x06054b50;
// Bytes of the heads of a file, of its entry and of the end.
const [LOCAL_SIZE, ENTRY_SIZE, END_SIZE] = [30, 46, 22];

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value;
});

function checksum(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) value = TABLE[(value ^ byte) & 255] ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}

// Head of a size, with numbers of 2 or 4 bytes at their places.
function head(size, numbers) {
  const bytes = new Uint8Array(size);
  const view = new DataView(bytes.buffer);
  numbers.forEach(([at, size, value]) => (size === 4 ? view.setUint32(at, value, true) : view.setUint16(at, value, true)));
  return bytes;
}

// A ZIP of files by their paths.
export function zipped(files) {
  const [parts, entries] = [[], []];
  let at = 0;
  for (const [path, content] of Object.entries(files)) {
    const name = new TextEncoder().encode(path);
    // Flag 11: names are UTF-8. The date is 1980-01-01.
    const common = (from) => [[from, 2, 20], [from + 2, 2, 1 << 11], [from + 8, 2, 33], [from + 10, 4, checksum(content)],
      [from + 14, 4, content.length], [from + 18, 4, content.length], [from + 22, 2, name.length]];
    parts.push(head(LOCAL_SIZE, [[0, 4, LOCAL], ...common(4)]), name, content);
    entries.push(head(ENTRY_SIZE, [[0, 4, ENTRY], [4, 2, 20], ...common(6), [42, 4, at]]), name);
    at += LOCAL_SIZE + name.length + content.length;
  }
  const count = Object.keys(files).length;
  const size = entries.reduce((sum, part) => sum + part.length, 0);
  return new Blob([...parts, ...entries, head(END_SIZE, [[0, 4, END], [8, 2, count], [10, 2, count], [12, 4, size], [16, 4, at]])], { type: 'application/zip' });
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Files of a ZIP by their paths; an error if it is damaged.
export async function unzipped(blob) {
  const bytes = new Uint8Array(await blob.arrayBuffer());
  const view = new DataView(bytes.buffer);
  let end = bytes.length - END_SIZE;
  while (end >= 0 && view.getUint32(end, true) !== END) end -= 1;
  if (end < 0) throw new Error('it is no ZIP');
  const files = {};
  let at = view.getUint32(end + 16, true);
  for (let count = view.getUint16(end + 10, true); count > 0; count -= 1) {
    if (view.getUint32(at, true) !== ENTRY) throw new Error('its list of files is damaged');
    const number = (from, size) => (size === 4 ? view.getUint32(at + from, true) : view.getUint16(at + from, true));
    const [method, sum, packed, name, more, comment, from] = [[10, 2], [16, 4], [20, 4], [28, 2], [30, 2], [32, 2], [42, 4]].map(([place, size]) => number(place, size));
    const path = new TextDecoder().decode(bytes.subarray(at + ENTRY_SIZE, at + ENTRY_SIZE + name));
    const start = from + LOCAL_SIZE + view.getUint16(from + 26, true) + view.getUint16(from + 28, true);
    const content = bytes.slice(start, start + packed);
    if (!path.endsWith('/')) {
      if (method !== 0 && method !== 8) throw new Error(`${path} is compressed in a way that browsers do not read`);
      files[path] = method === 8 ? await inflated(content) : content;
      if (checksum(files[path]) !== sum) throw new Error(`${path} is damaged`);
    }
    at += ENTRY_SIZE + name + more + comment;
  }
  return files;
}
