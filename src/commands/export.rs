//! `matchq export`: an agent of match-3 as one Python file that needs NumPy alone.

mod source;

use std::path::Path;

use crate::cli::Export;
use crate::error::{Error, Result};
use crate::files;
use crate::games::{Game, Match3};
use crate::players::registry::is_player;
use crate::players::{Agents, SEARCHES};

/// Writes the agent's file.
pub fn run(arguments: &Export, agents: &Agents) -> Result<()> {
    let Export { agent: name, python } = arguments;
    let to_stdout = files::is_input(python);
    if !to_stdout {
        files::check_destination("--python", python)?;
    }
    super::tell_apart(Some(name));
    let agent = agents.find(name)?.map_or_else(|| Err(not_an_agent(name, agents)), Ok)?;
    let name = name.display();
    if agent.game() != Match3::NAME {
        return Err(Error::user(format!(
            "{name} plays {}; export writes agents of match3 alone: in Python use matchq.Agent.load(\"{name}\")",
            agent.game()
        )));
    }
    let text = source::of_agent(&agent)?;
    if to_stdout {
        return super::print(&text);
    }
    files::write_atomically(python, text.as_bytes())?;
    let file = files::name(python);
    let kit = if is_module(python) { "" } else { " under a name that Python can import, such as agent.py" };
    super::print(&format!(
        "{file} plays match3 as {name} does, with NumPy alone, also in the kit{kit}\nask it: python {} BOARD.txt\n",
        super::quoted(&file)
    ))
}

/// Why nothing is exported where no agent has the name.
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
