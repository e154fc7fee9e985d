use std::time::Duration;

use super::NetworkPlayer;
use crate::agent::none_inside;
use crate::agent_file::Kind;
use crate::budget::Budget;
use crate::clock::Instant;
use crate::error::Result;
use crate::games::Plan;
use crate::judged::{Judged, Meaning, judged, values};
use crate::options::{BoxedPlayer, CHECKPOINT, DEFAULT_MS, Entry, MS, Options, PRECISION, Parameter, SIMS, budget};
use crate::player::Player;
use crate::policy::{ActionValue, Policy};
use crate::random::Stream;
use crate::rollout::in_search;
use crate::roster::{Roster, last_agent};
use crate::search::Search;
use crate::{Cascade, PlanThenCascade, Planner};

/// Plays the move that simulations rank first among those that a network values highest; the
/// network's values count as simulations, and the rules replace its dynamics model.
pub struct NetworkSearch<G: Roster, P> {
    pub name: String,
    pub network: NetworkPlayer<G>,
    pub search: Search<G>,
    pub guide: P,
    /// Most moves that are simulated, at least 1.
    pub candidates: usize,
    /// Whether a position has been valued; the first takes longer.
    warm: bool,
}

impl<G: Roster, P: Policy<G>> Player<G> for NetworkSearch<G, P> {
    fn has_network(&self) -> bool {
        true
    }

    fn name(&self) -> &str {
        &self.name
    }

    /// Searches position by position, each on all cores.
    fn act(&mut self, states: &[G::State], ties: &mut [Stream]) -> Result<Vec<usize>> {
        let choose = |(state, ties): (&G::State, &mut Stream)| {
            Ok(self.rank(state, ties)?.first().map_or(0, |valued| valued.action))
        };
        states.iter().zip(ties).map(choose).collect()
    }

    fn rank(&mut self, state: &G::State, ties: &mut Stream) -> Result<Vec<ActionValue>> {
        Ok(values(&self.judge(state, ties)?))
    }

    fn judge(&mut self, state: &G::State, ties: &mut Stream) -> Result<Vec<Judged>> {
        // Preparing the network takes no move's time.
        if !self.warm && self.is_timed() {
            self.network.rank_if_decided(state, &mut ties.clone())?;
        }
        self.warm = true;
        let begin = Instant::now();
        // A search that runs wholly in the thread pool never waits for a thread to wake.
        rayon::scope(|_| self.judge_since(begin, state, ties))
    }

    fn meaning(&self) -> Meaning {
        self.search.meaning()
    }

    fn is_timed(&self) -> bool {
        matches!(self.search.budget, Budget::Time(_))
    }
}

impl<G: Roster, P: Policy<G>> NetworkSearch<G, P> {
    fn judge_since(&mut self, begin: Instant, state: &G::State, ties: &mut Stream) -> Result<Vec<Judged>> {
        let (ranked, undecided) = self.network.rank_if_decided(state, ties)?;
        if undecided {
            return Ok(judged(ranked));
        }
        let candidates = &ranked[..self.candidates.min(ranked.len())];
        Ok(self.search.rank(state, candidates, &self.guide, ties, begin))
    }
}

/// Settings for a time a move, chosen on match-3 in games that no report uses.
struct Recommended {
    /// Whether one forward pass values only moves of the best prior.
    quick: bool,
    candidates: usize,
    /// Weight of the network's value of a move, in simulations.
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

pub(crate) const NETWORK_SEARCH: &str = "network+search";

pub fn entry<G: Roster>() -> Entry<G> {
    Entry {
        name: NETWORK_SEARCH,
        about: "the best by simulations of the moves that a network values highest",
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

pub fn searching<G: Roster>(options: &Options<G>, rules: &G::Rules) -> Result<BoxedPlayer<G>> {
    let budget = budget(options)?;
    let Recommended { quick, mut candidates, mut prior_visits } = Recommended::of(budget);
    if options.given("candidates").is_some() {
        candidates = options.number("candidates", "a whole number", 1..=G::ACTIONS)?;
    }
    if options.given("prior_visits").is_some() {
        prior_visits = options.number("prior_visits", "a number", 0.0..=1e6)?;
    }
    let mut network = super::player(options, || last_agent::<G>(Kind::Network).ok_or_else(none_inside::<G>))?;
    let exact = network.evaluator.shape().exact_view();
    network.evaluator.see(exact);
    if quick {
        network.evaluator.next_moves = 0;
        network.top = candidates;
    }
    let depth = if quick { 2 } else { 3 };
    let plans = PlanThenCascade { planner: Planner(Plan { breadth: 4, ..Plan::of(2) }), plans: 1 };
    let guide: Box<dyn Policy<G>> = if quick { Box::new(Cascade) } else { Box::new(plans) };
    let search = Search { rules: rules.clone(), budget, depth, prior_visits, forecasts: in_search::<G>() };
    let name = Player::name(&network).to_owned();
    Ok(Box::new(NetworkSearch { name, network, search, guide, candidates, warm: false }))
}
