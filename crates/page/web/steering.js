// The piece that a person steers, and its fall in time.

import { linesOf } from './motion.js';

// Milliseconds of a row's fall at the start of a game, and the fewest.
const SLOW = 700;
const FAST = 120;

export class Steering {
  // `landed` gets the action of a piece that was dropped.
  constructor(app, board, landed) {
    Object.assign(this, { app, board, landed, action: null, turn: 0, timed: false, steers: Promise.resolve(), waits: 0, aimed: null });
  }

  // Begins with a new piece over the wall.
  async begin(at) {
    this.end();
    this.at = at;
    this.row = 0;
    this.action = null;
    const turn = this.turn;
    await this.steer(0, 0);
    if (turn === this.turn) this.fall();
  }

  end() {
    this.turn += 1;
    this.action = this.aimed = null;
    clearTimeout(this.timer);
    this.board.ghost();
  }

  // Steers one after the other, each from where the one before it led.
  steer(columns, turns) {
    const { turn } = this;
    this.aimed = this.within(this.column + columns);
    this.waits += 1;
    this.steers = this.steers.then(async () => {
      if (turn === this.turn) await this.steerNow(columns, turns);
      this.waits -= 1;
      if (this.waits === 0) this.aimed = null;
    });
    return this.steers;
  }

  async steerNow(columns, turns) {
    const { turn } = this;
    const steered = await this.app.ask({ ask: 'steer', at: this.at, action: this.action, columns, turns });
    if (turn !== this.turn || steered.error || steered.action === undefined) return;
    // A piece that has fallen below a place's top cannot get there any more.
    if (Math.min(...steered.cells.map(([row]) => row)) < this.row) return;
    this.action = steered.action;
    this.steered = steered;
    this.draw();
  }

  draw() {
    const { board, cells, words } = this.steered;
    this.board.show(lowered(board, cells, this.row));
    this.board.ghost(cells);
    this.words = words;
  }

  // Where the piece is, or will be when all that waits is answered.
  get column() {
    return this.aimed ?? Math.min(...(this.steered?.cells ?? [[0, 0]]).map(([, column]) => column));
  }

  // The nearest column in which the piece fits as it is shown.
  within(column) {
    if (!this.steered) return column;
    const columns = this.steered.cells.map(([, at]) => at);
    const last = linesOf(this.steered.board)[0].length - 1 - (Math.max(...columns) - Math.min(...columns));
    return Math.min(Math.max(column, 0), last);
  }

  // Drops the piece where the steers before lead it.
  async drop() {
    const { turn } = this;
    await this.steers;
    const { action } = this;
    if (turn !== this.turn || action === null) return;
    this.end();
    this.landed(action);
  }

  setTimed(timed) {
    this.timed = timed;
    clearTimeout(this.timer);
    if (this.action !== null) this.fall();
  }

  fall() {
    if (!this.timed) return;
    const turn = this.turn;
    this.timer = setTimeout(() => {
      if (turn !== this.turn || this.action === null) return;
      if (document.hidden) {
        this.fall();
        return;
      }
      this.row += 1;
      if (this.row > Math.min(...this.steered.cells.map(([row]) => row))) {
        this.drop();
        return;
      }
      this.draw();
      this.fall();
    }, Math.max(FAST, SLOW - 8 * this.at.moves.length));
  }
}

// A board with its piece so many rows lower.
function lowered(board, cells, by) {
  if (by === 0) return board;
  const rows = linesOf(board).map((row) => [...row]);
  const top = Math.min(...cells.map(([row]) => row));
  const first = rows.findIndex((row) => row.some((letter) => letter !== '.'));
  const piece = cells.map(([row, column]) => ({ row: row - top, column, letter: rows[first + row - top][column] }));
  piece.forEach(({ row, column }) => { rows[first + row][column] = '.'; });
  piece.forEach(({ row, column, letter }) => { rows[row + by][column] = letter; });
  return rows.map((row) => row.join('')).join('\n');
}
