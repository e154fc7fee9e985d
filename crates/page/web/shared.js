// The server's game, which all its visitors watch.

import { make, notice } from './dom.js';
import { chooseGame } from './state.js';

// Events that may wait before moves are shown at once.
const BACKLOG = 2;

export class ServerGame {
  constructor(app, view) {
    Object.assign(this, { app, view, following: false, number: 0 });
    this.box = make('input', { type: 'checkbox', onchange: () => (this.box.checked ? this.follow() : this.leave()) });
    this.choice = make('label', { class: 'check' }, this.box, "Follow the server's game");
  }

  follow() {
    const token = new URLSearchParams(location.search).get('token');
    this.source = new EventSource(`api/watch${token ? `?token=${encodeURIComponent(token)}` : ''}`);
    this.following = true;
    this.number += 1;
    this.waiting = Promise.resolve();
    this.behind = 0;
    const { number } = this;
    this.source.addEventListener('snapshot', (event) => this.inTurn(number, () => this.snapshot(JSON.parse(event.data))));
    this.source.addEventListener('move', (event) => this.inTurn(number, () => this.moved(JSON.parse(event.data))));
    this.source.onerror = () => notice('The server sends nothing now; the page waits for it.');
    this.view.followed(true);
  }

  leave() {
    if (!this.following) return;
    this.following = this.box.checked = false;
    this.number += 1;
    this.source.close();
    this.view.followed(false);
  }

  // One event after the other; those of an earlier following are dropped.
  inTurn(number, show) {
    if (number !== this.number) return;
    this.behind += 1;
    this.waiting = this.waiting.then(() => {
      if (number !== this.number) return null;
      this.behind -= 1;
      return show();
    });
  }

  snapshot({ at, position, player }) {
    chooseGame(at.game);
    this.app.gameShown();
    this.view.serverPosition(at, position, player?.name ?? player);
  }

  async moved({ played, values }) {
    await this.view.serverMove(played, values, this.behind > BACKLOG);
  }
}
