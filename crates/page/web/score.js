// The line above a board: score, moves left, what the last move gained.

import { amount, count, make, number, signed } from './dom.js';

export class ScoreLine {
  constructor() {
    this.items = {};
    this.element = make('div', { class: 'score' });
  }

  show(game, position, note = '') {
    const left = position.moves_left === undefined ? ['Moves', count(position.played)] : ['Moves left', `${position.moves_left}`];
    const item = (label, value, name) => make('div', { class: name }, make('span', { class: 'soft' }, label), make('b', {}, value));
    this.element.replaceChildren(
      item(game.unit[0].toUpperCase() + game.unit.slice(1), number(position.score), 'points'),
      item(...left, 'left'), make('div', { class: 'note', 'aria-hidden': 'true' }, note));
  }
}

// A move in words, with what it gained, in brief.
export function noteOf(played) {
  return `${played.words} · ${signed(played.points)}`;
}

// A move in words, with its points.
export function sentenceOf(game, played) {
  const gained = played.points === 0 ? `no ${game.unit}` : amount(played.points, game.unit);
  return `${played.words}: ${gained}. Score ${number(played.position.score)}.${played.position.over ? ' The game is over.' : ''}`;
}
