// The view of trainings, with a server only.

import { button, labelled, make, notice, option } from './dom.js';
import { fromServer } from './engine.js';
import { Reports } from './reports.js';
import { Run, ageOf } from './run.js';
import { writeAddress } from './state.js';

// Milliseconds between looks at the runs, and the most after errors.
const EVERY = 2000;
const SLOWEST = 60000;

export class Train {
  constructor(app) {
    Object.assign(this, { app, runs: [], ticked: new Set(), pause: EVERY });
    this.run = new Run(app);
    this.reports = new Reports(app);
    this.line = make('p', { class: 'error', role: 'status' });
    this.body = make('tbody');
    this.none = make('p', { class: 'soft' }, 'There is no training yet.');
    const head = make('thead', {}, make('tr', {}, ['Chart', 'Run', 'Step', 'Best', 'Updated'].map((text) => make('th', { scope: 'col' }, text))));
    this.comparing = make('p', { class: 'soft' }, 'Tick runs of one game to compare them in the chart; seeds of one configuration are one line.');
    const list = make('section', {}, make('h2', {}, 'Trainings'), this.line, this.none, this.comparing, make('div', { class: 'scroll' }, make('table', { class: 'runs' }, head, this.body)));
    this.element = make('div', { class: 'view train' }, make('div', { class: 'panel' }, list, this.makeStart()),
      make('div', { class: 'panel' }, this.run.element, this.reports.element));
    document.addEventListener('visibilitychange', () => this.wake());
  }

  makeStart() {
    this.config = make('select', { onchange: () => this.configChosen() });
    this.about = make('p', { class: 'soft' });
    this.name = make('input', { type: 'text', size: 16, placeholder: 'as the configuration' });
    this.seed = make('input', { type: 'number', min: 0, value: 1 });
    const form = make('form', { onsubmit: (event) => { event.preventDefault(); this.start(); } },
      labelled('Configuration', this.config), this.about, make('div', { class: 'row' }, labelled('Name', this.name), labelled('Seed', this.seed)),
      make('button', { class: 'main' }, 'Start'));
    return make('section', {}, make('h2', {}, 'Start a training'), form);
  }

  async open(given) {
    this.shown = true;
    this.wanted = given?.run ?? this.wanted;
    if (given?.ticked) this.ticked = new Set(given.ticked);
    this.pause = EVERY;
    if (!this.configs) await this.loadConfigs();
    this.reports.list();
    await this.poll();
    this.note();
  }

  // Another view may be shown by the time that an answer comes.
  note() {
    if (this.app.shows(this)) writeAddress({ run: this.wanted, ticked: [...this.ticked] });
  }

  close() {
    this.shown = false;
    clearTimeout(this.timer);
  }

  wake() {
    if (this.shown && !document.hidden) this.poll();
  }

  // Asks for the runs, and again after a while as long as they are seen.
  async poll() {
    clearTimeout(this.timer);
    if (!this.shown || document.hidden) return;
    const answer = await fromServer('api/runs');
    this.pause = answer.error ? Math.min(2 * this.pause, SLOWEST) : EVERY;
    this.line.textContent = answer.error ? `${answer.error} The page asks again in ${this.pause / 1000} s.` : '';
    if (!answer.error) await this.took(answer.runs);
    if (!this.shown) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.poll(), this.pause);
  }

  async took(runs) {
    this.runs = runs;
    this.none.hidden = runs.length > 0;
    this.comparing.hidden = runs.length < 2;
    const run = runs.find((one) => one.name === this.wanted) ?? runs.find((one) => one.running) ?? runs[0];
    this.game = run?.game;
    this.wanted = run?.name;
    this.list();
    if (run) await this.run.show(run, runs, runs.filter((one) => one.game === run.game && this.ticked.has(one.name)));
  }

  list() {
    const { dataset, localName } = document.activeElement ?? {};
    this.body.replaceChildren(...this.runs.map((run) => this.row(run)));
    if (dataset?.run) this.body.querySelector(`${localName}[data-run="${CSS.escape(dataset.run)}"]`)?.focus();
  }

  row(run) {
    const share = run.steps ? `${Math.floor(100 * run.step / run.steps)} %` : run.step.toLocaleString('en');
    const state = run.running ? 'running' : run.steps && run.step >= run.steps ? 'done' : 'stopped';
    const name = button(run.name, () => this.choose(run.name), { class: 'quiet', 'data-run': run.name });
    const isShown = run.name === this.wanted;
    const tick = make('input', { type: 'checkbox', 'data-run': run.name, 'aria-label': `${run.name} in the chart`, disabled: isShown || run.game !== this.game,
      checked: isShown || (run.game === this.game && this.ticked.has(run.name)), onchange: (event) => this.tick(run.name, event.target.checked),
      title: run.game === this.game ? undefined : `The chart is of ${this.game}` });
    return make('tr', { 'aria-current': isShown ? 'true' : undefined }, make('td', {}, tick),
      make('td', {}, name, make('small', {}, make('span', { class: `dot ${state}` }), ` ${run.game}, ${state}`)),
      make('td', {}, share), make('td', {}, typeof run.best === 'number' ? run.best.toLocaleString('en', { maximumFractionDigits: 1 }) : '–'),
      make('td', {}, ageOf(run.age)));
  }

  // Takes a run's curve into the chart, or out of it.
  async tick(name, isTicked) {
    if (isTicked) this.ticked.add(name);
    else this.ticked.delete(name);
    this.note();
    await this.took(this.runs);
  }

  async choose(name) {
    this.wanted = name;
    this.note();
    await this.took(this.runs);
  }

  async loadConfigs() {
    const answer = await fromServer('api/configs');
    if (answer.error) return;
    this.configs = answer.configs;
    this.config.replaceChildren(...this.configs.map(({ name, game }) => option(name, `${name} (${game})`)));
    this.configChosen();
  }

  configChosen() {
    const chosen = this.configs.find(({ name }) => name === this.config.value);
    this.about.textContent = chosen?.about ? `${chosen.learner}: ${chosen.about}` : '';
  }

  async start() {
    const name = this.name.value.trim() || this.config.value;
    const answer = await fromServer('api/train', { config: this.config.value, name, seed: Number(this.seed.value) });
    notice(answer.error ?? `${name} has started.`);
    if (answer.error) return;
    this.wanted = name;
    this.note();
    await this.poll();
  }
}
