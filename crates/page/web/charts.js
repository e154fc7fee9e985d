// Charts of the program, with values under the pointer, zoom, and lines that can be hidden.

import { button, draw, find, make, number } from './dom.js';

// Classes of the lines' colours, in order.
const COLOUR_NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];

// Pixels of a chart's width below which it is drawn for a narrow screen.
const NARROW = 520;

// Fewest pixels of a drag that zooms.
const DRAG = 12;

function imported(text) {
  // The server's content policy refuses styles already while they are parsed.
  const unstyled = text.replace(/<style>[^]*?<\/style>/g, '');
  const parsed = new DOMParser().parseFromString(unstyled, 'image/svg+xml').documentElement;
  if (parsed.nodeName !== 'svg') return null;
  parsed.querySelectorAll('style, script, foreignObject').forEach((element) => element.remove());
  ['width', 'height'].forEach((name) => parsed.removeAttribute(name));
  return document.importNode(parsed, true);
}

function axisOf(text) {
  const [from, to, low, high, logarithmic] = text.split(' ').map(Number);
  const share = (pixel) => (pixel - from) / (to - from);
  return {
    from,
    to,
    value: (pixel) => { const value = low + share(pixel) * (high - low); return logarithmic ? 10 ** value : value; },
    pixel: (value) => from + ((logarithmic ? Math.log10(value) : value) - low) / (high - low) * (to - from),
  };
}

function pointsOf(line) {
  const numbers = line.dataset.points ? line.dataset.points.split(' ').map(Number) : [];
  return Array.from({ length: numbers.length / 4 }, (_, index) => numbers.slice(4 * index, 4 * index + 4));
}

export class Chart {
  constructor(app, { scales = false } = {}) {
    Object.assign(this, { app, hidden: new Set(), log_x: false, log_y: false });
    this.place = make('div', { class: 'chart' });
    this.readout = make('p', { class: 'readout soft' });
    this.names = make('div', { class: 'names' });
    this.whole = button('Whole chart', () => this.zoom(undefined), { class: 'quiet', hidden: true });
    const toggle = (key, text) => make('label', { class: 'check' },
      make('input', { type: 'checkbox', onchange: (event) => { this[key] = event.target.checked; this.redraw(); } }), text);
    const scaled = scales ? [toggle('log_x', 'logarithmic across'), toggle('log_y', 'logarithmic up')] : [];
    new ResizeObserver(() => this.resized()).observe(this.place);
    this.element = make('figure', {}, this.place, make('div', { class: 'row' }, this.names, this.whole, scaled), this.readout);
  }

  // Draws a chart of lines; an answer's error is shown in its place. A part that was enlarged stays
  // as long as the chart is `of` the same, across the same.
  async draw(chart, of = chart.title) {
    const drawn = `${of} ${chart.x}`;
    if (drawn !== this.drawn) this.range = undefined;
    Object.assign(this, { chart, drawn });
    await this.redraw();
  }

  // Draws the chart anew where its place has become narrow, or wide.
  resized() {
    const { clientWidth } = this.place;
    if (clientWidth === 0 || this.narrow === clientWidth < NARROW) return;
    this.narrow = clientWidth < NARROW;
    this.redraw();
  }

  // Shows a sentence in place of a chart.
  clear(sentence) {
    this.chart = null;
    this.range = undefined;
    this.whole.hidden = true;
    this.place.replaceChildren(make('p', { class: 'soft' }, sentence));
    this.names.replaceChildren();
    this.readout.textContent = '';
  }

  async redraw() {
    if (!this.chart) return;
    const { log_x, log_y, range, narrow } = this;
    const chart = this.chart.kind === 'lines' ? { ...this.chart, log_x, log_y, range, narrow } : { ...this.chart, narrow };
    const answer = await this.app.ask({ ask: 'chart', chart }, { lane: this.lane ??= `chart ${(Chart.made = (Chart.made ?? 0) + 1)}` });
    if (!answer || !this.chart) return;
    this.svg = answer.svg && imported(answer.svg);
    // A drag ends with the drawing that it was on; the way back is offered also where a part is empty.
    this.start = undefined;
    this.whole.hidden = !range;
    if (!this.svg) {
      this.names.replaceChildren();
      this.readout.textContent = '';
      this.place.replaceChildren(make('p', { class: 'error' }, answer.error ?? 'The chart cannot be shown.'));
      return;
    }
    this.place.replaceChildren(this.svg);
    if (chart.kind === 'lines') this.prepare();
  }

  prepare() {
    this.lines = [...this.svg.querySelectorAll('.line')];
    const axes = find('.axes', this.svg);
    [this.x, this.y] = [axisOf(axes.dataset.x), axisOf(axes.dataset.y)];
    this.guide = draw('g', { class: 'guide' });
    this.svg.append(this.guide);
    this.svg.addEventListener('pointermove', (event) => this.moved(event));
    this.svg.addEventListener('pointerleave', () => this.left());
    this.svg.addEventListener('pointerdown', (event) => this.pressed(event));
    this.svg.addEventListener('pointerup', (event) => this.released(event));
    this.svg.addEventListener('pointercancel', () => this.cancelled());
    this.names.replaceChildren(...this.lines.map((line, index) => this.nameOf(line, index)));
    this.readout.textContent = 'Point at the chart to read values; drag across a part to enlarge it.';
    this.applyHidden();
  }

  nameOf(line, index) {
    const { name } = line.dataset;
    return button(name, () => this.toggleLine(name), { class: `name ${COLOUR_NAMES[index % COLOUR_NAMES.length]}`,
      'aria-pressed': !this.hidden.has(name), title: 'Show or hide this line' });
  }

  toggleLine(name) {
    if (!this.hidden.delete(name)) this.hidden.add(name);
    this.applyHidden();
  }

  applyHidden() {
    this.lines.forEach((line) => line.classList.toggle('hidden', this.hidden.has(line.dataset.name)));
    this.svg.querySelectorAll('text').forEach((text) => {
      if (this.lines.some((line) => line.dataset.name === text.textContent)) {
        text.classList.toggle('pale', this.hidden.has(text.textContent));
        text.classList.add('clickable');
        text.onclick = () => this.toggleLine(text.textContent);
      }
    });
    [...this.names.children].forEach((name) => name.setAttribute('aria-pressed', !this.hidden.has(name.textContent)));
  }

  pixelOf(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse()).x;
  }

  moved(event) {
    const pixel = Math.min(Math.max(this.pixelOf(event), this.x.from), this.x.to);
    const across = this.x.value(pixel);
    const shown = this.lines.filter((line) => !this.hidden.has(line.dataset.name)).map((line) => this.nearest(line, pixel)).filter(Boolean);
    const dots = shown.map(({ line, point }) => draw('circle', { class: line.classList[0], cx: this.x.pixel(point[0]), cy: this.y.pixel(point[1]), r: 5, fill: 'currentColor' }));
    const upright = draw('line', { class: 'soft', x1: pixel, x2: pixel, y1: this.y.from, y2: this.y.to, stroke: 'currentColor', 'stroke-dasharray': '2 4' });
    this.guide.replaceChildren(upright, ...dots, ...this.selection(pixel));
    const texts = shown.map(({ line, point: [x, mean, low, high] }) =>
      `${line.dataset.name}, ${this.chart.x} ${number(x)}: ${number(mean)}${high > low ? ` (${number(low)} to ${number(high)})` : ''}`);
    this.readout.textContent = texts.join(' · ') || `${this.chart.x} ${number(across)}`;
  }

  nearest(line, pixel) {
    const away = (point) => Math.abs(this.x.pixel(point[0]) - pixel);
    const points = pointsOf(line);
    return points.length ? { line, point: points.reduce((best, point) => (away(point) < away(best) ? point : best)) } : null;
  }

  selection(pixel) {
    if (this.start === undefined) return [];
    const [low, high] = [Math.min(this.start, pixel), Math.max(this.start, pixel)];
    return [draw('rect', { class: 'chosen', x: low, width: high - low, y: this.y.to, height: this.y.from - this.y.to })];
  }

  left() {
    if (this.start === undefined) this.guide.replaceChildren();
  }

  pressed(event) {
    this.start = Math.min(Math.max(this.pixelOf(event), this.x.from), this.x.to);
    this.svg.setPointerCapture(event.pointerId);
  }

  released(event) {
    const [start, end] = [this.start, Math.min(Math.max(this.pixelOf(event), this.x.from), this.x.to)];
    this.start = undefined;
    // The press was beside the chart.
    if (start === undefined) return;
    if (Math.abs(end - start) < DRAG) return;
    this.zoom([Math.min(start, end), Math.max(start, end)].map((pixel) => this.x.value(pixel)));
  }

  cancelled() {
    this.start = undefined;
    this.left();
  }

  zoom(range) {
    this.range = range;
    this.redraw();
  }
}
