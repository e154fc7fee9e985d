// Runs that are kept in the browser's database.

const BASE = 'matchq';
// What is shown of runs, and their files, which are larger.
const STORES = ['runs', 'files'];

function settled(request) {
  return new Promise((done, failed) => {
    request.onsuccess = () => done(request.result);
    request.onerror = () => failed(request.error);
  });
}

function written(transaction) {
  return new Promise((done, failed) => {
    transaction.oncomplete = () => done(true);
    transaction.onabort = () => failed(transaction.error);
  });
}

// Runs by their names; where the browser keeps nothing they last as long as the page.
export class Keep {
  constructor() {
    this.kept = new Map();
    this.opened = this.open();
  }

  async open() {
    try {
      const request = indexedDB.open(BASE, 1);
      request.onupgradeneeded = () => STORES.forEach((name) => request.result.createObjectStore(name, { keyPath: 'name' }));
      this.base = await settled(request);
    } catch {
      this.base = null;
    }
  }

  // What is shown of all runs.
  async all() {
    await this.opened;
    const own = [...this.kept.values()].map(({ run }) => run);
    if (!this.base) return own;
    const lasting = await settled(this.base.transaction('runs').objectStore('runs').getAll());
    // Meanwhile one of its own may have come to last.
    const names = new Set(own.map(({ name }) => name));
    return [...own, ...lasting.filter(({ name }) => !names.has(name))];
  }

  // What is shown of a run, or its files.
  async get(name, store = 'runs') {
    await this.opened;
    const own = this.kept.get(name);
    if (own || !this.base) return store === 'runs' ? own?.run : own?.files;
    const found = await settled(this.base.transaction(store).objectStore(store).get(name));
    return store === 'runs' ? found : found?.files;
  }

  // Keeps a run, whole or not at all; true if it lasts, else why it is kept no longer than the page.
  async put(run, files) {
    await this.opened;
    this.kept.set(run.name, { run, files });
    if (!this.base) return 'it has no database for this page';
    try {
      const transaction = this.base.transaction(STORES, 'readwrite');
      transaction.objectStore('runs').put(run);
      transaction.objectStore('files').put({ name: run.name, files });
      await written(transaction);
    } catch (error) {
      return error?.message || 'its room is full';
    }
    this.kept.delete(run.name);
    return true;
  }

  async remove(name) {
    await this.opened;
    this.kept.delete(name);
    if (!this.base) return;
    const transaction = this.base.transaction(STORES, 'readwrite');
    STORES.forEach((store) => transaction.objectStore(store).delete(name));
    await written(transaction);
  }
}
