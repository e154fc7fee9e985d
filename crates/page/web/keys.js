// The keys of a configuration as fields, each with its sentence, beside its text.

import { make } from './dom.js';

// A line `key = value   # sentence`; a value that goes on over several lines is left to the text.
const LINE = /^(\s*)([\w-]+)(\s*=\s*)("[^"]*"|'[^']*'|\[[^\]#]*\]|[^#[{]+?)(\s*#\s*(.*))?$/;
// Keys whose change makes another training than the one that is described.
const FIXED = ['learner', 'game.name', 'seed'];

// Keys of a text with their lines, values and sentences; a sentence may go on in the comment of the next line.
export function keysIn(text) {
  let section = '';
  const keys = [];
  text.split('\n').forEach((line, index) => {
    const head = /^\s*\[([\w.-]+)\]/.exec(line);
    if (head) section = `${head[1]}.`;
    const found = !head && !/^\s*#/.test(line) && LINE.exec(line);
    if (found) keys.push({ line: index, key: `${section}${found[2]}`, value: found[4].trim(), about: (found[6] ?? '').trim() });
  });
  return keys;
}

// The text with another value in a line.
export function withValue(text, line, value) {
  const lines = text.split('\n');
  lines[line] = lines[line].replace(LINE, (_, before, key, equals, old, comment) => `${before}${key}${equals}${value}${comment ?? ''}`);
  return lines.join('\n');
}

// The text with other values of keys; those that it lacks get a line in their section.
export function withKeys(text, values) {
  return Object.entries(values).reduce((before, [key, value]) => {
    const known = keysIn(before).find((one) => one.key === key);
    if (known) return withValue(before, known.line, value);
    const [section, name] = key.split('.');
    const head = `[${section}]`;
    return before.includes(head) ? before.replace(head, `${head}\n${name} = ${value}`) : `${before}\n${head}\n${name} = ${value}\n`;
  }, text);
}

// The text without a section.
export function lacking(text, section) {
  const lines = text.split('\n');
  const first = lines.indexOf(lines.find((line) => line.startsWith(`[${section}]`)));
  const after = lines.findIndex((line, index) => index > first && line.startsWith('['));
  return [...lines.slice(0, first), ...lines.slice(after)].join('\n');
}

export class Keys {
  // `changed` is called after each change.
  constructor(changed) {
    this.changed = changed;
    this.fields = make('div', { class: 'keys' });
    this.text = make('textarea', { class: 'boardtext', rows: 16, spellcheck: 'false', autocapitalize: 'off', 'aria-label': 'Configuration as text',
      oninput: () => { this.show(); this.changed(); } });
    this.element = make('div', {}, make('details', { open: true }, make('summary', {}, 'Keys'), this.fields),
      make('details', {}, make('summary', {}, 'The whole configuration as text'), this.text));
  }

  get value() {
    return this.text.value;
  }

  set value(text) {
    this.text.value = text;
    this.show();
  }

  show() {
    const rows = keysIn(this.text.value).filter(({ key }) => !FIXED.includes(key)).map((one) => this.field(one));
    this.fields.replaceChildren(...rows);
  }

  field({ line, key, value, about }) {
    const input = make('input', { type: 'text', value, size: 12, spellcheck: 'false', 'data-key': key,
      onchange: () => { this.text.value = withValue(this.text.value, line, input.value.trim() || value); this.changed(); } });
    return make('label', { class: 'key' }, make('code', {}, key), input, make('span', { class: 'soft' }, about));
  }
}
