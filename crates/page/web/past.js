// A game's score against the player's games of other seeds.

import { Chart } from './charts.js';
import { count, make, quantile } from './dom.js';
import { gameOf, playerOf } from './picker.js';
import { titleOf } from './tiles.js';

// Games, by their seeds from here on.
const SEEDS = 20;
const FIRST = 2_000_000;
// Simulations of a move in past games, to be done in time.
export const MOST_SIMULATIONS = 400;
// Moves of games that need not end, and the most of any, for the engine bounds a past game.
const MOVES = 100;
export const MOST_PAST_MOVES = 500;

export class Past {
  // `watched` gives the view with `scores` and `moves`.
  constructor(app, watched) {
    Object.assign(this, { app, watched, games: [], turn: 0 });
    this.chart = new Chart(app);
    this.line = make('p', { class: 'soft' });
    this.element = make('details', { class: 'past', ontoggle: () => this.toggled() },
      make('summary', {}, 'This game against past games of the player'), this.line, this.chart.element);
  }

  get key() {
    return JSON.stringify(playerOf(this.app));
  }

  // Forgets the games if the player was changed in another view.
  refresh() {
    if (this.of !== this.key) this.reset();
  }

  // Forgets the games, of another player or game.
  reset() {
    this.turn += 1;
    this.games = [];
    this.asked = false;
    this.of = this.key;
    if (this.element.open) this.toggled();
  }

  moved() {
    if (this.element.open && this.games.length === SEEDS) this.draw();
  }

  async toggled() {
    if (!this.element.open || this.asked) {
      if (this.element.open) this.draw();
      return;
    }
    this.asked = true;
    const turn = this.turn;
    const game = gameOf(this.app);
    const player = playerOf(this.app);
    if (player.simulations) player.simulations = Math.min(player.simulations, MOST_SIMULATIONS);
    const { rules } = this.watched().origin;
    const moves = Math.min(rules?.moves ?? game.moves ?? MOVES, MOST_PAST_MOVES);
    for (let index = this.games.length; index < SEEDS && this.element.open; index += 1) {
      this.line.textContent = `Game ${index + 1} of ${SEEDS} is played …`;
      const past = await this.app.ask({ ask: 'past', at: { game: game.name, rules, seed: FIRST + index }, player, moves }, { later: true });
      if (turn !== this.turn) return;
      if (past.error) {
        this.asked = false;
        this.line.textContent = past.error;
        return;
      }
      this.games.push(past.scores);
      if (index % 5 === 4) this.draw();
    }
    if (this.games.length < SEEDS) this.asked = false;
  }

  draw() {
    if (this.games.length === 0) return;
    const longest = Math.max(...this.games.map((scores) => scores.length));
    const at = (move) => this.games.map((scores) => scores[Math.min(move, scores.length - 1)]);
    const points = Array.from({ length: longest }, (_, move) => [move, ...[0.5, 0.1, 0.9].map((share) => quantile(at(move), share))]);
    const own = this.own();
    const { name, simulations } = playerOf(this.app);
    const budget = simulations ? `, ${count(Math.min(simulations, MOST_SIMULATIONS))} simulations a move` : '';
    this.line.textContent = `${this.games.length} games of ${name}${budget}: the middle game, and the band of 8 in 10 games.`;
    this.chart.draw({ kind: 'lines', title: `${titleOf(gameOf(this.app))}: score after each move`, x: 'move', y: gameOf(this.app).unit,
      lines: [{ name: 'past games', points }, ...(own.length ? [{ name: 'this game', points: own }] : [])] });
  }

  own() {
    const { scores, moves } = this.watched();
    const points = [...scores.slice(0, moves.length + 1)].map((score, move) => score !== undefined && [move, score, score, score]);
    return points.filter(Boolean);
  }
}
