// A picture of a board, with the best moves drawn on it.

import { draw, make } from './dom.js';
import { marksOf } from './overlay.js';
import { CELL } from './tiles.js';

export class Picture {
  constructor() {
    this.image = make('img', { alt: 'The picture that was read', onerror: () => this.hide() });
    this.marks = draw('g', { class: 'marks' });
    this.field = draw('rect', { class: 'field-frame' });
    this.svg = draw('svg', { 'aria-hidden': 'true' }, this.field, this.marks);
    this.png = null;
    this.element = make('div', { class: 'picture', hidden: true }, this.image, this.svg);
  }

  show(file) {
    this.hide();
    this.file = file;
    this.address = URL.createObjectURL(file);
    this.image.src = this.address;
    this.element.hidden = false;
  }

  hide() {
    if (this.address) URL.revokeObjectURL(this.address);
    this.address = this.read = this.game = this.file = this.png = null;
    this.image.removeAttribute('src');
    this.svg.removeAttribute('viewBox');
    this.field.removeAttribute('width');
    this.marks.replaceChildren();
    this.element.hidden = true;
  }

  // Knows the game of the picture, and where its board lies, if that was found.
  place(read) {
    this.game = read.game;
    if (!read.field) return;
    this.read = read;
    const [x, y, width, height] = read.field;
    this.svg.setAttribute('viewBox', `0 0 ${read.picture.join(' ')}`);
    Object.entries({ x, y, width, height }).forEach(([key, value]) => this.field.setAttribute(key, value));
  }

  // Draws the best moves.
  mark(moves, scale, game) {
    this.marks.replaceChildren();
    if (!this.read || moves.length === 0) return;
    const [x, y, width, height] = this.read.field;
    this.marks.setAttribute('transform', `translate(${x} ${y}) scale(${width / game.columns / CELL} ${height / game.rows / CELL})`);
    this.marks.replaceChildren(...marksOf(game, moves.slice(0, 3), scale));
  }
}
