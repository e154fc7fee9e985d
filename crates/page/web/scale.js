// Colours of values: from dark blue to yellow, which colour-blind people can tell apart.

import { draw, make, median, number } from './dom.js';

const STOPS = ['#4a58a8', '#2f7f9e', '#29af7f', '#94d840', '#fde725'];

// How far down the scale goes, in typical costs; a few very bad moves would hide the others.
const REACH = 2.5;

function channels(colour) {
  return [1, 3, 5].map((start) => parseInt(colour.slice(start, start + 2), 16));
}

function mixed(share) {
  const place = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1);
  const low = Math.min(Math.floor(place), STOPS.length - 2);
  const [from, to] = [channels(STOPS[low]), channels(STOPS[low + 1])];
  return `rgb(${from.map((channel, index) => Math.round(channel + (to[index] - channel) * (place - low))).join(' ')})`;
}

// The scale of some moves' values: its ends, and the colour of a value.
export function scaleOf(moves) {
  const valued = moves.filter((move) => move.value !== undefined);
  if (valued.length === 0) return { low: 0, high: 0, cut: false, colour: () => STOPS[0] };
  const high = valued[0].value;
  const costs = valued.slice(1).map((move) => high - move.value);
  const most = Math.max(0, ...costs);
  const reach = costs.length ? Math.min(most, Math.max(0, REACH * median(costs))) || most : 0;
  const low = high - reach;
  const colour = (value) => {
    if (value === undefined) return STOPS[0];
    return reach === 0 ? STOPS.at(-1) : mixed((value - low) / reach);
  };
  return { low, high, cut: reach < most, colour };
}

// The legend of a scale.
export class Legend {
  constructor() {
    const stops = STOPS.map((colour, index) => draw('stop', { offset: index / (STOPS.length - 1), 'stop-color': colour }));
    const gradient = draw('linearGradient', { id: `values-${(Legend.made = (Legend.made ?? 0) + 1)}` }, stops);
    const bar = draw('svg', { viewBox: '0 0 200 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      draw('defs', {}, gradient), draw('rect', { width: 200, height: 8, fill: `url(#${gradient.id})` }));
    this.ends = ['', '', ''].map(() => make('span'));
    this.title = make('span', { class: 'soft' }, 'Value of a move');
    this.element = make('div', { class: 'legend' }, this.title, bar, make('div', { class: 'ends' }, this.ends));
    this.show(null);
  }

  show(scale, unit) {
    this.title.textContent = unit ? `Value of a move, in ${unit}` : "Value of a move, on the player's own scale";
    const { low, high, cut } = scale ?? { low: null, high: null, cut: false };
    const texts = scale ? [`${cut ? '≤ ' : ''}${number(low)}`, number((low + high) / 2), `${number(high)} best`] : ['low', '', 'high'];
    texts.forEach((text, index) => { this.ends[index].textContent = text; });
  }
}
