// The choice of a player and of its simulations.

import { count, labelled, make, option } from './dom.js';
import { MOST_BUDGET, choosePlayer, state } from './state.js';

// Simulations that can be chosen, and steps of thinking on.
export const BUDGETS = [100, 400, 1600, 6400, MOST_BUDGET];

export function gameOf(app) {
  return app.about.games.find((game) => game.name === state.game);
}

// The chosen player of the game as requests name it.
export function playerOf(app) {
  const offer = offerOf(app);
  return offer.simulations ? { name: offer.name, simulations: Math.min(state.budget, mostOf(app)) } : { name: offer.name };
}

// Most simulations a move that a server takes.
function mostOf(app) {
  return app.about.simulations || Infinity;
}

function offerOf(app) {
  const { players } = gameOf(app);
  return players.find((player) => player.name === state.players[state.game]) ?? players[0];
}

export function makePicker(app, { label = 'Player', onchange }) {
  const players = make('select', { onchange: () => chosen() });
  const budgets = make('select', { onchange: () => chosen() });
  const about = make('p', { class: 'soft about' });
  const simulations = labelled('Simulations a move', budgets);
  const chosen = () => {
    choosePlayer(players.value, Number(budgets.value));
    update();
    onchange();
  };
  const update = () => {
    const offer = offerOf(app);
    const group = (text, agent) => make('optgroup', { label: text },
      gameOf(app).players.filter((player) => player.agent === agent).map(({ name }) => option(name, name, name === offer.name)));
    players.replaceChildren(group('Agents, which learned', true), group('By rules and search', false));
    const all = [...new Set([...BUDGETS, state.budget])].filter((value) => value <= mostOf(app)).sort((one, other) => one - other);
    budgets.replaceChildren(...all.map((value) => option(value, count(value), value === state.budget)));
    simulations.hidden = !offer.simulations;
    about.textContent = offer.about ? `${offer.name}: ${offer.about}.` : '';
  };
  const element = make('div', { class: 'picker' }, make('div', { class: 'row' }, labelled(label, players), simulations), about);
  return { element, update };
}
