// A board: tiles, their movement, and marks on them.

import { draw, make, mayMove } from './dom.js';
import { fullRows, linesOf, stepsOf } from './motion.js';
import { marksOf, outline, ringsOf } from './overlay.js';
import { CELL, hasPieces, rises, tile, titleOf } from './tiles.js';

// Pixels around the cells.
const EDGE = 6;

// Pixels at the left and below, where rows and columns are numbered: more where cells are shown small.
function rimOf(height, isSmall) {
  return isSmall ? Math.max(24, 0.05 * height) : Math.max(18, 0.03 * height);
}

function at(x, y) {
  return `translate(${x * CELL}px, ${y * CELL}px)`;
}

export class Board {
  constructor({ name = 'board', focusable = true } = {}) {
    const clip = `clip-${(Board.made = (Board.made ?? 0) + 1)}`;
    const layer = (name) => draw('g', { class: name });
    this.ground = layer('ground');
    this.tiles = draw('g', { class: 'tiles', 'clip-path': `url(#${clip})` });
    this.falling = layer('falling');
    this.marks = layer('marks');
    this.rings = layer('rings');
    this.clip = draw('clipPath', { id: clip });
    this.svg = draw('svg', { 'aria-hidden': 'true' }, draw('defs', {}, this.clip), this.ground, this.tiles, this.falling, this.marks, this.rings);
    this.isSmall = name === 'small';
    this.element = make('div', { class: `board ${name}`, role: 'img', tabindex: focusable ? 0 : undefined }, this.svg);
    this.running = [];
    this.turn = 0;
  }

  setGame(game) {
    if (this.game === game) return;
    this.game = game;
    const [columns, above] = [game.columns, game.above];
    this.rows = game.rows + above;
    const [width, height, top] = [columns * CELL, this.rows * CELL, above * CELL];
    const rim = rimOf(height, this.isSmall);
    const [across, down] = [width + EDGE + rim, height + EDGE + rim];
    const box = { x: -rim, y: top - EDGE, width: across, height: down - top, rx: 10 };
    this.svg.setAttribute('viewBox', `${-rim} ${-EDGE} ${across} ${down}`);
    this.element.style.setProperty('--ratio', across / down);
    this.clip.replaceChildren(draw('rect', { x: -EDGE, y: -EDGE, width: width + 2 * EDGE, height: height + 2 * EDGE, rx: 10 }));
    const [colour, pattern] = hasPieces(game) ? ['#0d0f15', 'grid'] : ['#20232f', 'checks'];
    const number = (text, x, y) => draw('text', { class: 'number', x, y, 'text-anchor': 'middle', 'font-size': 0.62 * rim }, `${text}`);
    const numbers = [...Array(game.rows).keys()].map((row) => number(row, -rim / 2, top + (row + 0.5) * CELL))
      .concat([...Array(columns).keys()].map((column) => number(column, (column + 0.5) * CELL, height + rim / 2)));
    this.ground.replaceChildren(draw('rect', { ...box, class: 'frame', fill: colour }),
      draw('rect', { y: top, width, height: height - top, fill: `url(#${pattern})` }), ...numbers);
    this.element.setAttribute('aria-label', `Board of ${titleOf(game)}, ${game.rows} rows and ${columns} columns`);
    this.text = '';
    this.tiles.replaceChildren();
    this.clearMarks();
  }

  // Draws a board at once.
  show(text) {
    this.stop();
    this.falling.replaceChildren();
    this.text = text;
    this.element.dataset.board = text;
    this.of = linesOf(text).map((row, y) => [...row].map((letter, x) => this.makeTile(letter, x, y)));
    this.tiles.replaceChildren(...this.of.flat().filter(Boolean));
  }

  makeTile(letter, x, y) {
    const made = tile(this.game, letter);
    if (made) made.style.transform = at(x, y);
    return made;
  }

  // Ends what moves.
  stop() {
    this.turn += 1;
    this.running.forEach((animation) => animation.cancel());
    this.running = [];
  }

  async animate(element, frames, duration, easing = 'ease-in-out') {
    const animation = element.animate(frames, { duration, easing });
    this.running.push(animation);
    try {
      await animation.finished;
    } catch {
      // Cancelled: the next board is drawn at once.
    }
    this.running = this.running.filter((other) => other !== animation);
  }

  // Shows a move, one step in `pace` milliseconds, then its last board.
  async play(played, pace) {
    if (this.text !== played.before) this.show(played.before);
    this.clearMarks();
    const turn = (this.turn += 1);
    if (pace > 0 && mayMove()) {
      if (hasPieces(this.game)) await this.dropPiece(played, pace, turn);
      else await this.moveTiles(played, pace, turn);
    }
    if (turn === this.turn) this.show(played.position.board);
  }

  async moveTiles(played, pace, turn) {
    for (const step of stepsOf(played, rises(this.game))) {
      await this[step.kind](step, pace);
      if (turn !== this.turn) return;
    }
  }

  async swap({ cells: [[y, x], [v, u]] }, pace) {
    const [one, other] = [this.of[y][x], this.of[v][u]];
    [this.of[y][x], this.of[v][u]] = [other, one];
    await Promise.all([this.glide(one, [x, y], [u, v], pace), this.glide(other, [u, v], [x, y], pace)]);
  }

  async glide(element, from, to, duration, easing) {
    if (!element) return;
    element.style.transform = at(...to);
    await this.animate(element, [{ transform: at(...from) }, { transform: at(...to) }], duration, easing);
  }

  async clear({ cells }, pace) {
    const gone = cells.map(([y, x]) => {
      const element = this.of[y][x];
      this.of[y][x] = null;
      return element?.firstChild;
    });
    const shrink = [{ opacity: 1, transform: 'scale(1)' }, { opacity: 1, transform: 'scale(1.12)', offset: 0.35 }, { opacity: 0, transform: 'scale(.3)' }];
    await Promise.all(gone.filter(Boolean).map(async (element) => {
      await this.animate(element, shrink, pace * 0.9);
      element.parentNode?.remove();
    }));
  }

  async fall({ moved }, pace) {
    const old = this.of;
    this.of = old.map((row) => row.map(() => null));
    await Promise.all(moved.map(({ x, from, to, letter, fresh }) => {
      const element = fresh ? this.makeTile(letter, x, from) : old[from][x];
      if (fresh && element) this.tiles.append(element);
      this.of[to][x] = element;
      const far = Math.sqrt(Math.abs(to - from));
      return far > 0 ? this.glide(element, [x, from], [x, to], pace * (0.5 + 0.45 * far), 'cubic-bezier(.45,.05,.7,1)') : null;
    }));
  }

  async change({ to }, pace) {
    const changed = [];
    to.forEach((row, y) => [...row].forEach((letter, x) => {
      this.of[y][x]?.remove();
      this.of[y][x] = this.makeTile(letter, x, y);
      if (this.of[y][x]) changed.push(this.of[y][x]);
    }));
    this.tiles.append(...changed);
    await this.animate(this.tiles, [{ opacity: 0.4 }, { opacity: 1 }], pace);
  }

  async dropPiece(played, pace, turn) {
    const letter = linesOf(played.before).slice(0, this.game.above).join('').replaceAll('.', '')[0];
    this.of.slice(0, this.game.above).flat().forEach((element) => element?.remove());
    const cells = played.cells.filter(([row]) => row >= 0);
    const piece = draw('g', {}, cells.map(([y, x]) => this.makeTile(letter, x, y)));
    this.falling.replaceChildren(piece);
    const top = Math.min(...cells.map(([row]) => row));
    const frames = [{ transform: at(0, -top) }, { transform: at(0, 0) }];
    await this.animate(piece, frames, pace * (0.6 + 0.35 * Math.sqrt(top)), 'cubic-bezier(.5,0,.8,.6)');
    const rows = fullRows(played);
    if (turn !== this.turn || rows.length === 0) return;
    cells.forEach(([y, x], index) => { this.of[y][x] = piece.childNodes[0] ?? this.of[y][x]; this.tiles.append(this.of[y][x]); });
    await this.collapse(rows, pace, turn);
  }

  async collapse(rows, pace, turn) {
    const full = rows.flatMap((y) => this.of[y].filter(Boolean));
    const bar = rows.map((y) => draw('rect', { y: y * CELL, width: this.game.columns * CELL, height: CELL, fill: '#fff' }));
    this.falling.replaceChildren(...bar);
    await Promise.all(bar.map((element) => this.animate(element, [{ opacity: 0 }, { opacity: 0.94, offset: 0.4 }, { opacity: 0 }], pace * 1.2)));
    if (turn !== this.turn) return;
    full.forEach((element) => element.remove());
    this.falling.replaceChildren();
    const below = (row) => rows.filter((y) => y > row).length;
    const moved = this.of.flatMap((row, y) => row.map((element, x) => ({ element, x, y, down: below(y) })));
    await Promise.all(moved.filter(({ element, y, down }) => element && down && !rows.includes(y)).map(
      ({ element, x, y, down }) => this.glide(element, [x, y], [x, y + down], pace * 0.7)));
  }

  // Marks the values of moves.
  heat(moves, scale) {
    this.marks.replaceChildren(...marksOf(this.game, moves, scale));
  }

  // Rings around cells, by the name of their kind, in place of earlier ones of that kind.
  ring(name, cells = []) {
    this.rings.querySelectorAll(`.${name}`).forEach((element) => element.remove());
    this.rings.append(...ringsOf(cells, name));
  }

  // The outline of a piece's place.
  ghost(cells = []) {
    this.rings.querySelectorAll('.ghost').forEach((element) => element.remove());
    if (cells.length) this.rings.append(outline(cells, { class: 'ghost' }));
  }

  clearMarks() {
    this.marks.replaceChildren();
    this.rings.replaceChildren();
  }

  // The cell under a pointer; may lie outside of the board.
  cellAt({ clientX, clientY }) {
    const place = new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [Math.floor(place.y / CELL), Math.floor(place.x / CELL)];
  }

  has([row, column]) {
    return row >= 0 && row < this.rows && column >= 0 && column < this.game.columns;
  }
}
