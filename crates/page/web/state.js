// What the address says: view, game, seed or board, player, moves.

import { recall, remember } from './dom.js';

// Most moves in an address, which browsers bound.
const LONGEST = 2000;

const whole = (text) => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined);

// The choices that all views share.
export const state = {
  view: 'watch',
  game: recall('game', 'match3'),
  seed: 0,
  players: Object(recall('players', {})),
  budget: Number(recall('budget', 400)) || 400,
};

export function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const moves = given.get('moves');
  return {
    view: given.get('view') ?? undefined,
    game: given.get('game') ?? undefined,
    seed: whole(given.get('seed')),
    player: given.get('player') ?? undefined,
    budget: whole(given.get('simulations')),
    moves: moves ? moves.split('.').map(whole).filter((move) => move !== undefined) : [],
    board: given.get('board')?.replaceAll('/', '\n') || undefined,
    left: whole(given.get('left')),
    piece: given.get('piece') ?? undefined,
    run: given.get('run') ?? undefined,
  };
}

// Writes the address of what is shown.
export function writeAddress({ moves = [], board, left, piece, seed, run } = {}) {
  const address = new URLSearchParams({ view: state.view, game: state.game });
  const set = (key, value) => { if (value !== undefined && value !== null && value !== '') address.set(key, value); };
  set('seed', seed);
  set('player', state.players[state.game]);
  set('simulations', state.budget === 400 ? undefined : state.budget);
  set('board', board?.replaceAll('\n', '/'));
  set('left', left);
  set('piece', piece);
  set('run', run);
  if (moves.length > 0 && moves.length <= LONGEST) set('moves', moves.join('.'));
  const text = `#${address.toString().replaceAll('%2F', '/')}`;
  if (text !== location.hash) history.replaceState(null, '', text);
}

export function choosePlayer(name, budget) {
  state.players[state.game] = name;
  if (budget) state.budget = budget;
  remember('players', state.players);
  remember('budget', state.budget);
}

export function chooseGame(name) {
  state.game = name;
  remember('game', name);
}
