// What moved between the boards of a move.

const BLANK = ' ';

export function linesOf(text) {
  return text.split('\n');
}

function eachCell(rows, visit) {
  rows.forEach((row, y) => [...row].forEach((letter, x) => visit(letter, y, x)));
}

function differences(from, to) {
  const found = [];
  eachCell(from, (letter, y, x) => { if (to[y]?.[x] !== letter) found.push([y, x]); });
  return found;
}

function isSwap(from, to, different, cells) {
  if (different.length !== 2 || cells.length !== 2) return false;
  const [[y, x], [v, u]] = different;
  return from[y][x] === to[v][u] && from[v][u] === to[y][x] && to[y][x] !== BLANK && to[v][u] !== BLANK;
}

function isClear(to, different) {
  return different.every(([y, x]) => to[y][x] === BLANK);
}

// A column's tokens in the order in which they lie: the one that falls first comes first.
function stack(rows, x, rises) {
  const tokens = rows.map((row, y) => ({ letter: row[x], y })).filter((token) => token.letter !== BLANK);
  return rises ? tokens : tokens.reverse();
}

// Tokens that fall, or rise; null where this does not explain the boards.
function falls(from, to, rises) {
  const moved = [];
  for (let x = 0; x < from[0].length; x += 1) {
    const before = stack(from, x, rises);
    const after = stack(to, x, rises);
    if (after.length < before.length) return null;
    for (const [place, token] of after.entries()) {
      const old = before[place];
      if (old && old.letter !== token.letter) return null;
      const beyond = place - before.length;
      const start = old ? old.y : rises ? from.length + beyond : -1 - beyond;
      moved.push({ x, from: start, to: token.y, letter: token.letter, fresh: !old });
    }
  }
  return moved;
}

// The steps from a move's board before to the one after it: swaps, clears, falls, other changes.
export function stepsOf(played, rises) {
  const boards = [played.before, ...played.frames, played.position.board].map(linesOf);
  const steps = [];
  for (let index = 1; index < boards.length; index += 1) {
    const [from, to] = [boards[index - 1], boards[index]];
    const different = differences(from, to);
    if (different.length === 0) continue;
    const last = steps.at(-1);
    if (steps.length === 0 && isSwap(from, to, different, played.cells)) steps.push({ kind: 'swap', cells: different, to });
    else if (isClear(to, different)) steps.push({ kind: 'clear', cells: different, to });
    // Boards on the way of one fall are one step.
    else if (last?.kind === 'fall') last.to = to;
    else steps.push({ kind: 'fall', from, to });
  }
  for (const step of steps.filter((step) => step.kind === 'fall')) {
    step.moved = falls(step.from, step.to, rises);
    if (!step.moved) step.kind = 'change';
  }
  return steps;
}

// Rows that vanish at the end of a move with a piece.
export function fullRows(played) {
  const last = linesOf(played.frames.at(-1) ?? played.before);
  return last.map((row, y) => (row.includes(BLANK) ? y : -1)).filter((y) => y >= 0);
}
