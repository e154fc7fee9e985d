//! Several players in the same games, as `compare` writes them in JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::Difference;
use super::report::{Given, Report};
use crate::registry::Playable;

/// Players and their differences, as `compare` writes them in JSON.
#[derive(Serialize)]
pub struct Comparison<'a> {
    players: &'a [Report],
    pairs: Vec<Pair<'a>>,
}

impl<'a> Comparison<'a> {
    /// Players and the differences of each two.
    pub fn of(players: &'a [Report]) -> Self {
        Self { players, pairs: pairs(players) }
    }
}

/// Difference of scores, `player` minus `than`, in common games.
#[derive(Serialize)]
struct Pair<'a> {
    player: &'a str,
    than: &'a str,
    games: u64,
    #[serde(flatten)]
    difference: Difference,
    /// Difference of luck-adjusted scores, if both players have them.
    #[serde(skip_serializing_if = "Option::is_none")]
    luck_adjusted: Option<Difference>,
}

/// The players of a file of `--from`, whose values of JSON may follow each other line by line; pairs
/// are computed anew.
pub struct Saved(pub Vec<Series>);

/// A player's games, to be compared.
pub enum Series {
    /// The report that `compare` and `eval` write.
    Report(Box<Report>),
    /// The seeds and moves that another program writes.
    Given(Given),
}

impl Saved {
    /// The players of reports, or single ones; the games of a player may stand on several lines.
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        let mut all: Vec<Series> = Vec::new();
        // As text, because values lose the last digits of seeds above 2^64.
        for value in serde_json::Deserializer::from_str(text).into_iter::<Box<RawValue>>() {
            let value = value?;
            let whole: BTreeMap<String, Box<RawValue>> = serde_json::from_str(value.get())?;
            let players = match whole.get("players") {
                Some(players) => serde_json::from_str::<Vec<Box<RawValue>>>(players.get())?,
                None => vec![value],
            };
            for player in players {
                let keys: BTreeMap<String, IgnoredAny> = serde_json::from_str(player.get())?;
                if keys.contains_key("scores") {
                    all.push(Series::Report(serde_json::from_str(player.get())?));
                    continue;
                }
                let given = serde_json::from_str(player.get())?;
                let other = match all.last_mut() {
                    Some(Series::Given(last)) => last.join(given),
                    _ => Some(given),
                };
                all.extend(other.map(Series::Given));
            }
        }
        Ok(Self(all))
    }
}

impl Series {
    pub fn game(&self) -> &str {
        match self {
            Self::Report(report) => &report.game,
            Self::Given(given) => &given.game,
        }
    }

    /// The report, of games that are replayed if another program played them.
    pub fn report<G: Playable>(self) -> std::result::Result<Report, String> {
        match self {
            Self::Report(report) => Ok(*report),
            Self::Given(given) => given.report::<G>(),
        }
    }
}

fn pairs(all: &[Report]) -> Vec<Pair<'_>> {
    let mut pairs = Vec::new();
    for (index, than) in all.iter().enumerate() {
        for player in &all[index + 1..] {
            if let Some(difference) = player.difference(than, false) {
                let games = player.games.min(than.games);
                let luck_adjusted = player.difference(than, true);
                pairs.push(Pair { player: &player.player, than: &than.player, games, difference, luck_adjusted });
            }
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::eval::play_series;
    use crate::parse;
    use matchq_games::Match3;

    fn report(player: &str, games: u64) -> Report {
        let rules = Default::default();
        let mut playing = parse::<Match3>("greedy", &rules).unwrap();
        let games = play_series(&mut *playing, &rules, 1 << 70, games, |_| ()).unwrap();
        Report::of::<Match3>(player.into(), 1 << 70, &rules, &games, 1.0).unwrap()
    }

    #[test]
    fn each_two_players_are_compared_in_the_games_that_both_played() {
        let mut all = [report("one", 3), report("two", 3), report("three", 2)];
        all[0].scores = vec![10, 20, 30];
        all[1].scores = vec![11, 23, 33];
        all[2].scores = vec![14, 24];
        all[0].give_luck(2, vec![0.0, 0.0, 3.0]).unwrap();
        all[1].give_luck(2, vec![1.0, 3.0, 0.0]).unwrap();
        let written = serde_json::to_string(&Comparison::of(&all)).unwrap();
        let written: Value = serde_json::from_str(&written).unwrap();
        let pairs: Vec<&Value> = written["pairs"].as_array().unwrap().iter().collect();
        let of =
            |pair: &Value| (pair["player"].clone(), pair["than"].clone(), pair["games"].clone(), pair["mean"].clone());
        assert_eq!(of(pairs[0]), (json!("two"), json!("one"), json!(3), json!(7.0 / 3.0)));
        assert_eq!(of(pairs[1]), (json!("three"), json!("one"), json!(2), json!(4.0)));
        assert_eq!(of(pairs[2]), (json!("three"), json!("two"), json!(2), json!(2.0)));
        assert_eq!(pairs.len(), 3);
        // Less their luck: 10, 20, 33 and 10, 20, 27.
        assert_eq!(pairs[0]["luck_adjusted"]["mean"], json!(2.0));
        assert_eq!(pairs[1].get("luck_adjusted"), None);
        assert_eq!(written["players"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn saved_players_are_those_of_a_comparison_or_a_single_one_with_or_without_scores() {
        let names = |saved: Saved| -> Vec<(bool, String)> {
            saved
                .0
                .into_iter()
                .map(|series| {
                    assert_eq!(series.game(), "match3");
                    let given = matches!(series, Series::Given(_));
                    (given, series.report::<Match3>().unwrap().player)
                })
                .collect()
        };
        let all = [report("one", 2), report("two", 2)];
        let several = serde_json::to_string(&Comparison::of(&all)).unwrap();
        assert_eq!(names(Saved::parse(&several).unwrap()), [(false, "one".into()), (false, "two".into())]);
        let one = serde_json::to_string(&all[0]).unwrap();
        assert_eq!(names(Saved::parse(&one).unwrap()), [(false, "one".into())]);
        let Series::Report(read) = Saved::parse(&one).unwrap().0.remove(0) else { panic!("it has scores") };
        assert_eq!(read.seed, 1 << 70);
        let mut whole: Value = serde_json::from_str(&one).unwrap();
        whole.as_object_mut().unwrap().retain(|key, _| ["player", "game", "moves"].contains(&key.as_str()));
        let bare = whole.to_string().replacen('{', &format!("{{\"seed\": {},", 1u128 << 70), 1);
        let saved = Saved::parse(&bare).unwrap();
        let Series::Given(given) = saved.0.into_iter().next().unwrap() else { panic!("it has no scores") };
        assert_eq!(given.report::<Match3>().unwrap().scores, all[0].scores);
        // Line by line, a game each; other players and other seeds stay apart.
        let lines = all[0].games() + &all[1].games() + &all[0].games();
        let read: Vec<Report> =
            Saved::parse(&lines).unwrap().0.into_iter().map(|series| series.report::<Match3>().unwrap()).collect();
        let found: Vec<(&str, u128, &[i32])> =
            read.iter().map(|report| (&*report.player, report.seed, &*report.scores)).collect();
        let same = |report: &'static str| (report, 1 << 70, &*all[0].scores);
        assert_eq!((lines.lines().count(), found), (6, vec![same("one"), same("two"), same("one")]));
        assert!(Saved::parse("[]").is_err() && Saved::parse("{\"players\": [3]}").is_err());
    }
}
