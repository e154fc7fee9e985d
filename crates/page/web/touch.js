// What a person does on a board: clicks, drags and keys, as choices of cells.

const STEPS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

function near([y, x], [v, u]) {
  return Math.abs(y - v) + Math.abs(x - u) === 1;
}

// Swaps of two cells: by clicks, by drags, or by keys alone. Where moves take one cell, a click or Enter on it.
export class Swapper {
  // `swap` gets two cells, `told` the cell under the cursor.
  constructor(board, { swap, told }) {
    Object.assign(this, { board, swap, told, active: false, single: false, cursor: null, chosen: null });
    const { element } = board;
    element.addEventListener('pointerdown', (event) => this.down(event));
    element.addEventListener('pointermove', (event) => this.drag(event));
    element.addEventListener('pointerup', () => { this.held = null; });
    element.addEventListener('keydown', (event) => this.key(event));
    element.addEventListener('focus', () => { if (this.active && element.matches(':focus-visible')) this.point(this.cursor ?? [0, 0]); });
    element.addEventListener('blur', () => board.ring('cursor'));
  }

  reset() {
    this.held = null;
    this.choose(null);
  }

  choose(cell) {
    this.chosen = cell;
    this.board.ring('chosen', cell ? [cell] : []);
  }

  point(cell) {
    if (!this.board.has(cell)) return;
    this.cursor = cell;
    this.board.ring('cursor', [cell]);
    this.told(cell);
  }

  // Shows the cursor again where keys are used.
  resume() {
    const { element } = this.board;
    if (this.active && this.cursor && element.matches(':focus-visible')) this.board.ring('cursor', [this.cursor]);
  }

  down(event) {
    if (!this.active || event.button > 0) return;
    const cell = this.board.cellAt(event);
    if (!this.board.has(cell)) return;
    this.board.ring('cursor');
    this.cursor = cell;
    if (this.single) {
      this.finish(cell, cell);
      return;
    }
    if (this.chosen && near(this.chosen, cell)) {
      this.finish(this.chosen, cell);
      return;
    }
    const again = this.chosen?.join() === cell.join();
    this.choose(again ? null : cell);
    this.held = cell;
    this.board.element.setPointerCapture(event.pointerId);
  }

  drag(event) {
    if (!this.active || !this.held) return;
    const cell = this.board.cellAt(event);
    if (near(this.held, cell) && this.board.has(cell)) this.finish(this.held, cell);
  }

  finish(one, other) {
    this.reset();
    this.swap(one, other);
  }

  key(event) {
    if (!this.active || event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    if (!step && ![' ', 'Enter', 'Escape'].includes(event.key)) return;
    event.preventDefault();
    const cursor = this.cursor ?? [0, 0];
    const next = step && [cursor[0] + step[0], cursor[1] + step[1]];
    if (step && this.chosen && this.board.has(next)) {
      this.finish(this.chosen, next);
      this.point(next);
    } else if (step) this.point(next);
    else if (this.single && event.key !== 'Escape') this.finish(cursor, cursor);
    else this.choose(event.key === 'Escape' || this.chosen ? null : cursor);
  }
}

// A piece over a wall: moved, turned and dropped by keys, pointer or buttons.
export class Steerer {
  // `steer` gets columns and turns, `drop` nothing.
  constructor(board, { steer, drop, columnOf }) {
    Object.assign(this, { board, steer, drop, columnOf, active: false });
    board.element.addEventListener('keydown', (event) => this.key(event));
    board.element.addEventListener('pointerdown', (event) => this.down(event));
    board.element.addEventListener('pointermove', (event) => { if (event.pointerType === 'mouse') this.aim(event); });
  }

  key(event) {
    if (!this.active || event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = { ArrowLeft: () => this.steer(-1, 0), ArrowRight: () => this.steer(1, 0), ArrowUp: () => this.steer(0, 1),
      ArrowDown: () => this.drop(), ' ': () => this.drop() };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  }

  aim(event) {
    if (!this.active) return;
    const [, column] = this.board.cellAt(event);
    const by = column - this.columnOf();
    if (by !== 0) this.steer(by, 0);
  }

  // A mouse's click drops; a finger first brings the piece, and drops it where it is.
  down(event) {
    if (!this.active || event.button > 0) return;
    const [, column] = this.board.cellAt(event);
    if (event.pointerType === 'mouse' || column === this.columnOf()) this.drop();
    else this.aim(event);
  }
}
