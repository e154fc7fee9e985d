//! How far games go that are too long to be played to their end.

use rayon::prelude::*;
use serde::Serialize;

use crate::agents::Agent;
use crate::error::Result;
use crate::games::Features;
use crate::random::{Role, Stream};

use super::deal;

/// What was played on one seat, in a fixed number of moves.
///
/// Games are played one after the other.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct Seat {
    /// Points of all its games.
    pub score: f64,
    /// Games that ended.
    pub ended: u64,
    /// Moves.
    pub moves: u64,
}

/// Points of a game by the seats of a player: all points over all ended games.
///
/// It is the mean of whole games where each game is a renewal, up to an error that shrinks with the moves of a seat.
/// `None` for the mean where no game ended. The interval is that of a ratio of the seats' means, or of a Poisson number
/// of ends if that is wider: lengths of games are near exponential.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Endurance {
    /// Points.
    pub score: f64,
    /// Games that ended.
    pub ended: u64,
    /// Moves.
    pub moves: u64,
    /// Points a game that ended.
    pub mean: Option<f64>,
    /// Half the width of the mean's 95 % confidence interval.
    ///
    /// None with fewer than two ends.
    pub half_width: Option<f64>,
}

impl Endurance {
    /// The figures of some seats.
    pub fn of(seats: &[Seat]) -> Self {
        let (mut score, mut ended, mut moves) = (0.0, 0, 0);
        for seat in seats {
            score += seat.score;
            ended += seat.ended;
            moves += seat.moves;
        }
        let mean = (ended > 0).then(|| score / ended as f64);
        let half_width = mean.filter(|_| ended > 1).map(|mean| {
            let count = seats.len() as f64;
            let left = |seat: &Seat| seat.score - mean * seat.ended as f64;
            let variance = seats.iter().map(|seat| left(seat).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
            let of_ratio = (variance * count).sqrt() / ended as f64;
            let of_ends = mean / (ended as f64).sqrt();
            1.96 * of_ratio.max(of_ends)
        });
        Self { score, ended, moves, mean, half_width }
    }
}

/// Has a player play on so many seats, each for so many moves.
///
/// A game that ends is followed by a new one. Seat i is dealt from seed `first + i`. A linear controller plays without
/// more ado than its features, all others move by move.
///
/// # Errors
/// When the player fails.
pub fn endure<G: Features>(
    agent: &mut dyn Agent<G>,
    rules: &G::Rules,
    first: u64,
    seats: u64,
    moves: u64,
) -> Result<Vec<Seat>> {
    if let Some(terms) = agent.controller().map(<[_]>::to_vec) {
        let play = |seat: u64| {
            let mut stream = Stream::new(first + seat, Role::Game, 0);
            let mut played = Seat::default();
            while played.moves < moves {
                let run = G::play_weighed(rules, &terms, &mut stream, moves - played.moves);
                played.score += run.score;
                played.ended += u64::from(run.is_over);
                played.moves += run.moves;
            }
            played
        };
        return Ok((0..seats).into_par_iter().map(play).collect());
    }
    let mut played = vec![Seat::default(); seats as usize];
    let mut games: Vec<_> = (0..seats).map(|seat| deal::<G>(rules, (first + seat).into())).collect();
    for _ in 0..moves {
        let states: Vec<G::State> = games.iter().map(|(game, ..)| game.state()).collect();
        let mut ties: Vec<Stream> = games.iter().map(|(_, _, ties)| ties.clone()).collect();
        let actions = agent.act(&states, &mut ties)?;
        for (((game, random, own), ties), (seat, action)) in
            games.iter_mut().zip(ties).zip(played.iter_mut().zip(actions))
        {
            *own = ties;
            let step = game.step(action, random);
            seat.moves += 1;
            seat.score += f64::from(step.reward);
            if step.terminal {
                seat.ended += 1;
                *game = G::new(rules, random);
            }
        }
    }
    Ok(played)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents;
    use crate::games::Tetris;
    use crate::games::tetris::Rules;

    #[test]
    fn the_mean_is_all_points_over_all_ends() {
        let seat = |score, ended| Seat { score, ended, moves: 10 };
        let found = Endurance::of(&[seat(6.0, 1), seat(2.0, 3)]);
        assert_eq!((found.score, found.ended, found.moves, found.mean), (8.0, 4, 20, Some(2.0)));
        // What is left of the seats is 4 and -4: variance 32, of the sum 64, over 4 ends 2, more than 2 / sqrt(4) = 1.
        assert_eq!(found.half_width, Some(1.96 * 2.0));
        assert_eq!(Endurance::of(&[seat(6.0, 0)]).mean, None);
    }

    #[test]
    fn a_controller_gives_the_same_figures_move_by_move_and_those_of_whole_games() {
        let rules = Rules::new(5).unwrap();
        let mut fast = agents::parse::<Tetris>("linear:weights=dt-10", &rules).unwrap();
        assert!(fast.controller().is_some());
        let found = Endurance::of(&endure(fast.as_mut(), &rules, 0, 40, 2_000).unwrap());
        let mut slow = agents::parse::<Tetris>("linear:weights=dt-10:depth=2", &rules).unwrap();
        assert!(slow.controller().is_none());
        let further = Endurance::of(&endure(slow.as_mut(), &rules, 0, 40, 200).unwrap());
        let whole = crate::eval::play_series(fast.as_mut(), &rules, 0, 2_000, |_| ()).unwrap();
        let mean = whole.iter().map(|game| f64::from(game.score)).sum::<f64>() / 2_000.0;
        let (endured, half) = (found.mean.unwrap(), found.half_width.unwrap());
        // Four standard errors of both.
        assert!((endured - mean).abs() < 2.0 * (half + 1.96 * mean / 2_000_f64.sqrt()), "{endured} {half} {mean}");
        assert!(further.mean.unwrap() > endured, "a piece more is seen");
        assert_eq!((found.moves, further.moves), (80_000, 8_000));
    }
}
