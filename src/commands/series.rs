//! A player's series of games for `eval` and `compare`: progress, time and report.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;
use std::time::Instant;

use indicatif::HumanCount;
use rayon::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{print, rules};
use crate::cli::Series as Arguments;
use crate::error::{Error, Result, in_words};
use crate::eval::{self, Figures, PlayedGame, Ratio, Summary, deal, luck, play_scores, play_series, replay};
use crate::files;
use crate::players::roster::{Figure, OwnFigures, Played};
use crate::players::{Agents, BoxedPlayer, Playable, Player};
use crate::report::{plot, progress};

/// A player's games and figures, as in the JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    pub player: String,
    pub seed: u128,
    pub games: u64,
    pub game: String,
    pub rules: Value,
    #[serde(flatten)]
    pub figures: Figures,
    /// Time of all games; 0 if unknown.
    pub seconds: f64,
    pub games_per_second: f64,
    /// Each game's score, in the order of seeds.
    pub scores: Vec<i32>,
    /// Simulations of each move to estimate luck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    luck_simulations: Option<u32>,
    /// Each game's luck in points, if estimated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub luck: Option<Vec<f64>>,
    /// Figures of luck-adjusted scores.
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    pub luck_adjusted: Option<LuckAdjusted>,
    /// The game's own figures.
    #[serde(flatten, skip_deserializing)]
    own: Map<String, Value>,
    /// Ratios among the own figures, with names for people.
    #[serde(skip)]
    pub ratios: Vec<(&'static str, Option<Ratio>)>,
    /// Each game's moves.
    moves: Vec<Moves>,
}

/// A game's moves as JSON text; as values, each move would take a hundred bytes.
#[derive(Debug)]
struct Moves(String);

impl Moves {
    fn of<G: Playable>(actions: &[u16]) -> Self {
        let mut text = String::from("[");
        for (number, action) in actions.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            write!(text, "{comma}{}", G::to_json((*action).into())).ok(); // Writing to a String cannot fail.
        }
        Self(text + "]")
    }

    fn values(&self) -> Vec<Value> {
        serde_json::from_str(&self.0).unwrap_or_default()
    }
}

impl Serialize for Moves {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.values().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Moves {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        Vec::deserialize(deserializer).map(|moves: Vec<Value>| Self(Value::from(moves).to_string()))
    }
}

/// Figures of luck-adjusted scores, in points.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct LuckAdjusted {
    pub mean: f64,
    /// Half the width of the mean's 95 % confidence interval; none for one game.
    pub half_width: Option<f64>,
    /// Sample standard deviation; none for one game.
    pub standard_deviation: Option<f64>,
}

/// The games of another program: what is needed to compute the rest of a [`Report`].
#[derive(Debug, Deserialize)]
pub struct Given {
    pub player: String,
    pub game: String,
    /// Rules that differ from the usual ones.
    #[serde(default = "no_rules")]
    rules: Value,
    /// Seed of the first game.
    seed: u128,
    /// Each game's moves, in the order of seeds.
    moves: Vec<Moves>,
}

fn no_rules() -> Value {
    Value::Object(Map::new())
}

impl Given {
    /// Replays the games; an error names the game and the move that is wrong.
    pub fn report<G: Playable>(self) -> std::result::Result<Report, String> {
        let Self { player, rules, seed, moves, .. } = self;
        let of = rules_of::<G>(&player, rules)?;
        if seed.checked_add(moves.len() as u128).is_none() {
            return Err("the seeds of all games must lie below 2^128".to_owned());
        }
        let mut games = Vec::with_capacity(moves.len());
        for (seed, moves) in (seed..).zip(&moves) {
            let wrong = |what: &str| format!("{player}, the game of seed {seed}: {what}");
            let action = |(number, value): (usize, &Value)| {
                G::from_json(value).map_err(|error| wrong(&format!("move {}: {error}", number + 1)))
            };
            let actions =
                moves.values().iter().enumerate().map(action).collect::<std::result::Result<Vec<usize>, _>>()?;
            let played = replay::<G>(&of, seed, &actions).ok_or_else(|| wrong("the game ends before its moves do"))?;
            if !played.is_over {
                let count = actions.len();
                return Err(wrong(&format!("its {count} moves must lead to the game's end, but the game goes on")));
            }
            games.push(played);
        }
        let none = format!("{player}: at least one game is needed");
        let report = Report::of::<G>(player, seed, &of, &games, 0.0, moves);
        report.map_err(|error| error.to_string())?.ok_or(none)
    }
}

fn rules_of<G: Playable>(player: &str, rules: Value) -> std::result::Result<G::Rules, String> {
    serde_json::from_value(rules).map_err(|error| format!("the rules of {player}: {}", in_words(&error.to_string())))
}

impl Report {
    /// The report of games from a seed on, without the game's own figures; `None` without games.
    fn of<G: Playable>(
        player: String,
        seed: u128,
        rules: &G::Rules,
        games: &[PlayedGame],
        seconds: f64,
        moves: Vec<Moves>,
    ) -> Result<Option<Self>> {
        let rules = serde_json::to_value(rules)
            .map_err(|error| Error::runtime(format!("the rules cannot be written as JSON: {error}")))?;
        Ok(Figures::of(games, seconds).map(|figures| Self {
            player,
            seed,
            games: games.len() as u64,
            game: G::NAME.to_owned(),
            rules,
            figures,
            seconds,
            games_per_second: if seconds > 0.0 { games.len() as f64 / seconds } else { 0.0 },
            scores: games.iter().map(|game| game.score).collect(),
            luck_simulations: None,
            luck: None,
            luck_adjusted: None,
            own: Map::new(),
            ratios: vec![],
            moves,
        }))
    }

    /// Estimates the luck of each game by `simulations` of each move, unless done already.
    ///
    /// An error is the first game whose moves do not lead to its end and score.
    pub fn estimate_luck<G: Playable>(&mut self, simulations: u32) -> Result<()> {
        if self.luck_simulations == Some(simulations) && self.luck.is_some() {
            return Ok(());
        }
        let rules: G::Rules = self.rules::<G>().map_err(Error::user)?;
        let progress = progress::series(&format!("{}, its luck", self.player), self.games);
        let luck = |(index, score): (usize, &i32)| {
            let seed = self.seed + index as u128;
            let action = |value: &Value| G::from_json(value).ok();
            let actions: Option<Vec<usize>> =
                self.moves.get(index).and_then(|moves| moves.values().iter().map(action).collect());
            let replayed = actions.and_then(|actions| luck::replay::<G>(&rules, seed, &actions, simulations));
            progress.inc(1);
            replayed.filter(|game| game.score == *score).map(|game| game.luck).ok_or_else(|| {
                let player = &self.player;
                Error::user(format!(
                    "--luck: {player} has moves of the game of seed {seed} that do not lead to its end with the score \
                     {score}: the moves must be as compare --json wrote them"
                ))
            })
        };
        let luck: Vec<Result<f64>> = self.scores.par_iter().enumerate().map(luck).collect();
        progress.finish_and_clear();
        self.luck = Some(luck.into_iter().collect::<Result<_>>()?);
        self.luck_simulations = Some(simulations);
        self.summarise_luck();
        Ok(())
    }

    /// Computes the game's own figures.
    pub fn find_own_figures<G: Playable>(&mut self) {
        let Ok(rules) = self.rules::<G>() else { return };
        let mut games = (0..).zip(&self.moves).map(|(index, moves)| {
            let (game, random, _) = deal::<G>(&rules, self.seed + index);
            // An unknown move changes nothing.
            let actions = moves.values().iter().map(|value| G::from_json(value).unwrap_or(G::ACTIONS)).collect();
            Played { game, random, actions }
        });
        let figures = G::figures(&mut games);
        let ratios = figures.ratios.iter().map(|figure| (figure, Ratio::of(&figure.games)));
        for (Figure { name, about, .. }, ratio) in ratios {
            self.own.insert((*name).to_owned(), ratio.map(|ratio| ratio.mean).into());
            self.own.insert(format!("{name}_half_width"), ratio.and_then(|ratio| ratio.half_width).into());
            self.ratios.push((about, ratio));
        }
        for (name, counts) in figures.counts {
            let counts: Map<String, Value> = counts.into_iter().map(|(kind, count)| (kind, count.into())).collect();
            self.own.insert(name.to_owned(), counts.into());
        }
    }

    /// The rules of the games, or what is wrong with them.
    pub fn rules<G: Playable>(&self) -> std::result::Result<G::Rules, String> {
        rules_of::<G>(&self.player, self.rules.clone())
    }

    /// Checks the report's luck, if any, and sums it up.
    pub fn check_luck(&mut self) -> std::result::Result<(), String> {
        let sound = |luck: &Vec<f64>| luck.len() == self.scores.len() && luck.iter().all(|luck| luck.abs() < 1e12);
        if !self.luck.as_ref().is_none_or(sound) {
            return Err(format!("{} must have a luck, in points, for each of its games", self.player));
        }
        self.summarise_luck();
        Ok(())
    }

    /// Luck-adjusted scores, if luck was estimated.
    pub fn luck_adjusted_scores(&self) -> Option<Vec<f64>> {
        let less = |(score, luck): (&i32, &f64)| f64::from(*score) - luck;
        self.luck.as_ref().map(|luck| self.scores.iter().zip(luck).map(less).collect())
    }

    fn summarise_luck(&mut self) {
        let summary = self.luck_adjusted_scores().and_then(|scores| Summary::of(&scores));
        self.luck_adjusted = summary.map(|Summary { mean, half_width, standard_deviation, .. }| LuckAdjusted {
            mean,
            half_width,
            standard_deviation,
        });
    }
}

/// Checks that a series can be played and reported; returns the rules.
pub fn check<G: Playable>(arguments: &Arguments) -> Result<G::Rules> {
    if let Some(path) = json_file(arguments) {
        files::check_destination("--json", path)?;
    }
    if arguments.seed.checked_add(u128::from(arguments.games) - 1).is_none() {
        return Err(Error::user(format!("--seed {}: the seeds of all games must lie below 2^128", arguments.seed)));
    }
    rules::<G>(&arguments.game)
}

/// Checks that names differ; `flag` is for the error.
pub fn check_names<'a>(flag: &str, names: impl Iterator<Item = &'a str>) -> Result<()> {
    let mut known = HashSet::new();
    match { names }.find(|name| !known.insert(*name)) {
        Some(twice) => {
            Err(Error::user(format!("{flag}: {twice} is named twice: give one a label, such as {twice}:label=other")))
        }
        None => Ok(()),
    }
}

/// Checks that a picture, if wanted, has a place of its own.
pub fn check_plot(plot: Option<&Path>, arguments: &Arguments) -> Result<()> {
    let Some(path) = plot else { return Ok(()) };
    plot::check("--plot", path)?;
    files::check_destination("--plot", path)?;
    arguments.json.as_deref().map_or(Ok(()), |json| files::check_apart(("--plot", path), ("--json", json)))
}

/// Players of the texts of `--players`; an error if two have one name.
pub fn players<'a, G: Playable>(
    texts: impl IntoIterator<Item = &'a String>,
    rules: &G::Rules,
    agents: &Agents,
) -> Result<Vec<BoxedPlayer<G>>> {
    let players = texts.into_iter().map(|text| super::player::<G>(text, rules, agents)).collect::<Result<Vec<_>>>()?;
    check_names("--players", players.iter().map(|player| player.name()))?;
    Ok(players)
}

/// The games in words: `100 to 1000 games from seed 0`.
pub fn games(all: &[Report]) -> String {
    let numbers = || all.iter().map(|report| report.games);
    let (least, most) = (numbers().min().unwrap_or(0), numbers().max().unwrap_or(0));
    let seed = all.first().map_or(0, |report| report.seed);
    match most {
        1 => format!("1 game of seed {seed}"),
        _ if least == most => format!("{most} games from seed {seed}"),
        _ => format!("{least} to {most} games from seed {seed}"),
    }
}

/// Moves of a game after which a quicker way is suggested.
const LONG: u64 = 200_000;

/// Plays the series, with progress on a terminal. The moves are kept only if `wanted`, for JSON or
/// luck, or for the game's own figures.
pub fn play<G: Playable>(
    player: &mut dyn Player<G>,
    rules: &G::Rules,
    arguments: &Arguments,
    wanted: bool,
) -> Result<Report> {
    let name = player.name().to_owned();
    let start = Instant::now();
    let (first, ..) = deal::<G>(rules, arguments.seed);
    let progress = progress::series(&name, arguments.games * G::actions_left(&first.state()) as u64);
    let mut suggested = G::IMPORTANCE.is_none();
    let told = |moves: eval::Moves| {
        progress.set_position(moves.all);
        if !suggested && moves.longest >= LONG {
            suggested = true;
            let long = HumanCount(LONG);
            let line =
                format!("{name}: a game has {long} moves already; `matchq endure --split` finds the mean sooner");
            // A closed standard error is no error.
            progress.suspend(|| writeln!(io::stderr(), "{line}").ok());
        }
    };
    let wanted = wanted || G::figures(&mut std::iter::empty()) != OwnFigures::default();
    let games = match wanted {
        true => play_series(player, rules, arguments.seed, arguments.games, told)?,
        false => play_scores(player, rules, arguments.seed, arguments.games, told)?,
    };
    progress.finish_and_clear();
    let seconds = start.elapsed().as_secs_f64();
    let moves = games.iter().map(|game| Moves::of::<G>(&game.actions)).collect();
    let report = Report::of::<G>(name, arguments.seed, rules, &games, seconds, moves)?;
    let mut report = report.ok_or_else(|| Error::user("--games 0: at least one game is needed"))?;
    report.find_own_figures::<G>();
    Ok(report)
}

/// A ratio for people: `2.141 ± 0.012`.
pub fn shown(ratio: Option<Ratio>) -> String {
    ratio.map_or("-".to_owned(), |Ratio { mean, half_width }| {
        format!("{mean:.3}{}", half_width.map_or(String::new(), |half| format!(" ± {half:.3}")))
    })
}

/// Writes the text, the report of `--json` (for `-` instead of the text) and the picture; each even
/// if another fails.
pub fn write(
    arguments: &Arguments,
    text: &str,
    report: &impl Serialize,
    plot: Option<&Path>,
    draw: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let written = match (&arguments.json, json_file(arguments)) {
        (None, _) => print(text),
        (Some(_), None) => print_json(report),
        (Some(_), Some(path)) => {
            let printed = print(text);
            json(report).and_then(|report| files::write_atomically(path, report.as_bytes())).and(printed)
        }
    };
    let drawn = plot.map_or(Ok(()), draw);
    written.and(drawn)
}

pub fn print_json(report: &impl Serialize) -> Result<()> {
    print(&format!("{}\n", json(report)?))
}

fn json(report: &impl Serialize) -> Result<String> {
    serde_json::to_string(report)
        .map_err(|error| Error::runtime(format!("the report cannot be written as JSON: {error}")))
}

fn json_file(arguments: &Arguments) -> Option<&Path> {
    arguments.json.as_deref().filter(|path| *path != Path::new("-"))
}
