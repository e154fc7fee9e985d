use std::time::Duration;

use super::NetworkPlayer;
use crate::by_rules::{Budget, Cascade, PlanThenCascade, Planner, Search};
use crate::contract::{Meaning, Measured, Player, Policy, Valued, in_search};
use matchq_core::clock::Instant;
use matchq_core::error::Result;
use matchq_core::pool;
use matchq_core::random::Stream;
use matchq_games::{Image, Plan};

/// Plays the move that simulations rank first among those that a network values highest; the
/// network's values count as simulations, and the rules replace its dynamics model.
pub struct NetworkSearch<G: Image + Measured, P> {
    /// Name in results.
    pub name: String,
    /// Network that values the moves first.
    pub network: NetworkPlayer<G>,
    /// Search that simulates the moves.
    pub search: Search<G>,
    /// Player of the simulations after the first move.
    pub guide: P,
    /// Most moves that are simulated, at least 1.
    pub candidates: usize,
    /// Whether a position has been valued; the first takes longer.
    warm: bool,
}

impl<G: Image + Measured, P: Policy<G>> Player<G> for NetworkSearch<G, P> {
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

    fn rank(&mut self, state: &G::State, ties: &mut Stream) -> Result<Vec<Valued>> {
        // Preparing the network takes no move's time.
        if !self.warm && self.is_timed() {
            self.network.rank_if_decided(state, &mut ties.clone())?;
        }
        self.warm = true;
        let begin = Instant::now();
        pool::inside(|| self.rank_since(begin, state, ties))
    }

    fn meaning(&self) -> Meaning {
        self.search.meaning()
    }

    fn is_timed(&self) -> bool {
        matches!(self.search.budget, Budget::Time(_))
    }
}

impl<G: Image + Measured, P: Policy<G>> NetworkSearch<G, P> {
    fn rank_since(&mut self, begin: Instant, state: &G::State, ties: &mut Stream) -> Result<Vec<Valued>> {
        let (ranked, undecided) = self.network.rank_if_decided(state, ties)?;
        if undecided {
            return Ok(ranked);
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

impl<G: Image + Measured> NetworkSearch<G, Box<dyn Policy<G>>> {
    /// The recommended search with a network, named as the network's player.
    ///
    /// `candidates` and `prior_visits` replace what is recommended for the budget.
    pub fn within(
        mut network: NetworkPlayer<G>,
        rules: &G::Rules,
        budget: Budget,
        candidates: Option<usize>,
        prior_visits: Option<f64>,
    ) -> Self {
        let Recommended { quick, candidates: most, prior_visits: visits } = Recommended::of(budget);
        let (candidates, prior_visits) = (candidates.unwrap_or(most), prior_visits.unwrap_or(visits));
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
        Self { name, network, search, guide, candidates, warm: false }
    }
}
