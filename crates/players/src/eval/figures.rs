use serde::{Deserialize, Serialize};

use super::games::PlayedGame;
use super::statistics::Summary;

/// Figures of a player's games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Statistics of the scores.
    #[serde(flatten)]
    pub scores: Summary,
    /// Share of the moves that neither cleared nor gained something.
    pub moves_without_match: f64,
    /// Mean waves of a move that cleared something, 1 in games without chains; `None` without one.
    pub waves_per_match: Option<f64>,
    /// Time by the clock, with games side by side as played.
    pub milliseconds_per_move: f64,
}

impl Figures {
    /// Figures of games that took these seconds; `None` without games.
    pub fn of(games: &[PlayedGame], seconds: f64) -> Option<Self> {
        let scores: Vec<i32> = games.iter().map(|game| game.score).collect();
        let sum = |count: fn(&PlayedGame) -> u64| games.iter().map(count).sum::<u64>() as f64;
        let moves = sum(|game| game.moves);
        let matches = sum(|game| game.matches.into());
        let waves = sum(|game| game.waves.into());
        Some(Self {
            scores: Summary::of(&scores)?,
            moves_without_match: 1.0 - matches / moves,
            waves_per_match: (matches > 0.0).then(|| waves / matches),
            milliseconds_per_move: seconds * 1e3 / moves,
        })
    }
}

/// Difference of two players' scores in the same games.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Mean difference of a game, in points.
    pub mean: f64,
    /// Half the width of the 95 % interval; `None` for a single game.
    pub half_width: Option<f64>,
    /// Whether the interval excludes 0.
    pub significant: bool,
}

impl Difference {
    /// Difference of scores in the same place, as far as both have games; `None` without games.
    /// Pairs of one seed cancel the luck of the deal.
    pub fn between<T: Copy + Into<f64>>(one: &[T], other: &[T]) -> Option<Self> {
        let difference = |(one, other): (&T, &T)| (*one).into() - (*other).into();
        let differences: Vec<f64> = one.iter().zip(other).map(difference).collect();
        let Summary { mean, half_width, .. } = Summary::of(&differences)?;
        Some(Self { mean, half_width, significant: half_width.is_some_and(|half| mean.abs() > half) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(score: i32, moves: usize, matches: u32, waves: u32) -> PlayedGame {
        PlayedGame { seed: 0, score, is_over: true, moves: moves as u64, actions: vec![], matches, waves }
    }

    #[test]
    fn figures_count_over_all_moves_of_all_games() {
        let games = [game(10, 25, 20, 30), game(30, 15, 12, 18)];
        let figures = Figures::of(&games, 0.8).unwrap();
        assert_eq!((figures.scores.mean, figures.scores.n), (20.0, 2));
        assert!((figures.moves_without_match - 8.0 / 40.0).abs() < 1e-12);
        assert_eq!(figures.waves_per_match, Some(1.5));
        assert!((figures.milliseconds_per_move - 20.0).abs() < 1e-12);
        assert_eq!(Figures::of(&[], 1.0), None);
        assert_eq!(Figures::of(&[game(-125, 25, 0, 0)], 1.0).unwrap().waves_per_match, None);
    }

    #[test]
    fn a_paired_difference_is_that_of_the_games_not_of_the_means() {
        let (one, other) = ([102, 204, 303, 403], [100, 200, 300, 400]);
        let difference = Difference::between(&one, &other).unwrap();
        // Differences 2, 4, 3, 3: mean 3, standard deviation sqrt(2/3), t(0.975, 3) = 3.1824.
        assert_eq!(difference.mean, 3.0);
        let half = 3.182_446_3 * (2.0f64 / 3.0).sqrt() / 2.0;
        assert!((difference.half_width.unwrap() - half).abs() < 1e-4, "{difference:?}");
        assert!(difference.significant);
        assert!(!Difference::between(&[1, -1, 2, -1], &[0; 4]).unwrap().significant);
        // Without any difference the interval is 0 wide and holds 0.
        assert!(!Difference::between(&one, &one).unwrap().significant);
        assert!(Difference::between(&[4, 5], &[3, 4]).unwrap().significant);
        assert!(!Difference::between(&one[..1], &other[..1]).unwrap().significant);
        assert_eq!(Difference::between(&one, &other[..2]), Difference::between(&one[..2], &other[..2]));
    }
}
