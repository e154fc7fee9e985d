//! The players that a page offers.

use matchq_core::error::{Error, Result};
use matchq_players::{Agents, Choice, Door, Kind, Playable, SEARCHES, Sort};
use serde::{Deserialize, Serialize};

/// A player that can be asked for.
#[derive(Serialize)]
pub struct Offer {
    /// Name in a [`Thinker`].
    pub name: String,
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
pub struct Thinker {
    pub name: String,
    /// Simulations a move, the offer's by default.
    pub simulations: Option<usize>,
}

/// Simulations a move by default: some ten milliseconds of WebAssembly.
const SIMULATIONS: usize = 400;

/// Players of a game, the strongest first; agents that were given stand behind those that ship.
pub fn of(game: &dyn Door, agents: &Agents) -> Vec<Offer> {
    let offer = |choice: &Choice| Offer {
        name: choice.name.to_owned(),
        about: choice.about.to_owned(),
        simulations: choice.simulates.then_some(SIMULATIONS),
        agent: matches!(choice.sort, Sort::Agent | Sort::Weights),
    };
    let all: Vec<Choice> = game.choices().into_iter().filter(|choice| choice.on_page).collect();
    let (first, others): (Vec<&Choice>, Vec<&Choice>) =
        all.iter().partition(|choice| matches!(choice.sort, Sort::Best | Sort::Agent));
    let mut offers: Vec<Offer> = first.into_iter().map(offer).collect();
    for (name, given) in agents.given() {
        if given.game() != game.name() {
            continue;
        }
        let search = format!("{name}{SEARCHES}");
        offers.push(Offer { name, about: "an agent that you gave".to_owned(), simulations: None, agent: true });
        if given.file.kind == Kind::Network && game.has_plans() {
            let about = "a search with the network that you gave".to_owned();
            offers.push(Offer { name: search, about, simulations: Some(SIMULATIONS), agent: true });
        }
    }
    offers.extend(others.into_iter().map(offer));
    offers
}

impl Thinker {
    /// The player's text; refuses what is not offered.
    pub fn text(&self, game: &dyn Door, agents: &Agents, most: usize) -> Result<String> {
        let offers = of(game, agents);
        let name = &self.name;
        let offer = offers.iter().find(|offer| offer.name == *name);
        let offer = offer.ok_or_else(|| {
            let names: Vec<&str> = offers.iter().map(|offer| offer.name.as_str()).collect();
            Error::user(format!(
                "there is no player '{name}' of {} here: the players are {}",
                game.name(),
                names.join(", ")
            ))
        })?;
        match (offer.simulations, self.simulations) {
            (None, Some(_)) => Err(Error::user(format!("{name} does not simulate: leave simulations out"))),
            (None, None) => Ok(match game.choices().iter().find(|choice| choice.name == *name) {
                // Without a clock the best player needs a budget of simulations, even if it has no effect.
                Some(Choice { sort: Sort::Best, .. }) => format!("{name}:sims=1"),
                Some(choice) => choice.text(),
                None => name.clone(),
            }),
            (Some(default), asked) => {
                let asked = asked.unwrap_or(default.min(most));
                match (1..=most).contains(&asked) {
                    true => Ok(format!("{name}:sims={asked}")),
                    false => Err(Error::user(format!("simulations must be from 1 to {most}, not {asked}"))),
                }
            }
        }
    }
}

/// Checks that a player can be made of the agent of a name.
pub fn check<G: Playable>(agents: &Agents, name: &str) -> Result<()> {
    let setting = matchq_players::Setting { agents: agents.clone(), ..Default::default() };
    matchq_players::parse_with::<G>(name, &G::Rules::default(), &setting).map(|_| ())
}
