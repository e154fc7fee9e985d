//! Luck of a score: what chance gave beyond the average.
//!
//! V is a forecast of the points to come, [`Measured::FORECAST`], but 0 in games that may end
//! early, whose forecasts are those of a good player. The luck of a move that gained r and led to
//! position s is
//!
//! ```text
//! r + V(s) - E[r + V(s)]
//! ```
//!
//! with the expectation over all that chance may decide after the move. Players move before chance
//! decides, so the expected luck is 0 for any player and any V. A score less its luck has the same
//! expectation, and less variance the better V forecasts.
//!
//! The method is the control variate of White and Bowling 2009, "Learning a value analysis tool for
//! agent evaluation", and of Burch, Schmid, Moravcik, Morrill and Bowling 2018, "AIVAT: a new
//! variance reduction technique for agent evaluation in imperfect information games". Simulations
//! estimate the expectation without bias. The luck of the first position, which all players of a
//! seed share, stays in the score.

use super::PlayedGame;
use crate::contract::Measured;
use matchq_core::random::{Draw, Role, Stream};
use matchq_core::stop;
use matchq_games::Episode;

/// Score and luck of a replayed game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Replayed {
    /// Score of the game.
    pub score: i32,
    /// Points that the score owes to luck.
    pub luck: f64,
}

/// Replays the game of a seed and estimates each action's luck by simulations, at least one, with a
/// stream of the seed alone; `None` if the actions do not end exactly with the game.
pub fn replay<G: Measured>(rules: &G::Rules, seed: u128, actions: &[usize], simulations: u32) -> Option<Replayed> {
    let (replayed, is_over) = play_again::<G>(rules, seed, actions, simulations)?;
    is_over.then_some(replayed)
}

/// Replays a game that may have been cut; returns also whether it ended.
fn play_again<G: Measured>(
    rules: &G::Rules,
    seed: u128,
    actions: &[usize],
    simulations: u32,
) -> Option<(Replayed, bool)> {
    assert!(simulations > 0, "at least one simulation");
    let Episode { mut game, stream: mut random } = Episode::<G>::deal(rules, seed);
    let mut stream = Stream::new(seed as u64, Role::Luck, (seed >> 64) as u64);
    let mut luck = 0.0;
    for action in actions {
        stop::look();
        if game.is_over() {
            return None;
        }
        let before = game.state();
        let expected: f64 = (0..simulations).map(|_| outcome(&mut G::at(rules, &before), *action, &mut stream)).sum();
        luck += outcome(&mut game, *action, &mut random) - expected / f64::from(simulations);
    }
    Some((Replayed { score: game.score(), luck }, game.is_over()))
}

/// Score of a played game less its luck; `None` if the actions do not lead there.
pub fn luck_adjusted<G: Measured>(rules: &G::Rules, game: &PlayedGame, simulations: u32) -> Option<f64> {
    let actions: Vec<usize> = game.actions.iter().map(|action| usize::from(*action)).collect();
    let (replayed, is_over) = play_again::<G>(rules, game.seed, &actions, simulations)?;
    (replayed.score == game.score && is_over == game.is_over).then(|| f64::from(replayed.score) - replayed.luck)
}

fn outcome<G: Measured>(game: &mut G, action: usize, draw: &mut impl Draw) -> f64 {
    let reward = f64::from(game.step(action, draw).reward);
    let forecast = G::FORECAST.filter(|_| !G::MAY_END_EARLY && !game.is_over());
    reward + forecast.map_or(0.0, |forecast| (forecast.points)(&game.state()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_rules::{Cascade, Greedy};
    use crate::contract::PolicyPlayer;
    use crate::eval::statistics::Summary;
    use crate::eval::{deal, play_bounded, play_series};
    use matchq_games::match3::Rules;
    use matchq_games::match3::{MATCHING, State};
    use matchq_games::{Bejeweled, Game, Match3, bejeweled};

    fn rules() -> Rules {
        Rules::new(2).unwrap()
    }

    fn forecast(state: &State) -> f64 {
        Match3::FORECAST.map(|forecast| (forecast.points)(state)).unwrap()
    }

    fn games(count: u64) -> Vec<PlayedGame> {
        play_series::<Match3>(&mut PolicyPlayer::new("cascade", Cascade), &rules(), 1_000_000, count, |_| ()).unwrap()
    }

    fn replayed(game: &PlayedGame, simulations: u32) -> Replayed {
        let actions: Vec<usize> = game.actions.iter().map(|action| usize::from(*action)).collect();
        replay::<Match3>(&rules(), game.seed, &actions, simulations).unwrap()
    }

    #[test]
    fn on_average_luck_is_nothing_and_scores_without_it_vary_less() {
        let games = games(400);
        let replayed: Vec<Replayed> = games.iter().map(|game| replayed(game, 16)).collect();
        assert!(replayed.iter().zip(&games).all(|(again, game)| again.score == game.score));
        let adjusted = luck_adjusted::<Match3>(&rules(), &games[0], 16);
        assert_eq!(adjusted, Some(f64::from(games[0].score) - replayed[0].luck));
        let luck: Vec<f64> = replayed.iter().map(|game| game.luck).collect();
        let luck = Summary::of(&luck).unwrap();
        // Five standard errors.
        assert!(luck.mean.abs() < 2.5 * luck.half_width.unwrap(), "{luck}");
        let deviation = |scores: Vec<f64>| Summary::of(&scores).unwrap().standard_deviation.unwrap();
        let with = deviation(replayed.iter().map(|game| f64::from(game.score)).collect());
        let without = deviation(replayed.iter().map(|game| f64::from(game.score) - game.luck).collect());
        assert!(without < 0.7 * with, "{without} and {with}");
    }

    #[test]
    fn where_games_may_end_early_scores_without_luck_vary_no_more() {
        let rules = bejeweled::Rules::default();
        let mut player = PolicyPlayer::new("greedy", Greedy);
        let games = play_series::<Bejeweled>(&mut player, &rules, 1_000_000, 150, |_| ()).unwrap();
        let less: Vec<f64> = games.iter().map(|game| luck_adjusted::<Bejeweled>(&rules, game, 16).unwrap()).collect();
        let deviation = |scores: &[f64]| Summary::of(scores).unwrap().standard_deviation.unwrap();
        let with: Vec<f64> = games.iter().map(|game| game.score.into()).collect();
        assert!(deviation(&less) < 1.1 * deviation(&with), "{} and {}", deviation(&less), deviation(&with));
    }

    #[test]
    fn a_game_that_was_cut_has_its_luck_up_to_there() {
        let mut player = PolicyPlayer::new("cascade", Cascade);
        let mut cut = play_bounded::<Match3>(&mut player, &rules(), 1_000_000, 400, 5, |_| true).unwrap().unwrap();
        let less = cut.iter().map(|game| luck_adjusted::<Match3>(&rules(), game, 16).unwrap());
        let luck: Vec<f64> = less.zip(&cut).map(|(less, game)| f64::from(game.score) - less).collect();
        let luck = Summary::of(&luck).unwrap();
        assert!(luck.mean.abs() < 2.5 * luck.half_width.unwrap() && luck.standard_deviation.unwrap() > 1.0, "{luck}");
        // A cut game does not count as ended.
        cut[0].is_over = true;
        assert_eq!(luck_adjusted::<Match3>(&rules(), &cut[0], 1), None);
    }

    #[test]
    fn luck_is_what_the_moves_brought_beyond_the_mean_of_what_they_can_bring() {
        let game = &games(1)[0];
        let (mut table, mut random, _) = deal::<Match3>(&rules(), game.seed);
        let mut stream = Stream::new(99, Role::Game, 0);
        let (mut luck, mut variance) = (0.0, 0.0);
        for action in game.actions.iter().map(|action| usize::from(*action)) {
            let before = table.state();
            let outcomes: Vec<f64> = (0..1_000)
                .map(|_| {
                    let mut game = Match3::at(&rules(), &before);
                    let reward = f64::from(game.step(action, &mut stream).reward);
                    reward + forecast(&game.state())
                })
                .collect();
            let outcomes = Summary::of(&outcomes).unwrap();
            let reward = f64::from(table.step(action, &mut random).reward);
            luck += reward + forecast(&table.state()) - outcomes.mean;
            variance += 2.0 * outcomes.standard_deviation.unwrap().powi(2) / 1_000.0;
        }
        let found = replayed(game, 1_000).luck;
        assert!((found - luck).abs() < 5.0 * variance.sqrt(), "{found}, {luck} ± {}", variance.sqrt());
    }

    #[test]
    fn a_seed_above_64_bits_has_a_stream_of_its_own() {
        let seed = 5 + (3_u128 << 64);
        let Episode { mut game, stream: mut random } = Episode::<Match3>::deal(&rules(), seed);
        let mut stream = Stream::new(5, Role::Luck, 3);
        let (mut actions, mut luck) = (vec![], 0.0);
        while !game.is_over() {
            let before = game.state();
            let action = (0..Match3::ACTIONS).find(|action| Match3::mask(&before, MATCHING).contains(*action));
            actions.push(action.unwrap_or_default());
            let expected = outcome(&mut Match3::at(&rules(), &before), actions[actions.len() - 1], &mut stream);
            luck += outcome(&mut game, actions[actions.len() - 1], &mut random) - expected;
        }
        assert_eq!(replay::<Match3>(&rules(), seed, &actions, 1).unwrap().luck, luck);
    }

    #[test]
    fn moves_after_which_chance_decides_nothing_have_no_luck() {
        let (mut game, mut random, _) = deal::<Match3>(&rules(), 3);
        let mut actions = vec![];
        while !game.is_over() {
            let matching = Match3::mask(&game.state(), MATCHING);
            let action = (0..Match3::ACTIONS).find(|action| !matching.contains(*action)).unwrap();
            actions.push(action);
            game.step(action, &mut random);
        }
        let replay = |actions: &[usize]| replay::<Match3>(&rules(), 3, actions, 3);
        let found = replay(&actions).unwrap();
        assert!(found.score == -125 && found.luck.abs() < 1e-9, "{found:?}");
        assert_eq!((replay(&actions[1..]), replay(&[&actions[..], &actions[..1]].concat())), (None, None));
    }
}
