//! `matchq export`: an agent as one Python file that needs NumPy alone.

mod source;
mod template;

use std::path::Path;

use crate::cli::Export;
use crate::error::{Error, Result};
use crate::files;
use crate::games::{Game, Match3};
use crate::players::registry::{self, is_player};
use crate::players::roster::Preset;
use crate::players::{Agents, Door, Linear, Playable, SEARCHES};

/// Writes the agent's file.
pub fn run<G: Playable>(arguments: &Export, agents: &Agents) -> Result<()> {
    let Export { agent: name, python } = arguments;
    let to_stdout = files::is_input(python);
    if !to_stdout {
        files::check_destination("--python", python)?;
    }
    super::tell_apart(Some(name));
    let text = match (agents.find(name)?, preset::<G>(name)) {
        (None, Some(preset)) => source::of_weights::<G>(preset.name, &Linear::of::<G>(preset)?, &G::Rules::default())?,
        (None, None) => return Err(not_an_agent(name, agents)),
        _ => source::of_agent::<G>(&agents.load(name)?)?,
    };
    if to_stdout {
        return super::print(&text);
    }
    files::write_atomically(python, text.as_bytes())?;
    let (name, file) = (name.display(), python.display().to_string());
    let kit = match (G::NAME == Match3::NAME, is_module(python)) {
        (false, _) => "",
        (true, true) => ", also in the kit",
        (true, false) => ", also in the kit under a name that Python can import, such as agent.py",
    };
    super::print(&format!(
        "{file} plays {} as {name} does, with NumPy alone{kit}\nask it: python {} BOARD.txt\n",
        G::NAME,
        super::quoted(&file)
    ))
}

/// Why nothing is exported where neither an agent nor named weights have the name.
fn not_an_agent(name: &Path, agents: &Agents) -> Error {
    let text = name.to_string_lossy();
    let agent = text.strip_suffix(SEARCHES).map(Path::new);
    if let Some(agent) = agent.filter(|agent| matches!(agents.find(agent), Ok(Some(_)))) {
        return Error::user(format!(
            "{text} searches, which Python has not: export {}, the agent alone",
            agent.display()
        ));
    }
    match agents.load(name) {
        Err(_) if is_player(&text) => {
            Error::user(format!("{text} is a player without an agent's file: export an agent, such as dqn"))
        }
        Err(error) => error,
        Ok(_) => unreachable!("no agent was found"),
    }
}

/// Whether Python's `import` takes the file.
fn is_module(file: &Path) -> bool {
    let stem = file.file_stem().map(|stem| stem.to_string_lossy()).unwrap_or_default();
    let letters = |text: &str| text.chars().all(|one| one == '_' || one.is_ascii_alphanumeric());
    let begins = stem.starts_with(|first: char| first == '_' || first.is_ascii_alphabetic());
    begins && letters(&stem) && file.extension().is_some_and(|ending| ending == "py")
}

/// Name of the game of an agent or of named weights; match-3 where there are none.
pub fn game(name: &Path, agents: &Agents) -> Result<String> {
    if let Some(agent) = agents.find(name)? {
        return super::known(agent.game().to_owned(), &name.display().to_string());
    }
    let has = |game: &&dyn Door| game.presets().iter().any(|preset| Path::new(preset.name) == name);
    let game = registry::games().into_iter().find(has);
    Ok(game.map_or(Match3::NAME, |game| game.name()).to_owned())
}

fn preset<G: Playable>(name: &Path) -> Option<&'static Preset> {
    G::PRESETS.iter().find(|preset| Path::new(preset.name) == name)
}
