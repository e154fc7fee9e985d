// The server's game, which all its visitors watch.

import { make, notice } from './dom.js';
import { chooseGame } from './state.js';

export class ServerGame {
  constructor(app, view) {
    Object.assign(this, { app, view, following: false });
    this.box = make('input', { type: 'checkbox', onchange: () => (this.box.checked ? this.follow() : this.leave()) });
    this.choice = make('label', { class: 'check' }, this.box, "Follow the server's game");
  }

  follow() {
    const token = new URLSearchParams(location.search).get('token');
    this.source = new EventSource(`api/watch${token ? `?token=${encodeURIComponent(token)}` : ''}`);
    this.following = true;
    this.waiting = Promise.resolve();
    this.source.addEventListener('snapshot', (event) => this.inTurn(() => this.snapshot(JSON.parse(event.data))));
    this.source.addEventListener('move', (event) => this.inTurn(() => this.moved(JSON.parse(event.data))));
    this.source.onerror = () => notice('The server sends nothing now; the page waits for it.');
    this.view.followed(true);
  }

  leave() {
    if (!this.following) return;
    this.following = this.box.checked = false;
    this.source.close();
    this.view.followed(false);
  }

  // One event after the other, each fully shown.
  inTurn(show) {
    this.waiting = this.waiting.then(() => this.following && show());
  }

  snapshot({ at, position, player }) {
    chooseGame(at.game);
    this.app.gameShown();
    this.view.serverPosition(at, position, player?.name ?? player);
  }

  async moved({ played, values }) {
    await this.view.serverMove(played, values);
  }
}
