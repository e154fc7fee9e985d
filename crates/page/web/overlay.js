// Marks on a board: values of moves, arrows at the best, cells.

import { draw } from './dom.js';
import { CELL, hasPieces } from './tiles.js';

// Moves with an arrow.
const BEST = 3;

function middle([row, column]) {
  return [column * CELL + CELL / 2, row * CELL + CELL / 2];
}

function between(cells) {
  const [[x, y], [u, v]] = cells.map(middle);
  return [(x + u) / 2, (y + v) / 2];
}

// A small door between the two cells of a swap; a dot in the only cell of another move.
function door(move, colour) {
  if (move.cells.length !== 2) {
    const [x, y] = middle(move.cells[0]);
    return draw('circle', { class: 'door', cx: x, cy: y, r: 6, fill: colour });
  }
  const [x, y] = between(move.cells);
  const [width, height] = move.cells[0][0] === move.cells[1][0] ? [8, 17] : [17, 8];
  return draw('rect', { class: 'door', x: x - width / 2, y: y - height / 2, width, height, rx: 4, fill: colour });
}

function badge(number, [x, y]) {
  return draw('g', { class: `badge rank-${number}`, transform: `translate(${x} ${y})` },
    draw('circle', { r: 9 }), draw('text', { y: 4.5, 'text-anchor': 'middle' }, String(number)));
}

// An arrow with two heads over the two cells of a swap.
function arrow(move, number) {
  const [[x, y], [u, v]] = move.cells.map(middle);
  const turn = Math.atan2(v - y, u - x) * 180 / Math.PI;
  const length = Math.hypot(u - x, v - y);
  const line = `M3 0H${length - 3}M9 -6L2 0L9 6M${length - 9} -6L${length - 2} 0L${length - 9} 6`;
  const along = { d: line, transform: `translate(${x} ${y}) rotate(${turn})` };
  return draw('g', { class: 'arrow' }, draw('path', { ...along, class: 'casing' }), draw('path', along), badge(number, between(move.cells)));
}

function edges(cells) {
  const has = (row, column) => cells.some(([y, x]) => y === row && x === column);
  return cells.flatMap(([row, column]) => {
    const [x, y] = [column * CELL, row * CELL];
    const sides = [[row - 1, column, `M${x} ${y}h${CELL}`], [row + 1, column, `M${x} ${y + CELL}h${CELL}`],
      [row, column - 1, `M${x} ${y}v${CELL}`], [row, column + 1, `M${x + CELL} ${y}v${CELL}`]];
    return sides.filter(([other, side]) => !has(other, side)).map(([, , path]) => path);
  }).join('');
}

// The outline of cells that lie together.
export function outline(cells, attributes) {
  return draw('path', { d: edges(cells), fill: 'none', 'stroke-linecap': 'round', ...attributes });
}

function landing(move, number, colour) {
  const [x, y] = middle(move.cells[0]);
  return draw('g', { class: 'landing' }, outline(move.cells, { class: 'casing' }), outline(move.cells, { stroke: colour }),
    badge(number, [x, y]));
}

// Marks of moves with values, the best on top; `scale` colours them. A move without cells has none.
export function marksOf(game, moves, scale) {
  const shown = moves.filter((move) => move.cells.length > 0);
  const best = shown.slice(0, BEST).map((move, index) => [move, index + 1]).reverse();
  const mark = ([move, rank]) => (hasPieces(game) || move.cells.length !== 2 ? landing(move, rank, scale.colour(move.value)) : arrow(move, rank));
  const doors = hasPieces(game) ? [] : [...shown].reverse().map((move) => door(move, scale.colour(move.value)));
  return [...doors, ...best.map(mark)];
}

// Rings around cells.
export function ringsOf(cells, name) {
  return cells.map(([row, column]) => draw('rect', { class: `ring ${name}`, x: column * CELL + 1.5, y: row * CELL + 1.5,
    width: CELL - 3, height: CELL - 3, rx: 8 }));
}
