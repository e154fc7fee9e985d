// Locks on runs, by their names, against the other tabs of a browser.

const PREFIX = 'matchq run ';
// Milliseconds in which another tab answers.
const WAIT = 300;

const waited = () => new Promise((done) => { setTimeout(done, WAIT); });

// The browser's own locks.
class Native {
  // Resolves to a function that releases the lock, or to null where another tab has it.
  take(name) {
    return new Promise((done) => {
      const held = (lock) => {
        if (!lock) return done(null);
        return new Promise((release) => { done(release); });
      };
      // A page that may have no locks has no other tab with its runs either.
      navigator.locks.request(PREFIX + name, { ifAvailable: true }, held).catch(() => done(() => {}));
    });
  }

  // Names that any tab holds.
  async held() {
    try {
      const { held } = await navigator.locks.query();
      return held.filter((lock) => lock.name.startsWith(PREFIX)).map((lock) => lock.name.slice(PREFIX.length));
    } catch {
      return [];
    }
  }
}

// Questions from tab to tab: a host without HTTPS gets no locks of the browser. A tab that stands still does not answer in time.
class Asked {
  constructor() {
    // Names of this tab, each with the number by which it claims it.
    this.own = new Map();
    this.heard = new Map();
    this.channel = new BroadcastChannel('matchq runs');
    this.channel.onmessage = ({ data }) => this.told(data);
  }

  told({ name, number, held }) {
    const reply = (names) => { if (names.length) this.channel.postMessage({ held: names }); };
    const now = performance.now();
    if (held) held.forEach((one) => this.heard.set(one, now));
    else if (name === undefined) reply([...this.own].filter(([, claim]) => claim === Infinity).map(([one]) => one));
    // Of two tabs that claim a name the higher number has it.
    else if (this.own.get(name) > number) reply([name]);
    else if (this.own.has(name)) this.heard.set(name, now);
  }

  async take(name) {
    if (this.own.has(name)) return null;
    const number = Math.random();
    this.own.set(name, number);
    const asked = performance.now();
    this.channel.postMessage({ name, number });
    await waited();
    if (this.heard.get(name) >= asked) {
      this.own.delete(name);
      return null;
    }
    this.own.set(name, Infinity);
    return () => this.own.delete(name);
  }

  async held() {
    const asked = performance.now();
    this.channel.postMessage({});
    await waited();
    return [...this.heard].filter(([, time]) => time >= asked).map(([name]) => name);
  }
}

// Locks within this tab alone, where tabs cannot ask each other.
const alone = { take: async () => () => {}, held: async () => [] };

export function locks() {
  try {
    return navigator.locks ? new Native() : new Asked();
  } catch {
    return alone;
  }
}
