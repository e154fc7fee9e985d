// The view where a player plays.

import { Advice, thinkOn } from './advice.js';
import { Board } from './board.js';
import { asSentence, button, count, icon, labelled, make, notice, pause, recall, remember, say } from './dom.js';
import { Past } from './past.js';
import { BUDGETS, gameOf, makePicker, playerOf } from './picker.js';
import { deal, knownOf, makeSeed, openGame, randomSeed, saveGame } from './saves.js';
import { ScoreLine, noteOf, sentenceOf } from './score.js';
import { ServerGame } from './shared.js';
import { state, writeAddress } from './state.js';

// Milliseconds of a step of a move, by the speed.
const PACES = [1600, 900, 500, 280, 140, 60, 0];

// Least milliseconds between addresses while a game is played.
const NOTED = 1000;
// Positions that are kept for going back.
const KEPT_POSITIONS = 200;

export class Watch {
  constructor(app) {
    Object.assign(this, { app, turn: 0, playing: false, begun: {} });
    this.speed = PACES[recall('speed', 2)] === undefined ? 2 : recall('speed', 2);
    this.board = new Board();
    this.score = new ScoreLine();
    this.advice = new Advice(app, { hover: (cells) => this.board.ring('hover', cells), choose: (action) => this.choose(action) });
    this.picker = makePicker(app, { onchange: () => this.playerChanged() });
    this.past = new Past(app, () => this);
    this.server = app.kind === 'serve' ? new ServerGame(app, this) : null;
    this.element = make('div', { class: 'view' }, this.makeLeft(), this.makePanel());
  }

  makeLeft() {
    const control = (text, label, action) => button(text, action, { 'aria-label': label, title: label });
    this.toggle = control(icon('play'), 'Play', () => (this.playing ? this.stop() : this.run()));
    this.toggle.classList.add('main');
    this.start = control(icon('first'), 'To the beginning (Home)', () => this.goTo(0));
    this.back = control(icon('back'), 'One move back (left arrow)', () => this.goTo(this.moves.length - 1));
    this.on = control(icon('next'), 'One move (right arrow)', () => this.step());
    this.speedInput = make('input', { type: 'range', min: 0, max: PACES.length - 1, value: this.speed, oninput: () => this.speedChanged() });
    this.speedText = make('output', { class: 'soft' });
    const buttons = make('div', { class: 'transport' }, this.start, this.back, this.toggle, this.on);
    const speed = make('div', { class: 'speed' }, labelled('Speed', this.speedInput), this.speedText);
    this.speedChanged();
    return make('section', { class: 'left', 'aria-label': 'Board' }, this.score.element, this.board.element,
      make('div', { class: 'controls' }, buttons, speed));
  }

  makePanel() {
    this.seedInput = makeSeed(this);
    const fresh = button('Another', () => deal(this, randomSeed()), { title: 'Deal another game' });
    this.error = make('p', { class: 'error', hidden: true });
    this.beside = make('div', { class: 'beside' });
    const file = make('input', { type: 'file', accept: '.json,application/json', hidden: true, onchange: () => this.openFile(file.files[0]) });
    const kept = make('div', { class: 'row' }, button('Save this game', () => this.save(), { class: 'quiet' }),
      button('Open a saved game', () => file.click(), { class: 'quiet' }),
      button('Ask about this board', () => this.askAbout(), { class: 'quiet' }), file);
    this.dealing = make('div', { class: 'row' }, labelled('Seed', this.seedInput), fresh);
    if (this.app.kind === 'record') [this.dealing.hidden, kept.hidden, this.past.element.hidden] = [true, true, true];
    const settings = make('div', { class: 'settings' }, this.picker.element, this.dealing, this.server?.choice);
    if (this.app.kind === 'record') this.picker.element.classList.add('fixed');
    return make('section', { class: 'panel', 'aria-label': 'Player and values' }, settings, this.error, this.beside,
      this.advice.element, this.past.element, kept);
  }

  get place() {
    return { ...this.origin, moves: this.moves };
  }

  // Opens what an address names, or goes on with what was shown.
  async open(given) {
    this.picker.update();
    // A game that was begun goes on, whatever game is looked at meanwhile.
    if (this.origin && !given) this.begun[this.origin.game] = { ...this.place, left: this.origin.moves_left, values: this.known };
    if (given) await this.load(given);
    else if (this.origin?.game !== state.game) await this.load(this.begun[state.game] ?? { seed: state.seed });
    else {
      this.past.refresh();
      // The player may be another, and what was under way has lost its answers.
      await this.goTo(this.moves.length);
    }
  }

  close() {
    this.stop();
    this.server?.leave();
    this.app.drop('values');
  }

  // Loads a game: `seed` or `board`, and its moves.
  async load({ seed, board, left, piece, rules, moves = [], values = [] }) {
    this.stop();
    const start = board ? { board, moves_left: left, piece } : { seed: seed ?? state.seed };
    this.origin = Object.fromEntries(Object.entries({ game: state.game, rules, ...start }).filter(([, value]) => value !== undefined));
    if (!board) state.seed = start.seed;
    this.seedInput.value = start.seed ?? '';
    [this.positions, this.scores, this.known] = [[], [], [...values]];
    // Until the new game's position is there, nothing can be asked of it.
    this.position = null;
    this.update();
    this.picker.update();
    this.past.reset();
    const error = await this.goTo(moves.length, moves);
    if (!error || !(board || moves.length > 0)) return;
    notice(`This link fits no game, so another begins. ${asSentence(error)}`);
    await this.load({ seed: state.seed });
  }

  // Goes to the position after so many of the moves; gives an error's sentence, if any.
  async goTo(length, moves = this.moves) {
    if (length < 0) return '';
    const turn = this.halt();
    this.board.stop();
    const gone = moves.slice(0, length);
    this.moves = gone;
    this.known.length = Math.min(this.known.length, length);
    this.moving = false;
    this.values = this.latest = null;
    const position = this.positions[length] ?? await this.app.ask({ ask: 'position', at: this.place });
    // Another move or game came meanwhile.
    if (gone !== this.moves) return '';
    this.positions.length = Math.min(this.positions.length, length);
    this.board.setGame(gameOf(this.app));
    if (position.error) {
      this.fail(position.error);
      return position.error;
    }
    this.arrive(position);
    if (turn === this.turn) this.think();
    return '';
  }

  arrive(position, note = '') {
    this.error.hidden = true;
    this.position = position;
    this.positions[this.moves.length] = position;
    delete this.positions[this.moves.length - KEPT_POSITIONS];
    this.scores[this.moves.length] = position.score;
    this.board.show(position.board);
    this.board.clearMarks();
    this.score.show(gameOf(this.app), position, note);
    this.note();
    this.past.moved();
    this.update();
  }

  fail(sentence) {
    this.stop();
    this.error.textContent = asSentence(sentence);
    this.error.hidden = false;
    this.advice.clear();
  }

  note() {
    // Browsers refuse an address that changes too often.
    if (this.playing && performance.now() - this.noted < NOTED) return;
    this.noted = performance.now();
    if (this.app.shows(this) && !this.server?.following) writeAddress({ ...this.origin, left: this.origin.moves_left, moves: this.moves });
  }

  update() {
    const over = this.position?.over ?? true;
    this.back.disabled = this.start.disabled = !this.position || this.moves.length === 0;
    this.on.disabled = over || this.playing;
    this.toggle.disabled = over;
    this.toggle.replaceChildren(icon(this.playing ? 'pause' : 'play'));
    this.toggle.setAttribute('aria-label', this.playing ? 'Pause' : 'Play');
  }

  // Shows values of the position, with more and more simulations.
  async think() {
    const turn = this.turn;
    this.values = this.latest = null;
    if (this.server?.following) return;
    if (this.position.over) {
      this.advice.clear('The game is over.');
      return;
    }
    this.advice.status.textContent = 'thinking …';
    await thinkOn(this.app, this.place, playerOf(this.app), BUDGETS, (values, simulations, last) => {
      if (turn !== this.turn || !this.app.shows(this)) return false;
      this.showValues(values, simulations);
      if (last) this.values = values;
      return true;
    });
  }

  showValues(values, simulations) {
    if (values.error) {
      this.fail(values.error);
      return;
    }
    this.latest = values;
    this.advice.show(values, simulations ? `${count(simulations)} simulations` : '');
    this.board.heat(values.moves, this.advice.scale);
  }

  async valuesNow() {
    return this.values ?? this.app.ask({ ask: 'values', at: this.place, player: playerOf(this.app) }, { lane: 'values' });
  }

  // Ends what was under way; the number of what comes next.
  halt() {
    this.playing = false;
    this.turn += 1;
    return this.turn;
  }

  stop() {
    if (!this.playing) return;
    this.halt();
    this.update();
    this.note();
    if (this.position && !this.moving && this.app.shows(this)) this.think();
  }

  // One move of the player.
  async step() {
    if (this.position.over) return;
    const turn = this.halt();
    await this.move(turn);
    if (turn === this.turn && !this.position.over) this.think();
  }

  async run() {
    const turn = this.halt();
    this.playing = true;
    this.update();
    if (PACES[this.speed] === 0) this.advice.clear('Values are shown when the game pauses.');
    while (turn === this.turn && !this.position.over) {
      const went = await this.move(turn);
      if (!went) break;
      await pause(PACES[this.speed] * 0.6);
    }
    if (turn !== this.turn) return;
    this.halt();
    this.update();
    this.note();
    this.think();
  }

  // Plays the best move; whether it came to that.
  async move(turn) {
    const values = await this.valuesNow();
    if (turn !== this.turn || !values) return false;
    if (values.error) {
      this.fail(values.error);
      return false;
    }
    if (PACES[this.speed] > 0 && !this.values) {
      this.showValues(values, playerOf(this.app).simulations);
      await pause(PACES[this.speed]);
    }
    if (turn !== this.turn) return false;
    this.latest = values;
    return this.go(values.moves[0].action, turn);
  }

  async go(action, turn) {
    const played = await this.app.ask({ ask: 'play', at: this.place, action });
    if (turn !== this.turn) return false;
    if (played.error) {
      this.fail(played.error);
      return false;
    }
    this.known[this.moves.length] = knownOf(this.latest, action);
    this.values = this.latest = null;
    this.moves = [...this.moves, action];
    await this.show(played);
    if (turn !== this.turn && !this.playing && this.app.shows(this)) this.think();
    return turn === this.turn;
  }

  // Shows a move and the position after it.
  async show(played) {
    const { moves } = this;
    const pace = PACES[this.speed];
    this.board.setGame(gameOf(this.app));
    this.moving = true;
    await this.board.play(played, pace);
    // Another move or position came meanwhile.
    if (moves !== this.moves) return;
    this.moving = false;
    if (pace > 0 || !this.playing) say(sentenceOf(gameOf(this.app), played));
    this.arrive(played.position, noteOf(played));
  }

  async choose(action) {
    if (!this.position || this.app.kind === 'record' || this.server?.following) return;
    const turn = this.halt();
    await this.go(action, turn);
    if (turn === this.turn) this.think();
  }

  // A key that is pressed outside of fields.
  key(event) {
    if (this.server?.following) return;
    const control = event.target.closest('button, summary, input, a, tr');
    // A control has its own keys.
    const elsewhere = control && (!event.key.startsWith('Arrow') || control.matches('tr, input, [role=tab]'));
    const keys = { ' ': () => this.toggle.click(), ArrowRight: () => this.on.click(), ArrowLeft: () => this.back.click(), Home: () => this.start.click() };
    if (elsewhere || !keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  }

  speedChanged() {
    this.speed = Number(this.speedInput.value);
    remember('speed', this.speed);
    this.speedText.textContent = PACES[this.speed] ? `${(PACES[this.speed] / 1000).toFixed(1)} s a step` : 'as fast as it goes';
    this.speedInput.setAttribute('aria-valuetext', this.speedText.textContent);
  }

  playerChanged() {
    const { playing } = this;
    this.past.reset();
    this.note();
    // A game that is on its way is thought about by the new player.
    if (!this.position) return;
    this.halt();
    this.values = null;
    if (playing) this.run();
    else this.think();
  }

  // Shows a training's curve beside the game.
  showBeside(name, chart) {
    const close = button('Close', () => this.beside.replaceChildren(), { class: 'quiet' });
    const back = button('Back to Train', () => this.app.go('train', { run: name }), { class: 'quiet' });
    this.beside.replaceChildren(make('section', {}, make('div', { class: 'title' }, make('h2', {}, `The training of ${name}`), make('div', {}, back, close)), chart));
  }

  // Begins or ends following the server's game.
  followed(begins) {
    this.stop();
    this.halt();
    this.element.classList.toggle('following', begins);
    if (!begins) this.load({ seed: state.seed });
  }

  serverPosition({ moves = [], ...origin }, position, player) {
    this.halt();
    Object.assign(this, { origin, moves, positions: [], scores: [], known: [] });
    this.board.setGame(gameOf(this.app));
    this.arrive(position, player ? `played by ${player}` : '');
    this.advice.clear();
  }

  // Shows a move of the server's game; one that comes late is shown at once.
  async serverMove(played, values, late) {
    const { turn } = this;
    if (values && !late) this.showValues(values);
    if (!late) await pause(PACES[this.speed]);
    // The following has ended meanwhile.
    if (turn !== this.turn) return;
    this.known[this.moves.length] = knownOf(values, played.action);
    this.moves = [...this.moves, played.action];
    if (late) {
      this.advice.clear();
      this.arrive(played.position, noteOf(played));
    } else await this.show(played);
  }

  async save() {
    if (!this.position) return;
    const error = await saveGame(this.app, this.place, this.position.score, this.known);
    if (error) notice(error);
  }

  async openFile(file) {
    if (file) this.openText(await file.text());
  }

  async openText(text) {
    const place = await openGame(this.app, text);
    if (place.error) notice(place.error);
    else this.app.openPlace('watch', place);
  }

  askAbout() {
    if (!this.position) return;
    this.app.openPlace('ask', { game: state.game, board: this.position.board, left: this.position.moves_left, piece: this.position.piece });
  }
}
