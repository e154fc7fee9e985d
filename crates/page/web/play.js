// The view where a person plays.

import { Advice, thinkOn } from './advice.js';
import { Board } from './board.js';
import { asSentence, button, cellName, count, find, icon, isNarrow, labelled, make, notice, recall, remember, say } from './dom.js';
import { linesOf } from './motion.js';
import { BUDGETS, gameOf, makePicker, playerOf } from './picker.js';
import { Review } from './review.js';
import { deal, makeSeed, placeOf, randomSeed, saveGame } from './saves.js';
import { ScoreLine, noteOf, sentenceOf } from './score.js';
import { state, writeAddress } from './state.js';
import { Steering } from './steering.js';
import { hasPieces, nameOf } from './tiles.js';
import { Steerer, Swapper } from './touch.js';

// Milliseconds of a step of a person's move.
const PACE = 240;

export class Play {
  constructor(app) {
    Object.assign(this, { app, turn: 0, hinted: 0, begun: {}, hints: recall('hints', false), timed: recall('timed', false) });
    this.board = new Board({ name: 'board playable' });
    this.board.element.setAttribute('role', 'application');
    this.score = new ScoreLine();
    this.swapper = new Swapper(this.board, { swap: (one, other) => this.swap(one, other), told: (cell) => this.tell(cell) });
    this.steering = new Steering(app, this.board, (action) => this.go(action));
    this.steerer = new Steerer(this.board, { steer: (columns, turns) => this.steering.steer(columns, turns),
      drop: () => this.steering.drop(), columnOf: () => this.steering.column });
    this.advice = new Advice(app, { hover: (cells) => this.board.ring('hover', cells), choose: (action) => this.go(action) });
    this.review = new Review(app);
    this.picker = makePicker(app, { label: 'Hints from', onchange: () => this.playerChanged() });
    this.element = make('div', { class: 'view' }, this.makeLeft(), this.makePanel());
  }

  // A key that is pressed outside of fields.
  key(event) {
    if (event.key.toLowerCase() === 'h') this.hintBox.click();
    else if ([document.body, find('#main')].includes(document.activeElement) && event.key.startsWith('Arrow')) {
      event.preventDefault();
      this.board.element.focus();
    }
  }

  makeLeft() {
    const steer = (text, label, action) => button(text, action, { 'aria-label': label, title: label });
    this.steers = make('div', { class: 'transport' }, steer(icon('left'), 'Piece left', () => this.steering.steer(-1, 0)),
      steer(icon('turn'), 'Turn the piece', () => this.steering.steer(0, 1)), steer(icon('right'), 'Piece right', () => this.steering.steer(1, 0)),
      steer(icon('drop'), 'Drop the piece', () => this.steering.drop()));
    this.hintBox = make('input', { type: 'checkbox', onchange: () => this.hintsChanged() });
    this.hintBox.checked = this.hints;
    const hints = make('label', { class: 'check' }, this.hintBox, 'Hints (H)');
    this.finish = button('', () => (this.ended ? deal(this, randomSeed()) : this.end()));
    const controls = make('div', { class: 'controls' }, this.steers, hints, this.finish);
    return make('section', { class: 'left', 'aria-label': 'Board' }, this.score.element, this.board.element, controls);
  }

  makePanel() {
    this.seedInput = makeSeed(this);
    const timed = (text, value) => {
      const box = make('input', { type: 'radio', name: 'timed', onchange: () => this.timedChanged(value) });
      box.checked = this.timed === value;
      return make('label', { class: 'check' }, box, text);
    };
    this.timing = make('div', { class: 'row' }, make('span', { class: 'soft' }, 'The piece'), timed('waits', false), timed('falls in time', true));
    const dealing = make('div', { class: 'row' }, labelled('Seed', this.seedInput),
      button('New game', () => deal(this, randomSeed()), { class: 'main' }),
      button('Play this seed again', () => this.load({ seed: this.origin.seed })));
    this.error = make('p', { class: 'error', hidden: true });
    this.rules = make('p', { class: 'soft' });
    const save = button('Save this game', () => this.save(), { class: 'quiet' });
    return make('section', { class: 'panel', 'aria-label': 'Game and hints' },
      make('div', { class: 'settings' }, dealing, this.rules, this.timing, this.picker.element), this.error,
      this.review.element, this.advice.element, make('div', { class: 'row' }, save));
  }

  get place() {
    return { ...this.origin, moves: this.moves };
  }

  async open(given) {
    this.picker.update();
    // A game that was begun waits for its player, whatever game is looked at meanwhile.
    if (this.origin && !given) this.begun[this.origin.game] = { ...this.place, ended: this.ended };
    if ((given && !this.isEarlier(given)) || this.origin?.game !== state.game) {
      await this.load(given ?? this.begun[state.game] ?? { seed: state.seed });
    }
    else {
      this.note();
      this.review.refresh();
      this.ready();
    }
  }

  // Whether this is an earlier position of the game, as the browser's Back finds in its history.
  isEarlier({ seed, rules = {}, moves = [] }) {
    const origin = this.origin;
    return origin?.game === state.game && seed === origin.seed && JSON.stringify(rules) === JSON.stringify(origin.rules ?? {}) &&
      moves.length > 0 && moves.length < this.moves.length && moves.every((move, number) => move === this.moves[number]);
  }

  close() {
    this.steering.end();
    this.app.drop('values');
  }

  async load({ seed, rules, moves = [], ended = false }) {
    this.turn += 1;
    const turn = this.turn;
    this.rest();
    this.busy = false;
    state.seed = seed ?? state.seed;
    this.origin = { ...placeOf(state.seed), ...(rules ? { rules } : {}) };
    this.moves = moves;
    this.ended = false;
    this.position = null;
    this.seedInput.value = state.seed;
    this.picker.update();
    this.review.reset(this.origin, moves);
    const game = gameOf(this.app);
    this.rules.textContent = `${game.about}. ${hasPieces(game) ? 'The piece follows the mouse; a click drops it.' : game.cells === 1 ? 'Click a cell to take it.' : 'Click two neighbours to swap them, or drag one onto the other.'}`;
    this.timing.hidden = this.steers.hidden = !hasPieces(game);
    this.board.setGame(game);
    const position = await this.app.ask({ ask: 'position', at: this.place });
    if (turn !== this.turn) return;
    if (position.error && moves.length > 0) {
      notice(`The moves of this link do not fit the game, which begins anew. ${asSentence(position.error)}`);
      await this.load({ seed, rules });
    } else if (position.error) this.fail(position.error);
    else {
      this.arrive(position, moves.length > 0 ? '' : howTo(game));
      if (ended && !this.ended) this.end();
    }
  }

  fail(sentence) {
    this.error.textContent = asSentence(sentence);
    this.error.hidden = false;
  }

  arrive(position, note = '') {
    this.error.hidden = true;
    this.position = position;
    this.board.show(position.board);
    this.board.clearMarks();
    this.score.show(gameOf(this.app), position, note);
    this.note();
    if (position.over) this.end();
    else this.ready();
  }

  note() {
    if (this.app.shows(this)) writeAddress({ seed: this.origin.seed, rules: this.origin.rules, moves: this.moves });
  }

  // Waits for the person's move.
  ready() {
    const playing = !this.ended && this.position?.over === false && !this.busy;
    const pieces = hasPieces(gameOf(this.app));
    this.swapper.active = playing && !pieces;
    this.swapper.single = gameOf(this.app).cells === 1;
    this.steerer.active = playing && pieces;
    this.swapper.resume();
    this.offer(playing);
    this.steers.querySelectorAll('button').forEach((control) => { control.disabled = !playing; });
    // In a hidden view a piece would fall by itself.
    if (playing && pieces && this.app.shows(this)) {
      this.steering.timed = this.timed;
      this.steering.begin(this.place);
    }
    this.hint();
  }

  // Offers to end the game, or another when it is over.
  offer(playing) {
    this.finish.textContent = this.ended ? 'New game' : 'End and look back';
    this.finish.title = this.ended ? 'Deal another game' : 'End the game here and see what each move cost';
    this.finish.disabled = !this.ended && (!playing || this.moves.length === 0);
  }

  async hint() {
    this.advice.element.hidden = !this.hints || this.ended;
    this.board.marks.replaceChildren();
    if (!this.hints || this.ended || this.position?.over !== false) return;
    const turn = (this.hinted += 1);
    this.advice.status.textContent = 'thinking …';
    await thinkOn(this.app, this.place, playerOf(this.app), BUDGETS, (values, simulations) => {
      if (turn !== this.hinted || this.busy || !this.hints || !this.app.shows(this)) return false;
      if (values.error) {
        this.fail(values.error);
        return false;
      }
      this.advice.show(values, simulations ? `${count(simulations)} simulations` : '');
      this.board.heat(values.moves, this.advice.scale);
      return true;
    });
  }

  tell([row, column]) {
    if (!this.position) return;
    const letter = linesOf(this.position.board)[row]?.[column];
    say(asSentence(`${cellName([row, column])}: ${nameOf(gameOf(this.app), letter)}`));
  }

  swap(one, other) {
    const pair = [one.join(), other.join()];
    const move = this.position.moves.find(({ cells }) => cells.every((cell) => pair.includes(cell.join())));
    if (move) this.go(move.action);
    else this.refuse(one, other);
  }

  refuse(one, other) {
    const sentence = asSentence(this.swapper.single ? `${cellName(one)} is no move here` : `${cellName(one)} and ${cellName(other)} cannot be swapped here`);
    say(sentence);
    this.score.show(gameOf(this.app), this.position, sentence);
  }

  async go(action) {
    if (this.busy || this.ended) return;
    this.turn += 1;
    this.hinted += 1;
    const { turn } = this;
    this.busy = true;
    this.rest();
    const before = this.position;
    const played = await this.app.ask({ ask: 'play', at: this.place, action });
    if (turn === this.turn && !played.error) {
      this.review.add(this.place, before, action, played);
      this.moves = [...this.moves, action];
      await this.board.play(played, PACE);
    }
    if (turn !== this.turn) return;
    this.busy = false;
    if (played.error) {
      this.fail(played.error);
      this.ready();
      return;
    }
    say(sentenceOf(gameOf(this.app), played));
    this.arrive(played.position, noteOf(played));
  }

  // While a move is shown there is no other.
  rest() {
    this.swapper.active = this.steerer.active = false;
    this.swapper.reset();
    this.steering.end();
    this.offer(false);
  }

  end() {
    this.ended = true;
    this.rest();
    this.advice.element.hidden = true;
    this.board.marks.replaceChildren();
    this.review.show(this.position);
    if (isNarrow() && this.app.shows(this)) this.review.element.scrollIntoView({ block: 'start' });
  }

  hintsChanged() {
    this.hints = this.hintBox.checked;
    remember('hints', this.hints);
    this.hint();
  }

  timedChanged(timed) {
    this.timed = timed;
    remember('timed', timed);
    this.steering.setTimed(timed);
  }

  playerChanged() {
    this.note();
    this.review.playerChanged();
    this.hint();
  }

  async save() {
    if (!this.position) return;
    const error = await saveGame(this.app, this.place, this.position.score, this.review.known, 'human');
    if (error) notice(error);
  }
}

function howTo(game) {
  if (hasPieces(game)) return 'Aim, then click to drop';
  return game.cells === 1 ? 'Click a cell' : 'Swap two neighbours';
}
