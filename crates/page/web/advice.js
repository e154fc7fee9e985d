// Values of moves as a list, what they mean, and the plan behind the best.

import { Board } from './board.js';
import { asSentence, button, icon, make, number, signed, unbroken } from './dom.js';
import { Legend, scaleOf } from './scale.js';
import { gameOf } from './picker.js';

// Rows that are shown before all are asked for.
const FEW = 10;

const HEAD = [['', 'Rank'], ['Move', 'Rows and columns are counted from 0, from the top left'], ['Value', 'What the player expects from the move'], ['Cost', 'How much less than the best move'],
  ['Now', 'What the move gains for certain'], ['Next', 'What the best move after it gains for certain']];

function cell(text, attributes) {
  return make('td', attributes, text);
}

function valueOf(move) {
  if (move.value === undefined) return 'loses';
  return move.half_width === undefined ? number(move.value) : [number(move.value), make('small', {}, ` ± ${number(move.half_width)}`)];
}

export class Advice {
  // `hover` gets the cells of a row under the pointer, `choose` the action of one that is clicked.
  constructor(app, { hover, choose, chooseTitle = 'Play this move' }) {
    Object.assign(this, { app, hover, choose, chooseTitle, all: false, step: 0 });
    this.legend = new Legend();
    this.status = make('span', { class: 'soft' });
    this.head = make('thead', {}, make('tr', {}, HEAD.map(([text, title]) => make('th', { scope: 'col', title, class: text.toLowerCase() }, text))));
    this.body = make('tbody');
    this.more = button('', () => this.toggleAll(), { class: 'quiet' });
    this.words = make('div', { class: 'words' });
    this.meaning = make('p', { class: 'soft' });
    this.board = new Board({ name: 'small', focusable: false });
    this.caption = make('p', { class: 'caption', 'aria-live': 'polite' });
    this.plan = this.makePlan();
    this.table = make('table', { class: 'moves' }, this.head, this.body);
    this.element = make('section', { class: 'advice' },
      make('div', { class: 'title' }, make('h2', {}, 'Moves, the best first'), this.status),
      this.legend.element, make('div', { class: 'scroll' }, this.table), this.more, this.words, this.meaning, this.plan);
    this.clear();
  }

  makePlan() {
    const back = button(icon('back'), () => this.turnPlan(-1), { 'aria-label': 'One step of the plan back' });
    const on = button(icon('play'), () => this.turnPlan(1), { 'aria-label': 'One step of the plan on' });
    const words = make('div', {}, this.caption, make('div', { class: 'row' }, back, on));
    return make('details', { class: 'plan', open: true }, make('summary', {}, 'What then follows for certain'),
      make('div', { class: 'plan-view' }, this.board.element, words));
  }

  clear(text = '') {
    this.values = null;
    this.status.textContent = text;
    this.body.replaceChildren();
    // The legend stays: marks on the board have the same colours.
    this.legend.show(null);
    this.legend.title.textContent = 'Value of a move';
    [this.table, this.more, this.plan, this.words].forEach((element) => { element.hidden = true; });
    this.meaning.textContent = '';
  }

  // Shows values of moves, and a line about how they came.
  show(values, status = '') {
    Object.assign(this, { values, step: 0, scale: scaleOf(values.moves) });
    this.status.textContent = status;
    this.table.hidden = false;
    this.legend.show(this.scale, values.unit);
    this.rows();
    this.words.hidden = !values.advice;
    const [first, ...lines] = (values.advice ?? '').split('\n');
    this.words.replaceChildren(make('p', {}, asSentence(first)), lines.length ? make('pre', { tabindex: 0 }, lines.join('\n').replace(/^\n+/, '')) : '');
    this.meaning.textContent = values.meaning;
    this.plan.hidden = !values.plan?.length;
    if (values.plan?.length) this.turnPlan(0);
  }

  rows() {
    const { moves } = this.values;
    const shown = this.all ? moves : moves.slice(0, FEW);
    const focused = this.body.contains(document.activeElement) ? [...this.body.children].indexOf(document.activeElement) : -1;
    this.body.replaceChildren(...shown.map((move, index) => this.row(move, index)));
    if (focused >= 0) this.body.children[focused]?.focus();
    this.more.hidden = moves.length <= FEW;
    this.more.textContent = this.all ? `Show the best ${FEW}` : `Show all ${moves.length}`;
  }

  row(move, index) {
    const swatch = make('span', { class: 'swatch' });
    swatch.style.background = this.scale.colour(move.value);
    const play = this.choose && (() => this.choose(move.action));
    const keyed = (event) => { if (event.key === 'Enter') play?.(); };
    const show = () => this.hover(move.cells);
    const hide = () => this.hover([]);
    return make('tr', { tabindex: 0, class: move.dropped ? 'dropped' : '', title: play ? this.chooseTitle : undefined,
      onpointerenter: show, onpointerleave: hide, onfocus: show, onblur: hide, onclick: play, onkeydown: keyed },
      cell([swatch, index < 3 ? make('b', {}, String(index + 1)) : ''], { class: 'rank' }),
      cell([unbroken(move.words), move.dropped ? make('small', { class: 'soft', title: 'The search stopped looking at this move early' }, ' dropped') : null], { class: 'word' }),
      cell(valueOf(move)),
      cell(move.cost === 0 ? '0' : number(move.cost)),
      cell(signed(move.gains)),
      cell(move.next ? signed(move.next.gains) : '–', { class: 'next', title: move.next?.words }));
  }

  toggleAll() {
    this.all = !this.all;
    this.rows();
  }

  turnPlan(by) {
    const { plan } = this.values;
    this.step = Math.min(Math.max(this.step + by, 0), plan.length - 1);
    const step = plan[this.step];
    this.board.setGame(gameOf(this.app));
    this.board.show(step.board);
    this.caption.textContent = `Step ${this.step + 1} of ${plan.length}: ${step.words} gains ${number(step.gains)}.`;
    const [back, on] = this.plan.querySelectorAll('button');
    back.disabled = this.step === 0;
    on.disabled = this.step === plan.length - 1;
  }
}

// Asks for values with more and more simulations, up to those of the player; `shown` gets each answer.
export async function thinkOn(app, at, player, budgets, shown, lane = 'values') {
  const steps = player.simulations ? [...budgets.filter((step) => step < player.simulations), player.simulations] : [undefined];
  for (const simulations of steps) {
    const asked = simulations ? { ...player, simulations } : player;
    const values = await app.ask({ ask: 'values', at, player: asked }, { lane });
    if (!values || !shown(values, simulations, simulations === steps.at(-1))) return;
    if (values.error) return;
  }
}
