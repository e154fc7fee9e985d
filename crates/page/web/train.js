// The view of trainings, by the server or in this browser.

import { button, labelled, make, notice, option } from './dom.js';
import { Keys } from './keys.js';
import { Reports } from './reports.js';
import { Run, ageOf } from './run.js';
import { writeAddress } from './state.js';
import { titleOf } from './tiles.js';

// Milliseconds between looks at the runs, and the most after errors.
const EVERY = 2000;
const SLOWEST = 60000;
// Most trainings that are begun at once.
const MOST_SEEDS = 8;

export class Train {
  constructor(app) {
    Object.assign(this, { app, runs: [], ticked: new Set(), pause: EVERY });
    this.run = new Run(app);
    this.reports = new Reports(app);
    this.line = make('p', { class: 'error', role: 'status' });
    this.body = make('tbody');
    this.none = make('p', { class: 'soft' }, 'There is no training yet.');
    const head = make('thead', {}, make('tr', {}, ['Chart', 'Run', 'Step', 'Best', 'Updated'].map((text) => make('th', { scope: 'col' }, text))));
    this.table = make('div', { class: 'scroll', hidden: true }, make('table', { class: 'runs' }, head, this.body));
    this.comparing = make('p', { class: 'soft' }, 'Tick runs of one game to compare them in the chart; seeds of one configuration are one line.');
    this.comparing.hidden = true;
    const list = make('section', {}, make('h2', {}, 'Trainings'), this.line, this.none, this.comparing, this.table);
    this.element = make('div', { class: 'view train' }, make('div', { class: 'panel' }, list, this.makeStart()),
      make('div', { class: 'panel' }, this.run.element, this.reports.element));
    document.addEventListener('visibilitychange', () => this.wake());
  }

  makeStart() {
    this.config = make('select', { onchange: () => this.configChosen() });
    this.about = make('p', { class: 'soft' });
    this.name = make('input', { type: 'text', size: 16, placeholder: 'as the configuration' });
    this.seed = make('input', { type: 'number', min: 0, value: 1 });
    this.seeds = make('input', { type: 'number', min: 1, max: MOST_SEEDS, value: 1, title: 'Trainings that differ in the seed alone are one line, with a band' });
    this.keys = new Keys(() => this.keysChanged());
    // A server takes configurations by their names alone.
    this.keys.element.hidden = this.app.kind === 'serve';
    const file = make('input', { type: 'file', accept: '.zip', hidden: true, onchange: () => { if (file.files[0]) this.app.takeRun(file.files[0]); file.value = ''; } });
    const open = this.app.kind === 'serve' ? [] : [button('Open a run', () => file.click(), { title: 'A run that was saved as a file, or the folder of a run of the program as a ZIP' }), file];
    this.begin = make('button', { class: 'main' }, 'Start');
    const form = make('form', { onsubmit: (event) => { event.preventDefault(); this.start(); } },
      labelled('Configuration', this.config), this.about, make('div', { class: 'row' }, labelled('Name', this.name), labelled('Seed', this.seed), labelled('Trainings', this.seeds)),
      make('div', { class: 'row' }, this.begin, open), this.keys.element);
    const lesson = this.app.kind === 'serve' ? [] : [button('How it learns: a lesson', () => this.app.go('learn'), { class: 'quiet' })];
    return make('section', {}, make('div', { class: 'title' }, make('h2', {}, 'Start a training'), lesson), form);
  }

  async open(given) {
    this.shown = true;
    this.wanted = given?.run ?? this.wanted;
    if (given?.ticked) this.ticked = new Set(given.ticked);
    this.pause = EVERY;
    if (!this.configs) await this.loadConfigs();
    if (given?.config) this.takeConfig(given.config);
    this.reports.list();
    await this.poll();
    this.note();
  }

  // Another view may be shown by the time that an answer comes.
  note() {
    if (this.app.shows(this)) writeAddress({ run: this.wanted, ticked: [...this.ticked], config: this.edited });
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
    const answer = await this.app.trainings.ask('api/runs');
    this.pause = answer.error ? Math.min(2 * this.pause, SLOWEST) : EVERY;
    this.line.textContent = answer.error ? `${answer.error} The page asks again in ${this.pause / 1000} s.` : answer.warning ?? '';
    if (!answer.error) await this.took(answer.runs);
    if (!this.shown) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.poll(), this.pause);
  }

  async took(runs) {
    this.runs = runs;
    this.none.hidden = runs.length > 0;
    this.table.hidden = runs.length === 0;
    if (runs.length === 0) this.run.element.hidden = true;
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
    const state = run.running ? 'running' : run.done ? 'done' : 'stopped';
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

  // A configuration that differs from the chosen one, for the link.
  get edited() {
    const chosen = this.configs?.find(({ name }) => name === this.config.value);
    return this.keys.value && chosen && this.keys.value !== chosen.text ? `${chosen.name}\n${this.keys.value}` : undefined;
  }

  // A configuration of a link: its name, then its text.
  takeConfig(given) {
    const [name, ...text] = given.split('\n');
    if (!this.configs?.some((one) => one.name === name)) return;
    this.config.value = name;
    this.configChosen();
    this.keys.value = text.join('\n');
    this.keysChanged();
  }

  // The field of the seed shows the text's, and the first training has the field's.
  keysChanged() {
    const seed = /^seed\s*=\s*([\d_]+)/m.exec(this.keys.value)?.[1];
    if (seed) this.seed.value = Number(seed.replaceAll('_', ''));
    this.note();
  }

  async loadConfigs() {
    const answer = await this.app.trainings.ask('api/configs');
    if (answer.error) {
      this.about.textContent = answer.error;
      return;
    }
    this.configs = answer.configs;
    const games = [...new Set(this.configs.map(({ game }) => game))];
    const title = (name) => titleOf(this.app.about.games.find((game) => game.name === name) ?? { name });
    const group = (game) => make('optgroup', { label: title(game) }, this.configs.filter((one) => one.game === game).map(({ name }) => option(name)));
    this.config.replaceChildren(...games.map(group));
    this.configChosen();
  }

  configChosen() {
    const chosen = this.configs.find(({ name }) => name === this.config.value);
    this.about.textContent = chosen?.about ? `${chosen.learner}: ${chosen.about}` : '';
    this.keys.value = chosen?.text ?? '';
    this.keysChanged();
  }

  async start() {
    const first = this.name.value.trim() || this.config.value;
    const text = this.app.kind === 'serve' ? {} : { text: this.keys.value };
    const [seeds, runs] = [Math.min(Math.max(1, Number(this.seeds.value) || 1), MOST_SEEDS), this.runs.map(({ name }) => name)];
    const free = (name) => [name, ...runs.map((_, number) => `${name}-${number + 2}`)].find((one) => !runs.includes(one));
    this.begin.disabled = true;
    for (let number = 0; number < seeds; number += 1) {
      // A name that was not asked for may be taken.
      const name = this.name.value.trim() && number === 0 ? first : free(first);
      const answer = await this.app.trainings.ask('api/train', { config: this.config.value, name, seed: Number(this.seed.value) + number, ...text });
      notice(answer.error ?? `${name} has started.`);
      if (answer.error) break;
      runs.push(name);
      if (number === 0) this.wanted = name;
      this.note();
      await this.poll();
    }
    this.begin.disabled = false;
  }
}
