//! Players that search whole lines of moves, in games without chance, as entries.

use std::time::Duration;

use super::game::{Roster, first_agent};
use super::options::{CHECKPOINT, Entry, Options, Parameter, budget};
use crate::agent_file::Kind;
use crate::agents::{Agent, Shipped, none_inside};
use crate::by_rules::Budget;
use crate::by_rules::lines::{Anneal, Beam, FindLine, LinePlayer, Nested, Nrpa, Value, Width};
use crate::contract::BoxedPlayer;
use matchq_core::clock;
use matchq_core::error::{Error, Result};
use matchq_games::MaskKind;

/// Agent that values the positions of a beam.
const VALUE_AGENT: Parameter = Parameter {
    key: CHECKPOINT.key,
    default: None,
    about: "an agent that values positions; without it one inside the program, or the game's forecast",
};

/// Longest time of a line: a week.
const LONGEST_LINE: u64 = 7 * 24 * 3_600_000;

const LINE_MS: Parameter = Parameter {
    key: "ms",
    default: None,
    about: "time of a game's line in milliseconds, on one core, from 1 to 604800000",
};

const LINE_MASK: Parameter =
    Parameter { key: "mask", default: None, about: "moves that are tried; without it the game's default mask" };
const NEST_MASK: Parameter =
    Parameter { key: "mask", default: None, about: "moves that are tried; without it the game's narrowest mask" };

/// Mask of random games: that of the text, else the game's last.
fn mask_of_nest<G: Roster>(options: &Options<G>) -> Result<MaskKind> {
    match options.given("mask") {
        Some(name) => MaskKind::of::<G>(name),
        None => Ok(MaskKind(G::MASKS.len() - 1)),
    }
}

fn time_of_line<G: Roster>(options: &Options<G>) -> Result<Option<Duration>> {
    let milliseconds = options.optional("ms", "a whole number of milliseconds", 1..=LONGEST_LINE)?;
    match milliseconds {
        Some(_) if !clock::IS_THERE => {
            Err(Error::user(format!("'{}': there is no clock here: leave ms out", options.asked)))
        }
        milliseconds => Ok(milliseconds.map(Duration::from_millis)),
    }
}

/// The player of a search for lines; an error where chance has a part.
fn line_player<G: Roster>(options: &Options<G>, search: impl FindLine<G> + 'static) -> Result<BoxedPlayer<G>> {
    match G::PUZZLE {
        Some(puzzle) => options.player(LinePlayer::new(puzzle, search)),
        None => Err(Error::runtime(format!("chance has a part in {}", G::NAME))),
    }
}

pub(super) fn beam<G: Roster>() -> Entry<G> {
    Entry {
        name: "beam",
        about: "the best line of a beam search: of positions with equally much left the best by points and value go on",
        parameters: &[
            Parameter { key: "width", default: Some("64"), about: "positions that go on, where ms is not given" },
            LINE_MS,
            LINE_MASK,
            VALUE_AGENT,
        ],
        build: |options, _| {
            line_player(
                options,
                Beam::<G> {
                    width: width(options)?,
                    mask: MaskKind::of::<G>(options.value("mask"))?,
                    value: value_of_positions(options)?,
                },
            )
        },
    }
}

fn width<G: Roster>(options: &Options<G>) -> Result<Width> {
    match (time_of_line(options)?, options.given("width")) {
        (Some(_), Some(_)) => {
            Err(Error::user(format!("'{}' has both width and ms: a search has one budget", options.asked)))
        }
        (Some(time), None) => Ok(Width::Time(time)),
        (None, _) => Ok(Width::Positions(options.number("width", "a whole number", 1..=10_000_000)?)),
    }
}

/// An agent that values positions and ships.
fn shipped_value<G: Roster>() -> Option<&'static Shipped> {
    first_agent::<G>(Kind::Value).or_else(|| first_agent::<G>(Kind::Linear))
}

/// Value by an agent if one is named, else by one that ships, if that is possible, else the game's forecast.
fn value_of_positions<G: Roster>(options: &Options<G>) -> Result<Value<G::State>> {
    let agent = match options.has_any_agent() {
        true => Some(options.agent(|| Err(none_inside::<G>()))?),
        false => shipped_value::<G>().map(Agent::shipped).transpose()?,
    };
    let value = agent.map(|agent| match agent.file.kind {
        Kind::Linear => agent.linear::<G>()?.value::<G>().map_err(|error| error.of(agent.name())),
        _ => Ok(agent.value::<G>()?.value),
    });
    Ok(match (value, G::FORECAST) {
        (Some(Ok(value)), _) => Box::new(move |state| value.of::<G>(state)),
        (Some(Err(error)), _) if options.has_any_agent() => return Err(error),
        (_, Some(forecast)) => Box::new(forecast.points),
        (_, None) => Box::new(|_| 0.0),
    })
}

/// Changes of an annealing where no number is given, and where only a time is.
const SHORT_ANNEALING: u64 = 100_000;
const LONG_ANNEALING: u64 = 4_000_000;

/// Changes that a core does in a millisecond, about.
const A_MILLISECOND: u64 = 450;

/// How an annealing begins, which is best told by how many changes follow.
struct Beginning {
    /// Width of the beam whose line is annealed first; 0: a random line is.
    first: usize,
    /// Heat at the beginning and at the end.
    heat: (f64, f64),
}

impl Beginning {
    /// Best one of random boards of SameGame. A beam takes about half of the time.
    fn of(changes: u64, time: Option<Duration>) -> Self {
        let in_time = time.map_or(u64::MAX, |time| A_MILLISECOND.saturating_mul(time.as_millis() as u64));
        let changes = changes.min(in_time);
        // Little time is not overdrawn.
        let least = if time.is_some() { 0 } else { 1 };
        Self {
            first: (changes / 10_000).clamp(least, 64) as usize,
            heat: if changes < 1_000_000 { (30.0, 15.0) } else { (60.0, 30.0) },
        }
    }
}

/// Points of a tile that is left.
const LEFT: f64 = 20.0;

/// The player of an annealing; an error where tiles keep no numbers.
fn annealing<G: Roster>(
    options: &Options<G>,
    (changes, time): (u64, Option<Duration>),
    Beginning { first, heat }: Beginning,
    left: f64,
    mask: MaskKind,
) -> Result<BoxedPlayer<G>> {
    let Some(by_tiles) = G::BY_TILES else {
        return Err(Error::runtime(format!("{} is not told by tiles", G::NAME)));
    };
    let first = first_beam(options, first)?;
    line_player(options, Anneal { by_tiles, changes, time, first, heat, left, mask })
}

/// The beam of so many positions whose line a search begins with; none of 0, unless an agent is to value one.
fn first_beam<G: Roster>(options: &Options<G>, width: usize) -> Result<Option<Beam<G>>> {
    match width {
        0 if !options.has_any_agent() => Ok(None),
        0 if options.given("first").is_some() => {
            Err(Error::user(format!("'{}' has an agent, but no beam that it values", options.asked)))
        }
        width => {
            let (width, mask) = (Width::Positions(width.max(1)), MaskKind::default_of::<G>());
            Ok(Some(Beam { width, mask, value: value_of_positions(options)? }))
        }
    }
}

pub(super) fn anneal<G: Roster>() -> Entry<G> {
    Entry {
        name: "anneal",
        about: "the best line of simulated annealing, which changes the order in which tiles are taken",
        parameters: &[
            Parameter {
                key: "changes",
                default: None,
                about: "changes from one line on; without it 100000, and 4000000 at most with ms, which begins anew",
            },
            Parameter {
                key: "first",
                default: None,
                about: "width of the beam whose line is changed first, 0: a random line is; without it a ten thousandth \
                        of the changes, at most 64; 450 changes are a millisecond",
            },
            Parameter {
                key: "hot",
                default: None,
                about: "heat at the beginning, in points; without it SameGame's best, 60, and 30 below a million changes",
            },
            Parameter { key: "cold", default: None, about: "heat at the end; without it half of those" },
            Parameter { key: "left", default: Some("20"), about: "points that a piece left at the end takes away" },
            LINE_MS,
            NEST_MASK,
            VALUE_AGENT,
        ],
        build: |options, _| {
            let (time, changes) =
                (time_of_line(options)?, options.optional("changes", "a whole number", 1..=u64::MAX)?);
            let changes = changes.unwrap_or(if time.is_some() { LONG_ANNEALING } else { SHORT_ANNEALING });
            let usual = Beginning::of(changes, time);
            let heat = |key| options.optional(key, "a number above 0", 1e-3..=1e6);
            let (hot, cold) = (heat("hot")?.unwrap_or(usual.heat.0), heat("cold")?.unwrap_or(usual.heat.1));
            let first = options.optional("first", "a whole number", 0..=1_000_000)?.unwrap_or(usual.first);
            let left = options.number("left", "a number", 0.0..=1e6)?;
            let beginning = Beginning { first, heat: (hot, cold) };
            annealing(options, (changes, time), beginning, left, mask_of_nest(options)?)
        },
    }
}

pub(super) fn nrpa<G: Roster>() -> Entry<G> {
    Entry {
        name: "nrpa",
        about: "the best line of nested rollout policy adaptation",
        parameters: &[
            Parameter { key: "level", default: Some("2"), about: "levels of the nest" },
            Parameter { key: "iterations", default: Some("100"), about: "searches of the level below in a search" },
            Parameter { key: "playouts", default: Some("4"), about: "random games between two changes of the weights" },
            Parameter { key: "alpha", default: Some("1"), about: "how far weights move towards the best line" },
            Parameter {
                key: "repeats",
                default: Some("0"),
                about: "times that a level finds its best line again before it ends, 0: it never ends early",
            },
            Parameter {
                key: "first",
                default: Some("0"),
                about: "width of the beam whose line is the best game at the start, 0: there is none; without it 1 where an \
                        agent is to value it",
            },
            LINE_MS,
            NEST_MASK,
            VALUE_AGENT,
        ],
        build: |options, _| {
            line_player(
                options,
                Nrpa::<G> {
                    level: options.number("level", "a whole number", 1..=10)?,
                    iterations: options.number("iterations", "a whole number", 1..=1_000_000)?,
                    playouts: options.number("playouts", "a whole number", 1..=1_000_000)?,
                    time: time_of_line(options)?,
                    mask: mask_of_nest(options)?,
                    alpha: options.number("alpha", "a number", 0.0..=1e3)?,
                    repeats: options.number("repeats", "a whole number", 0..=1_000_000)?,
                    first: first_beam(options, options.number("first", "a whole number", 0..=1_000_000)?)?,
                },
            )
        },
    }
}

pub(super) fn nested<G: Roster>() -> Entry<G> {
    Entry {
        name: "nested",
        about: "the best line of nested Monte Carlo search",
        parameters: &[Parameter { key: "level", default: Some("1"), about: "levels of the nest" }, LINE_MS, NEST_MASK],
        build: |options, _| {
            line_player(
                options,
                Nested {
                    level: options.number("level", "a whole number", 1..=10)?,
                    time: time_of_line(options)?,
                    mask: mask_of_nest(options)?,
                },
            )
        },
    }
}

/// The best search for the time of a game's line, not of a move; a simulation is a changed line, or a
/// position that goes on in a beam.
pub(super) fn line_of_time<G: Roster>(options: &Options<G>) -> Result<BoxedPlayer<G>> {
    let budget = budget(options)?;
    if G::BY_TILES.is_none() {
        let width = match budget {
            Budget::Simulations(simulations) => Width::Positions(simulations),
            Budget::Time(time) => Width::Time(time),
        };
        let (mask, value) = (MaskKind::default_of::<G>(), value_of_positions(options)?);
        return line_player(options, Beam::<G> { width, mask, value });
    }
    let (changes, time) = match budget {
        Budget::Simulations(simulations) => (simulations as u64, None),
        Budget::Time(time) => (LONG_ANNEALING, Some(time)),
    };
    annealing(options, (changes, time), Beginning::of(changes, time), LEFT, MaskKind(G::MASKS.len() - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_annealing_begins_cooler_and_from_a_narrower_beam_where_fewer_changes_follow() {
        let of = |changes, ms: Option<u64>| {
            let Beginning { first, heat } = Beginning::of(changes, ms.map(Duration::from_millis));
            (first, heat)
        };
        let (cool, hot) = ((30.0, 15.0), (60.0, 30.0));
        assert_eq!([of(1, None), of(45_000, None)], [(1, cool), (4, cool)]);
        assert_eq!([of(999_999, None), of(1_000_000, None)], [(64, cool), (64, hot)]);
        // Of time as many changes as a core does in it; very little has no beam.
        assert_eq!([of(LONG_ANNEALING, Some(10)), of(LONG_ANNEALING, Some(100))], [(0, cool), (4, cool)]);
        assert_eq!([of(LONG_ANNEALING, Some(60_000)), of(20_000, Some(60_000))], [(64, hot), (2, cool)]);
    }
}
