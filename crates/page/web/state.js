// What the address says: view, game, seed or board, player, moves.

import { notice, recall, remember } from './dom.js';

// Most moves in an address, which browsers bound.
const LONGEST = 2000;

// Most simulations that can be chosen, whatever a link asks for: the page must not stand still.
export const MOST_BUDGET = 25600;

const whole = (text) => (/^\d{1,15}$/.test(text ?? '') ? Number(text) : undefined);

// The choices that all views share, and what each view's last address of each game was.
export const state = {
  written: {},
  view: 'watch',
  game: recall('game', 'match3'),
  seed: 0,
  players: Object(recall('players', {})),
  budget: Math.min(Number(recall('budget', 400)) || 400, MOST_BUDGET),
  // Each game's usual rules: an address has those that differ.
  usual: {},
};

function rulesIn(text) {
  try {
    const rules = JSON.parse(text);
    return rules instanceof Object && !Array.isArray(rules) ? rules : undefined;
  } catch {
    return undefined;
  }
}

// Rules that differ from the usual ones, as text.
function textOfRules(rules) {
  const usual = state.usual[state.game] ?? {};
  const others = Object.entries(rules ?? {}).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(usual[key]));
  return others.length ? JSON.stringify(Object.fromEntries(others)) : undefined;
}

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
    rules: rulesIn(given.get('rules')),
    run: given.get('run') ?? undefined,
    ticked: given.get('with')?.split(',') ?? [],
    config: given.get('config') ?? undefined,
  };
}

function keyOf(view, game) {
  return `${view} ${game}`;
}

// Whether a view still shows what the address says.
export function isShown({ view, game }) {
  return state.written[keyOf(view, game)] === location.hash;
}

// Begins an entry of the browser's history, for another view or game.
export function beginEntry() {
  history.pushState(null, '', `#${new URLSearchParams({ view: state.view, game: state.game })}`);
}

// Writes the address of what is shown.
export function writeAddress({ moves = [], board, left, piece, rules, seed, run, ticked, config } = {}) {
  const address = new URLSearchParams({ view: state.view, game: state.game });
  const set = (key, value) => { if (value !== undefined && value !== null && value !== '') address.set(key, value); };
  set('seed', seed);
  set('player', state.players[state.game]);
  set('simulations', state.budget === 400 ? undefined : state.budget);
  set('board', board?.replaceAll('\n', '/'));
  set('left', left);
  set('piece', piece);
  set('rules', textOfRules(rules));
  set('run', run);
  set('with', ticked?.join(','));
  set('config', config);
  if (moves.length > 0 && moves.length <= LONGEST) set('moves', moves.join('.'));
  const tooLong = moves.length > LONGEST;
  if (tooLong && !state.tooLong) notice(`A link holds at most ${LONGEST.toLocaleString('en')} moves: it now holds the beginning of this game alone. Save the game to keep it.`);
  state.tooLong = tooLong;
  const text = `#${address.toString().replaceAll('%2F', '/')}`;
  if (text !== location.hash) history.replaceState(null, '', text);
  state.written[keyOf(state.view, state.game)] = location.hash;
}

export function choosePlayer(name, budget) {
  state.players[state.game] = name;
  if (budget) state.budget = Math.min(budget, MOST_BUDGET);
  remember('players', state.players);
  remember('budget', state.budget);
}

export function chooseGame(name) {
  state.game = name;
  remember('game', name);
}
