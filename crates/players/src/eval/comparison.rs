//! Several players in the same games, as `compare` writes them in JSON.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use super::Difference;
use super::report::{Given, Report};
use crate::roster::Playable;

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

/// The players of a file of `--from`; pairs are computed anew.
pub struct Saved(pub Vec<Series>);

/// A player's games, to be compared.
pub enum Series {
    /// As `compare` and `eval` write one.
    Report(Box<Report>),
    /// As another program writes one.
    Given(Given),
}

impl Saved {
    /// The players of a report, or a single one.
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        // As text, because values lose the last digits of seeds above 2^64.
        let whole: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text)?;
        let players = match whole.get("players") {
            Some(players) => serde_json::from_str::<Vec<Box<RawValue>>>(players.get())?,
            None => vec![serde_json::from_str(text)?],
        };
        let parse = |player: Box<RawValue>| {
            let keys: BTreeMap<String, IgnoredAny> = serde_json::from_str(player.get())?;
            match keys.contains_key("scores") {
                true => serde_json::from_str(player.get()).map(|report| Series::Report(Box::new(report))),
                false => serde_json::from_str(player.get()).map(Series::Given),
            }
        };
        players.into_iter().map(parse).collect::<serde_json::Result<_>>().map(Self)
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
            if let Some(difference) = Difference::between(&player.scores, &than.scores) {
                let games = player.games.min(than.games);
                let scores = player.luck_adjusted_scores().zip(than.luck_adjusted_scores());
                let luck_adjusted = scores.and_then(|(player, than)| Difference::between(&player, &than));
                pairs.push(Pair { player: &player.player, than: &than.player, games, difference, luck_adjusted });
            }
        }
    }
    pairs
}
