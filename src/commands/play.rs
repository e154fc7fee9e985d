//! `matchq play`: a player's game watched in the terminal, or plain text without one.

mod clip;
mod plain;
mod screen;
mod session;
mod thinker;

use std::env;
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
use crate::players::{Agents, Playable, kit};
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

/// Shows games in the terminal until the user quits, then prints the scores; without a terminal,
/// writes a game as text.
pub fn run<G: Playable>(arguments: &Play, agents: &Agents) -> Result<()> {
    let rules = rules::<G>(&arguments.game)?;
    let speed = arguments.speed;
    if !(speed > 0.0 && speed.is_finite()) {
        return Err(Error::user(format!("--speed {speed}: the speed must be a number above 0, such as 2")));
    }
    let terminal = is_terminal();
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
    let mut session = Session::new(rules, seed, thinker.name(), speed);
    session.scale = thinker.scale();
    let played = in_terminal(&mut session, &thinker);
    print(&session.results())?;
    played
}

fn is_terminal() -> bool {
    let dumb = env::var_os("TERM").is_some_and(|name| name == "dumb");
    io::stdout().is_terminal() && io::stdin().is_terminal() && !dumb
}

/// A seed below 2^32, short to type.
fn random_seed() -> u128 {
    kit::random_seed() & u128::from(u32::MAX)
}

/// Shows games until the user quits; restores the terminal, also after a panic.
fn in_terminal<G: Playable>(session: &mut Session<G>, thinker: &Thinker<G>) -> Result<()> {
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
    let played = entered.map_err(failed).and_then(|mut terminal| watch(&mut terminal, session, thinker, &stop));
    let restored = ratatui::try_restore().map_err(failed);
    played.and(restored)
}

fn watch<G: Playable>(
    terminal: &mut DefaultTerminal,
    session: &mut Session<G>,
    thinker: &Thinker<G>,
    stop: &AtomicBool,
) -> Result<()> {
    let colours = env::var_os("NO_COLOR").is_none_or(|set| set.is_empty());
    let mut clock = Instant::now();
    let mut area = None;
    while !stop.load(Ordering::Relaxed) {
        if let Some(question) = session.question() {
            thinker.ask(question)?;
        }
        let size = drawn(terminal.size().map_err(failed)?);
        if area != Some(size) {
            terminal.resize(size).map_err(failed)?;
            area = Some(size);
        }
        let mut seen = false;
        terminal.draw(|frame| seen = screen::draw(frame, session, colours)).map_err(failed)?;
        let mut wait = if session.is_running() { BUSY } else { IDLE };
        while event::poll(wait).map_err(failed)? {
            wait = Duration::ZERO;
            if let Event::Key(key) = event::read().map_err(failed)?
                && key.kind != KeyEventKind::Release
            {
                if quits(key) {
                    return Ok(());
                }
                command(key.code).into_iter().for_each(|command| session.obey(command));
            }
        }
        if let Some(answer) = thinker.answer()? {
            session.answer(answer);
        }
        // Time stops while nothing is visible.
        if seen {
            session.tick(clock.elapsed().as_secs_f64());
        }
        clock = Instant::now();
    }
    Err(Error::runtime("a signal has ended the game"))
}

/// The part of a terminal that is drawn on; a buffer as wide as some terminals say to be would fill
/// the memory.
fn drawn(size: Size) -> Rect {
    Rect::new(0, 0, size.width.min(MOST.0), size.height.min(MOST.1))
}

fn quits(key: KeyEvent) -> bool {
    match key.code {
        KeyCode::Char('q') | KeyCode::Esc => true,
        KeyCode::Char('c') => key.modifiers.contains(KeyModifiers::CONTROL),
        _ => false,
    }
}

fn command(key: KeyCode) -> Option<Command> {
    Some(match key {
        KeyCode::Char(' ' | 'p') => Command::Pause,
        KeyCode::Char('s') => Command::StepBoard,
        KeyCode::Char('m') => Command::StepMove,
        KeyCode::Char('+' | '=') => Command::Faster,
        KeyCode::Char('-') => Command::Slower,
        KeyCode::Char('n') => Command::NextGame,
        _ => return None,
    })
}

fn failed(error: io::Error) -> Error {
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
