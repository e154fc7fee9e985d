// Games as files.

import { download, make, notice } from './dom.js';
import { gameOf, playerOf } from './picker.js';
import { beginEntry, state } from './state.js';

// Each move's notation, from the positions before them.
async function notationsOf(app, place) {
  const notations = [];
  for (const [index, action] of place.moves.entries()) {
    const position = await app.ask({ ask: 'position', at: { ...place, moves: place.moves.slice(0, index) } });
    const move = position.moves?.find((one) => one.action === action);
    if (!move) return { error: position.error ?? `Move ${index + 1} is not in the game.` };
    notations.push(move.move);
  }
  return { notations };
}

// What a player's values say of a move, for a file: its value and that of the best.
export function knownOf(values, action) {
  if (!values?.moves) return undefined;
  const own = values.own ?? values.moves.find((one) => one.action === action);
  return { player: values.player, move: own?.value, best: values.moves[0]?.value };
}

// Saves a place as a file, with what is known of each move's value; the answer is an error's sentence, if any.
export async function saveGame(app, place, score, known, who) {
  const { notations, error } = await notationsOf(app, place);
  if (error) return error;
  const { game, seed, board, moves_left: left, piece } = place;
  const rules = { ...gameOf(app).rules, ...place.rules };
  const values = Array.from(place.moves, (_, index) => known[index] ?? null);
  const saved = { matchq: app.about.version, game, rules, seed, board, left, piece, player: who ?? playerOf(app).name, moves: notations, values, score };
  download(`${game}-${seed ?? 'board'}.json`, `${JSON.stringify(saved, null, 1)}\n`);
  return '';
}

// The place of a saved game, or an object with `error`.
export async function openGame(app, text) {
  let saved;
  try {
    saved = JSON.parse(text);
  } catch {
    return { error: 'This file is no saved game.' };
  }
  if (!saved?.matchq || !saved.game || !Array.isArray(saved.moves)) return { error: 'This file is no saved game.' };
  const answer = await app.ask({ ask: 'moves', game: saved.game, moves: saved.moves });
  if (answer.error) return answer;
  const start = saved.board ? { board: saved.board, left: saved.left, piece: saved.piece } : { seed: saved.seed };
  const values = Array.isArray(saved.values) ? saved.values : [];
  return { game: saved.game, ...start, rules: differing(app, saved), moves: answer.actions, values, player: saved.player, score: saved.score };
}

// Rules that are not the usual ones.
function differing(app, { game, rules = {} }) {
  const usual = app.about.games.find((one) => one.name === game)?.rules ?? {};
  const same = Object.entries(rules).every(([key, value]) => JSON.stringify(usual[key]) === JSON.stringify(value));
  return same ? undefined : rules;
}

// Deals a view the game of a seed, in an entry of the browser's history of its own.
export function deal(view, seed) {
  beginEntry();
  return view.load({ seed });
}

// A field with the seed of a view's game; another seed deals its game.
export function makeSeed(view) {
  const changed = () => {
    const text = input.value.trim();
    if (/^\d{1,15}$/.test(text)) {
      deal(view, Number(text));
      return;
    }
    notice(`${text || 'Nothing'} is no seed: a seed is a whole number of at most 15 digits.`);
    input.value = view.origin.seed ?? '';
  };
  const input = make('input', { type: 'text', inputmode: 'numeric', size: 9, onchange: changed });
  return input;
}

export function randomSeed() {
  return 1_000_000 + Math.floor(Math.random() * 9_000_000);
}

export function placeOf(seed, moves = []) {
  return { game: state.game, seed, moves };
}
