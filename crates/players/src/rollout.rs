use crate::agent::Agent;
use crate::agent_file::Kind;
use crate::budget::Budget;
use crate::clock::Instant;
use crate::error::Result;
use crate::games::{MaskKind, Plan, offered};
use crate::judged::{Judged, Meaning, values};
use crate::options::{BREADTH, BoxedPlayer, DEEPEST, DEPTH, Entry, GUIDE, MS, Options, PLANS, Parameter, SIMS, budget};
use crate::policy::{ActionValue, Policy, certain_values, shuffle};
use crate::random::Stream;
use crate::roster::{Measured, Roster, agent_of, first_agent, own};
use crate::search::Search;
use crate::{Cascade, Greedy, Linear, PlanThenCascade, Planner, Setup};

/// Plays the move that simulations rank first, each with some moves of the guide.
pub struct Rollout<G: Roster, P> {
    pub search: Search<G>,
    /// Player of the simulations after the first move, whose values order the moves of the default
    /// mask.
    pub guide: P,
    /// Mask of the tried moves; those outside the default mask that the guide does not value come
    /// last.
    pub mask: MaskKind,
}

impl<G: Roster, P: Policy<G>> Policy<G> for Rollout<G, P> {
    fn values(&self, state: &G::State, ties: &mut Stream) -> Vec<ActionValue> {
        self.rank(state, ties)
    }

    /// Chooses the move ranked first, as one that dropped out early may have a higher mean of fewer
    /// simulations.
    fn choose(&self, state: &G::State, ties: &mut Stream) -> usize {
        self.rank(state, ties).first().map_or(0, |valued| valued.action)
    }

    fn rank(&self, state: &G::State, ties: &mut Stream) -> Vec<ActionValue> {
        values(&self.judge(state, ties))
    }

    fn judge(&self, state: &G::State, ties: &mut Stream) -> Vec<Judged> {
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

impl<G: Roster, P: Policy<G>> Rollout<G, P> {
    fn judge_since(&self, begin: Instant, state: &G::State, ties: &mut Stream) -> Vec<Judged> {
        let first = G::mask(state, MaskKind::default_of::<G>());
        let (tried, _) = offered::<G>(state, self.mask);
        let mut candidates = self.guide.values(state, ties);
        // Shuffling before sorting puts equal ones in random order.
        shuffle(&mut candidates, ties);
        candidates.retain(|ActionValue { action, .. }| first.contains(*action) || tried.contains(*action));
        candidates.sort_by(|a, b| b.value.total_cmp(&a.value));
        // Most guides see no difference where the default mask is empty: plans order the moves,
        // then the guide.
        let others = if first.is_empty() { std::mem::take(&mut candidates) } else { vec![] };
        let of_guide = |action| others.iter().find(|valued| valued.action == action).map(|valued| valued.value);
        let mut more = tried.without(&first);
        candidates.iter().for_each(|valued| more.remove(valued.action));
        let mut more = certain_values::<G>(state, &more, Plan { depth: 2, weight: 1.0, breadth: 0 });
        shuffle(&mut more, ties);
        more.sort_by(|a, b| {
            let [one, other] = [a, b].map(|valued| of_guide(valued.action).unwrap_or(f64::NEG_INFINITY));
            b.value.total_cmp(&a.value).then(other.total_cmp(&one))
        });
        candidates.extend(more);
        self.search.rank(state, &candidates, &self.guide, ties, begin)
    }
}

pub fn entry<G: Roster>() -> Entry<G> {
    Entry {
        name: "rollout",
        about: "the best by simulations that a guide plays on",
        parameters: &[
            Parameter { key: "sims", default: Some("1600"), about: SIMS },
            Parameter { key: "ms", default: None, about: MS },
            Parameter { key: "depth", default: Some("2"), about: DEPTH },
            GUIDE,
            Parameter { key: "breadth", default: Some("0"), about: BREADTH },
            PLANS,
            FORECAST,
            Parameter { key: "mask", default: None, about: "moves that are tried; without it the game's default mask" },
        ],
        build: |options, rules| {
            options.player(Rollout::<G, _> {
                search: Search {
                    rules: rules.clone(),
                    budget: budget(options)?,
                    depth: options.number("depth", "a whole number", 0..=DEEPEST)?,
                    prior_visits: 0.0,
                    forecasts: forecasts(options)?,
                },
                guide: guide(options, rules)?,
                mask: MaskKind::of::<G>(options.value("mask"))?,
            })
        },
    }
}

const FORECAST: Parameter = Parameter {
    key: "forecast",
    default: None,
    about: "1: where a simulation ends the game's forecast of the points still to come counts, 0: not; without it as the game has it, if it has one",
};

fn forecasts<G: Roster>(options: &Options<G>) -> Result<bool> {
    match (options.given(FORECAST.key), &G::FORECAST) {
        (None, _) => Ok(in_search::<G>()),
        (Some(_), None) => Err(options.wrong(FORECAST.key, &format!("left out: {} has no forecast", G::NAME))),
        (Some(_), Some(_)) => Ok(options.number(FORECAST.key, "a whole number", 0..=1)? == 1),
    }
}

pub(crate) fn in_search<G: Measured>() -> bool {
    G::FORECAST.is_some_and(|forecast| forecast.in_search)
}

/// Rollouts of so many moves of `cascade`, with the game's forecast at their ends, if it is for
/// searches.
pub(crate) fn recommended<G: Roster>(options: &Options<G>, rules: &G::Rules, depth: u32) -> Result<BoxedPlayer<G>> {
    options.player(Rollout::<G, _> {
        search: Search {
            rules: rules.clone(),
            budget: budget(options)?,
            depth,
            prior_visits: 0.0,
            forecasts: in_search::<G>(),
        },
        guide: Cascade,
        mask: MaskKind::default_of::<G>(),
    })
}

pub(super) fn guides<G: Roster>() -> Vec<&'static str> {
    let mut names = vec!["cascade", "plan", "greedy", "setup"];
    names.extend(first_agent::<G>(Kind::Value).map(|_| "value"));
    names.extend(G::PRESETS.first().map(|_| "linear"));
    names.extend(G::POLICIES.iter().map(|own| own.name));
    names
}

fn guide<G: Roster>(options: &Options<G>, rules: &G::Rules) -> Result<Box<dyn Policy<G>>> {
    let name = options.value(GUIDE.key);
    if name != "plan" {
        if options.number("breadth", "a whole number", 0..=G::ACTIONS)? != 0 {
            return Err(options.wrong("breadth", "0 where guide is not plan"));
        }
        if options.given(PLANS.key).is_some() {
            return Err(options.wrong(PLANS.key, "left out where guide is not plan"));
        }
    }
    let breadth = options.number("breadth", "a whole number", 0..=G::ACTIONS)?;
    let plans = match options.given(PLANS.key) {
        None => DEEPEST,
        Some(_) => options.number(PLANS.key, "a whole number", 0..=DEEPEST)?,
    };
    Ok(match name {
        "cascade" => Box::new(Cascade),
        "plan" => Box::new(PlanThenCascade { planner: Planner(Plan { breadth, ..Plan::of(2) }), plans }),
        "greedy" => Box::new(Greedy),
        "setup" => Box::new(Setup),
        "value" if first_agent::<G>(Kind::Value).is_some() => {
            Box::new(Agent::shipped(agent_of::<G>(Kind::Value)?)?.value::<G>()?.player::<G>(rules, 1))
        }
        "linear" if !G::PRESETS.is_empty() => Box::new(Linear::of::<G>(&G::PRESETS[0])?.player::<G>(1)),
        name => match own::<G>(name) {
            Some(own) => Box::new(own),
            None => return Err(options.wrong(GUIDE.key, &format!("one of {}", guides::<G>().join(", ")))),
        },
    })
}
