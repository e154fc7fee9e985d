//! `matchq play`: a game watched or played in the terminal, or plain text without one.

mod canvas;
mod clip;
mod keys;
mod look;
mod picture;
mod pieces;
mod plain;
mod screen;
mod session;
mod shape;
mod thinker;
mod tokens;
#[cfg(test)]
mod toy;

use std::collections::hash_map::RandomState;
use std::env;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{process, thread};

use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::EnterAlternateScreen;
use ratatui::layout::{Rect, Size};
use ratatui::{DefaultTerminal, TerminalOptions, Viewport};

use super::{print, rules};
use crate::cli::Play;
use crate::error::{Error, Result};
use crate::players::{Agents, Playable};
use look::Look;
use session::{Command, Session};
use thinker::Thinker;

/// Time between checks while something moves or is awaited.
const BUSY: Duration = Duration::from_millis(30);
/// Time between checks while nothing moves.
const IDLE: Duration = Duration::from_millis(200);
/// Most columns and rows of a terminal that are drawn on.
const MOST: (u16, u16) = (240, 80);
/// Time for an orderly end after a signal.
const GRACE: Duration = Duration::from_secs(2);

/// Plays in the terminal until the user quits, then prints the scores; without a terminal, writes a
/// game as text.
pub fn run<G: Playable>(arguments: &Play, agents: &Agents) -> Result<()> {
    let rules = rules::<G>(&arguments.game)?;
    let speed = arguments.speed;
    if !(speed > 0.0 && speed.is_finite()) {
        return Err(Error::user(format!("--speed {speed}: the speed must be a number above 0, such as 2")));
    }
    let terminal = is_terminal();
    if arguments.human && !terminal {
        return Err(Error::user("--human: a person can play only where standard input and output are a terminal"));
    }
    if terminal && arguments.moves.is_some() {
        return Err(Error::user(
            "--moves: it ends a game that is written as text, where there is no terminal; here q does",
        ));
    }
    let seed = arguments.seed.unwrap_or_else(random_seed);
    if !terminal {
        let mut player = super::player::<G>(&arguments.player, &rules, agents)?;
        return plain::play::<G>(player.as_mut(), &rules, seed, arguments.moves, &mut io::stdout().lock());
    }
    let thinker = Thinker::<G>::start(&arguments.player, rules.clone(), agents)?;
    let mut session = Session::new(rules, seed, thinker.name(), arguments.human, speed);
    let look = Look::of(arguments.ascii, |name| env::var_os(name));
    let played = in_terminal(&mut session, &thinker, look);
    print(&session.results())?;
    played
}

fn is_terminal() -> bool {
    let dumb = env::var_os("TERM").is_some_and(|name| name == "dumb");
    io::stdout().is_terminal() && io::stdin().is_terminal() && !dumb
}

/// A seed below 2^32, short to type.
fn random_seed() -> u128 {
    // A new state of the standard library's hasher is random.
    u128::from(RandomState::new().build_hasher().finish() as u32)
}

/// Plays until the user quits; restores the terminal, also after a panic.
fn in_terminal<G: Playable>(session: &mut Session<G>, thinker: &Thinker<G>, look: Look) -> Result<()> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    // Ctrl-C is a key here; signals come from other processes.
    let end = move || {
        flag.store(true, Ordering::Relaxed);
        let begin = Instant::now();
        // crossterm never returns from reading keys of a lost terminal.
        while begin.elapsed() < GRACE && io::stdin().is_terminal() {
            thread::sleep(BUSY);
        }
        ratatui::try_restore().ok();
        process::exit(1);
    };
    ctrlc::set_handler(end).map_err(|error| Error::runtime(format!("signals cannot be caught: {error}")))?;
    let options = TerminalOptions { viewport: Viewport::Fixed(drawn(Size::new(80, 24))) };
    let entered = ratatui::try_init_with_options(options)
        .and_then(|terminal| execute!(io::stdout(), EnterAlternateScreen).map(|()| terminal));
    let terminal = entered.map_err(|error| failed(&error));
    let played = terminal.and_then(|mut terminal| watch(&mut terminal, session, thinker, look, &stop));
    let restored = ratatui::try_restore().map_err(|error| failed(&error));
    played.and(restored)
}

fn watch<G: Playable>(
    terminal: &mut DefaultTerminal,
    session: &mut Session<G>,
    thinker: &Thinker<G>,
    look: Look,
    stop: &AtomicBool,
) -> Result<()> {
    let mut clock = Instant::now();
    let (mut area, mut keys) = (None, false);
    while !stop.load(Ordering::Relaxed) {
        if let Some(question) = session.question() {
            thinker.ask(question)?;
        }
        let size = drawn(terminal.size().map_err(|error| failed(&error))?);
        if area != Some(size) {
            terminal.resize(size).map_err(|error| failed(&error))?;
            area = Some(size);
        }
        let mut seen = false;
        terminal.draw(|frame| seen = screen::draw(frame, session, look, keys)).map_err(|error| failed(&error))?;
        let mut wait = if session.is_running() || session.is_thinking() { BUSY } else { IDLE };
        while event::poll(wait).map_err(|error| failed(&error))? {
            wait = Duration::ZERO;
            if let Event::Key(key) = event::read().map_err(|error| failed(&error))?
                && key.kind != KeyEventKind::Release
            {
                if quits(key, session.hand().is_some()) {
                    return Ok(());
                }
                if keys || key.code == KeyCode::Char('?') {
                    keys = !keys && seen;
                    continue;
                }
                let command = command(key.code, session.hand().is_some()).filter(|_| seen);
                command.into_iter().for_each(|command| session.obey(command));
            }
        }
        if let Some(answer) = thinker.answer()? {
            session.answer(answer);
        }
        // Time stops while nothing or something else is visible.
        if seen && !keys {
            session.tick(clock.elapsed().as_secs_f64());
        }
        clock = Instant::now();
    }
    Ok(())
}

/// The part of a terminal that is drawn on; a buffer as wide as some terminals say to be would fill
/// the memory.
fn drawn(size: Size) -> Rect {
    Rect::new(0, 0, size.width.min(MOST.0), size.height.min(MOST.1))
}

/// Whether a key quits; Esc does so unless it unselects.
fn quits(key: KeyEvent, human: bool) -> bool {
    match key.code {
        KeyCode::Char('q') => true,
        KeyCode::Char('c') => key.modifiers.contains(KeyModifiers::CONTROL),
        KeyCode::Esc => !human,
        _ => false,
    }
}

fn command(key: KeyCode, human: bool) -> Option<Command> {
    Some(match key {
        KeyCode::Char('+' | '=') => Command::Faster,
        KeyCode::Char('-') => Command::Slower,
        KeyCode::Char('n') => Command::NextGame,
        KeyCode::Left if human => Command::Go(-1, 0),
        KeyCode::Right if human => Command::Go(1, 0),
        KeyCode::Up if human => Command::Go(0, -1),
        KeyCode::Down if human => Command::Go(0, 1),
        KeyCode::Char(' ') | KeyCode::Enter if human => Command::Select,
        KeyCode::Esc if human => Command::Unselect,
        KeyCode::Char('h') if human => Command::Hint,
        KeyCode::Char(' ' | 'p') => Command::Pause,
        KeyCode::Char('s') => Command::StepBoard,
        KeyCode::Char('m') => Command::StepMove,
        _ => return None,
    })
}

fn failed(error: &io::Error) -> Error {
    Error::runtime(format!("the terminal has failed: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_terminal_that_says_to_be_huge_a_part_is_drawn_on() {
        assert_eq!(drawn(Size::new(80, 24)), Rect::new(0, 0, 80, 24));
        assert_eq!(drawn(Size::new(u16::MAX, 1)), Rect::new(0, 0, MOST.0, 1));
        assert_eq!(drawn(Size::new(0, u16::MAX)), Rect::new(0, 0, 0, MOST.1));
    }
}
