// After a person's game: what each move cost, the worst moves, and the player's own game beside it.

import { Board } from './board.js';
import { Chart } from './charts.js';
import { amount, asSentence, count, make, number, unbroken } from './dom.js';
import { MOST_PAST_MOVES, MOST_SIMULATIONS } from './past.js';
import { gameOf, playerOf } from './picker.js';
import { knownOf } from './saves.js';

// Worst moves that are shown on boards.
const WORST = 3;
// Values between drawings.
const BATCH = 5;
// Most moves of an opened game that are looked back at.
const EARLIER = 200;

// A move that the player does not look at has an estimate.
function costOf({ cost, estimate }) {
  return `${estimate ? 'about ' : ''}${number(cost)}`;
}

export class Review {
  constructor(app) {
    this.app = app;
    this.chart = new Chart(app);
    this.summary = make('p', {});
    this.worst = make('div', { class: 'worst' });
    this.beside = make('p', { class: 'soft' });
    this.body = make('tbody');
    const head = make('thead', {}, make('tr', {}, ['', 'Your move', 'Cost', 'Better'].map((text) => make('th', { scope: 'col' }, text))));
    const all = make('details', {}, make('summary', {}, 'What each move cost'), make('div', { class: 'scroll' }, make('table', { class: 'costs' }, head, this.body)));
    this.element = make('section', { class: 'review', hidden: true }, make('h2', {}, 'Your game'), this.summary, this.worst, all, this.chart.element, this.beside);
    this.turn = 0;
  }

  reset(origin, moves) {
    this.turn += 1;
    Object.assign(this, { origin, moves: [], earlier: moves, begun: moves.length, shown: false, past: null, player: playerOf(this.app) });
    this.element.hidden = true;
  }

  // Takes a move that was played; its cost is asked for when nothing else waits.
  add(at, before, action, played) {
    const move = { at, before, action, words: played.words, cells: played.cells, score: played.position.score };
    this.moves.push(move);
    this.value(move);
  }

  async value(move) {
    const turn = this.turn;
    const values = await this.app.ask({ ask: 'values', at: move.at, player: this.player, action: move.action }, { later: true });
    if (turn !== this.turn) return;
    if (values.error) move.failed = true;
    else Object.assign(move, { best: values.moves[0], mine: values.own, unit: values.unit, known: knownOf(values, move.action) });
    const waits = this.moves.filter((one) => !one.best && !one.failed).length;
    if (this.shown && waits % BATCH === 0) this.draw();
  }

  // What is known of each move's value, from the game's first move on.
  get known() {
    return [...Array(this.begun).fill(null), ...this.moves.map((move) => move.known)];
  }

  // Takes the player that was perhaps changed in another view.
  refresh() {
    if (JSON.stringify(this.player) !== JSON.stringify(playerOf(this.app))) this.playerChanged();
  }

  playerChanged() {
    this.turn += 1;
    Object.assign(this, { past: null, player: playerOf(this.app) });
    this.moves.forEach((move) => {
      delete move.best;
      delete move.failed;
      this.value(move);
    });
    if (!this.shown) return;
    this.draw();
    this.restore();
  }

  show(position) {
    this.shown = true;
    this.position = position;
    this.element.hidden = false;
    this.draw();
    this.restore();
  }

  // Takes the moves that were played before the game was opened here.
  async restore() {
    const { turn, earlier, origin } = this;
    const restored = [];
    if (earlier.length > 0 && earlier.length <= EARLIER) {
      for (const [index, action] of earlier.entries()) {
        const at = { ...origin, moves: earlier.slice(0, index) };
        const played = await this.app.ask({ ask: 'play', at, action });
        if (turn !== this.turn || played.error) return;
        restored.push({ at, before: { board: played.before }, action, words: played.words, cells: played.cells, score: played.position.score });
      }
      this.moves.unshift(...restored);
      Object.assign(this, { earlier: [], begun: 0 });
      restored.forEach((move) => this.value(move));
      this.draw();
    }
    this.compare();
  }

  draw() {
    const valued = this.moves.filter((move) => move.best);
    const failed = this.moves.filter((move) => move.failed).length;
    const waits = this.moves.length - valued.length - failed;
    const costs = valued.map((move) => move.mine?.cost).filter((cost) => cost !== undefined);
    const unit = valued[0]?.unit ?? "on the player's scale";
    const total = costs.reduce((sum, cost) => sum + cost, 0);
    const unvalued = valued.length - costs.length + failed;
    const best = valued.filter((move) => move.mine && move.mine.cost === 0).length;
    this.summary.textContent = `${amount(this.position.score, gameOf(this.app).unit)} in ${amount(this.position.played, 'moves')}. ` +
      (waits ? `${waits} moves are still being valued …` :
        `By ${this.player.name}, ${best} of your ${valued.length} moves ${best === 1 ? 'was' : 'were'} the best; together they cost ${amount(total, unit)}.`) + (unvalued ? ` It does not value ${amount(unvalued, 'moves')}.` : '');
    this.body.replaceChildren(...this.moves.map((move, index) => this.row(move, this.begun + index + 1)));
    this.drawWorst(valued);
  }

  row(move, count) {
    const cost = move.best ? costOf(move.mine) : move.failed ? '–' : '…';
    const better = move.best && move.best.action !== move.action ? move.best.words : '';
    return make('tr', {}, make('td', { class: 'rank' }, `${count}`), make('td', { class: 'word' }, unbroken(move.words)), make('td', {}, cost), make('td', { class: 'word' }, unbroken(better)));
  }

  drawWorst(valued) {
    const cost = (move) => (move.mine ? move.mine.cost ?? Infinity : Infinity);
    const bad = valued.filter((move) => cost(move) > 0).sort((one, other) => cost(other) - cost(one)).slice(0, WORST);
    this.worst.replaceChildren(...bad.map((move) => {
      const board = new Board({ name: 'small', focusable: false });
      board.setGame(gameOf(this.app));
      board.show(move.before.board);
      board.heat([move.best], { colour: () => '#fde725' });
      board.ring('mine', move.cells);
      const costs = Number.isFinite(cost(move)) ? `cost ${costOf(move.mine)}` : 'lost the game';
      return make('figure', {}, board.element, make('figcaption', {}, make('b', {}, `Move ${this.begun + this.moves.indexOf(move) + 1}`),
        ` ${costs}. You: ${unbroken(move.words)} (ringed). Better: ${unbroken(move.best.words)} (marked 1).`));
    }));
  }

  // The player's own game from the same seed, as many moves of it as the person made.
  async compare() {
    const { turn, origin } = this;
    const player = { ...this.player };
    if (player.simulations) player.simulations = Math.min(player.simulations, MOST_SIMULATIONS);
    const moves = Math.min(this.position.played, MOST_PAST_MOVES);
    const past = this.past ?? await this.app.ask({ ask: 'past', at: origin, player, moves }, { later: true });
    if (turn !== this.turn) return;
    this.past = past;
    const own = [0, ...this.moves.map((move) => move.score)];
    const { unit } = gameOf(this.app);
    const made = past.scores ? past.scores.length - 1 : 0;
    const ends = made < moves ? ', and its game is over' : '';
    const budget = player.simulations ? ` with ${count(player.simulations)} simulations a move` : '';
    const yours = this.begun === 0 ? `; you have ${amount(own[moves], unit)} after ${moves}` : '';
    this.beside.textContent = past.error ? `${player.name} has no game beside yours. ${asSentence(past.error)}` :
      `From the same deal, ${player.name}${budget} reaches ${amount(past.scores.at(-1), unit)} in ${amount(made, 'moves')}${ends}${yours}.`;
    const line = (name, scores) => ({ name, points: scores.map((score, move) => [move, score, score, score]) });
    const lines = past.scores ? [line(player.name, past.scores)] : [];
    if (this.begun === 0) lines.unshift(line('you', own));
    this.chart.draw({ kind: 'lines', title: `Seed ${this.origin.seed}: you and ${player.name}`, x: 'move', y: gameOf(this.app).unit, lines });
  }
}
