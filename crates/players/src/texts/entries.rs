//! All players of the crate as entries: their names, what they are, their parameters.

use super::game::{OwnPolicy, Roster, agent_of, first_agent, last_agent};
use super::lines::line_of_time;
use super::options::{
    BREADTH, CHECKPOINT, DEEPEST, DEFAULT_MS, DEPTH, Entry, GUIDE, LONGEST_PLAN, MS, NETWORK_BATCH, Options, PLANS,
    PRECISION, Parameter, SIMS, WEIGHT, budget,
};
use crate::agent_file::Kind;
use crate::agents::{Agent, none_inside};
use crate::bilging::BeamPlayer;
use crate::by_rules::{
    Cascade, Exhaustive, Gems, Greedy, Own, PlanThenCascade, Planner, Random, Ranked, Rollout, Search, Setup,
};
use crate::contract::{BoxedPlayer, Policy, PolicyPlayer, in_search};
use crate::learned::Linear;
use crate::network::NetworkSearch;
use matchq_core::error::{Error, Result};
use matchq_games::{Bilging, MaskKind, Plan};

pub(super) fn best<G: Roster>() -> Entry<G> {
    Entry {
        name: "best",
        about: match G::PUZZLE.is_some() {
            true => "the strongest search of a game's line of moves for a given time, or number of steps",
            false => "the strongest player for a given time, or number of simulations, a move",
        },
        parameters: if G::PUZZLE.is_some() { &[LINE_TIME, LINE_SIMULATIONS] } else { &[TIME, SIMULATIONS] },
        build: |options, rules| match (G::BEST, first_agent::<G>(Kind::Network)) {
            (Some(build), _) => build(options, rules),
            (None, _) if G::PUZZLE.is_some() => line_of_time(options),
            (None, Some(_)) => searching(options, rules),
            (None, None) => recommended(options, rules, 2),
        },
    }
}

pub(super) fn random<G: Roster>() -> Entry<G> {
    Entry {
        name: "random",
        about: "any legal move",
        parameters: &[],
        build: |options, _| options.player(Random { mask: MaskKind::LEGAL }),
    }
}

pub(super) fn matching<G: Roster>() -> Entry<G> {
    Entry {
        name: "matching",
        about: "any move of the game's default mask, in match-3 one that matches",
        parameters: &[],
        build: |options, _| options.player(Random { mask: MaskKind::default_of::<G>() }),
    }
}

pub(super) fn greedy<G: Roster>() -> Entry<G> {
    Entry {
        name: "greedy",
        about: "the most points at once, whatever falls afterwards",
        parameters: &[],
        build: |options, _| options.player(Greedy),
    }
}

pub(super) fn cascade<G: Roster>() -> Entry<G> {
    Entry {
        name: "cascade",
        about: "the most points that are certain, whatever chance brings",
        parameters: &[],
        build: |options, _| options.player(Cascade),
    }
}

pub(super) fn plan<G: Roster>() -> Entry<G> {
    Entry {
        name: "plan",
        about: "the best certain chains over several moves",
        parameters: &[
            Parameter { key: "depth", default: Some("2"), about: "moves of a plan, at least 1" },
            Parameter { key: "weight", default: Some("0.5"), about: WEIGHT },
            Parameter { key: "breadth", default: Some("0"), about: BREADTH },
        ],
        build: |options, _| options.player(Planner(plan_of(options)?)),
    }
}

fn plan_of<G: Roster>(options: &Options<G>) -> Result<Plan> {
    Ok(Plan {
        depth: options.number("depth", "a whole number", 1..=LONGEST_PLAN)?,
        weight: options.number("weight", "a number", 0.0..=1.0)?,
        breadth: options.number("breadth", "a whole number", 0..=G::ACTIONS)?,
    })
}

pub(super) fn setup<G: Roster>() -> Entry<G> {
    Entry {
        name: "setup",
        about: "as greedy; where no move gains, the one that prepares the most",
        parameters: &[],
        build: |options, _| options.player(Setup),
    }
}

pub(super) fn exhaustive<G: Roster>() -> Entry<G> {
    Entry {
        name: "exhaustive",
        about: "the best plan of quiet moves that ends with a gain, less a cost of each move",
        parameters: &[
            Parameter { key: "depth", default: Some("2"), about: "moves of a plan at the most, from 1 to 3" },
            Parameter { key: "cost", default: Some("3"), about: "what a move costs, in points" },
        ],
        build: |options, _| {
            options.player(Exhaustive {
                depth: options.number("depth", "a whole number", 1..=3)?,
                cost: options.number("cost", "a number", 0.0..=1e3)?,
            })
        },
    }
}

pub(super) fn rollout<G: Roster>() -> Entry<G> {
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

/// Budget of a search, by default in time.
const TIME: Parameter = Parameter { key: "ms", default: Some(DEFAULT_MS), about: MS };
const SIMULATIONS: Parameter = Parameter { key: "sims", default: None, about: SIMS };

/// Budget of a search for a line.
const LINE_TIME: Parameter =
    Parameter { about: "milliseconds of a game's line of moves, on one core, in place of sims", ..TIME };
const LINE_SIMULATIONS: Parameter = Parameter {
    about: "changes of a line, or positions of a beam that go on, in place of ms: the same moves on any machine",
    ..SIMULATIONS
};

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
    let breadth = options.number("breadth", "a whole number", 0..=G::ACTIONS)?;
    if name != "plan" && breadth != 0 {
        return Err(options.wrong("breadth", "0 where guide is not plan"));
    }
    if name != "plan" && options.given(PLANS.key).is_some() {
        return Err(options.wrong(PLANS.key, "left out where guide is not plan"));
    }
    let plans = options.optional(PLANS.key, "a whole number", 0..=DEEPEST)?.unwrap_or(DEEPEST);
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

pub(crate) fn ranked<G: Gems + Send + Sync>() -> Entry<G> {
    Entry {
        name: "ranked",
        about: "by what a swap makes (T, L, 5, 4 or 3 in a line) and what then falls into line",
        parameters: &[],
        build: |options, _| options.player(Ranked::<G>::default()),
    }
}

pub(super) fn value<G: Roster>() -> Entry<G> {
    Entry {
        name: "value",
        about: "the most points and value by linear values of the game's features",
        parameters: &[
            Parameter { key: "depth", default: Some("1"), about: "moves whose points count before the value does" },
            Parameter {
                key: "outcomes",
                default: None,
                about: "outcomes that are drawn of each move, 0: what is certain of it; without it the agent's",
            },
            CHECKPOINT,
        ],
        build: |options, rules| {
            let agent = value_agent::<G>(options)?;
            let mut model = agent.value::<G>()?;
            model.outcomes = options.optional("outcomes", "a whole number", 0..=1_000)?.unwrap_or(model.outcomes);
            let depth = options.number("depth", "a whole number", 1..=2)?;
            if depth > 1 && model.outcomes == 0 {
                return Err(Error::user(format!(
                    "'{}': depth=2 needs outcomes=N, 1 or above: a second move needs a whole board",
                    options.asked
                )));
            }
            Ok(Box::new(PolicyPlayer::new(options.named_by(&agent), model.player::<G>(rules, depth))))
        },
    }
}

fn value_agent<G: Roster>(options: &Options<G>) -> Result<Agent> {
    let needed = || Error::user(format!("'{}' needs checkpoint=AGENT, an agent with linear values", options.asked));
    options.agent(|| first_agent::<G>(Kind::Value).ok_or_else(needed))
}

pub(super) const WEIGHTS: &str = "weights";

pub(super) fn linear<G: Roster>() -> Entry<G> {
    Entry {
        name: "linear",
        about: "the highest sum of weighted features of a move",
        parameters: &[
            Parameter { key: WEIGHTS, default: None, about: "name of the weights; without it the game's first" },
            Parameter {
                key: "depth",
                default: Some("1"),
                about: "pieces that are looked ahead, 2: each piece that may come next",
            },
            CHECKPOINT,
        ],
        build: |options, _| {
            let depth = options.number("depth", "a whole number", 1..=2)?;
            if depth == 2 && G::PIECES.is_none() {
                return Err(options.wrong("depth", "1 where no piece comes next"));
            }
            let (linear, name) = weights::<G>(options)?;
            Ok(Box::new(PolicyPlayer::new(name, linear.player::<G>(depth))))
        },
    }
}

/// The weights of the options, and the player's name.
fn weights<G: Roster>(options: &Options<G>) -> Result<(Linear, String)> {
    if let Some(name) = options.given(WEIGHTS) {
        if options.has_agent() {
            return Err(Error::user(format!("'{}' has both weights and an agent: one is enough", options.asked)));
        }
        return match G::PRESETS.iter().find(|preset| preset.name == name) {
            Some(preset) => Ok((Linear::of::<G>(preset)?, options.text.to_owned())),
            None if G::PRESETS.is_empty() => Err(options
                .wrong(WEIGHTS, "left out: no weights of the game have a name, but checkpoint=AGENT is possible")),
            None => Err(options.wrong(WEIGHTS, &preset_names::<G>("one of "))),
        };
    }
    let needed = || Error::user(format!("'{}' needs checkpoint=AGENT, an agent of weighted features", options.asked));
    let agent = options.agent(|| first_agent::<G>(Kind::Linear).ok_or_else(needed))?;
    Ok((agent.linear::<G>()?, options.named_by(&agent)))
}

pub(super) fn network<G: Roster>() -> Entry<G> {
    Entry {
        name: "network",
        about: "the highest value that a trained network gives, without simulating anything",
        parameters: &[
            Parameter {
                key: "output",
                default: Some("1"),
                about: "factor of the network's output, from 0 to 1: with 0 only what is certain or predicted is left",
            },
            Parameter {
                key: "plan",
                default: None,
                about: "share of plans of two moves in the values, from 0 to 1; without it 0.5 where the network predicts \
                        boards of match3 or tile-match",
            },
            PRECISION,
            CHECKPOINT,
        ],
        build: |options, _| {
            let mut player = options.network_player(NETWORK_BATCH, || agent_of::<G>(Kind::Network))?;
            if let Some(share) = options.optional("plan", "a number", 0.0..=1.0)? {
                player.evaluator.plan_share = share;
            }
            if player.evaluator.plan_share > 0.0 && !player.evaluator.can_plan() {
                return Err(options.wrong("plan", "0 where the network does not predict the boards of chains"));
            }
            player.evaluator.output = options.number("output", "a number", 0.0..=1.0)?;
            Ok(Box::new(player))
        },
    }
}

pub(crate) const NETWORK_SEARCH: &str = "network+search";

pub(super) fn network_search<G: Roster>() -> Entry<G> {
    Entry {
        name: NETWORK_SEARCH,
        about: "the best by simulations of the moves that a network values highest",
        parameters: &[
            TIME,
            SIMULATIONS,
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

pub(crate) fn searching<G: Roster>(options: &Options<G>, rules: &G::Rules) -> Result<BoxedPlayer<G>> {
    let budget = budget(options)?;
    let candidates = options.optional("candidates", "a whole number", 1..=G::ACTIONS)?;
    let prior_visits = options.optional("prior_visits", "a number", 0.0..=1e6)?;
    let network =
        options.network_player(NETWORK_BATCH, || last_agent::<G>(Kind::Network).ok_or_else(none_inside::<G>))?;
    Ok(Box::new(NetworkSearch::within(network, rules, budget, candidates, prior_visits)))
}

pub(crate) fn beam() -> Entry<Bilging> {
    Entry {
        name: "beam",
        about: "beam search over certain boards for plans that end with a break",
        parameters: &[TIME, SIMULATIONS],
        build: |options, _| beam_player(options),
    }
}

pub(crate) fn beam_player(options: &Options<Bilging>) -> Result<BoxedPlayer<Bilging>> {
    options.player(BeamPlayer::within(budget(options)?))
}

pub(super) fn own_entries<G: Roster>() -> impl Iterator<Item = Entry<G>> {
    G::POLICIES.iter().map(|OwnPolicy { name, about, .. }| Entry {
        name,
        about,
        parameters: &[],
        build: |options, _| match own::<G>(options.name()) {
            Some(policy) => options.player(policy),
            None => Err(Error::runtime(format!("{} has no player '{}'", G::NAME, options.name()))),
        },
    })
}

pub(super) fn own<G: Roster>(name: &str) -> Option<Own<G>> {
    G::POLICIES.iter().find(|own| own.name == name).map(|own| Own::new(own.values))
}

pub(crate) fn preset_names<G: Roster>(words: &str) -> String {
    let names: Vec<&str> = G::PRESETS.iter().map(|preset| preset.name).collect();
    if names.is_empty() { String::new() } else { format!("{words}{}", names.join(", ")) }
}
