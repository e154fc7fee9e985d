//! Scores of games that are too long to be played to their end.

use serde::{Deserialize, Serialize};

use crate::contract::{Importance, Player};
use matchq_core::error::Result;
use matchq_games::{Game, Step};

use super::Ratio;
use super::games::{Playing, Watch, play_on};
use super::splitting::{Levels, Tallies, Walk};

/// Ratio of a sequence's moves to its pilot run's.
const PILOT: u64 = 10;

/// Fewest sequences for the spread of means of split games.
const SEQUENCES: usize = 8;

/// Fewest ends for an interval, which is too often wrong with fewer.
const ENDS: u64 = 7;

/// Sums over one sequence's games in turn.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Sequence {
    /// Weighted points.
    pub score: f64,
    /// Weighted ends.
    pub ends: f64,
    /// Ends, each counted once.
    pub ended: u64,
    /// Moves, each counted once.
    pub moves: u64,
}

/// Points of a game: all points of all sequences over all ended games.
///
/// The ratio is a tenth too high with some thousands of moves a sequence where games are split. The
/// interval is that of the ratio of the sequences' means, or of a Poisson number of ends if wider and
/// games are whole.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Endurance {
    /// Sum of all sequences.
    pub all: Sequence,
    /// `None` if no game ended.
    pub mean: Option<f64>,
    /// Half the width of the 95 % interval; `None` with fewer than seven ends, or eight sequences of
    /// split games.
    pub half_width: Option<f64>,
}

impl Endurance {
    /// Figures of several sequences of games.
    pub fn of(sequences: &[Sequence]) -> Self {
        let all = sequences.iter().fold(Sequence::default(), |all, sequence| Sequence {
            score: all.score + sequence.score,
            ends: all.ends + sequence.ends,
            ended: all.ended.saturating_add(sequence.ended),
            moves: all.moves.saturating_add(sequence.moves),
        });
        let mean = (all.ended > 0).then(|| all.score / all.ends);
        // Branches share most luck: only other sequences show the variance of means.
        let whole = all.ends == all.ended as f64;
        let half_width = mean.filter(|_| all.ended >= ENDS && (whole || sequences.len() >= SEQUENCES)).map(|mean| {
            let sums: Vec<(f64, f64)> = sequences.iter().map(|sequence| (sequence.score, sequence.ends)).collect();
            let of_ratio = Ratio::of(&sums).and_then(|ratio| ratio.half_width).unwrap_or(0.0);
            let of_ends = if whole { 1.96 * mean / (all.ended as f64).sqrt() } else { 0.0 };
            of_ratio.max(of_ends)
        });
        Self { all, mean, half_width }
    }
}

/// How much is played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Seed of the first sequence; sequence i has seed `first + i`.
    pub first: u64,
    /// Number of sequences.
    pub sequences: u64,
    /// Moves of each sequence, and more until the last game's branches have ended.
    pub moves: u64,
}

/// Levels for [splitting](super::splitting), by pilot runs of a tenth of the moves with other luck.
pub fn levels<G: Game>(
    player: &mut dyn Player<G>,
    rules: &G::Rules,
    extent: Extent,
    importance: Importance<G>,
) -> Result<Levels<G>> {
    let extent = Extent { moves: extent.moves.div_ceil(PILOT), ..extent };
    Levels::find(importance, |levels| Ok(walk(player, rules, extent, true, levels)?.into_iter().collect()))
}

/// Plays on all sequences; a new game follows each that ends.
pub fn endure<G: Game>(
    player: &mut dyn Player<G>,
    rules: &G::Rules,
    extent: Extent,
    levels: &Levels<G>,
) -> Result<Vec<Sequence>> {
    let sequence = |tallies: &Tallies| {
        let ((score, ends), all) = (tallies.weighed(levels), tallies.total());
        Sequence { score, ends, ended: all.ended, moves: all.moves }
    };
    Ok(walk(player, rules, extent, false, levels)?.iter().map(sequence).collect())
}

/// The sequences of a pilot run have other luck.
fn walk<G: Game>(
    player: &mut dyn Player<G>,
    rules: &G::Rules,
    Extent { first, sequences, moves }: Extent,
    pilot: bool,
    levels: &Levels<G>,
) -> Result<Vec<Tallies>> {
    let deal = |sequence: u64| {
        let seed = u128::from(first + sequence) | u128::from(pilot) << 64;
        Playing::deal(rules, seed, Walking { walk: Walk::new(rules, levels), moves })
    };
    let mut all: Vec<_> = (0..sequences).map(deal).collect();
    play_on(player, &mut all, |_| true)?;
    Ok(all.into_iter().map(|sequence| sequence.watch.walk.tallies).collect())
}

struct Walking<'a, G: Game> {
    walk: Walk<'a, G>,
    moves: u64,
}

impl<G: Game> Watch<G> for Walking<'_, G> {
    fn goes_on(&self, _: &G) -> bool {
        self.walk.goes_on(self.moves)
    }

    fn moved(&mut self, game: &mut G, random: &mut G::Rng, _: usize, step: Step) {
        self.walk.moved(game, random, step);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::Measured as _;
    use crate::eval::games::tests::Asked;
    use matchq_games::Tetris;
    use matchq_games::tetris::Rules;

    #[test]
    fn the_mean_is_all_points_over_all_ends() {
        let sequence = |score, ended| Sequence { score, ends: ended as f64, ended, moves: 10 };
        let found = Endurance::of(&[sequence(6.0, 1), sequence(2.0, 3)]);
        assert_eq!((found.all, found.mean), (Sequence { score: 8.0, ends: 4.0, ended: 4, moves: 20 }, Some(2.0)));
        assert_eq!(found.half_width, None, "too few ends");
        let found = Endurance::of(&[sequence(12.0, 2), sequence(4.0, 6)]);
        // Deviations 8 and -8: sqrt(2 * 128) / 8 = 2, more than 2 / sqrt(8) by the ends; t(0.975,
        // 1) = 12.7062.
        assert_eq!((found.mean, found.half_width), (Some(2.0), Some(12.7062 * 2.0)));
        assert_eq!(Endurance::of(&[sequence(32.0, 16)]).half_width, Some(0.98));
        assert_eq!(Endurance::of(&[sequence(8.0, 6)]).half_width, None);
        assert_eq!(Endurance::of(&[sequence(6.0, 0)]).mean, None);
    }

    #[test]
    fn a_linear_agent_that_is_asked_move_by_move_plays_the_same_sequences() {
        let rules = Rules::new(6).unwrap();
        let extent = Extent { first: 3, sequences: 12, moves: 1_500 };
        let mut fast = crate::parse::<Tetris>("linear:weights=dt-10", &rules).unwrap();
        let mut asked = Asked(crate::parse::<Tetris>("linear:weights=dt-10", &rules).unwrap());
        let split = levels(fast.as_mut(), &rules, extent, Tetris::IMPORTANCE.unwrap()).unwrap();
        assert!(split.smallest_weight() < 1.0 && fast.policy().is_some() && asked.policy().is_none());
        for levels in [Levels::none(), split] {
            let sequences = endure(fast.as_mut(), &rules, extent, &levels).unwrap();
            assert_eq!(endure(&mut asked, &rules, extent, &levels).unwrap(), sequences);
        }
    }

    #[test]
    fn points_over_ends_are_those_of_whole_games_and_more_with_a_piece_further() {
        let rules = Rules::new(5).unwrap();
        let extent = |moves| Extent { first: 0, sequences: 40, moves };
        let mut fast = crate::parse::<Tetris>("linear:weights=dt-10", &rules).unwrap();
        let found = Endurance::of(&endure(fast.as_mut(), &rules, extent(2_000), &Levels::none()).unwrap());
        let mut slow = crate::parse::<Tetris>("linear:weights=dt-10:depth=2", &rules).unwrap();
        let further = Endurance::of(&endure(slow.as_mut(), &rules, extent(200), &Levels::none()).unwrap());
        let whole = crate::eval::play_series(fast.as_mut(), &rules, 0, 2_000, |_| ()).unwrap();
        let mean = whole.iter().map(|game| f64::from(game.score)).sum::<f64>() / 2_000.0;
        let (endured, half) = (found.mean.unwrap(), found.half_width.unwrap());
        // Four standard errors of both.
        assert!((endured - mean).abs() < 2.0 * (half + 1.96 * mean / 2_000_f64.sqrt()), "{endured} {half} {mean}");
        assert!(further.mean.unwrap() > endured, "a piece more is seen");
        assert_eq!((found.all.moves, further.all.moves), (80_000, 8_000));
    }

    fn split(player: &str, rules: &Rules, extent: Extent, importance: Importance<Tetris>) -> Endurance {
        let mut player = crate::parse::<Tetris>(player, rules).unwrap();
        let levels = levels(player.as_mut(), rules, extent, importance).unwrap();
        assert!(levels.smallest_weight() < 1.0, "no game is split");
        Endurance::of(&endure(player.as_mut(), rules, extent, &levels).unwrap())
    }

    #[test]
    fn games_that_are_split_give_the_same_points_a_game_and_more_ends() {
        let rules = Rules::new(8).unwrap();
        let whole = |player, rules, moves| {
            let mut player = crate::parse::<Tetris>(player, rules).unwrap();
            let extent = Extent { first: 0, sequences: 60, moves };
            Endurance::of(&endure(player.as_mut(), rules, extent, &Levels::none()).unwrap())
        };
        let apart = |found: &Endurance, whole: &Endurance| {
            let apart = (found.mean.unwrap() - whole.mean.unwrap()).abs();
            // Four standard errors of both.
            assert!(apart < 2.0 * (found.half_width.unwrap() + whole.half_width.unwrap()), "{found:?} {whole:?}");
        };
        let extent = |moves| Extent { first: 0, sequences: 60, moves };
        let known = whole("linear:weights=dt-10", &rules, 60_000);
        let found = split("linear:weights=dt-10", &rules, extent(6_000), Tetris::IMPORTANCE.unwrap());
        apart(&found, &known);
        let a_move = |of: &Endurance| of.all.ended as f64 / of.all.moves as f64;
        assert!(a_move(&found) > 5.0 * a_move(&known), "{found:?} {known:?}");

        // Neither another measure of importance nor play move by move changes the mean.
        let filled = |game: &Tetris| game.state().rows().iter().filter(|row| **row != 0).count();
        apart(&split("linear:weights=dt-10", &rules, extent(6_000), filled), &known);
        let rules = Rules::new(6).unwrap();
        apart(&split("greedy", &rules, extent(1_000), filled), &whole("greedy", &rules, 2_000));
    }

    #[test]
    fn few_sequences_of_split_games_have_no_interval() {
        let sequence = Sequence { score: 6.0, ends: 0.5, ended: 10, moves: 100 };
        assert_eq!(Endurance::of(&[sequence; 7]).half_width, None);
        assert_eq!(Endurance::of(&[sequence; 8]).half_width, Some(0.0));
        assert_eq!(Endurance::of(&[sequence; 8]).mean, Some(12.0));
    }

    #[test]
    fn twenty_rows_agree_with_what_is_published() {
        let extent = Extent { first: 0, sequences: 64, moves: 20_000 };
        let found = split("linear:weights=report", &Rules::default(), extent, Tetris::IMPORTANCE.unwrap());
        // The report's 19.8 million are of 25 games, ± 7.8 million; far more games make 18.6 here.
        let apart = (found.mean.unwrap() - 18.6e6).abs();
        assert!(apart < 2.0 * found.half_width.unwrap() && found.half_width.unwrap() < 5e6, "{found:?}");
    }
}
