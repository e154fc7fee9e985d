//! The players that a page offers.

use matchq_core::error::{Error, Result};
use matchq_players::{Agents, Choice, Door, Kind, Playable, SEARCHES, Sort};
use serde::{Deserialize, Serialize};

/// A player that can be chosen.
#[derive(Serialize)]
pub struct PlayerOption {
    /// Name in a [`PlayerChoice`].
    pub name: String,
    /// The player in one line.
    pub about: String,
    /// Simulations a move by default, of players that simulate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulations: Option<usize>,
    /// Whether the player is a trained agent.
    pub agent: bool,
}

/// A player with its budget.
#[derive(Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlayerChoice {
    /// Name of the [option](PlayerOption).
    pub name: String,
    /// Simulations a move, the option's by default.
    pub simulations: Option<usize>,
}

/// Simulations a move by default: some ten milliseconds of WebAssembly.
const SIMULATIONS: usize = 400;

/// Players of a game, the strongest first; agents that were given stand behind those that ship.
pub fn of(game: &dyn Door, agents: &Agents) -> Vec<PlayerOption> {
    let option = |choice: &Choice| PlayerOption {
        name: choice.name.to_owned(),
        about: choice.about.to_owned(),
        simulations: choice.simulates.then_some(SIMULATIONS),
        agent: matches!(choice.sort, Sort::Agent | Sort::Weights),
    };
    let all: Vec<Choice> = game.choices().into_iter().filter(|choice| choice.on_page).collect();
    let (first, others): (Vec<&Choice>, Vec<&Choice>) =
        all.iter().partition(|choice| matches!(choice.sort, Sort::Best | Sort::Agent));
    let mut options: Vec<PlayerOption> = first.into_iter().map(option).collect();
    for (name, given) in agents.given() {
        if given.game() != game.name() {
            continue;
        }
        let search = format!("{name}{SEARCHES}");
        options.push(PlayerOption { name, about: "an agent that you gave".to_owned(), simulations: None, agent: true });
        if given.file.kind == Kind::Network && game.has_plans() {
            let about = "a search with the network that you gave".to_owned();
            options.push(PlayerOption { name: search, about, simulations: Some(SIMULATIONS), agent: true });
        }
    }
    options.extend(others.into_iter().map(option));
    options
}

impl PlayerChoice {
    /// The player's text and its simulations a move; an error where the choice is no option.
    pub fn checked(&self, game: &dyn Door, agents: &Agents, most: usize) -> Result<(String, Option<usize>)> {
        let options = of(game, agents);
        let name = &self.name;
        let option = options.iter().find(|option| option.name == *name).ok_or_else(|| {
            let names: Vec<&str> = options.iter().map(|option| option.name.as_str()).collect();
            Error::user(format!(
                "there is no player '{name}' of {} here: the players are {}",
                game.name(),
                names.join(", ")
            ))
        })?;
        let simulations = match (option.simulations, self.simulations) {
            (None, Some(_)) => {
                return Err(Error::user(format!("{name} does not simulate: leave simulations out")));
            }
            // Without a clock the best player needs a budget of simulations, even if it has no effect.
            (None, None) => Some(1),
            (Some(default), asked) => Some(asked.unwrap_or(default.min(most))),
        };
        if let Some(asked) = simulations.filter(|asked| !(1..=most).contains(asked)) {
            return Err(Error::user(format!("simulations must be from 1 to {most}, not {asked}")));
        }
        let choices = game.choices();
        let text = choices.iter().find(|choice| choice.name == *name).map_or(name.clone(), Choice::text);
        Ok((text, simulations))
    }
}

/// Checks that a player can be made of the agent of a name.
pub fn check<G: Playable>(agents: &Agents, name: &str) -> Result<()> {
    let setting = matchq_players::Setting { agents: agents.clone(), ..Default::default() };
    matchq_players::parse_with::<G>(name, &G::Rules::default(), &setting).map(|_| ())
}
