//! `matchq export`: an agent of match-3 as one Python file that needs NumPy alone, or a network of any
//! game as a file of ONNX.

mod onnx;
mod source;

use std::path::Path;

use super::door_of;
use crate::cli::{Command, Export};
use crate::error::{Error, Result};
use crate::files;
use crate::games::{Game, Match3};
use crate::players::registry::is_player;
use crate::players::{Agent, Agents, Playable, SEARCHES};

/// Writes the agent's file, of the form that the command asks for.
pub fn run(command: &Command, arguments: &Export, agents: &Agents) -> Result<()> {
    let (flag, file) = match (&arguments.python, &arguments.onnx) {
        (Some(python), _) => ("--python", python),
        (_, Some(onnx)) => ("--onnx", onnx),
        _ => unreachable!("one of both is required"),
    };
    let to_stdout = files::is_input(file);
    if !to_stdout {
        match flag {
            "--onnx" => super::check_file(flag, file, "onnx")?,
            _ => files::check_destination(flag, file)?,
        }
        if arguments.agent.is_file() {
            files::check_apart((flag, file), ("the agent", &arguments.agent))?;
        }
    }
    let agent = agent(arguments, agents)?;
    if flag == "--onnx" {
        return door_of(agent.game(), agent.name())?.run(command, agents);
    }
    let name = arguments.agent.display();
    if agent.game() != Match3::NAME {
        return Err(Error::user(format!(
            "{name} plays {}; export --python writes agents of match3 alone: in Python use matchq.Agent.load(\"{name}\")",
            agent.game()
        )));
    }
    let text = source::of_agent(&agent)?;
    if to_stdout {
        return super::print(&text);
    }
    files::write_atomically(file, text.as_bytes())?;
    let written = files::name(file);
    let kit = if is_module(file) { "" } else { " under a name that Python can import, such as agent.py" };
    super::print(&format!(
        "{written} plays match3 as {name} does, with NumPy alone, also in the kit{kit}\nask it: python {} BOARD.txt\n",
        super::quoted(&written)
    ))
}

/// Writes the network of an agent of a game as ONNX.
pub fn write_onnx<G: Playable>(arguments: &Export, agents: &Agents) -> Result<()> {
    let Some(file) = &arguments.onnx else { unreachable!("the caller's condition") };
    if files::is_input(file) {
        return Err(Error::user("--onnx -: the file is not text: name one, such as agent.onnx"));
    }
    let (bytes, said) = onnx::of_agent::<G>(&agents.load(&arguments.agent)?)?;
    files::write_atomically(file, &bytes)?;
    super::print(&format!("{} has the network of {}: {said}\n", files::name(file), arguments.agent.display()))
}

/// The agent that is exported.
fn agent(arguments: &Export, agents: &Agents) -> Result<Agent> {
    let name = &arguments.agent;
    super::tell_apart(Some(name));
    agents.find(name)?.map_or_else(|| Err(not_an_agent(name, agents)), Ok)
}

/// Why nothing is exported where no agent has the name.
fn not_an_agent(name: &Path, agents: &Agents) -> Error {
    let text = name.to_string_lossy();
    let agent = text.strip_suffix(SEARCHES).map(Path::new);
    if let Some(agent) = agent.filter(|agent| matches!(agents.find(agent), Ok(Some(_)))) {
        return Error::user(format!(
            "{text} searches, which no exported file does: export {}, the agent alone",
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
