// The view that gives advice on a board: typed, pasted, drawn, or read from a picture.

import { Advice, thinkOn } from './advice.js';
import { Board } from './board.js';
import { amount, asSentence, base64Of, button, cellName, copy, count, download, labelled, make, notice, option, pngOf, say } from './dom.js';
import { linesOf } from './motion.js';
import { Picture } from './picture.js';
import { BUDGETS, gameOf, makePicker, playerOf } from './picker.js';
import { state, writeAddress } from './state.js';
import { forgetTheme, givenThemes, keepTheme, themesOf } from './themes.js';
import { hasPieces, nameOf, titleOf, token } from './tiles.js';

// Milliseconds after the last key until a typed board is looked at.
const TYPED = 300;
// Share of cells that are not sure from which a picture is perhaps of another game.
const UNSURE = 0.1;

export class Ask {
  constructor(app) {
    Object.assign(this, { app, turn: 0, edits: 0, boards: {}, unsure: [], why: '' });
    this.board = new Board({ name: 'board playable' });
    this.board.element.setAttribute('role', 'application');
    this.picture = new Picture();
    this.advice = new Advice(app, { hover: (cells) => this.hover(cells) });
    this.picker = makePicker(app, { onchange: () => { this.note(); this.think(); } });
    this.element = make('div', { class: 'view' }, this.makeLeft(), this.makePanel());
    this.listen();
  }

  makeLeft() {
    this.error = make('p', { class: 'error', role: 'status' });
    this.hint = make('p', { class: 'soft' }, 'Click a cell to change it.', make('span', { class: 'by-mouse' }, ' With Shift or the right button it changes back.'));
    this.palette = make('div', { class: 'palette', role: 'group', 'aria-label': 'What a click puts on the board' });
    this.lesson = make('p');
    this.learning = button('Learn these gems', () => this.learn());
    this.teaching = make('div', { class: 'teaching', hidden: true }, this.lesson, this.learning);
    const copies = make('div', { class: 'row' }, button('Copy link', () => copy(linkWithoutToken(), 'The link')),
      button('Copy text', () => copy(this.text.value, 'The board')), button('Watch from here', () => this.watch()));
    return make('section', { class: 'left', 'aria-label': 'Board' }, make('div', { class: 'pair' }, this.board.element, this.picture.element),
      this.error, this.teaching, this.palette, this.hint, copies);
  }

  makePanel() {
    this.text = make('textarea', { class: 'boardtext', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', rows: 10, oninput: () => this.typed() });
    this.format = make('p', { class: 'soft' });
    this.left = make('input', { type: 'number', min: 1, onchange: () => this.edited() });
    this.leftField = labelled('Moves left', this.left);
    this.piece = make('select', { onchange: () => this.edited() });
    this.pieceField = labelled('Piece', this.piece);
    const file = make('input', { type: 'file', hidden: true,
      onchange: () => { if (file.files[0]) this.app.openFile(file.files[0]); file.value = ''; } });
    this.file = file;
    this.paste = button('Paste a picture', () => this.pastePicture());
    const given = make('div', { class: 'row' }, button('Choose a file', () => file.click()), this.paste, file);
    this.drop = make('p', { class: 'drop soft' });
    this.themes = make('div', { class: 'themes' });
    return make('section', { class: 'panel', 'aria-label': 'Board as text and values' },
      make('div', { class: 'settings' }, labelled('Board', this.text, { class: 'field upright' }), this.format,
        make('div', { class: 'row' }, this.leftField, this.pieceField), given, this.drop, this.themes, this.picker.element),
      this.advice.element);
  }

  listen() {
    const { element } = this.board;
    element.addEventListener('contextmenu', (event) => event.preventDefault());
    element.addEventListener('pointerdown', (event) => {
      const cell = this.board.cellAt(event);
      if (this.board.has(cell)) this.turnCell(cell, event.button === 2 || event.shiftKey ? -1 : 1, this.letter);
    });
    // A letter of the palette is painted on every cell under the pointer.
    element.addEventListener('pointermove', (event) => {
      const cell = this.board.cellAt(event);
      if (this.letter && event.buttons === 1 && this.board.has(cell) && !this.has(cell, this.letter)) this.turnCell(cell, 1, this.letter);
    });
    element.addEventListener('keydown', (event) => this.keyed(event));
    element.addEventListener('blur', () => this.board.ring('cursor'));
  }

  // The place that is asked about.
  get place() {
    const game = gameOf(this.app);
    const left = Number(this.left.value);
    return { game: state.game, board: this.text.value.replace(/\s+$/, ''), moves_left: game.moves && this.left.value !== '' ? left : undefined,
      piece: hasPieces(game) && this.piece.value ? this.piece.value : undefined };
  }

  // Whether a picture is shown that was not read.
  get isUnread() {
    return this.why !== '' && this.picture.png !== null;
  }

  async open(given) {
    const { turn } = this;
    this.picker.update();
    const game = gameOf(this.app);
    this.board.setGame(game);
    // A board that is on its way cannot be changed.
    this.position = null;
    this.board.element.inert = true;
    this.format.textContent = `${game.board[0].toUpperCase()}${game.board.slice(1)}.`;
    this.text.rows = game.rows;
    this.leftField.hidden = !game.moves;
    this.left.max = game.moves ?? '';
    this.left.placeholder = game.moves ?? '';
    this.pieceField.hidden = !hasPieces(game);
    this.piece.replaceChildren(...game.pieces.map((piece) => option(piece)));
    this.file.accept = `${game.reads ? 'image/*,.toml,' : ''}.txt,.safetensors`;
    this.paste.hidden = !game.reads || !navigator.clipboard?.read;
    this.drop.textContent = `Or drop ${game.reads ? 'a picture, a theme of gems (.toml), ' : ''}a text file, or an agent (.safetensors) anywhere on the page.`;
    this.showPalette(game);
    this.showThemes();
    if (this.picture.game !== state.game) this.picture.hide();
    const board = given?.board ? given : this.boards[state.game] ?? await this.example();
    // Another game or board may have come before the example.
    if (turn === this.turn) await this.set(board);
  }

  // What is still awaited then comes too late.
  close() {
    this.turn += 1;
    this.edits += 1;
    clearTimeout(this.timer);
    this.app.drop('values');
  }

  async example() {
    const { board, piece } = await this.app.ask({ ask: 'position', at: { game: state.game, seed: state.seed } });
    return { board, piece };
  }

  // Letters that a click puts; without one a click goes to the next.
  showPalette(game) {
    const choose = (letter) => {
      this.letter = letter === this.letter ? undefined : letter;
      choices.forEach((choice) => choice.setAttribute('aria-pressed', choice.dataset.letter === this.letter));
    };
    const choices = hasPieces(game) ? [] : game.tokens.map(({ letter }) => button(token(game, letter), () => choose(letter),
      { 'data-letter': letter, 'aria-pressed': 'false', 'aria-label': nameOf(game, letter), title: `${letter}: a click puts it` }));
    this.letter = undefined;
    this.palette.replaceChildren(...choices);
  }

  // Takes a board, with cells that are not sure; `why` says that its picture was not read.
  async set({ board, left, piece, unsure = [], why = '' }) {
    const game = gameOf(this.app);
    const wall = hasPieces(game) ? asWall(game, board) : { board, piece };
    this.text.value = wall.board;
    this.left.value = left ?? '';
    this.piece.value = piece ?? wall.piece ?? game.pieces[0] ?? '';
    Object.assign(this, { unsure, why });
    await this.changed();
  }

  typed() {
    clearTimeout(this.timer);
    this.turn += 1;
    this.edits += 1;
    this.unsure = [];
    // A board that is typed for a picture which was not read is its own.
    if (!this.isUnread) this.picture.hide();
    this.keep();
    this.timer = setTimeout(() => this.changed(), TYPED);
  }

  // A visitor has changed the board, which a file that is being read must not replace.
  edited() {
    this.edits += 1;
    this.changed();
  }

  // Keeps the board for when its game is chosen again.
  keep() {
    const { board, piece } = this.place;
    this.boards[state.game] = { board, piece, left: this.left.value || undefined, unsure: this.unsure, why: this.why };
  }

  // Looks at the board anew.
  async changed() {
    this.turn += 1;
    this.board.element.inert = false;
    const { turn } = this;
    const { board } = this.place;
    this.keep();
    this.note();
    const position = await this.app.ask({ ask: 'position', at: this.place });
    if (turn !== this.turn) return;
    this.error.textContent = position.error ? asSentence(position.error) : '';
    // Of cells that nobody knows there is no advice.
    const isUnknown = this.isUnread && this.unsure.length > 0;
    this.position = position.error || isUnknown ? null : position;
    if (isUnknown) this.error.textContent = '';
    this.showTeaching();
    this.board.show(position.board ?? this.padded(board));
    this.board.clearMarks();
    this.board.ring('unsure', this.unsure.map(({ row, column }) => [row, column]));
    if (this.cursor && this.board.has(this.cursor) && this.board.element.matches(':focus-visible')) this.board.ring('cursor', [this.cursor]);
    this.picture.mark([]);
    if (this.position) await this.think();
    else this.advice.clear();
  }

  // A player plays on from the board.
  watch() {
    const { game, board, moves_left, piece } = this.place;
    if (this.position) this.app.openPlace('watch', { game, board, left: moves_left, piece });
  }

  // A board that cannot stand, as far as it can be drawn.
  padded(text) {
    const game = gameOf(this.app);
    const rows = linesOf(text);
    const blank = '.'.repeat(game.columns);
    const missing = Math.max(0, this.board.rows - rows.length);
    const filled = hasPieces(game) ? [...Array(missing).fill(blank), ...rows] : [...rows, ...Array(missing).fill(blank)];
    return filled.slice(0, this.board.rows).map((row) => row.padEnd(game.columns, '.').slice(0, game.columns)).join('\n');
  }

  note() {
    const { board, moves_left, piece } = this.place;
    if (this.app.shows(this)) writeAddress({ board, left: moves_left, piece });
  }

  async think() {
    const { turn } = this;
    if (!this.position) return;
    this.advice.status.textContent = 'thinking …';
    await thinkOn(this.app, this.place, playerOf(this.app), BUDGETS, (values, simulations) => {
      if (turn !== this.turn || !this.app.shows(this)) return false;
      if (values.error) {
        this.error.textContent = asSentence(values.error);
        this.advice.clear();
        return false;
      }
      this.advice.show(values, simulations ? `${count(simulations)} simulations` : '');
      this.board.heat(values.moves, this.advice.scale);
      this.picture.mark(values.moves, this.advice.scale, gameOf(this.app));
      return true;
    });
  }

  hover(cells) {
    this.board.ring('hover', cells);
  }

  // Whether a cell has a letter and is sure.
  has([row, column], letter) {
    return linesOf(this.board.text)[row]?.[column] === letter && !this.unsure.some((cell) => cell.row === row && cell.column === column);
  }

  // Changes a cell to the next token, to the one before, or to a letter.
  turnCell([row, column], by, letter) {
    const game = gameOf(this.app);
    const pieces = hasPieces(game);
    if (row < game.above) return;
    const letters = pieces ? ['.', '#'] : game.tokens.map((token) => token.letter);
    const rows = linesOf(pieces ? this.text.value.replace(/\s+$/, '') : this.padded(this.text.value)).map((line) => [...line]);
    while (pieces && rows.length < game.rows) rows.unshift([...'.'.repeat(game.columns)]);
    const line = rows[row - game.above];
    const next = (Math.max(letters.indexOf(line[column]), by > 0 ? -1 : 0) + by + letters.length) % letters.length;
    line[column] = letter ?? letters[next];
    this.text.value = rows.map((letters) => letters.join('')).join('\n');
    this.unsure = this.unsure.filter((cell) => cell.row !== row || cell.column !== column);
    say(asSentence(`${cellName([row - game.above, column])}: ${nameOf(game, line[column])}`));
    this.edited();
  }

  keyed(event) {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const letter = !hasPieces(gameOf(this.app)) && gameOf(this.app).tokens.some((token) => token.letter === event.key);
    if (!step && !letter && event.key !== ' ' && event.key !== 'Enter') return;
    event.preventDefault();
    const cursor = this.cursor ?? [gameOf(this.app).above, 0];
    if (!step) {
      this.cursor = cursor;
      this.turnCell(cursor, event.shiftKey ? -1 : 1, letter ? event.key : undefined);
      return;
    }
    const next = [cursor[0] + step[0], cursor[1] + step[1]];
    if (!this.board.has(next)) return;
    this.cursor = next;
    this.board.ring('cursor', [next]);
    const letterThere = linesOf(this.board.text)[next[0]]?.[next[1]];
    say(asSentence(`${cellName([next[0] - gameOf(this.app).above, next[1]])}: ${nameOf(gameOf(this.app), letterThere)}`));
  }

  // Takes a picture or a text file.
  async takeFile(file) {
    this.edits += 1;
    const { edits } = this;
    const late = () => edits !== this.edits || !this.app.shows(this);
    if (!file.type.startsWith('image/')) {
      this.picture.hide();
      const board = (await file.text()).trimEnd();
      if (!late()) await this.set({ board });
      return;
    }
    const game = gameOf(this.app);
    if (!game.reads) {
      this.error.textContent = `Pictures of ${titleOf(game)} are not read: click its cells. A picture of another game is read when that game is chosen.`;
      return;
    }
    // What was drawn belongs to another board.
    this.board.clearMarks();
    this.advice.clear();
    this.teaching.hidden = true;
    this.error.textContent = 'The picture is read …';
    this.picture.show(file);
    const { address } = this.picture;
    let png;
    try {
      png = await pngOf(file);
    } catch {
      if (!late()) this.error.textContent = `${file.name ?? 'The picture'} cannot be read: save it as a PNG.`;
      return;
    }
    const encoded = await base64Of(png);
    const read = await this.read(encoded, late);
    if (!read) {
      if (address === this.picture.address) this.picture.hide();
      notice('The picture is left out, because something else was chosen while it was read.');
      return;
    }
    if (read.error) {
      this.error.textContent = asSentence(read.error);
      return;
    }
    this.picture.png = encoded;
    this.picture.place(read);
    const done = read.game !== state.game ? this.app.openPlace('ask', read) : this.set(read);
    const before = this.edits;
    await done;
    if (before !== this.edits) return;
    if (read.why) return;
    if (read.doubt) this.error.textContent = asSentence(read.doubt);
    else if (read.unsure.length) this.error.textContent = `${amount(read.unsure.length, 'cells')} ${read.unsure.length === 1 ? 'is' : 'are'} not sure, and marked: look again.`;
  }

  // Reads a picture of the chosen game, else of any; null if that came too late. A picture that no theme fits is
  // one of the chosen game, whose cells the visitor knows.
  async read(picture, late) {
    if (late()) return null;
    const game = gameOf(this.app);
    const cells = game.columns * game.rows;
    const themes = givenThemes();
    const own = await this.app.ask({ ask: 'read', picture, game: game.name, themes });
    if (late()) return null;
    if (!own.error && !own.why && !own.doubt && own.unsure.length < UNSURE * cells) return own;
    this.error.textContent = `This looks like no picture of ${titleOf(game)}. All games are tried …`;
    const any = await this.app.ask({ ask: 'read', picture, themes });
    if (late()) return null;
    if (any.error || !any.why) return any;
    if (!own.why) return own;
    const all = Array.from({ length: cells }, (_, at) => ({ row: Math.floor(at / game.columns), column: at % game.columns }));
    const unknown = Array(game.rows).fill('?'.repeat(game.columns)).join('\n');
    return { board: unknown, unsure: all, ...own };
  }

  // Says what to do with a picture: one that was not read can be taught.
  showTeaching() {
    const { why, unsure, picture } = this;
    this.teaching.hidden = !picture.png;
    this.learning.classList.toggle('main', this.isUnread);
    const left = unsure.length ? `Click each marked cell right, ${count(unsure.length)} are left: choose a gem below, and click or draw over the cells. ` : '';
    this.lesson.textContent = why ? `${asSentence(why)} ${left}Then the page can learn how these gems look.` :
      'If gems were read wrongly, click them right, and let the page learn how they look.';
  }

  // Learns the gems of the picture from its board, for the next pictures.
  async learn() {
    const { png, file } = this.picture;
    const { edits } = this;
    const game = gameOf(this.app);
    this.learning.disabled = true;
    this.lesson.textContent = 'The gems are learned …';
    const learned = await this.app.ask({ ask: 'teach', picture: png, game: game.name, board: this.place.board });
    this.learning.disabled = false;
    if (edits !== this.edits || !this.app.shows(this)) return;
    this.showTeaching();
    this.error.textContent = learned.error ? asSentence(learned.error) : '';
    if (learned.error) return;
    const stem = file.name?.replace(/\.\w+$/, '') ?? 'picture';
    keepTheme({ game: game.name, name: `${game.name}-${stem}.toml`, text: learned.theme });
    const missing = learned.missing.length ? ` Not on this board, and so not learned: ${learned.missing.join(', ')}.` : '';
    notice(`${learned.right} of ${learned.cells} gems of the picture are read right now. The next pictures are read with this, too.${missing}`);
    Object.assign(this, { unsure: [], why: '' });
    this.showThemes();
    const read = await this.app.ask({ ask: 'read', picture: png, game: game.name, themes: givenThemes() });
    if (edits !== this.edits || !this.app.shows(this)) return;
    if (!read.error) this.picture.place(read);
    await this.changed();
  }

  // The looks that were taught or given, to be saved as files or forgotten.
  showThemes() {
    const row = (theme) => make('div', { class: 'row' }, make('span', {}, theme.name),
      button('Save', () => download(theme.name, theme.text, 'text/plain'), { class: 'quiet', 'aria-label': `Save ${theme.name}` }),
      button('Forget', () => { forgetTheme(theme); this.showThemes(); }, { class: 'quiet', 'aria-label': `Forget ${theme.name}` }));
    const themes = themesOf(state.game);
    this.themes.hidden = themes.length === 0;
    this.themes.replaceChildren(make('p', { class: 'soft' }, 'Pictures are also read with these looks of gems, kept in this browser:'), ...themes.map(row));
  }

  // Another look may fit the picture that was not read.
  async themesChanged() {
    this.showThemes();
    if (this.isUnread) await this.takeFile(this.picture.file);
  }

  async pastePicture() {
    try {
      for (const item of await navigator.clipboard.read()) {
        const type = item.types.find((one) => one.startsWith('image/'));
        if (type) {
          await this.takeFile(await item.getType(type));
          return;
        }
      }
      notice('There is no picture in the clipboard.');
    } catch {
      notice('The browser does not let the page read the clipboard: press Ctrl+V instead.');
    }
  }
}

// A server's token is no part of what is passed on.
function linkWithoutToken() {
  const link = new URL(location.href);
  link.searchParams.delete('token');
  return link.href;
}

// A board of a game with pieces as its wall and the piece above it.
function asWall(game, board) {
  const rows = linesOf(board);
  const over = rows.length > game.rows ? rows.slice(0, game.above) : [];
  const piece = [...over.join('')].find((letter) => game.pieces.includes(letter));
  const wall = rows.slice(over.length).map((row) => row.replace(/[^.]/g, '#'));
  return { board: wall.join('\n'), piece };
}
