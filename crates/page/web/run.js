// One training: its curves, its configuration, and what can be done with it.

import { Chart } from './charts.js';
import { columnsOf, curvesOf, recipeOf } from './curves.js';
import { button, download, labelled, make, notice, option, pause } from './dom.js';

// Milliseconds after which a watched training is looked at again.
const NEWER = 5000;

export class Run {
  constructor(app) {
    this.app = app;
    this.details = new Map();
    this.chart = new Chart(app, { scales: true });
    this.title = make('h2');
    this.state = make('p', { class: 'soft' });
    this.actions = make('div', { class: 'row' });
    this.column = make('select', { onchange: () => { this.wanted = this.column.value; this.draw(); } });
    this.across = make('select', { onchange: () => this.draw() }, option('step', 'steps'), option('seconds', 'seconds'));
    this.lacking = make('p', { class: 'soft' });
    this.differs = make('div', { class: 'scroll' });
    this.text = make('pre');
    const curve = make('section', {}, make('div', { class: 'title' }, this.title, this.actions), this.state,
      make('div', { class: 'row' }, labelled('Show', this.column), labelled('Across', this.across)), this.chart.element, this.lacking);
    const config = make('section', {}, make('h2', {}, 'Configuration'), this.differs,
      make('details', {}, make('summary', {}, 'The whole file'), this.text));
    this.element = make('div', { class: 'panel', hidden: true }, curve, config);
  }

  // Shows a run of the list, and beside its curve those of others.
  async show(run, runs, others) {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    this.run = run;
    this.element.hidden = false;
    this.showState();
    const first = ({ recipe }, index, all) => all.findIndex((one) => one.recipe === recipe) === index;
    const groups = await Promise.all([run, ...others].filter(first).map((one) => this.groupOf(one, runs)));
    if (turn !== this.turn) return;
    const [[own]] = groups;
    if (own.error) {
      this.state.textContent = own.error;
      return;
    }
    this.groups = groups.filter(([one]) => !one.error);
    this.showColumns();
    this.showConfiguration(own);
    await this.draw();
  }

  // A run with those that differ in the seed alone: a line of the chart.
  async groupOf(run, runs) {
    const alike = runs.filter((one) => one.name !== run.name && one.game === run.game && one.recipe === run.recipe);
    const [own, ...others] = await Promise.all([run, ...alike].map((one) => this.detail(one)));
    return [own, ...others.filter((detail) => !own.error && !detail.error && recipeOf(detail) === recipeOf(own))];
  }

  async detail(run) {
    const kept = this.details.get(run.name);
    if (kept && kept.step === run.step && kept.age <= run.age) return kept.detail;
    const detail = await this.app.trainings.ask(`api/runs/${encodeURIComponent(run.name)}`);
    if (!detail.error) this.details.set(run.name, { step: run.step, age: run.age, detail });
    return detail;
  }

  showState() {
    const { run } = this;
    this.title.textContent = run.name;
    this.state.textContent = `${run.learner} for ${run.game}, seed ${run.seed}. ${stateOf(run)}.`;
    // What is looked at every few seconds is made anew only where it differs: else it loses the focus.
    const acted = JSON.stringify([run.name, run.running, run.done, run.agent]);
    if (acted === this.acted) return;
    this.acted = acted;
    const act = (text, path, body, done) => button(text, () => this.act(path, body, done));
    const actions = [];
    if (run.running) actions.push(act('Stop', 'api/stop', { name: run.name }, 'stops at its next checkpoint'));
    else if (!run.done) actions.push(act('Resume', 'api/resume', { name: run.name }, 'goes on'));
    if (run.agent) actions.unshift(button('Watch it play', () => this.watch(), { class: 'main' }));
    // What the browser keeps can be taken elsewhere, and thrown away.
    if (this.app.kind !== 'serve') {
      actions.push(button('Save as a file', () => this.save()), button('Remove', () => this.remove(), { disabled: run.running }));
    }
    this.actions.replaceChildren(...actions);
  }

  async act(path, body, done) {
    const answer = await this.app.trainings.ask(path, body);
    notice(answer.error ?? `${body.name} ${done}.`);
  }

  showColumns() {
    const key = ({ table, name }) => `${table}.${name}`;
    const [columns, ...beside] = this.groups.map(([detail]) => columnsOf(detail));
    const everywhere = (column) => beside.every((other) => other.some((one) => key(one) === key(column)));
    const luck = columns.find((column) => column.name === 'luck_adjusted' && everywhere(column));
    const chosen = columns.find((column) => key(column) === this.wanted) ?? luck ?? columns[0];
    const group = (table, label) => make('optgroup', { label }, columns.filter((column) => column.table === table)
      .map((column) => option(key(column), column.name.replaceAll('_', ' '))));
    const offered = JSON.stringify(columns);
    if (offered !== this.offered) this.column.replaceChildren(group('evaluations', 'Evaluations'), group('train', 'Training'));
    this.offered = offered;
    if (chosen && this.column.value !== key(chosen)) this.column.value = key(chosen);
  }

  spec() {
    const [table, name] = this.column.value.split('.');
    if (!name) return null;
    const what = name.replaceAll('_', ' ');
    const title = this.groups.length > 1 ? `${what} of ${this.groups.length} configurations` : `${this.run.name}: ${what}`;
    return curvesOf(this.groups, { table, name }, this.across.value, title);
  }

  async draw() {
    const spec = this.groups && this.spec();
    const lacking = (spec ? this.groups : []).map(([{ name }]) => name).filter((name) => !spec.lines.some((line) => line.name === name || line.name.startsWith(`${name} (`)));
    this.lacking.textContent = spec?.lines.length && lacking.length ? `Without this column: ${lacking.join(', ')}.` : '';
    const drawn = JSON.stringify([this.run.name, spec]);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    if (spec?.lines.length) await this.chart.draw(spec, this.run.name);
    else this.chart.clear('The training has no rows yet.');
  }

  showConfiguration({ config, differs }) {
    const configured = JSON.stringify([config, differs]);
    if (configured === this.configured) return;
    this.configured = configured;
    this.text.textContent = config;
    if (!differs?.length) {
      const sentence = differs === null ? 'No configuration of this learner and game ships.' : 'It is the shipped configuration, except perhaps for the seed.';
      this.differs.replaceChildren(make('p', { class: 'soft' }, sentence));
      return;
    }
    const head = make('thead', {}, make('tr', {}, ['Key', 'Shipped', 'Here'].map((text) => make('th', { scope: 'col' }, text))));
    const row = (entry) => make('tr', {}, entry.map((text) => make('td', {}, make('code', {}, `${text ?? '–'}`))));
    this.differs.replaceChildren(make('table', { class: 'plain' }, head, make('tbody', {}, differs.map(row))));
  }

  // Loads the newest agent and shows it play beside the curve.
  async watch() {
    const agent = await this.app.trainings.ask('api/agent', { run: this.run.name });
    if (agent.error) {
      notice(agent.error);
      return;
    }
    await this.app.newAgent(agent);
    const chart = new Chart(this.app);
    await this.app.go('watch', { seed: 0 });
    this.app.views.watch.showBeside(this.run.name, chart.element);
    const watched = () => this.app.shows(this.app.views.watch) && chart.element.isConnected;
    const { name } = this.run;
    do {
      const spec = this.groups && this.spec();
      if (spec?.lines.length) await chart.draw(spec);
      await pause(NEWER);
      // The newest agent plays on, beside its curve.
    } while (watched() && await this.renew(name));
  }

  // Takes the newest agent and rows of a run; whether there may be newer ones.
  async renew(name) {
    const { runs } = await this.app.trainings.ask('api/runs');
    const run = runs?.find((one) => one.name === name);
    if (!run || this.run.name !== name) return false;
    await this.app.trainings.ask('api/agent', { run: name });
    await this.show(run, runs, []);
    return run.running;
  }

  async save() {
    const { file, error } = await this.app.trainings.ask('api/file', { name: this.run.name });
    if (error) notice(error);
    else download(`${this.run.name}.zip`, file, 'application/zip');
  }

  async remove() {
    const { name } = this.run;
    if (!confirm(`Remove ${name} from this browser?`)) return;
    const answer = await this.app.trainings.ask('api/remove', { name });
    notice(answer.error ?? `${name} is removed.`);
    await this.app.views.train.poll();
  }
}

export function ageOf(seconds) {
  if (seconds === null || seconds === undefined) return 'no row yet';
  const units = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  const [size, name] = units.find(([least]) => seconds >= least) ?? units.at(-1);
  return `${Math.floor(seconds / size)} ${name} ago`;
}

function stateOf(run) {
  const share = run.steps ? `, ${Math.floor(100 * run.step / run.steps)} %` : '';
  const doing = run.running ? 'It is running' : run.done ? 'It is done' : 'It is stopped';
  return `${doing}: ${run.step.toLocaleString('en')} of ${run.steps ? run.steps.toLocaleString('en') : 'any number of'} ${run.unit ?? 'steps'}${share}`;
}
