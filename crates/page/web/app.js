// Starts the page: tabs, games, theme, help, and what the address names.

import { Ask } from './ask.js';
import { asSentence, base64Of, button, find, icon, make, notice, recall, remember } from './dom.js';
import { fromServer, moduleBytes, startEngine } from './engine.js';
import { Learn } from './learn.js';
import { LocalTrainings } from './local.js';
import { Play } from './play.js';
import { beginEntry, chooseGame, choosePlayer, isShown, readAddress, state } from './state.js';
import { keepTheme } from './themes.js';
import { defineTiles, sign, titleOf } from './tiles.js';
import { Train } from './train.js';
import { Watch } from './watch.js';

const THEMES = ['auto', 'light', 'dark'];

function tabOf(view) {
  return view === 'learn' ? 'train' : view;
}

class App {
  constructor(engine, about) {
    Object.assign(this, { kind: engine.kind, engine, drop: engine.drop, record: engine.record, about });
    state.usual = Object.fromEntries(about.games.map(({ name, rules }) => [name, rules]));
    const views = { watch: Watch };
    if (this.kind !== 'record') Object.assign(views, { play: Play, ask: Ask });
    this.trainings = this.makeTrainings();
    if (this.trainings) views.train = Train;
    // A lesson trains in this browser; it is a part of Train.
    if (this.kind === 'worker') views.learn = Learn;
    this.views = Object.fromEntries(Object.entries(views).map(([name, View]) => [name, new View(this)]));
    this.makeTabs();
    this.makeGames();
    document.querySelectorAll('#help [data-view]').forEach((about) => { about.hidden = !Object.hasOwn(this.views, about.dataset.view); });
  }

  // Trainings are the server's, or this browser's.
  makeTrainings() {
    if (this.kind === 'record') return null;
    if (this.kind === 'serve') return { ask: fromServer };
    const give = async (name, file) => this.ask({ ask: 'agent', name: `my ${name}`, file: await base64Of(file) });
    return new LocalTrainings(() => moduleBytes('#trainer', 'trainer.wasm'), give);
  }

  async ask(request, how) {
    const answer = await this.engine.ask(request, how);
    if (answer?.lost) await this.begunAnew();
    return answer;
  }

  // Agents that were given are gone after a fault of the engine: they are no longer offered.
  async begunAnew() {
    const about = await this.engine.ask({ ask: 'about' });
    if (about.error) return;
    const players = (games) => games.flatMap((game) => game.players).length;
    if (players(about.games) < players(this.about.games)) notice('The games had to start anew. Agents that you gave are gone: give them again.');
    this.about = about;
    Object.values(this.views).forEach((view) => view.picker?.update());
  }

  makeTabs() {
    const names = Object.keys(this.views).filter((name) => name === tabOf(name));
    const tab = (name) => button(name[0].toUpperCase() + name.slice(1), () => this.go(name), { role: 'tab', id: `tab-${name}`, 'aria-controls': 'view' });
    find('#tabs').replaceChildren(...names.map(tab));
    find('#tabs').hidden = names.length < 2;
    find('#tabs').addEventListener('keydown', (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by) return;
      const next = names[(names.indexOf(tabOf(state.view)) + by + names.length) % names.length];
      this.go(next);
      find(`#tab-${next}`).focus();
    });
  }

  makeGames() {
    const choice = (game) => button([sign(game), make('span', {}, titleOf(game))], () => this.choose(game.name), { 'data-game': game.name, title: game.about });
    find('#games').replaceChildren(...this.about.games.map(choice));
    find('#games').hidden = this.about.games.length < 2;
  }

  shows(view) {
    return this.views[state.view] === view;
  }

  // Shows a view, with what was given or with what it showed last. Another view is an entry of the browser's history.
  async go(name, given, isEntry = name !== state.view) {
    this.views[state.view]?.close?.();
    state.view = Object.hasOwn(this.views, name) ? name : 'watch';
    if (isEntry) beginEntry();
    const view = this.views[state.view];
    find('#view').replaceChildren(view.element);
    find('#tabs').querySelectorAll('button').forEach((tab) => {
      tab.setAttribute('aria-selected', tab.id === `tab-${tabOf(state.view)}`);
      tab.tabIndex = tab.id === `tab-${tabOf(state.view)}` ? 0 : -1;
    });
    find('#view').setAttribute('aria-labelledby', `tab-${tabOf(state.view)}`);
    this.gameShown();
    await view.open(given);
  }

  gameShown() {
    find('#games').querySelectorAll('button').forEach((choice) => choice.setAttribute('aria-pressed', choice.dataset.game === state.game));
    find('#games').classList.toggle('away', tabOf(state.view) === 'train');
  }

  async choose(name) {
    if (name === state.game) return;
    this.views[state.view].close?.();
    chooseGame(name);
    beginEntry();
    this.gameShown();
    await this.views[state.view].open();
  }

  // Opens a place of any game in a view.
  async openPlace(view, place) {
    this.views[state.view].close?.();
    chooseGame(place.game);
    if (place.player) this.takePlayer(place.player);
    await this.go(view, place);
  }

  takePlayer(name, budget) {
    const game = this.about.games.find((one) => one.name === state.game);
    if (game.players.some((player) => player.name === name)) choosePlayer(name, budget);
  }

  // Takes an agent's file, which then is a player.
  async giveAgent(file) {
    const stem = file.name.replace(/\.safetensors$/i, '').replace(/[^\p{L}\p{N}\-_. ]/gu, '-').slice(0, 70) || 'agent';
    const taken = this.about.games.some((game) => game.players.some((player) => player.name === stem));
    const name = taken ? `my ${stem}` : stem;
    const answer = await this.ask({ ask: 'agent', name, file: await base64Of(file) });
    if (answer.error) notice(answer.error);
    else await this.newAgent(answer);
    if (!answer.error) await this.go(state.view);
  }

  // Takes the look of a game's gems, and reads the picture again that waits for it.
  async takeTheme(file) {
    const text = await file.text();
    const answer = await this.ask({ ask: 'theme', theme: text });
    if (answer.error) {
      notice(asSentence(answer.error));
      return;
    }
    const name = answer.games.includes(state.game) ? state.game : answer.games[0];
    keepTheme({ game: name, name: file.name, text });
    // Opening the view takes as long as its advice; a notice of that time must stay.
    notice(`${file.name} is kept: pictures of ${titleOf(this.about.games.find((game) => game.name === name))} are read with it, too.`);
    if (state.game !== name || state.view !== 'ask') await this.openPlace('ask', { game: name });
    await this.views.ask.themesChanged();
  }

  // Chooses an agent that has just become a player.
  async newAgent({ name, game }) {
    const about = await this.ask({ ask: 'about' });
    if (about.error) {
      notice(about.error);
      return;
    }
    this.about = about;
    chooseGame(game);
    this.takePlayer(name);
    this.gameShown();
    notice(`${name} is now a player of ${game}.`);
  }

  // Takes a run's folder, which then can go on here.
  async takeRun(file) {
    const answer = this.trainings?.take ? await this.trainings.take(file).catch((error) => ({ error: `This did not work (${error.message}).` })) : { error: 'A server trains in its own folder of runs: put this one there.' };
    if (answer.error) notice(asSentence(answer.error));
    else await this.go('train', { run: answer.name });
  }

  // A file that is dropped, pasted or chosen opens where it belongs.
  async openFile(file) {
    const ends = (ending) => file.name.toLowerCase().endsWith(ending);
    if (ends('.safetensors')) await this.giveAgent(file);
    else if (ends('.json')) await this.views.watch.openText(await file.text());
    else if (ends('.toml')) await this.takeTheme(file);
    else if (ends('.zip')) await this.takeRun(file);
    else {
      if (state.view !== 'ask') await this.go('ask');
      await this.views.ask.takeFile(file);
    }
  }

  async openAddress() {
    const given = readAddress();
    const shown = isShown(given);
    if (this.about.games.some((game) => game.name === given.game)) chooseGame(given.game);
    if (!this.about.games.some((game) => game.name === state.game)) chooseGame(this.about.games[0].name);
    if (given.player) this.takePlayer(given.player, given.budget);
    if (this.record) {
      const { at, player } = this.record;
      chooseGame(at.game);
      this.takePlayer(player.name, player.simulations);
      await this.go('watch', { ...at, moves: given.game === at.game ? given.moves : [] }, false);
      return;
    }
    await this.go(given.view ?? state.view, shown ? undefined : { ...given, seed: given.seed ?? state.seed }, false);
  }
}

// Chooses and remembers the theme: the system's, light or dark.
function startTheme() {
  const set = (name) => {
    document.documentElement.dataset.theme = name;
    find('#theme').replaceChildren(icon(name));
    find('#theme').title = `Theme: ${name}`;
    find('#theme').setAttribute('aria-label', `Theme: ${name}. Change it.`);
    remember('theme', name);
  };
  const kept = recall('theme', 'auto');
  set(THEMES.includes(kept) ? kept : 'auto');
  find('#theme').addEventListener('click', () => set(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length]));
}

function startKeys(app) {
  find('.skip').addEventListener('click', (event) => {
    event.preventDefault();
    (find('.left > .board, .pair > .board') ?? find('#main')).focus();
  });
  const help = find('#help');
  find('#help-button').addEventListener('click', () => help.showModal());
  addEventListener('keydown', (event) => {
    if (help.open || event.ctrlKey || event.metaKey || event.altKey || event.target.matches('input:not([type=checkbox]), textarea, select')) return;
    if (event.key === '?') help.showModal();
    else app.views[state.view].key?.(event);
  });
}

function startFiles(app) {
  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (file) app.openFile(file);
  });
  addEventListener('paste', (event) => {
    const file = [...event.clipboardData.files][0];
    if (!file) return;
    event.preventDefault();
    app.openFile(file);
  });
}

async function start() {
  startTheme();
  try {
    const engine = await startEngine();
    const about = await engine.ask({ ask: 'about' });
    if (about.error) throw new Error(about.error);
    defineTiles(about.games);
    const app = new App(engine, about);
    startKeys(app);
    if (app.kind !== 'record') startFiles(app);
    await app.openAddress();
    addEventListener('hashchange', () => { if (location.hash.includes('view=')) app.openAddress(); });
  } catch (error) {
    find('#view').replaceChildren(make('p', { class: 'error' }, `The page could not start: ${error.message}`));
  }
}

start();
