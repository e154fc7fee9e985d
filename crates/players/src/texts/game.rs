//! What players and the program need of a game beside its rules.

use serde_json::{Map, Value};

use super::options::{Build, Entry};
use crate::agent_file::Kind;
use crate::agents::{Agent, Shipped, none_inside};
use crate::contract::{Measured, Valued};
use crate::learned::{Linear, numbers};
use matchq_core::error::{Error, Result};
use matchq_games::{ActionFeatures, Game, Image, Text};

/// A game with its agents, players and figures.
pub trait Roster: Image + ActionFeatures + Text + Measured {
    /// The game in one line.
    const ABOUT: &'static str;

    /// Agents inside the program. The first one, and the first of each kind, play by default;
    /// searches take the last network.
    const AGENTS: &'static [Shipped] = &[];
    /// Named weights of the player `linear`, the recommended ones first.
    const PRESETS: &'static [Preset] = &[];
    /// The game's own policies, the recommended one first; each is a player and a guide.
    const POLICIES: &'static [OwnPolicy<Self::State>] = &[];
    /// Names of the themes that read the game's pictures.
    const THEMES: &'static [&'static str] = &[];

    /// The player `best`; without one of the game's own, a search of a whole line in puzzles, else a
    /// search by a network that ships, or by rollouts.
    const BEST: Option<Build<Self>> = None;

    /// The game's own players that are no policies.
    fn players() -> Vec<Entry<Self>> {
        Vec::new()
    }

    /// The game's own figures.
    fn figures(_games: &mut dyn Iterator<Item = Played<Self>>) -> OwnFigures {
        OwnFigures::default()
    }

    /// Facts about a move, by their names in JSON.
    fn about_move(_state: &Self::State, _action: usize) -> Map<String, Value> {
        Map::new()
    }

    /// Facts about a position, by their names in JSON.
    fn about_board(_state: &Self::State) -> Map<String, Value> {
        Map::new()
    }

    /// Advice for people on a position and its best move.
    fn advice(_state: &Self::State, _best: usize) -> String {
        String::new()
    }
}

/// Named weights of the player `linear`.
pub struct Preset {
    /// Name of the weights.
    pub name: &'static str,
    /// The weights in one line.
    pub about: &'static str,
    /// The weights.
    pub weights: Weights,
}

/// Where named weights are.
pub enum Weights {
    /// Names of features with their weights.
    Terms(&'static [(&'static str, f64)]),
    /// Name of an agent that ships.
    Agent(&'static str),
}

/// A policy that only one game has.
pub struct OwnPolicy<S> {
    /// Name of the player and guide.
    pub name: &'static str,
    /// The policy in one line.
    pub about: &'static str,
    /// Values of moves in a position; empty where the policy has no opinion.
    pub values: fn(&S) -> Vec<Valued>,
}

/// A game as dealt, and the actions played in it.
pub struct Played<G: Game> {
    /// The game at its start.
    pub game: G,
    /// Random numbers of the game from its start on.
    pub random: G::Rng,
    /// Actions in the order of the moves.
    pub actions: Vec<usize>,
}

/// Figures of a player's games beside their scores.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct OwnFigures {
    /// Ratios of two sums over games.
    pub ratios: Vec<Figure>,
    /// Counts by name, and each by kind.
    pub counts: Vec<(&'static str, Vec<(String, u64)>)>,
}

/// Ratio of two sums over games.
#[derive(Clone, PartialEq, Debug)]
pub struct Figure {
    /// Name in JSON.
    pub name: &'static str,
    /// Name in tables.
    pub about: &'static str,
    /// Numerator and denominator of each game.
    pub games: Vec<(f64, f64)>,
}

pub fn first_agent<G: Roster>(kind: Kind) -> Option<&'static Shipped> {
    G::AGENTS.iter().find(|agent| agent.kind == kind)
}

/// Last agent of a kind that ships: of networks, the one for searches.
pub fn last_agent<G: Roster>(kind: Kind) -> Option<&'static Shipped> {
    G::AGENTS.iter().rev().find(|agent| agent.kind == kind)
}

pub fn agent_of<G: Roster>(kind: Kind) -> Result<&'static Shipped> {
    first_agent::<G>(kind).ok_or_else(none_inside::<G>)
}

impl Agent {
    /// A game's first agent that ships.
    pub fn default_of<G: Roster>() -> Result<Self> {
        match G::AGENTS.first() {
            Some(shipped) => Self::shipped(shipped),
            None => Err(none_inside::<G>()),
        }
    }
}

impl Linear {
    /// The agent of named weights.
    pub fn of<G: Roster>(preset: &Preset) -> Result<Self> {
        let terms = match preset.weights {
            Weights::Terms(terms) => terms,
            Weights::Agent(name) => return Self::shipped::<G>(name),
        };
        let names: Vec<String> = terms.iter().map(|(name, _)| (*name).to_owned()).collect();
        let weights = terms.iter().map(|(_, weight)| *weight);
        Ok(Self::new(numbers::<G>(&names, preset.name)?.into_iter().zip(weights).collect()))
    }

    fn shipped<G: Roster>(name: &str) -> Result<Self> {
        match G::AGENTS.iter().find(|shipped| shipped.name == name) {
            Some(shipped) => Agent::shipped(shipped)?.linear::<G>(),
            None => Err(Error::runtime(format!("no agent '{name}' is inside the program"))),
        }
    }
}
