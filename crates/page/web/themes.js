// Looks of gems that the page was taught or given, kept by the browser.

import { recall, remember } from './dom.js';

// Most themes of a game: each is tried on every picture.
const MOST_THEMES = 8;

const isTheme = (one) => ['game', 'name', 'text'].every((key) => typeof one?.[key] === 'string');
let taught = [recall('themes', [])].flat().filter(isTheme);

function keep(themes) {
  taught = themes;
  remember('themes', taught);
}

export function themesOf(game) {
  return taught.filter((theme) => theme.game === game);
}

// The themes as requests have them: texts by the names of games.
export function givenThemes() {
  const games = [...new Set(taught.map(({ game }) => game))];
  return Object.fromEntries(games.map((game) => [game, themesOf(game).map(({ text }) => text)]));
}

// Keeps a theme, in place of one of its name; the oldest of too many is forgotten.
export function keepTheme(theme) {
  const others = taught.filter(({ game, name }) => game !== theme.game || name !== theme.name);
  const oldest = others.filter(({ game }) => game === theme.game)[MOST_THEMES - 1] && others.find(({ game }) => game === theme.game);
  keep([...others.filter((one) => one !== oldest), theme]);
}

export function forgetTheme(theme) {
  keep(taught.filter((one) => one !== theme));
}
