//! The players that a page offers.

use matchq_core::error::{Error, Result};
use matchq_players::roster::{Preset, Weights};
use matchq_players::{Agents, Kind, Playable, SEARCHES, players};
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

/// Whether the player `best` takes a budget but looks as far at any: where next moves are not seen
/// to gain.
fn looks_ahead<G: Playable>(name: &str) -> bool {
    name == "best" && G::PIECES.is_some()
}

/// Players of a game, the strongest first.
pub fn of<G: Playable>(agents: &Agents) -> Vec<Offer> {
    let all = players::<G>();
    let simulates = |name: &str| {
        let entry = all.iter().find(|entry| entry.name == name);
        entry.is_some_and(|entry| entry.parameters.iter().any(|parameter| parameter.key == "sims"))
    };
    let budget = |name: &str| (simulates(name) && !looks_ahead::<G>(name)).then_some(SIMULATIONS);
    let rule = |name: &str| {
        let entry = all.iter().find(|entry| entry.name == name)?;
        let simulations = budget(name);
        Some(Offer { name: name.to_owned(), about: entry.about.to_owned(), simulations, agent: false })
    };
    let mut offers: Vec<Offer> = rule("best").into_iter().collect();
    let agent = |name: &str, about: &str| Offer {
        name: name.to_owned(),
        about: about.to_owned(),
        simulations: None,
        agent: true,
    };
    offers.extend(G::AGENTS.iter().map(|shipped| agent(shipped.name, shipped.about)));
    for (name, given) in agents.given() {
        if given.game() != G::NAME {
            continue;
        }
        offers.push(agent(&name, "an agent that you gave"));
        if given.file.kind == Kind::Network && G::PIECES.is_none() {
            let about = "a search with the network that you gave".to_owned();
            offers.push(Offer {
                name: format!("{name}{SEARCHES}"),
                about,
                simulations: Some(SIMULATIONS),
                agent: true,
            });
        }
    }
    let of_agent = |preset: &&Preset| matches!(preset.weights, Weights::Agent(_));
    offers.extend(G::PRESETS.iter().filter(|preset| !of_agent(preset)).map(|preset| agent(preset.name, preset.about)));
    // Agents stand for the players of their kinds, and plans need moves that are seen to gain.
    let other = |name: &str| {
        let of_agents = Kind::ALL.iter().any(|kind| kind.name() == name) || name.ends_with(SEARCHES);
        let plans = G::PIECES.is_some() && ["plan", "setup", "exhaustive", "matching"].contains(&name);
        !of_agents && !plans && name != "best" && name != "exhaustive"
    };
    offers.extend(all.iter().filter(|entry| other(entry.name)).filter_map(|entry| rule(entry.name)));
    offers
}

impl Thinker {
    /// The player's text; refuses what is not offered.
    pub fn text<G: Playable>(&self, agents: &Agents, most: usize) -> Result<String> {
        let offers = of::<G>(agents);
        let name = &self.name;
        let offer = offers.iter().find(|offer| offer.name == *name);
        let offer = offer.ok_or_else(|| {
            let names: Vec<&str> = offers.iter().map(|offer| offer.name.as_str()).collect();
            Error::user(format!(
                "there is no player '{name}' of {} here: the players are {}",
                G::NAME,
                names.join(", ")
            ))
        })?;
        let is_preset = G::PRESETS.iter().any(|preset| preset.name == *name);
        match (offer.simulations, self.simulations) {
            (None, Some(_)) => Err(Error::user(format!("{name} does not simulate: leave simulations out"))),
            (None, None) if looks_ahead::<G>(name) => Ok(format!("{name}:sims=1")),
            (None, None) if is_preset => Ok(format!("linear:weights={name}")),
            (None, None) => Ok(name.clone()),
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
