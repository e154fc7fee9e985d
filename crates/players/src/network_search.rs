//! The searching player: simulations, with a network's values at their root.

use std::time::{Duration, Instant};

use super::options::{CHECKPOINT, DEFAULT_MS, MS, Options, PRECISION, SIMS, budget};
use super::search::Search;
use super::specialist;
use super::{
    ActionValue, Agent, BoxedPlayer, Cascade, Controlled, Entry, NetworkPlayer, Parameter, PlanThenCascade, Planner,
};
use super::{Policy, Rollout, network};
use crate::error::Result;
use crate::games::{Budget, Image, Plan, Playable};
use crate::random::Stream;

/// Plays the move that simulations rank first, of those of the highest values.
///
/// The values are a network's, and count as so many simulations. What a dynamics model would predict is told by the
/// rules, since they are known here.
pub struct NetworkSearch<G: Image, P> {
    /// How the player is called in results.
    pub name: String,
    /// The network, greedy by itself.
    pub network: NetworkPlayer<G>,
    /// How the moves are simulated.
    pub search: Search<G>,
    /// Who plays after the move in a simulation.
    pub guide: P,
    /// The most moves that are tried, at least 1, by the highest values.
    pub candidates: usize,
    /// Whether a position has been valued.
    ///
    /// The first takes longer, since the network is made ready.
    warm: bool,
}

impl<G: Image, P: Policy<G>> Agent<G> for NetworkSearch<G, P> {
    fn name(&self) -> &str {
        &self.name
    }

    /// One position after another, each with all cores.
    fn act(&mut self, states: &[G::State], ties: &mut [Stream]) -> Result<Vec<usize>> {
        let choose = |(state, ties): (&G::State, &mut Stream)| {
            Ok(self.rank(state, ties)?.first().map_or(0, |valued| valued.action))
        };
        states.iter().zip(ties).map(choose).collect()
    }

    fn rank(&mut self, state: &G::State, ties: &mut Stream) -> Result<Vec<ActionValue>> {
        // What is done but once takes no move's time.
        if !self.warm && self.is_timed() {
            self.network.rank_if_decided(state, &mut ties.clone())?;
        }
        self.warm = true;
        let begin = Instant::now();
        // Within the thread pool as a whole: no step of it waits for a thread to wake.
        rayon::scope(|_| self.rank_since(begin, state, ties))
    }

    fn is_timed(&self) -> bool {
        matches!(self.search.budget, Budget::Time(_))
    }
}

impl<G: Image, P: Policy<G>> NetworkSearch<G, P> {
    fn rank_since(&mut self, begin: Instant, state: &G::State, ties: &mut Stream) -> Result<Vec<ActionValue>> {
        let (ranked, undecided) = self.network.rank_if_decided(state, ties)?;
        if undecided {
            return Ok(ranked);
        }
        let candidates = &ranked[..self.candidates.min(ranked.len())];
        Ok(self.search.rank(state, candidates, &self.guide, ties, begin))
    }
}

/// What is recommended for a time a move.
///
/// It was chosen on match-3, on games that no report uses.
struct Recommended {
    /// Whether one forward pass values moves, and only those of the best prior.
    quick: bool,
    /// Moves that are tried at the most.
    candidates: usize,
    /// Simulations that the network's value of a move counts for.
    prior_visits: f64,
}

impl Recommended {
    fn of(budget: Budget) -> Self {
        let (quick, candidates, prior_visits) = match budget {
            Budget::Time(time) if time <= Duration::from_millis(1) => (true, 6, 30.0),
            Budget::Time(time) if time <= Duration::from_millis(3) => (true, 12, 30.0),
            Budget::Time(time) if time <= Duration::from_millis(10) => (false, 16, 100.0),
            _ => (false, 16, 300.0),
        };
        Self { quick, candidates, prior_visits }
    }
}

/// The player's entry in the list.
pub fn entry<G: Playable>() -> Entry<G> {
    Entry {
        name: "network+search",
        about: "the best by simulations of the moves that a network values highest, as recommended for the time",
        parameters: &[
            Parameter { key: "ms", default: Some(DEFAULT_MS), about: MS },
            Parameter { key: "sims", default: None, about: SIMS },
            Parameter {
                key: "candidates",
                default: None,
                about: "moves that are tried at the most; without it by the time",
            },
            Parameter {
                key: "prior_visits",
                default: None,
                about: "simulations that the network's value of a move counts for; without it by the time",
            },
            PRECISION,
            CHECKPOINT,
        ],
        build: |options, rules| searching(options, rules),
    }
}

/// The entry of what is recommended.
pub fn best<G: Playable>() -> Entry<G> {
    Entry {
        name: "best",
        about: "what is recommended for a time a move: the game's own search, network+search where an agent ships, a controller that \
                looks a piece further, else rollout",
        parameters: &[
            Parameter { key: "ms", default: Some(DEFAULT_MS), about: MS },
            Parameter { key: "sims", default: None, about: SIMS },
        ],
        build: |options, rules| match (specialist::searching::<G>(), G::AGENTS.is_empty(), G::CONTROLLERS.first()) {
            (Some(own), ..) => specialist::player(own, options),
            (None, false, _) => searching(options, rules),
            (None, true, Some(known)) => {
                budget(options)?;
                options.player(Controlled::of::<G>(known)?.player::<G>(2))
            }
            (None, true, None) => options.player(Rollout::<G, _> {
                search: Search {
                    rules: rules.clone(),
                    budget: budget(options)?,
                    depth: 2,
                    prior_visits: 0.0,
                    forecasts: G::FORECASTS.unwrap_or(false),
                },
                guide: Cascade,
                mask: G::DEFAULT_MASK,
            }),
        },
    }
}

fn searching<G: Playable>(options: &Options<G>, rules: &G::Rules) -> Result<BoxedPlayer<G>> {
    let budget = budget(options)?;
    let Recommended { quick, mut candidates, mut prior_visits } = Recommended::of(budget);
    if options.given("candidates").is_some() {
        candidates = options.number("candidates", "a whole number", 1..=G::ACTIONS)?;
    }
    if options.given("prior_visits").is_some() {
        prior_visits = options.number("prior_visits", "a number", 0.0..=1e6)?;
    }
    let mut network = network::player(options)?;
    let exact = network.evaluator.network().exact_view();
    network.evaluator.see(exact);
    if quick {
        network.evaluator.next_moves = 0;
        network.top = candidates;
    }
    let depth = if quick { 2 } else { 3 };
    let plans = PlanThenCascade { planner: Planner(Plan { breadth: 4, ..Plan::of(2) }), plans: 1 };
    let guide: Box<dyn Policy<G>> = if quick { Box::new(Cascade) } else { Box::new(plans) };
    let search = Search { rules: rules.clone(), budget, depth, prior_visits, forecasts: G::FORECASTS.unwrap_or(false) };
    let name = options.text.to_owned();
    Ok(Box::new(NetworkSearch { name, network, search, guide, candidates, warm: false }))
}
