//! `matchq export`: an agent as one Python file that needs NumPy alone.

mod source;
mod template;

use std::path::Path;

use crate::cli::Export;
use crate::error::{Error, Result};
use crate::files;
use crate::games::toy::Toy;
use crate::games::{Game, Match3};
use crate::players::roster::Preset;
use crate::players::{Agents, ForGame, Linear, NAMES, Playable, with_game};

/// Writes the agent's file.
pub fn run<G: Playable>(arguments: &Export, agents: &Agents) -> Result<()> {
    let Export { agent: name, python } = arguments;
    let to_stdout = files::is_input(python);
    if !to_stdout {
        files::check_destination("--python", python)?;
    }
    if G::NAME == Toy::NAME {
        let sentence = format!("{} plays {}, a game for tests, whose agents are not exported", name.display(), G::NAME);
        return Err(Error::user(sentence));
    }
    super::tell_apart(Some(name));
    let text = match (agents.find(name)?, preset::<G>(name)) {
        (None, Some(preset)) => source::of_weights::<G>(preset.name, &Linear::of::<G>(preset)?, &G::Rules::default())?,
        _ => source::of_agent::<G>(&agents.load(name)?)?,
    };
    if to_stdout {
        return super::print(&text);
    }
    files::write_atomically(python, text.as_bytes())?;
    let (name, file) = (name.display(), python.display().to_string());
    let kit = if G::NAME == Match3::NAME { ", also in the kit" } else { "" };
    super::print(&format!(
        "{file} plays {} as {name} does, with NumPy alone{kit}\nask it: python {} BOARD.txt\n",
        G::NAME,
        super::quoted(&file)
    ))
}

/// Name of the game of an agent or of named weights; match-3 where there are none.
pub fn game(name: &Path, agents: &Agents) -> Result<String> {
    if let Some(agent) = agents.find(name)? {
        return super::known(agent.game().to_owned(), &name.display().to_string());
    }
    for game in NAMES {
        if with_game(game, HasPreset(name))? {
            return Ok((*game).to_owned());
        }
    }
    Ok(Match3::NAME.to_owned())
}

struct HasPreset<'a>(&'a Path);

impl ForGame for HasPreset<'_> {
    type Output = bool;

    fn run<G: Playable>(self) -> bool {
        preset::<G>(self.0).is_some()
    }
}

fn preset<G: Playable>(name: &Path) -> Option<&'static Preset> {
    G::PRESETS.iter().find(|preset| Path::new(preset.name) == name)
}
