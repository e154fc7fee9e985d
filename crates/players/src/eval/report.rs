//! A player's series of games as `eval` and `compare` write it in JSON.

use matchq_core::{pool, stop};
use std::fmt::Write as _;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

use super::{Difference, Figures, PlayedGame, Ratio, Summary, deal, luck, replay};
use crate::registry::Playable;
use crate::texts::{Figure, Played};
use matchq_core::error::{Error, Result, in_words};
use matchq_games::counted;

/// A player's games and figures, as in the JSON.
#[derive(Debug, Serialize, Deserialize)]
pub struct Report {
    /// Name of the player.
    pub player: String,
    /// Seed of the first game; each further game has the next one.
    pub seed: u128,
    /// Number of games.
    pub games: u64,
    /// Name of the game.
    pub game: String,
    /// Parameters of the rules.
    pub rules: Value,
    /// Figures of the scores.
    #[serde(flatten)]
    pub figures: Figures,
    /// Time of all games; 0 if unknown.
    pub seconds: f64,
    /// Games a second; 0 if the time is unknown.
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
    #[serde(flatten)]
    own: Map<String, Value>,
    /// Ratios among the own figures, with names for people.
    #[serde(skip)]
    pub ratios: Vec<(&'static str, Option<Ratio>)>,
    /// Each game's moves; none where they are not kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    moves: Vec<Moves>,
}

/// A game's moves as JSON text; as values, each move would take a hundred bytes.
#[derive(Debug)]
pub struct Moves(String);

impl Moves {
    /// The moves of actions.
    pub fn of<G: Playable>(actions: &[u16]) -> Self {
        let mut text = String::from("[");
        for (number, action) in actions.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            write!(text, "{comma}{}", G::to_json((*action).into())).ok(); // Writing to a String cannot fail.
        }
        Self(text + "]")
    }

    /// The moves as JSON values.
    pub fn values(&self) -> Vec<Value> {
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
    /// Name of the player.
    pub player: String,
    /// Name of the game.
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
    /// Adds the games of another file, or of the next line of one, if they follow; otherwise returns it.
    pub(super) fn join(&mut self, next: Self) -> Option<Self> {
        let follows = self.seed.checked_add(self.moves.len() as u128) == Some(next.seed);
        let same = (&self.player, &self.game, &self.rules) == (&next.player, &next.game, &next.rules);
        if !(follows && same) {
            return Some(next);
        }
        self.moves.extend(next.moves);
        None
    }

    /// Replays the games; an error names the game and the move that is wrong.
    pub fn report<G: Playable>(self) -> std::result::Result<Report, String> {
        let Self { player, rules, seed, moves, .. } = self;
        let of = rules_of::<G>(&player, rules)?;
        if seed.checked_add((moves.len() as u128).saturating_sub(1)).is_none() {
            return Err("the seeds of all games must lie below 2^128".to_owned());
        }
        let mut games = Vec::with_capacity(moves.len());
        for (index, moves) in moves.iter().enumerate() {
            let seed = seed + index as u128;
            let wrong = |what: &str| format!("{player}, the game of seed {seed}: {what}");
            let action = |(number, value): (usize, &Value)| {
                G::from_json(value).map_err(|error| wrong(&format!("move {}: {error}", number + 1)))
            };
            let actions =
                moves.values().iter().enumerate().map(action).collect::<std::result::Result<Vec<usize>, _>>()?;
            let played = replay::<G>(&of, seed, &actions).ok_or_else(|| wrong("the game ends before its moves do"))?;
            if !played.is_over {
                let count = counted(actions.len(), "moves");
                return Err(wrong(&format!("its {count} must lead to the game's end, but the game goes on")));
            }
            games.push(played);
        }
        Report::with_moves::<G>(player, seed, &of, &games, 0.0, moves).map_err(|error| error.to_string())
    }
}

/// The rules of JSON, those of the usual game if it is empty; an error names the player.
pub fn rules_of<G: Playable>(player: &str, rules: Value) -> std::result::Result<G::Rules, String> {
    if rules.as_object().is_some_and(Map::is_empty) {
        return Ok(G::Rules::default());
    }
    serde_json::from_value(rules).map_err(|error| format!("the rules of {player}: {}", in_words(&error.to_string())))
}

/// Rules as in a report.
pub fn rules_json<G: Playable>(rules: &G::Rules) -> Result<Value> {
    serde_json::to_value(rules).map_err(|error| Error::runtime(format!("the rules cannot be written as JSON: {error}")))
}

impl Report {
    /// The report of games from a seed on, at least one, without the game's own figures.
    pub fn of<G: Playable>(
        player: String,
        seed: u128,
        rules: &G::Rules,
        games: &[PlayedGame],
        seconds: f64,
    ) -> Result<Self> {
        let moves = games.iter().map(|game| Moves::of::<G>(&game.actions)).collect();
        Self::with_moves::<G>(player, seed, rules, games, seconds, moves)
    }

    fn with_moves<G: Playable>(
        player: String,
        seed: u128,
        rules: &G::Rules,
        games: &[PlayedGame],
        seconds: f64,
        moves: Vec<Moves>,
    ) -> Result<Self> {
        let none = || Error::user(format!("{player}: at least one game is needed"));
        let mut figures = Figures::of(games, seconds).ok_or_else(none)?;
        if G::has_chosen_deals(rules) {
            figures.scores.half_width = None;
        }
        Ok(Self {
            player,
            seed,
            games: games.len() as u64,
            game: G::NAME.to_owned(),
            rules: rules_json::<G>(rules)?,
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
        })
    }

    /// Estimates the luck of each game by `simulations` of each move, unless done already.
    ///
    /// `goes_on` is called before each game; false, also the result, ends the work without an
    /// estimate. An error is the first game whose moves do not lead to its end and score.
    pub fn estimate_luck<G: Playable>(
        &mut self,
        simulations: u32,
        goes_on: &(dyn Fn() -> bool + Sync),
    ) -> Result<bool> {
        if self.luck_simulations == Some(simulations) && self.luck.is_some() {
            return Ok(true);
        }
        let rules: G::Rules = self.rules::<G>().map_err(Error::user)?;
        if G::PUZZLE.is_some() {
            let none = vec![0.0; self.scores.len()];
            return self.give_luck(simulations, none).map(|()| true).map_err(Error::runtime);
        }
        if self.moves.is_empty() {
            return Err(Error::user(format!(
                "{} has no moves, which luck is estimated from: let it play with --luck, or with --moves, and compare that file",
                self.player
            )));
        }
        let luck = |(index, score): (usize, &i32)| {
            if !goes_on() {
                return Ok(None);
            }
            let seed = self.seed + index as u128;
            let action = |value: &Value| G::from_json(value).ok();
            let actions: Option<Vec<usize>> =
                self.moves.get(index).and_then(|moves| moves.values().iter().map(action).collect());
            let replayed = actions.and_then(|actions| luck::replay::<G>(&rules, seed, &actions, simulations));
            replayed.filter(|game| game.score == *score).map(|game| Some(game.luck)).ok_or_else(|| {
                let player = &self.player;
                Error::user(format!(
                    "{player} has moves of the game of seed {seed} that do not lead to its end with the score {score}: the \
                     moves must be as compare --moves wrote them"
                ))
            })
        };
        let luck: Vec<Result<Option<f64>>> =
            pool::map(self.scores.len(), 1, |index| luck((index, &self.scores[index])));
        match luck.into_iter().collect::<Result<Option<Vec<f64>>>>()? {
            Some(luck) => self.give_luck(simulations, luck).map(|()| true).map_err(Error::runtime),
            None => Ok(false),
        }
    }

    /// Takes each game's luck, estimated by `simulations` of each move.
    pub fn give_luck(&mut self, simulations: u32, luck: Vec<f64>) -> std::result::Result<(), String> {
        (self.luck, self.luck_simulations) = (Some(luck), Some(simulations));
        self.check_luck()
    }

    /// The games as lines of JSON, each the moves of one game.
    pub fn games(&self) -> String {
        let Self { player, game, rules, seed, moves, .. } = self;
        let head =
            format!("{{\"player\":{},\"game\":{},\"rules\":{rules}", Value::from(&**player), Value::from(&**game));
        let line =
            |(index, Moves(moves)): (u128, &Moves)| format!("{head},\"seed\":{},\"moves\":[{moves}]}}\n", seed + index);
        (0..).zip(moves).map(line).collect()
    }

    /// Leaves the moves out of the report.
    pub fn forget_moves(&mut self) {
        self.moves.clear();
    }

    /// Computes the game's own figures; a report without moves keeps those that it was read with.
    pub fn find_own_figures<G: Playable>(&mut self) {
        let read = std::mem::take(&mut self.own);
        let Ok(rules) = self.rules::<G>() else { return };
        let known = |name: &str| read.get(name).and_then(Value::as_f64).filter(|number| number.is_finite());
        let is_read = self.moves.is_empty();
        let mut games = (0..).zip(&self.moves).map(|(index, moves)| {
            stop::look();
            let (game, random, _) = deal::<G>(&rules, self.seed + index);
            // An unknown move changes nothing.
            let actions = moves.values().iter().map(|value| G::from_json(value).unwrap_or(G::ACTIONS)).collect();
            Played { game, random, actions }
        });
        let figures = G::figures(&mut games);
        for Figure { name, about, games } in figures.ratios {
            let half_width = || known(&format!("{name}_half_width"));
            let ratio = match is_read {
                true => known(name).map(|mean| Ratio { mean, half_width: half_width() }),
                false => Ratio::of(&games),
            };
            self.own.insert(name.to_owned(), ratio.map(|ratio| ratio.mean).into());
            self.own.insert(format!("{name}_half_width"), ratio.and_then(|ratio| ratio.half_width).into());
            self.ratios.push((about, ratio));
        }
        for (name, counts) in figures.counts {
            let counts: Map<String, Value> = counts.into_iter().map(|(kind, count)| (kind, count.into())).collect();
            let counts = if is_read { read.get(name).cloned().unwrap_or_default() } else { counts.into() };
            self.own.insert(name.to_owned(), counts);
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

    /// Whether the mean is an estimate with an interval: not that of chosen boards or of a single game.
    pub fn is_estimate(&self) -> bool {
        self.figures.scores.half_width.is_some()
    }

    /// Difference of scores or luck-adjusted scores, this player's less another's, in common games;
    /// `None` without them. It has an interval where the means have.
    pub fn difference(&self, than: &Self, luck_adjusted: bool) -> Option<Difference> {
        let difference = match luck_adjusted {
            true => Difference::between(&self.luck_adjusted_scores()?, &than.luck_adjusted_scores()?),
            false => Difference::between(&self.scores, &than.scores),
        }?;
        match self.is_estimate() && than.is_estimate() {
            true => Some(difference),
            false => Some(Difference { half_width: None, significant: false, ..difference }),
        }
    }

    fn summarise_luck(&mut self) {
        let summary = self.luck_adjusted_scores().and_then(|scores| Summary::of(&scores));
        let is_estimate = self.is_estimate();
        self.luck_adjusted = summary.map(|Summary { mean, half_width, standard_deviation, .. }| LuckAdjusted {
            mean,
            half_width: half_width.filter(|_| is_estimate),
            standard_deviation,
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use serde_json::json;

    use super::*;
    use crate::eval::play_series;
    use crate::parse;
    use matchq_games::{Bejeweled, Match3, Text as _, bejeweled};

    const SEED: u128 = 5;

    fn games() -> Vec<PlayedGame> {
        let rules = Default::default();
        let mut player = parse::<Match3>("greedy", &rules).unwrap();
        play_series(&mut *player, &rules, SEED, 3, |_| ()).unwrap()
    }

    fn report(games: &[PlayedGame]) -> Report {
        Report::of::<Match3>("greedy".into(), SEED, &Default::default(), games, 1.5).unwrap()
    }

    /// The three games as another program writes them, with changes.
    fn given(change: impl Fn(&mut Value)) -> std::result::Result<Report, String> {
        let moves = serde_json::to_value(&report(&games()).moves).unwrap();
        let mut value = json!({"player": "mine", "game": "match3", "seed": SEED as u64, "moves": moves});
        change(&mut value);
        serde_json::from_str::<Given>(&value.to_string()).unwrap().report::<Match3>()
    }

    #[test]
    fn a_report_has_the_scores_moves_and_figures_of_its_games() {
        let games = games();
        let found = report(&games);
        assert_eq!((found.seed, found.games, &*found.game, found.games_per_second), (SEED, 3, "match3", 2.0));
        assert_eq!(found.scores, games.iter().map(|game| game.score).collect::<Vec<_>>());
        assert_eq!(found.figures, Figures::of(&games, 1.5).unwrap());
        assert_eq!(found.rules::<Match3>(), Ok(Default::default()));
        for (moves, game) in found.moves.iter().zip(&games) {
            let actions: Vec<usize> = moves.values().iter().map(|value| Match3::from_json(value).unwrap()).collect();
            assert_eq!(actions, game.actions.iter().map(|action| usize::from(*action)).collect::<Vec<_>>());
        }
        assert_eq!(found.luck_adjusted_scores(), None);
        // Of an unknown time there is no speed.
        let untimed = Report::of::<Match3>("greedy".into(), SEED, &Default::default(), &games, 0.0).unwrap();
        assert_eq!((untimed.seconds, untimed.games_per_second), (0.0, 0.0));
        let none = Report::of::<Match3>("greedy".into(), SEED, &Default::default(), &[], 1.0);
        assert_eq!(none.unwrap_err().to_string(), "greedy: at least one game is needed");
    }

    #[test]
    fn games_of_another_program_are_replayed_and_a_wrong_one_is_named() {
        let same = given(|_| ()).unwrap();
        assert_eq!((same.scores, same.seconds), (report(&games()).scores, 0.0));
        let refused = |change: fn(&mut Value)| given(change).unwrap_err();
        let error = refused(|value| value["rules"] = json!({"moves": -1}));
        assert!(error.starts_with("the rules of mine: "), "{error}");
        let error = refused(|value| value["moves"][1][4] = json!("up"));
        assert!(error.starts_with("mine, the game of seed 6: move 5: "), "{error}");
        let error = refused(|value| drop(value["moves"][2].as_array_mut().unwrap().pop()));
        let until = "mine, the game of seed 7: its 24 moves must lead to the game's end, but the game goes on";
        assert_eq!(error, until);
        let error = refused(|value| {
            let again = value["moves"][0][0].clone();
            value["moves"][0].as_array_mut().unwrap().push(again);
        });
        assert_eq!(error, "mine, the game of seed 5: the game ends before its moves do");
        assert_eq!(refused(|value| value["moves"] = json!([])), "mine: at least one game is needed");
        let last = r#"{"player": "mine", "game": "match3", "seed": SEED, "moves": [[], []]}"#;
        let error = |seed: u128| {
            let text = last.replace("SEED", &seed.to_string());
            serde_json::from_str::<Given>(&text).unwrap().report::<Match3>().unwrap_err()
        };
        assert_eq!(error(u128::MAX), "the seeds of all games must lie below 2^128");
        assert!(error(u128::MAX - 1).contains("the game goes on"));
    }

    #[test]
    fn luck_is_estimated_once_as_a_replay_does_and_only_of_moves_that_lead_to_the_score() {
        let games = games();
        let mut found = report(&games);
        assert!(!found.estimate_luck::<Match3>(4, &|| false).unwrap());
        assert_eq!((&found.luck, found.luck_simulations), (&None, None));
        let asked = AtomicUsize::new(0);
        let goes_on = || asked.fetch_add(1, Ordering::Relaxed) < 100;
        assert!(found.estimate_luck::<Match3>(4, &goes_on).unwrap());
        let rules = Default::default();
        let less: Vec<f64> = games.iter().map(|game| luck::luck_adjusted::<Match3>(&rules, game, 4).unwrap()).collect();
        for (found, expected) in found.luck_adjusted_scores().unwrap().iter().zip(&less) {
            assert!((found - expected).abs() < 1e-9, "{found}, {expected}");
        }
        assert_eq!((found.luck_simulations, asked.load(Ordering::Relaxed)), (Some(4), 3));
        // The luck by four simulations is known by now, that by five is not.
        assert!(found.estimate_luck::<Match3>(4, &|| false).unwrap());
        assert!(!found.estimate_luck::<Match3>(5, &|| false).unwrap());
        found.scores[1] += 1;
        let error = found.estimate_luck::<Match3>(5, &|| true).unwrap_err().to_string();
        assert!(error.contains("greedy has moves of the game of seed 6 that do not lead"), "{error}");
        found.moves.truncate(2);
        found.scores[1] -= 1;
        let error = found.estimate_luck::<Match3>(5, &|| true).unwrap_err().to_string();
        assert!(error.contains("the game of seed 7"), "{error}");
        found.forget_moves();
        let error = found.estimate_luck::<Match3>(5, &|| true).unwrap_err().to_string();
        assert!(error.starts_with("greedy has no moves, which luck is estimated from"), "{error}");
    }

    #[test]
    fn luck_is_taken_off_the_scores_and_must_be_a_number_for_each() {
        let mut found = report(&games());
        found.scores = vec![10, 20, 33];
        found.give_luck(8, vec![1.0, -2.0, 0.5]).unwrap();
        assert_eq!(found.luck_adjusted_scores(), Some(vec![9.0, 22.0, 32.5]));
        let LuckAdjusted { mean, half_width, standard_deviation } = found.luck_adjusted.unwrap();
        // Deviations from 63.5 / 3: -12.1667, 0.8333 and 11.3333; t(0.975, 2) = 4.30265.
        assert!((mean - 63.5 / 3.0).abs() < 1e-12);
        let deviation = (277.166_666_7f64 / 2.0).sqrt();
        assert!((standard_deviation.unwrap() - deviation).abs() < 1e-6, "{standard_deviation:?}");
        assert!((half_width.unwrap() - 4.302_652_7 * deviation / 3f64.sqrt()).abs() < 1e-3, "{half_width:?}");
        for wrong in [vec![1.0, 2.0], vec![1.0, 2.0, f64::NAN], vec![1.0, 2.0, -1e12]] {
            let error = report(&games()).give_luck(8, wrong).unwrap_err();
            assert_eq!(error, "greedy must have a luck, in points, for each of its games");
        }
    }

    #[test]
    fn a_games_own_figures_are_those_of_its_moves_from_its_seed_on() {
        let rules = bejeweled::Rules::new(30, [10, 0], [1000, 0]).unwrap();
        let mut player = parse::<Bejeweled>("first", &rules).unwrap();
        let games = play_series(&mut *player, &rules, SEED, 4, |_| ()).unwrap();
        let mut found = Report::of::<Bejeweled>("first".into(), SEED, &rules, &games, 1.0).unwrap();
        found.find_own_figures::<Bejeweled>();
        let sum = |of: fn(&PlayedGame) -> f64| games.iter().map(of).sum::<f64>();
        let (score, moves) = (sum(|game| game.score.into()), sum(|game| game.actions.len() as f64));
        let own = |name: &str| found.own[name].as_f64().unwrap();
        assert!((own("points_per_move") - score / moves).abs() < 1e-9);
        assert!((own("moves_per_game") - moves / 4.0).abs() < 1e-9);
        assert!(own("points_per_move_half_width") > 0.0);
        assert_eq!(
            found.own["swaps"].as_object().unwrap().values().filter_map(Value::as_u64).sum::<u64>() as f64,
            moves
        );
        assert_eq!(found.ratios.iter().map(|(about, _)| *about).next(), Some("moves a game"));
        // A report without moves keeps them, and loses what is no figure of the game.
        found.forget_moves();
        let text = serde_json::to_string(&found).unwrap().replacen('{', "{\"other\": 1,", 1);
        let mut read: Report = serde_json::from_str(&text).unwrap();
        read.find_own_figures::<Bejeweled>();
        assert_eq!(
            (&read.own["swaps"], read.own.keys().collect::<Vec<_>>()),
            (&found.own["swaps"], found.own.keys().collect())
        );
        for ((name, read), (other, found)) in read.ratios.iter().zip(&found.ratios) {
            assert!(name == other && (read.unwrap().mean - found.unwrap().mean).abs() < 1e-9, "{name}: {read:?}");
        }
    }
}
