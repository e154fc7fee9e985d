// How it learns: a training that goes on a step at a time, each step beside its source and what it did.

import { Board } from './board.js';
import { Chart } from './charts.js';
import { curvesOf } from './curves.js';
import { amount, button, make, notice, number, signed, unbroken } from './dom.js';
import { lacking, withKeys } from './keys.js';
import { scaleOf } from './scale.js';
import { writeAddress } from './state.js';

// The training's configuration, with one label a board; its first games are random moves, which the lesson skips.
const CONFIG = 'quick';
const LABELS = 'learning.expected';
const QUIET = { 'evaluation.games': 1, 'evaluation.luck': 0 };
// Two trainings side by side, looked at often.
const PAIR = [['one label a board', true], ['all labels of a board', false]];
const OFTEN = { 'evaluation.every': 3200, 'evaluation.games': 25, 'evaluation.luck': 0 };
// Milliseconds between looks at them, rounds of a long step, and rounds that are remembered.
const LOOKED = 3000;
const LONG = 100;
const FOLLOWED = 8;

// Steps of a round: name, what begins its part of the source, and what a reader should know.
const ROUND = [
  ['Act', '// Act:', 'The learner plays 32 games at the same time. In each game it plays one move. Often this is the move with the highest value. Sometimes it is a random move, because a learner that never tries anything else finds nothing better.'],
  ['Remember', '// Remember:', 'Each move becomes a transition: the board before, the move, its points, the board after. All transitions go into the replay memory. When the memory is full, a new transition takes the place of the oldest.'],
  ['Sample', '// Sample', 'The learner draws 64 transitions from the memory by chance. It does not simply take the newest ones: moves that follow each other look alike, and a network that sees them together forgets the rest. Click a board to follow it in the next steps.'],
  ['Targets', '// Targets', 'What should the value of this move have been? The target is the points of the move and 0.9 times the value of the best next move. Nobody knows that value: the target network estimates it. What comes on average after any move is taken away, because it does not help to choose.'],
  ['Gradient step', '// Gradient step', 'The error is the value less the target. Every weight of the network moves a little, so that the errors of all 64 transitions together become smaller. The learner never sees one board often: it learns what boards have in common.'],
  ['Target network', '// Target network', 'The targets come from a second network, a copy of the first. The copy stands still for many updates, then it is made anew. Without it each update would move its own targets, as if somebody ran after a shadow.'],
];

export class Learn {
  constructor(app) {
    Object.assign(this, { app, at: 0, rounds: 0, past: [] });
    this.state = make('p', { class: 'soft', role: 'status' });
    this.next = button('Next step', () => this.forward(), { class: 'main' });
    this.round = button('Next round', () => this.work(1));
    this.many = button(`${LONG} rounds`, () => this.work(LONG));
    this.steps = ROUND.map(([name, , about], index) => make('li', {}, button(name, () => this.turn(index), { class: 'quiet' }), make('p', {}, about)));
    this.list = make('ol', { class: 'steps' }, this.steps);
    this.title = make('h2');
    this.stage = make('div', { class: 'stage' });
    this.source = make('pre');
    this.chart = new Chart(app);
    this.both = button('Train both side by side', () => this.compare());
    this.compared = make('p', { class: 'soft' });
    const story = make('section', {}, make('h2', {}, 'How it learns'),
      make('p', {}, 'A training of match-3 waits here. It goes on when you say so. One round has six steps: read a step, and see what it did.'),
      make('div', { class: 'row' }, this.next, this.round, this.many), this.state, this.list);
    const labels = make('section', {}, make('h2', {}, 'One label, or all'),
      make('p', {}, 'A board of this game offers about 15 moves, but only one is played. So one board teaches one value: one label. A simulator can play the other moves, too, and then the same board has a label for each of them. Both trainings below take equally many moves and updates. Look how fast each curve rises.'),
      make('div', { class: 'row' }, this.both), this.compared, this.chart.element);
    const shown = make('section', { 'aria-label': 'What the step did' }, this.title, this.stage, make('details', {}, make('summary', {}, 'This step in the source'), this.source));
    this.element = make('div', { class: 'view train learn' }, make('div', { class: 'panel' }, story), make('div', { class: 'panel' }, shown, labels));
  }

  get game() {
    return this.app.about.games.find(({ name }) => name === 'match3');
  }

  async open() {
    this.isOpen = true;
    if (this.app.shows(this)) writeAddress();
    this.watchPair();
    if (!this.begun) await (this.begun = this.begin());
  }

  close() {
    this.isOpen = false;
    clearTimeout(this.timer);
  }

  async begin() {
    this.busy(true);
    this.state.textContent = 'The training is loaded …';
    const begun = await this.start();
    if (begun.error) {
      this.state.textContent = begun.error;
      this.begun = undefined;
      return;
    }
    this.turn(0);
    this.busy(false);
  }

  async start() {
    const { configs, error } = await this.app.trainings.ask('api/configs');
    if (error) return { error };
    const text = withKeys(lacking(configs.find(({ name }) => name === CONFIG).text, LABELS), QUIET);
    this.warmup = Number(/warmup = ([\d_]+)/.exec(text)[1].replaceAll('_', ''));
    this.games = Number(/games = ([\d_]+)/.exec(text)[1].replaceAll('_', ''));
    this.trainer = await this.app.trainings.lesson(text);
    if (this.trainer.error) return this.trainer;
    const { source } = await this.trainer.ask('source');
    this.code = source;
    return this.train(this.warmup / this.games);
  }

  // Trains for some rounds; what was there before is what the first steps show.
  async train(rounds) {
    if (rounds > 1) {
      const before = await this.trainer.ask('rounds', { rounds: rounds - 1 });
      if (before.error) return before;
    }
    const slots = this.followed === undefined ? [] : [this.followed];
    this.before = await this.trainer.ask('look', { slots });
    const answer = await this.trainer.ask('rounds', { rounds: 1 });
    if (answer.error || this.before.error) return answer.error ? answer : this.before;
    this.rounds += rounds;
    // The first game's transition is the first of the round.
    const played = (answer.step - this.games) % this.before.capacity;
    this.now = await this.trainer.ask('look', { slots: [played, ...slots] });
    if (this.now.error) return this.now;
    [this.played] = this.now.transitions;
    const drawn = this.now.transitions.filter(({ slot }) => this.now.sampled.includes(slot));
    this.drawn = drawn.slice(-6);
    const kept = this.now.transitions.find(({ slot, board }) => slot === this.followed && board === this.chosen?.board);
    this.follow(kept ?? this.drawn[0], kept !== undefined);
    return {};
  }

  // Follows a transition through the next steps and rounds.
  follow(transition, isSame = false) {
    if (!isSame) this.past = [];
    this.chosen = transition;
    this.followed = transition.slot;
    this.past = [...this.past, { round: this.rounds, ...transition }].slice(-FOLLOWED);
  }

  busy(isBusy) {
    [this.next, this.round, this.many].forEach((control) => { control.disabled = isBusy; });
  }

  async work(rounds) {
    this.busy(true);
    const answer = await this.train(rounds);
    if (answer.error) this.state.textContent = answer.error;
    else this.turn(this.at);
    this.busy(Boolean(answer.error));
  }

  // The next step; after the last one the next round.
  async forward() {
    const next = (this.at + 1) % ROUND.length;
    this.at = next;
    if (next === 0) await this.work(1);
    else this.turn(next);
  }

  turn(index) {
    this.at = index;
    this.steps.forEach((step, number) => (number === index ? step.setAttribute('aria-current', 'step') : step.removeAttribute('aria-current')));
    if (!this.now) return;
    this.state.textContent = `Round ${this.rounds.toLocaleString('en')}, ${this.now.updates.toLocaleString('en')} ${this.now.updates === 1 ? 'update' : 'updates'}.`;
    const [name, mark] = ROUND[index];
    this.title.textContent = `${index + 1}. ${name}`;
    this.source.textContent = partOf(this.code, mark);
    const stages = [this.acts, this.remembers, this.samples, this.targets, this.steps_down, this.copies];
    this.stage.replaceChildren(...stages[index].call(this).flat());
  }

  // A small board with a ring around a move.
  board(text, move, attributes = {}) {
    const board = new Board({ name: 'board small', focusable: false });
    board.setGame(this.game);
    board.show(text);
    if (move) board.ring('chosen', move.cells);
    return make('div', attributes, board.element);
  }

  acts() {
    const { board: text, values, epsilon } = this.before;
    const board = new Board({ name: 'board', focusable: false });
    board.setGame(this.game);
    board.show(text);
    const valued = values.map(({ move, value }) => ({ ...move, value })).sort((one, other) => other.value - one.value);
    board.heat(valued, scaleOf(valued));
    board.ring('chosen', this.played.move.cells);
    const isBest = this.played.move.action === valued[0].action;
    const share = Math.round(100 * epsilon);
    return [make('p', {}, `The first game, with the values of its ${valued.length} moves. The share of random moves is now ${share} %.`),
      board.element,
      make('p', {}, `The best move by its value is ${unbroken(valued[0].words)}. The learner played ${isBest ? 'it' : `${unbroken(this.played.move.words)}: a random move`}.`)];
  }

  remembers() {
    const { board, move, reward, next } = this.played;
    return [make('div', { class: 'way' }, this.board(board, move), make('b', {}, `${signed(reward)} →`), next ? this.board(next) : make('p', {}, 'The game was over.')),
      make('p', {}, `This move gained ${amount(reward, 'points')}.`), this.meter(this.now.held, this.now.capacity, 'transitions are in the memory')];
  }

  samples() {
    const choose = (transition) => {
      this.follow(transition);
      this.turn(this.at);
      this.stage.querySelector('.thumb[aria-pressed=true]').focus();
    };
    const thumb = (transition) => {
      const choice = button(this.board(transition.board, transition.move).firstChild, () => choose(transition),
        { class: 'thumb', 'aria-pressed': String(transition.slot === this.chosen.slot), title: `Follow transition ${transition.slot}`, 'aria-label': `Follow transition ${transition.slot}: ${transition.move.words}` });
      return make('figure', {}, choice, make('figcaption', {}, `${signed(transition.reward)} points`));
    };
    return [make('p', {}, `Six of the ${this.now.sampled.length} transitions of this update:`), make('div', { class: 'thumbs' }, this.drawn.map(thumb))];
  }

  targets() {
    const { board, move, reward, next, future, average, target } = this.chosen;
    const row = (text, value, name) => make('tr', { class: name }, make('td', {}, text), make('td', {}, value));
    const rows = [row('points of the move', number(reward)),
      row(`+ ${this.now.discount} × value of the best next move`, number(future)), row('− what comes on average', number(average)),
      row('= target', number(target), 'sum')];
    return [make('div', { class: 'way' }, this.board(board, move), make('b', {}, '→'), next ? this.board(next) : make('p', {}, 'The game was over: nothing follows.')),
      make('table', { class: 'plain sums' }, make('tbody', {}, rows))];
  }

  steps_down() {
    const { board, move } = this.chosen;
    const head = make('thead', {}, make('tr', {}, ['Round', 'Value', 'Target', 'Error'].map((text) => make('th', { scope: 'col' }, text))));
    const row = ({ round, value, target }) => make('tr', {}, [round.toLocaleString('en'), number(value), number(target), signed(value - target)].map((text) => make('td', {}, text)));
    return [make('div', { class: 'way' }, this.board(board, move), make('table', { class: 'plain' }, head, make('tbody', {}, this.past.map(row)))),
      make('p', {}, 'This transition after each round that you saw. Go on for a few hundred rounds: its error becomes smaller, but never zero, because the points of a move depend on chance.')];
  }

  copies() {
    const { target_age: age, target_every: every } = this.now;
    return [this.meter(age, every, 'updates since the last copy'),
      make('p', {}, age < this.past.length ? 'The copy is new: the targets have just jumped.' : 'Until the next copy the targets of all transitions stay as they are.')];
  }

  meter(value, most, words) {
    return make('div', { class: 'meter' }, make('meter', { min: 0, max: most, value, 'aria-label': words }),
      make('span', {}, `${value.toLocaleString('en')} of ${most.toLocaleString('en')} ${words}`));
  }

  // Starts the two trainings, or goes on with them; they are in the list of the view Train.
  async compare() {
    this.both.disabled = true;
    const { configs = [], error } = await this.app.trainings.ask('api/configs');
    if (error) notice(error);
    const { runs = [] } = await this.app.trainings.ask('api/runs');
    for (const [words, isOne] of configs.length ? PAIR : []) {
      const name = words.replaceAll(' ', '-');
      const { text } = configs.find((one) => one.name === CONFIG);
      const wanted = withKeys(isOne ? lacking(text, LABELS) : text, OFTEN);
      const run = runs.find((one) => one.name === name);
      const path = run ? 'api/resume' : 'api/train';
      const answer = run?.running || run?.done ? {} : await this.app.trainings.ask(path, { name, text: wanted });
      if (answer.error) notice(answer.error);
    }
    this.both.disabled = false;
    await this.watchPair();
  }

  // Draws the two curves as long as they are looked at.
  async watchPair() {
    clearTimeout(this.timer);
    const names = PAIR.map(([words]) => words.replaceAll(' ', '-'));
    const { runs = [] } = await this.app.trainings.ask('api/runs');
    const own = runs.filter(({ name }) => names.includes(name));
    if (own.length === 0 || !this.isOpen) return;
    const details = await Promise.all(own.map(({ name }) => this.app.trainings.ask(`api/runs/${encodeURIComponent(name)}`)));
    const share = (run) => `${run.name}: ${Math.floor(100 * run.step / run.steps)} %`;
    this.compared.textContent = `${own.map(share).join(', ')}. Both are in the list of Train.`;
    const spec = curvesOf(details.map((detail) => [detail]), { table: 'evaluations', name: 'mean' }, 'step', 'Points a game, without exploring');
    if (spec.lines.length) await this.chart.draw(spec);
    else this.chart.clear('The first evaluation comes after 3,200 moves.');
    if (this.isOpen && own.some(({ running }) => running)) this.timer = setTimeout(() => this.watchPair(), LOOKED);
  }
}

// The part of the source that a comment begins, up to the next part.
function partOf(source, mark) {
  const lines = source.split('\n');
  const first = lines.findIndex((line) => line.trim().startsWith(mark));
  const isNext = (line, index) => index > 0 && ((line.trim() === '' && /^\s*(\/\/ [A-Z]|if replay)/.test(lines[first + index + 1] ?? '')) || /^ {0,4}}/.test(line));
  const rest = lines.slice(first);
  const part = rest.slice(0, rest.findIndex(isNext));
  const indent = Math.min(...part.filter((line) => line.trim()).map((line) => line.search(/\S/)));
  return part.map((line) => line.slice(indent)).join('\n');
}
