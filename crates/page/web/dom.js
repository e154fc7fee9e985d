// Elements, numbers as text, and what the browser remembers.

const SVG_SPACE = 'http://www.w3.org/2000/svg';

// Letter by which all choices are kept in the browser.
const KEPT = 'matchq.';

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(2).filter((child) => child !== undefined && child !== null && child !== false));
  return element;
}

export function find(selector, within = document) {
  return within.querySelector(selector);
}

export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG_SPACE, tag), attributes, children);
}

export function button(text, onclick, attributes = {}) {
  return make('button', { type: 'button', onclick, ...attributes }, text);
}

const ICONS = {
  first: 'M5 5v14M19 5l-9 7 9 7z',
  back: 'M17 5l-10 7 10 7z',
  play: 'M7 4l12 8-12 8z',
  pause: 'M8 5v14M16 5v14',
  next: 'M5 5l9 7-9 7zM19 5v14',
  left: 'M15 5l-8 7 8 7',
  right: 'M9 5l8 7-8 7',
  turn: 'M19 12a7 7 0 1 1-3-5.7M19 3v5h-5',
  drop: 'M12 4v12M6 11l6 6 6-6M5 21h14',
  light: 'M12 8a4 4 0 1 0 .01 0zM12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.4 1.4M17.6 17.6L19 19M5 19l1.4-1.4M17.6 6.4L19 5',
  dark: 'M20 14.5A8 8 0 1 1 9.5 4a6.5 6.5 0 0 0 10.5 10.5z',
  auto: 'M12 3a9 9 0 1 0 .01 0zM12 3v18M12 7h6.5M12 12h8.5M12 17h6.5',
};

export function icon(name) {
  return draw('svg', { class: `icon icon-${name}`, viewBox: '0 0 24 24', 'aria-hidden': 'true' }, draw('path', { d: ICONS[name] }));
}

export function labelled(text, control, attributes = {}) {
  return make('label', { class: 'field', ...attributes }, make('span', {}, text), control);
}

export function option(value, text, selected) {
  return make('option', { value, selected }, text ?? value);
}

// Says a sentence to screen readers.
export function say(sentence) {
  find('#live').textContent = sentence;
}

// Shows a sentence for a moment.
export function notice(sentence) {
  const line = find('#notice');
  line.textContent = sentence;
  line.hidden = false;
  clearTimeout(notice.timer);
  notice.timer = setTimeout(() => { line.hidden = true; }, 6000);
}

export function remember(key, value) {
  try {
    localStorage.setItem(KEPT + key, JSON.stringify(value));
  } catch {
    // A page opened as a file may have no storage.
  }
}

export function recall(key, otherwise) {
  try {
    const text = localStorage.getItem(KEPT + key);
    return text === null ? otherwise : JSON.parse(text);
  } catch {
    return otherwise;
  }
}

export function count(value) {
  return value.toLocaleString('en');
}

// A number with about four digits.
export function number(value) {
  if (value === undefined || value === null) return '–';
  const size = Math.abs(value);
  const digits = Number.isInteger(value) || size >= 1000 ? 0 : size >= 100 ? 1 : 2;
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits }).replace('-', '−');
}

export function signed(value) {
  return value > 0 ? `+${number(value)}` : number(value);
}

// A number of the game's units, such as "1 line" or "24 points".
export function amount(value, unit) {
  return `${number(value)} ${Math.abs(value) === 1 ? unit.replace(/s$/, '') : unit}`;
}

// Words of a move whose rows and columns are not broken into two lines.
export function unbroken(words) {
  return words.replace(/\b((?:row|column)s?) (\d)/g, '$1\u00a0$2').replace(/(\d+) (to|and) (\d+)/g, '$1\u00a0$2\u00a0$3');
}

// A cell as people read it at the board's edges.
export function cellName([row, column]) {
  return `row ${row}, column ${column}`;
}

// Words of the program as a sentence.
export function asSentence(words) {
  return `${words[0]?.toUpperCase() ?? ''}${words.slice(1)}${/[.:!?…]$/.test(words) ? '' : '.'}`;
}

// Whether the page has one column.
export function isNarrow() {
  return matchMedia('(max-width: 900px)').matches;
}

export function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}

export function mayMove() {
  return !matchMedia('(prefers-reduced-motion: reduce)').matches;
}

export function median(values) {
  return quantile(values, 0.5);
}

export function quantile(values, share) {
  const sorted = [...values].sort((one, other) => one - other);
  const place = (sorted.length - 1) * share;
  const low = Math.floor(place);
  const next = sorted[Math.min(low + 1, sorted.length - 1)];
  return sorted[low] + (next - sorted[low]) * (place - low);
}

export function base64Of(blob) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.slice(reader.result.indexOf(',') + 1));
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(blob);
  });
}

// Most pixels of a picture that the engine reads at once.
const MOST_PIXELS = 4_000_000;

// A picture as a PNG, made by the browser, which knows more formats than the engine. A large one is made smaller.
export async function pngOf(file) {
  const bitmap = await createImageBitmap(file);
  const { width, height } = bitmap;
  const scale = Math.min(1, Math.sqrt(MOST_PIXELS / (width * height)));
  if (scale === 1 && file.type === 'image/png') return file;
  const canvas = make('canvas', { width: Math.round(scale * width) || 1, height: Math.round(scale * height) || 1 });
  canvas.getContext('2d').drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return new Promise((done, failed) => canvas.toBlob((png) => (png ? done(png) : failed(new Error('no PNG'))), 'image/png'));
}

export function download(name, text, type = 'application/json') {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make('a', { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

export async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    notice(`${what} is copied.`);
  } catch {
    notice(`The browser does not let the page copy. ${what}: ${text}`);
  }
}
