// Reports of `compare --json`: distributions, and differences in the same games.

import { Chart } from './charts.js';
import { draw, labelled, make, number, option } from './dom.js';

// Width and margins of the drawing of differences, and the height of a row.
const WIDTH = 640;
const NAMES = 210;
const RIGHT = 110;
const ROW = 34;

export class Reports {
  constructor(app) {
    this.app = app;
    this.names = make('select', { onchange: () => this.load() });
    this.body = make('div', { class: 'report' });
    this.element = make('section', { hidden: true }, make('div', { class: 'title' }, make('h2', {}, 'Reports of compare'), labelled('File', this.names)), this.body);
  }

  async list() {
    const answer = await this.app.trainings.ask('api/reports');
    const reports = answer.reports ?? [];
    this.element.hidden = reports.length === 0;
    if (reports.join() === this.listed) return;
    this.listed = reports.join();
    this.names.replaceChildren(option('', 'choose one'), ...reports.map((name) => option(name)));
  }

  async load() {
    const name = this.names.value;
    this.body.replaceChildren();
    if (!name) return;
    const report = await this.app.trainings.ask(`api/reports/${encodeURIComponent(name)}`);
    if (name !== this.names.value) return;
    if (report.error) this.body.replaceChildren(make('p', { class: 'error' }, report.error));
    else this.show(report);
  }

  show({ players = [], pairs = [] }) {
    this.body.replaceChildren(this.means(players));
    if (pairs.length) this.body.append(make('h3', {}, 'Differences in the same games, with 95 % intervals'), drawDifferences(pairs),
      make('p', { class: 'soft' }, 'Filled: luck-adjusted. Hollow: as scored. An interval that does not touch the line is a difference that is not chance.'));
    const charts = make('div', { class: 'charts' });
    this.body.append(make('h3', {}, 'Scores of games'), charts);
    players.filter((player) => player.scores?.length).forEach((player) => {
      const chart = new Chart(this.app);
      charts.append(chart.element);
      chart.draw({ kind: 'histogram', title: player.player, scores: player.scores });
    });
  }

  means(players) {
    const head = ['Player', 'Mean', 'Luck-adjusted', 'Median', 'Least', 'Most', 'ms a move'];
    const around = (one) => (one ? `${number(one.mean)} ± ${number(one.half_width)}` : '–');
    const row = (player) => make('tr', {}, [player.player, around(player), around(player.luck_adjusted), number(player.median), number(player.min),
      number(player.max), player.milliseconds_per_move?.toPrecision(3) ?? '–'].map((text) => make('td', {}, text)));
    const [{ game, games } = {}] = players;
    return make('div', { class: 'scroll' }, make('p', { class: 'soft' }, `${game ?? ''}, ${number(games)} games each`),
      make('table', { class: 'plain' }, make('thead', {}, make('tr', {}, head.map((text) => make('th', { scope: 'col' }, text)))), make('tbody', {}, players.map(row))));
  }
}

// Differences as intervals beside zero.
function drawDifferences(pairs) {
  const intervals = pairs.flatMap((pair) => [pair, pair.luck_adjusted].filter(Boolean));
  const ends = intervals.flatMap(({ mean, half_width }) => [mean - half_width, mean + half_width]);
  const [low, high] = [Math.min(0, ...ends), Math.max(0, ...ends)];
  const x = (value) => NAMES + (value - low) / (high - low || 1) * (WIDTH - NAMES - RIGHT);
  const interval = ({ mean, half_width }, y, fill) => draw('g', { class: 'a', stroke: 'currentColor', 'stroke-width': 2 },
    draw('line', { x1: x(mean - half_width), x2: x(mean + half_width), y1: y, y2: y }), draw('circle', { cx: x(mean), cy: y, r: 4, fill }));
  const row = (pair, index) => {
    const y = index * ROW + ROW / 2;
    const adjusted = pair.luck_adjusted;
    const shown = adjusted ?? pair;
    return draw('g', {}, draw('text', { x: NAMES - 14, y: y + 4, 'text-anchor': 'end', 'font-size': 13 }, `${pair.player} − ${pair.than}`),
      interval(pair, adjusted ? y + 6 : y, 'var(--surface)'), adjusted ? interval(adjusted, y - 5, 'currentColor') : null,
      draw('text', { x: WIDTH - RIGHT + 12, y: y + 4, 'font-size': 13 }, `${number(shown.mean)} ± ${number(shown.half_width)}`));
  };
  const height = pairs.length * ROW;
  const zero = draw('line', { class: 'soft', x1: x(0), x2: x(0), y1: 0, y2: height, stroke: 'currentColor', 'stroke-dasharray': '4 4' });
  const label = draw('text', { class: 'soft', x: x(0), y: height + 16, 'text-anchor': 'middle', 'font-size': 12 }, '0');
  const words = pairs.map((pair) => `${pair.player} minus ${pair.than}: ${number(pair.mean)} ± ${number(pair.half_width)}`).join('; ');
  return make('div', { class: 'chart' }, draw('svg', { class: 'differences', viewBox: `0 0 ${WIDTH} ${height + 22}`, role: 'img', 'aria-label': words }, zero, label, pairs.map(row)));
}
