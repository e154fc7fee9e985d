// Trainings in this browser, each in a worker of its own, asked in the words of the server.

import { Keep } from './keep.js';
import { find, notice } from './dom.js';
import { locks } from './locks.js';
import { unzipped, zipped } from './zip.js';

// Most trainings at once, and letters of a name.
const MOST = navigator.hardwareConcurrency ? Math.max(1, navigator.hardwareConcurrency) : 2;
const NAME = 80;
// The newest agent, else the best.
const AGENTS = ['last.safetensors', 'best.safetensors'];

function isName(name) {
  return name.length >= 1 && name.length <= NAME && /^[\p{L}\p{N}_][\p{L}\p{N}\-_.]*$/u.test(name);
}

// A worker with the trainer's module.
class Trainer {
  constructor() {
    this.open = new Map();
    this.last = 0;
    const source = find('#trainer-source')?.textContent.trim();
    this.worker = new Worker(source ? URL.createObjectURL(new Blob([source], { type: 'text/javascript' })) : 'trainer.js');
    this.worker.onmessage = ({ data }) => this.heard(data);
    this.worker.onerror = () => this.heard({ kind: 'failed', error: 'the training has stopped' });
  }

  heard({ kind, id, answer, ...more }) {
    if (kind === 'answer') {
      this.open.get(id)?.(answer);
      this.open.delete(id);
      return;
    }
    if (kind === 'failed') {
      this.open.forEach((done) => done({ error: more.error }));
      this.open.clear();
    }
    this.told?.(kind, more);
  }

  ask(task, more = {}) {
    return new Promise((done) => {
      this.last += 1;
      this.open.set(this.last, done);
      this.worker.postMessage({ id: this.last, task, ...more });
    });
  }

  tell(task) {
    this.worker.postMessage({ task });
  }

  end() {
    this.worker.terminate();
    this.heard({ kind: 'failed', error: 'the training has ended' });
  }
}

export class LocalTrainings {
  // `bytes` gives the trainer's module.
  constructor(bytes, giveAgent) {
    Object.assign(this, { bytes, giveAgent, keep: new Keep(), live: new Map(), locks: locks() });
  }

  // The answer to a request of a path; an error's sentence is in `error`.
  async ask(path, body) {
    const [, what, name] = path.split('/');
    const answers = {
      configs: () => this.configurations(),
      runs: () => (name ? this.one(decodeURIComponent(name)) : this.list()),
      train: () => this.start(body),
      stop: () => this.stop(body.name),
      resume: () => this.resume(body.name),
      agent: () => this.agent(body.run),
      reports: () => ({ reports: [] }),
      file: () => this.file(body.name),
      remove: () => this.remove(body.name),
    };
    try {
      return await answers[what]();
    } catch (error) {
      return { error: `This did not work (${error.message}).` };
    }
  }

  async opened() {
    // What could not be fetched is fetched again the next time.
    this.module ??= this.bytes().catch((error) => {
      this.module = undefined;
      throw error;
    });
    const bytes = await this.module;
    const trainer = new Trainer();
    const answer = await trainer.ask('open', { bytes });
    if (!answer.error) return trainer;
    trainer.end();
    throw new Error(answer.error);
  }

  async configurations() {
    if (this.configs) return this.configs;
    const trainer = await this.opened();
    const answer = await trainer.ask('configurations');
    trainer.end();
    if (!answer.error) this.configs = answer;
    return answer;
  }

  // A training that goes on by rounds as it is asked to, and is not kept; or an error.
  async lesson(text) {
    try {
      const trainer = await this.opened();
      const answer = await trainer.ask('start', { config: text, set: [], name: 'lesson' });
      if (!answer.error) return trainer;
      trainer.end();
      return answer;
    } catch (error) {
      return { error: `This did not work (${error.message}).` };
    }
  }

  // Names of the runs that any tab trains.
  async held() {
    return new Set([...this.live.keys(), ...(await this.locks.held())]);
  }

  async list() {
    const [runs, held] = await Promise.all([this.keep.all(), this.held()]);
    // A run that has just begun is not kept yet.
    [...this.live.values()].filter(({ name, summary }) => summary && !runs.some((run) => run.name === name)).forEach((live) => runs.push(live));
    const one = ({ name, summary, time }) => ({ ...(this.live.get(name)?.summary ?? summary), name, running: held.has(name), age: (Date.now() - (this.live.get(name)?.time ?? time)) / 1000 });
    return { runs: runs.sort((a, b) => (a.name < b.name ? -1 : 1)).map(one), warning: this.warning };
  }

  async one(name) {
    const found = this.live.get(name)?.detail ?? (await this.keep.get(name))?.detail;
    return found ? { ...found, name } : { error: `There is no run ${name}.` };
  }

  async start({ config, name, seed, text }) {
    if (!isName(name)) return { error: `A run's name has 1 to ${NAME} letters, digits or any of - _ ., and begins with no . or -.` };
    if (await this.keep.get(name)) return { error: `There is a run ${name} already: give this one another name, or go on with that one.` };
    const configs = await this.configurations();
    const given = text ?? configs.configs?.find((one) => one.name === config)?.text;
    if (given === undefined) return configs.error ? configs : { error: `There is no configuration ${config}.` };
    return this.begin(name, (trainer) => trainer.ask('start', { config: given, set: seed === undefined ? [] : [`seed=${seed}`], name }));
  }

  // The files are read under the lock: another tab may have saved newer ones before.
  async resume(name) {
    return this.begin(name, async (trainer) => {
      const given = await this.keep.get(name, 'files');
      return given ? trainer.ask('resume', { name, given }) : { error: `There is no run ${name}.` };
    });
  }

  // Begins to train, under a lock that other tabs see.
  async begin(name, asked) {
    if (this.live.has(name)) return { error: `${name} is trained already.` };
    if (this.live.size >= MOST) return { error: `${MOST} trainings run already: stop one, or wait.` };
    const live = { name, time: Date.now() };
    this.live.set(name, live);
    live.release = await this.locks.take(name);
    if (!live.release) {
      this.live.delete(name);
      return { error: `${name} is trained in another tab.` };
    }
    try {
      live.trainer = await this.opened();
      const answer = await asked(live.trainer);
      if (answer.error) {
        this.ended(live);
        return answer;
      }
      Object.assign(live, { summary: answer.summary, detail: answer.detail });
      live.trainer.told = (kind, more) => this.told(live, kind, more);
      live.trainer.tell('train');
      // It was stopped while it was loaded.
      if (live.isStopped) live.trainer.tell('stop');
    } catch (error) {
      this.ended(live);
      throw error;
    }
    return { name };
  }

  told(live, kind, { summary, detail, files, error, done }) {
    if (kind === 'shown') Object.assign(live, { summary, detail, time: Date.now() });
    if (kind === 'saved') {
      live.files = files;
      this.save(live);
    }
    if (kind === 'ended') {
      if (done) notice(`${live.name} is done.`);
      live.saving.then(() => this.ended(live));
    }
    if (kind === 'failed') {
      notice(`${live.name} has stopped: ${error}. What was saved last is kept.`);
      this.ended(live);
    }
  }

  // Saves one state after the other.
  save(live) {
    live.saving = (live.saving ?? Promise.resolve()).then(async () => {
      const { name, summary, detail, files } = live;
      const lasts = await this.keep.put({ name, summary, detail, time: Date.now() }, files);
      this.warning = lasts === true ? undefined : `This browser keeps no runs (${lasts}): save them as files before you close the page.`;
    });
    return live.saving;
  }

  ended(live) {
    live.trainer?.worker.terminate();
    live.release?.();
    this.live.delete(live.name);
  }

  async stop(name) {
    const live = this.live.get(name);
    if (!live) return { error: (await this.held()).has(name) ? `${name} is trained in another tab: stop it there.` : `${name} is not being trained.` };
    live.isStopped = true;
    live.trainer?.tell('stop');
    return { name };
  }

  // Gives a run's newest agent to the player.
  async agent(name) {
    const files = this.live.get(name)?.files ?? (await this.keep.get(name, 'files')) ?? {};
    const file = AGENTS.map((agent) => files[agent]).find(Boolean);
    if (!file) return { error: `${name} has no agent yet: its training saves one after a few seconds.` };
    return this.giveAgent(name, new Blob([file]));
  }

  // The run as a ZIP of its folder.
  async file(name) {
    const files = this.live.get(name)?.files ?? (await this.keep.get(name, 'files'));
    if (!files?.['last.ckpt']) return { error: `${name} is not saved yet: wait a few seconds.` };
    return { file: zipped(Object.fromEntries(Object.entries(files).map(([file, content]) => [`${name}/${file}`, content]))) };
  }

  // Takes a run's folder as a ZIP.
  async take(file) {
    const stem = file.name.replace(/\.zip$/i, '');
    let files;
    try {
      files = await unzipped(file);
    } catch (error) {
      return { error: `${file.name} cannot be read: ${error.message}.` };
    }
    const checkpoint = Object.keys(files).find((path) => path === 'last.ckpt' || path.endsWith('/last.ckpt'));
    if (!checkpoint) return { error: `${file.name} holds no run: its folder with a last.ckpt is missing.` };
    const folder = checkpoint.slice(0, -'last.ckpt'.length);
    const wanted = folder.split('/').at(-2) || (stem === 'last' ? 'run' : stem.replace(/[^\p{L}\p{N}\-_.]/gu, '-').replace(/^[-.]+/, '') || 'run');
    const own = Object.entries(files).filter(([path]) => path.startsWith(folder) && !path.slice(folder.length).includes('/'));
    const given = Object.fromEntries(own.map(([path, content]) => [path.slice(folder.length), content]));
    const taken = new Set([...(await this.keep.all()).map((run) => run.name), ...this.live.keys()]);
    const name = [wanted, ...Array.from({ length: taken.size + 1 }, (_, number) => `${wanted}-${number + 2}`)].find((one) => !taken.has(one));
    return this.locked(name, async () => {
      // Whether the program can read it shows when it is opened once.
      const trainer = await this.opened();
      const answer = await trainer.ask('resume', { name, given });
      trainer.end();
      if (answer.error) return answer;
      const { summary, detail } = answer;
      await this.keep.put({ name, summary, detail, time: Date.now() }, given);
      return { name };
    });
  }

  async remove(name) {
    return this.locked(name, async () => {
      await this.keep.remove(name);
      return { name };
    });
  }

  // What is done while nobody trains a run.
  async locked(name, done) {
    const release = this.live.has(name) ? null : await this.locks.take(name);
    if (!release) return { error: `${name} is being trained: stop it first.` };
    try {
      return await done();
    } catch (error) {
      return { error: `This did not work (${error.message}).` };
    } finally {
      release();
    }
  }
}
