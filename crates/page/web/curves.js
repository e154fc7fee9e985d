// Curves of trainings as charts: one line for a configuration, a band over its seeds.

// Rows from which a line is a moving mean, and points that such a line has at most.
const MANY = 60;
const POINTS = 240;
// Single values that are drawn pale.
const RAW = 1500;

// A run's configuration without its seed.
export function recipeOf(detail) {
  return `${detail.game}\n${detail.config.replace(/^seed\s*=.*$/m, '')}`;
}

// Columns that can be drawn, by the table they are in.
export function columnsOf(detail) {
  const drawn = (name) => !['step', 'seconds', 'updates', 'half_width', 'luck_adjusted_half_width', 'games', 'cut', 'best'].includes(name);
  const filled = (table, index) => table.rows.some((row) => typeof row[index] === 'number');
  return ['evaluations', 'train'].flatMap((table) => (detail[table]?.columns ?? [])
    .filter((name, index) => drawn(name) && filled(detail[table], index)).map((name) => ({ table, name })));
}

function valuesOf(detail, { table, name }, across) {
  const { columns, rows } = detail[table];
  const [x, y, width, step] = [across, name, widthOf(name), 'step'].map((column) => columns.indexOf(column));
  return rows.filter((row) => typeof row[x] === 'number' && typeof row[y] === 'number')
    .map((row) => ({ step: row[step] ?? row[x], x: row[x], y: row[y], width: width >= 0 ? row[width] ?? 0 : 0 }));
}

function widthOf(name) {
  return { mean: 'half_width', luck_adjusted: 'luck_adjusted_half_width' }[name] ?? '';
}

function thinned(values, most) {
  const every = Math.ceil(values.length / most);
  return values.filter((_, index) => index % every === 0 || index === values.length - 1);
}

// The mean of a few neighbours, in place of each of many values.
function smoothed(values) {
  const reach = Math.floor(values.length / 40);
  const near = (index) => values.slice(Math.max(0, index - reach), index + reach + 1);
  return values.map(({ step, x }, index) => ({ step, x, y: mean(near(index).map((value) => value.y)), width: 0 }));
}

function mean(numbers) {
  return numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
}

function single(name, values) {
  const many = values.length > MANY;
  const line = thinned(many ? smoothed(values) : values, POINTS);
  return { name, points: line.map(({ x, y, width }) => [x, y, y - width, y + width]), raw: thinned(values, RAW).map(({ x, y }) => [x, y]) };
}

// Several runs as one: at each step the mean of those that have it, and their band from the least to the most.
function several(name, runs) {
  const at = new Map();
  runs.forEach((values) => (values.length > MANY ? smoothed(values) : values).forEach((value) => at.set(value.step, [...(at.get(value.step) ?? []), value])));
  const points = [];
  for (const [, found] of [...at].sort(([one], [other]) => one - other)) {
    const x = mean(found.map((value) => value.x));
    const ys = found.map((value) => value.y);
    // Seconds go back where a slow seed has ended: the line does not.
    if (!(x < points.at(-1)?.[0])) points.push([x, mean(ys), Math.min(...ys), Math.max(...ys)]);
  }
  const raw = runs.flatMap((values) => thinned(values, RAW / runs.length).map(({ x, y }) => [x, y]));
  return { name, points: thinned(points, POINTS), raw };
}

// The chart of groups of runs that differ in the seed alone.
export function curvesOf(groups, column, across, title) {
  const lines = groups.map((group) => {
    const runs = group.map((detail) => valuesOf(detail, column, across)).filter((values) => values.length > 0);
    if (runs.length === 0) return null;
    return runs.length === 1 ? single(group[0].name, runs[0]) : several(`${group[0].name} (${runs.length} seeds)`, runs);
  }).filter((line) => line?.points.length);
  const isScore = ['mean', 'luck_adjusted', 'median'].includes(column.name) && column.table === 'evaluations';
  const [{ references }] = groups[0];
  // Learners may count other things.
  const units = [...new Set(groups.map(([{ unit }]) => unit ?? 'step'))].join(' or ');
  return { kind: 'lines', title, x: across === 'step' ? units : across, y: column.name.replaceAll('_', ' '), lines,
    references: isScore ? references ?? [] : [] };
}
