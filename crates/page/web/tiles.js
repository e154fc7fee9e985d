// Gems and blocks, drawn once for all boards.

import { draw, find } from './dom.js';

// Pixels of a cell in a drawing.
export const CELL = 40;

// Games whose pieces rise.
const RISING = ['bilging'];

// Names as people write them.
const TITLES = { match3: 'match-3', tetris: 'Tetris', bejeweled: 'Bejeweled', samegame: 'SameGame' };

export function titleOf(game) {
  return TITLES[game.name] ?? game.name;
}

export function rises(game) {
  return RISING.includes(game.name);
}

export function hasPieces(game) {
  return game.pieces.length > 0;
}

function tokenIndex(game, letter) {
  return game.tokens.findIndex((token) => token.letter === letter);
}

// Name of a letter's shape, for people.
export function nameOf(game, letter) {
  if (letter === '.' || letter === ' ' || letter === '?') return 'empty';
  const token = game.tokens.find((one) => one.letter === letter);
  return token ? `${letter}, ${hasPieces(game) ? 'filled' : token.shape}` : letter;
}

function outlineOf(token, attributes) {
  const [tag] = token.outline.split(' ', 1);
  const given = Object.fromEntries([...token.outline.matchAll(/([\w-]+)="([^"]*)"/g)].map((match) => [match[1], match[2]]));
  return draw(tag, { ...given, ...attributes });
}

function gem(token) {
  const rounded = { 'stroke-linejoin': 'round' };
  return [
    outlineOf(token, { ...rounded, fill: token.colour, stroke: token.colour, 'stroke-width': 4 }),
    outlineOf(token, { ...rounded, fill: 'url(#shine)', stroke: '#000', 'stroke-opacity': 0.25, 'stroke-width': 1 }),
  ];
}

function block(token) {
  return [
    draw('rect', { x: 1, y: 1, width: 38, height: 38, rx: 5, fill: token.colour }),
    draw('path', { d: 'M2 38L10 30H30V10L38 2V34a4 4 0 0 1-4 4z', 'fill-opacity': 0.2 }),
    draw('path', { d: 'M38 2L30 10H10V30L2 38V6a4 4 0 0 1 4-4z', fill: '#fff', 'fill-opacity': 0.22 }),
  ];
}

function shine() {
  return draw('linearGradient', { id: 'shine', x2: 0, y2: 1 },
    draw('stop', { 'stop-color': '#fff', 'stop-opacity': 0.4 }),
    draw('stop', { offset: 0.5, 'stop-color': '#fff', 'stop-opacity': 0 }),
    draw('stop', { offset: 1, 'stop-opacity': 0.28 }));
}

function unknown() {
  return draw('g', { id: 'tile-unknown' },
    draw('rect', { x: 7, y: 7, width: 26, height: 26, rx: 8, fill: '#fff', 'fill-opacity': 0.05, stroke: '#fff',
      'stroke-opacity': 0.28, 'stroke-width': 1.5, 'stroke-dasharray': '4 4' }),
    draw('circle', { cx: 20, cy: 20, r: 2.5, fill: '#fff', 'fill-opacity': 0.35 }));
}

// Defines the tiles of all games in the page's hidden drawing.
export function defineTiles(games) {
  const checks = draw('pattern', { id: 'checks', width: 80, height: 80, patternUnits: 'userSpaceOnUse' },
    draw('path', { d: 'M0 0h40v40H0zM40 40h40v40h-40z', fill: '#fff', 'fill-opacity': 0.035 }));
  const grid = draw('pattern', { id: 'grid', width: 40, height: 40, patternUnits: 'userSpaceOnUse' },
    draw('path', { d: 'M0 0H40M0 0V40', stroke: '#fff', 'stroke-opacity': 0.06, 'stroke-width': 2 }));
  const tiles = games.flatMap((game) => game.tokens.map((token, index) =>
    draw('g', { id: `tile-${game.name}-${index}` }, hasPieces(game) ? block(token) : gem(token))));
  find('#tiles').replaceChildren(draw('defs', {}, shine(), checks, grid, unknown(), tiles));
}

// A tile of a letter; none where the cell is empty.
export function tile(game, letter) {
  if (letter === ' ' || (letter === '.' && hasPieces(game))) return null;
  const index = tokenIndex(game, letter);
  return draw('g', { class: 'tile' }, draw('use', { href: index < 0 ? '#tile-unknown' : `#tile-${game.name}-${index}` }));
}

// A drawing of one token.
export function token(game, letter) {
  return draw('svg', { viewBox: '0 0 40 40', 'aria-hidden': 'true' }, tile(game, letter));
}

// A small sign of a game: three of its tiles.
export function sign(game) {
  const letters = game.tokens.filter((token) => !'.#'.includes(token.letter)).slice(0, 3);
  const place = (token, index) => draw('use', { href: `#tile-${game.name}-${tokenIndex(game, token.letter)}`, x: 34 * index });
  return draw('svg', { class: 'sign', viewBox: '0 0 108 40', 'aria-hidden': 'true' }, letters.map(place));
}
